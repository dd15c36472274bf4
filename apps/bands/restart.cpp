#include "restart.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <weft/error.hpp>
#include <weft/file.hpp>
#include <weft/quote.hpp>

#include "together.hpp"

namespace bands {

namespace {

/// What a density depends on, in lines; numbers as people wrote them come out alike.
std::string crystal_text(const Input& input) {
  std::string text;
  for (const Vector3& a : input.crystal.cell) text += fmt::format("vector {:.10g}\n", fmt::join(a, " "));
  for (const Atom& atom : input.crystal.atoms)
    text += fmt::format("{} {:.10g}\n", input.crystal.species[atom.species], fmt::join(atom.at, " "));
  return text + fmt::format("cutoff {:.10g}\n", input.cutoff);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The first line of each that is not the same in both.
std::pair<std::string, std::string> first_difference(const std::string& one, const std::string& other) {
  std::istringstream a(one), b(other);
  std::string in_a, in_b;
  do {
    if (!std::getline(a, in_a)) in_a = "no more";
    if (!std::getline(b, in_b)) in_b = "no more";
  } while (in_a == in_b && in_a != "no more");
  return {in_a, in_b};
}

}  // namespace

Restart::Restart(const Pools& pools, std::string path, const Input& input)
    : pools_(pools), path_(std::move(path)), of_(path_.empty() ? "" : crystal_text(input)) {}

std::optional<std::vector<double>> Restart::read(const Space& space, double electrons) const {
  if (path_.empty()) return {};
  int rank = 0, there = 0;
  MPI_Comm_rank(pools_.all(), &rank);
  std::error_code none;
  if (rank == 0) there = std::filesystem::exists(path_, none);
  MPI_Bcast(&there, 1, MPI_INT, 0, pools_.all());
  if (!there) {
    check_writable();
    return {};
  }
  agree(pools_.all(), [&] {
    if (rank != 0) return;
    const std::string known = text_of(path_ + ".of");
    if (known.empty() || known == of_) return;
    const auto [theirs, ours] = first_difference(known, of_);
    throw weft::Error(
        fmt::format("{} is of another calculation: it has \"{}\" where the input has \"{}\"; name another file",
                    weft::shown_path(path_), weft::shown(theirs), weft::shown(ours)));
  });

  std::vector<double> slab(space.points());
  weft::read(pools_.mine(), path_, space.layout(), std::span(slab));
  double held = std::accumulate(slab.begin(), slab.end(), 0.0) * space.volume_of_point();
  MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_SUM, pools_.mine());
  if (!(std::abs(held - electrons) < 1e-6 * electrons))
    throw weft::Error(
        fmt::format("{} holds the density of {:.6g} electrons, and the crystal has {:.6g}: it is of another "
                    "calculation; name another file",
                    weft::shown_path(path_), held, electrons));
  check_writable();
  return slab;
}

void Restart::check_writable() const {
  agree(pools_.all(), [&] {
    int rank = 0;
    MPI_Comm_rank(pools_.all(), &rank);
    if (rank == 0 && !std::ofstream(path_ + ".of", std::ios::app))
      throw weft::Error("cannot write " + weft::shown_path(path_ + ".of"));
  });
}

void Restart::write(const Space& space, const std::vector<double>& slab) const {
  if (path_.empty()) return;
  agree(pools_.all(), [&] {
    int rank = 0;
    MPI_Comm_rank(pools_.all(), &rank);
    if (told_ || rank != 0) return;
    std::ofstream file(path_ + ".of", std::ios::binary);
    file << of_ << std::flush;
    if (!file) throw weft::Error("cannot write " + weft::shown_path(path_ + ".of"));
  });
  told_ = true;
  agree(pools_.all(), [&] {
    if (pools_.number() == 0) weft::write(pools_.mine(), path_, space.layout(), std::span(slab));
  });
}

}  // namespace bands
