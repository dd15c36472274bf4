#include "gauge_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include <weft/quote.hpp>
#include <weft/redistribute.hpp>

#include "../agree.hpp"

namespace staggered {
namespace {

using weft::Index;
using Word = std::uint32_t;

constexpr Word magic = 20103;
constexpr Index header_bytes = 96, site_words = directions * colours * colours * 2, site_bytes = 4 * site_words;
constexpr Index longest = 1 << 15;  // of an extent: then sites and bytes can be counted

Word swapped(Word word) { return word >> 24 | (word >> 8 & 0xff00U) | (word << 8 & 0xff0000U) | word << 24; }

[[noreturn]] void refuse_gauge(const std::string& path, const std::string& why) {
  throw weft::Error("\"" + weft::shown(path) + "\" cannot be read as a gauge configuration of format v5: " + why);
}

/// Bytes [from, from + bytes) of a file.
void read_bytes(const std::string& path, Index from, Index bytes, void* to) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_gauge(path, "it cannot be opened");
  file.seekg(from);
  file.read(static_cast<char*>(to), bytes);
  if (!file || file.gcount() != bytes) refuse_gauge(path, "it ends before byte " + std::to_string(from + bytes));
}

GaugeHeader header_of(const std::string& path) {
  std::array<Word, header_bytes / 4> words{};
  read_bytes(path, 0, header_bytes, words.data());
  GaugeHeader header;
  header.swapped = words[0] == swapped(magic);
  if (words[0] != magic && !header.swapped)
    refuse_gauge(path, "it begins with " + std::to_string(words[0]) + ", and such files with " + std::to_string(magic));
  header.stamp.assign(reinterpret_cast<const char*>(words.data() + 5), 64);
  header.stamp.resize(std::min(header.stamp.find('\0'), header.stamp.size()));
  if (header.swapped)
    for (Word& word : words) word = swapped(word);
  Index points = 1;
  for (int d = 0; d < directions; ++d) {
    const Index n = static_cast<std::int32_t>(words[static_cast<std::size_t>(directions - d)]);
    if (n < 1 || n > longest)
      refuse_gauge(path, "it says that an extent is " + std::to_string(n) + ", and these are from 1 to " +
                             std::to_string(longest));
    header.shape.push_back(n);
    points *= n;
  }
  if (words[21] != 0)
    refuse_gauge(path, "its sites are in order " + std::to_string(words[21]) + ", and only order 0 is known");
  header.sum29 = words[22];
  header.sum31 = words[23];
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const Index has = file.tellg(), wanted = header_bytes + site_bytes * points;
  if (has != wanted)
    refuse_gauge(path, "it has " + std::to_string(has) + " bytes, and " + to_string(extents(header.shape)) +
                           " sites need " + std::to_string(wanted));
  return header;
}

}  // namespace

GaugeHeader read_header(MPI_Comm comm, const std::string& path) {
  GaugeHeader header;
  apps::agree(comm, [&] { header = header_of(path); });
  return header;
}

std::vector<Links> read_links(MPI_Comm comm, const std::string& path, const weft::Layout& layout) {
  const GaugeHeader header = read_header(comm, path);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Index points = weft::volume(header.shape);
  const std::vector<Index> bounds = weft::Split::even().bounds(points, ranks);
  std::vector<std::vector<weft::Run>> ranges;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) ranges.push_back({{bounds[r], bounds[r + 1] - bounds[r]}});
  const Index first = bounds[static_cast<std::size_t>(rank)],
              count = bounds[static_cast<std::size_t>(rank) + 1] - first;
  std::vector<Word> words(static_cast<std::size_t>(count * site_words));
  std::array<Word, 2> part{}, sums{};
  apps::agree(comm, [&] {
    if (layout.shape() != header.shape)
      refuse_gauge(path, "it has " + to_string(extents(header.shape)) + " sites, and the lattice has " +
                             to_string(extents(layout.shape())));
    read_bytes(path, header_bytes + first * site_bytes, count * site_bytes, words.data());
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (header.swapped) words[i] = swapped(words[i]);
      const Index number = first * site_words + static_cast<Index>(i);
      part[0] ^= std::rotl(words[i], static_cast<int>(number % 29));
      part[1] ^= std::rotl(words[i], static_cast<int>(number % 31));
    }
  });
  MPI_Allreduce(part.data(), sums.data(), 2, MPI_UINT32_T, MPI_BXOR, comm);
  if (sums[0] != header.sum29 || sums[1] != header.sum31)
    refuse_gauge(path, "its data have the checksums " + std::to_string(sums[0]) + " and " + std::to_string(sums[1]) +
                           ", and its header says " + std::to_string(header.sum29) + " and " +
                           std::to_string(header.sum31));

  std::vector<float> numbers(static_cast<std::size_t>(layout.elements(rank) * site_words));
  weft::redistribute(comm, weft::Layout::runs(header.shape, ranges), words.data(), layout, numbers.data(), site_bytes);
  std::vector<Links> links(static_cast<std::size_t>(layout.elements(rank)));
  const float* next = numbers.data();
  for (Links& site : links)
    for (Matrix& link : site)
      for (auto& row : link)
        for (Complex& number : row) number = {next[0], next[1]}, next += 2;
  return links;
}

}  // namespace staggered
