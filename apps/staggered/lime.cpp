#include "lime.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <weft/quote.hpp>
#include <weft/redistribute.hpp>

#include "../agree.hpp"
#include "lattice.hpp"

namespace staggered {
namespace {

using weft::Index;

[[noreturn]] void refuse_field(const std::string& path, const std::string& why) {
  throw weft::Error("\"" + weft::shown(path) + "\" cannot be read as a field in a LIME file: " + why);
}

std::uint64_t big_endian(const unsigned char* from, int bytes) {
  std::uint64_t value = 0;
  for (int k = 0; k < bytes; ++k) value = value << 8 | from[k];
  return value;
}

/// Where the data begin. They must have so many bytes.
Index begin_of_data(const std::string& path, Index bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) refuse_field(path, "it cannot be opened");
  const Index end = file.tellg();
  for (Index at = 0; at + 144 <= end;) {
    unsigned char header[144];
    file.seekg(at);
    file.read(reinterpret_cast<char*>(header), sizeof header);
    if (!file) refuse_field(path, "it ends in the middle of a header at byte " + std::to_string(at));
    if (big_endian(header, 4) != 0x456789abU) refuse_field(path, "at byte " + std::to_string(at) + " no record begins");
    const std::uint64_t length = big_endian(header + 8, 8);
    if (length > static_cast<std::uint64_t>(end - at - 144))
      refuse_field(path, "it ends before a record of " + std::to_string(length) + " bytes at byte " +
                             std::to_string(at) + " does");
    const auto* const type = reinterpret_cast<const char*>(header + 16);
    if (std::string(type, strnlen(type, 128)) == "scidac-binary-data") {
      if (length != static_cast<std::uint64_t>(bytes))
        refuse_field(
            path, "its data have " + std::to_string(length) + " bytes, and the lattice needs " + std::to_string(bytes));
      return at + 144;
    }
    at += 144 + static_cast<Index>((length + 7) / 8 * 8);
  }
  refuse_field(path, "it has no record \"scidac-binary-data\"");
}

}  // namespace

std::vector<float> read_field(MPI_Comm comm, const std::string& path, const weft::Layout& layout, Index numbers) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Index points = weft::volume(layout.shape()), site_bytes = 4 * numbers;
  const std::vector<Index> bounds = weft::Split::even().bounds(points, ranks);
  std::vector<std::vector<weft::Run>> ranges;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) ranges.push_back({{bounds[r], bounds[r + 1] - bounds[r]}});
  const Index first = bounds[static_cast<std::size_t>(rank)],
              count = bounds[static_cast<std::size_t>(rank) + 1] - first;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count * site_bytes));
  std::vector<float> mine(static_cast<std::size_t>(count * numbers));
  apps::agree(comm, [&] {
    const Index begin = begin_of_data(path, points * site_bytes);
    std::ifstream file(path, std::ios::binary);
    file.seekg(begin + first * site_bytes);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) refuse_field(path, "its data cannot be read");
    for (std::size_t i = 0; i < mine.size(); ++i)
      mine[i] = std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(bytes.data() + 4 * i, 4)));
  });
  std::vector<float> field(static_cast<std::size_t>(layout.elements(rank) * numbers));
  weft::redistribute(comm, weft::Layout::runs(layout.shape(), ranges), mine.data(), layout, field.data(), site_bytes);
  return field;
}

}  // namespace staggered
