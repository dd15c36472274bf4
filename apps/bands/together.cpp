#include "together.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include <weft/quote.hpp>

namespace bands {

std::string read_text(MPI_Comm comm, const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string text;
  agree(comm, [&] {
    if (rank != 0) return;
    std::error_code none;
    if (std::filesystem::is_directory(path, none))
      throw weft::Error(weft::shown_path(path) + " is a folder; give the name of a TOML file");
    std::ifstream file(path, std::ios::binary);
    if (file && file.peek() == std::ifstream::traits_type::eof() && !file.bad())
      throw weft::Error(weft::shown_path(path) +
                        " is empty; give a TOML file with cell, atoms, potential, basis, bands");
    std::ostringstream all;
    if (file) all << file.rdbuf();
    if (!file || !all) throw weft::Error("cannot read " + weft::shown_path(path) + "; give the name of a TOML file");
    text = all.str();
    if (text.size() > (1u << 28)) throw weft::Error(weft::shown_path(path) + " is larger than 256 MiB: no input file");
  });
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
  return text;
}

void check_memory(MPI_Comm comm, double bytes, const std::string& what) {
  MPI_Comm node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int ranks = 1;
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  agree(comm, [&] {
    if (bytes * ranks > there)
      throw weft::Error(
          fmt::format("{} need about {:.3g} GiB on a node of {} ranks, which has {:.3g}; lower the cutoff "
                      "or the number of bands, or take more nodes",
                      what, bytes * ranks / 1073741824, ranks, there / 1073741824));
  });
}

}  // namespace bands
