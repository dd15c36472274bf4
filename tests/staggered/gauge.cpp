// Gauge configurations: files of both byte orders are read as they were written, wrong ones are
// refused, and the plaquette is that of the definition, and of the configurations that the MILC
// code comes with.
#include "staggered/plaquette.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "mpi/communicator.hpp"
#include "staggered/fields.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"

namespace staggered {
namespace {

using weft::Index;
using weft::Shape;
using Words = std::vector<std::uint32_t>;

std::uint32_t reversed(std::uint32_t word) {
  std::uint32_t other = 0;
  for (int k = 0; k < 4; ++k) other = other << 8 | (word >> 8 * k & 0xffU);
  return other;
}

class Gauge : public testing::Test {
 protected:
  weft::mpi::Communicator world = weft::mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();
  std::string path =
      (std::filesystem::temp_directory_path() / ("weft_gauge_" + world.gather_all(std::to_string(getpid())).front()))
          .string();

  ~Gauge() override {
    world.barrier();
    if (rank == 0) std::remove(path.c_str());
  }

  /// Number k of link `direction` of a site.
  static float number(Index site, Index direction, Index k) {
    return static_cast<float>(site) + 0.25F * static_cast<float>(direction) - 0.001F * static_cast<float>(k);
  }
  /// A whole file, header and all.
  static Words file(const Shape& shape) {
    const Index points = weft::volume(shape);
    Words words(24);
    words[0] = 20103;
    for (int d = 0; d < 4; ++d) words[static_cast<std::size_t>(1 + d)] = static_cast<std::uint32_t>(shape[3 - d]);
    std::memcpy(words.data() + 5, "a stamp", 7);
    for (Index site = 0; site < points; ++site)
      for (Index d = 0; d < 4; ++d)
        for (Index k = 0; k < 18; ++k) words.push_back(std::bit_cast<std::uint32_t>(number(site, d, k)));
    for (std::size_t i = 24; i < words.size(); ++i) {
      words[22] ^= std::rotl(words[i], static_cast<int>((i - 24) % 29));
      words[23] ^= std::rotl(words[i], static_cast<int>((i - 24) % 31));
    }
    return words;
  }
  /// In the other byte order, but for the stamp, which is text.
  static Words turned(Words words) {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (i < 5 || i > 20) words[i] = reversed(words[i]);
    return words;
  }
  void write(const Words& words, std::size_t bytes = 0) const {
    if (rank == 0)
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(words.data()),
                 static_cast<std::streamsize>(bytes ? bytes : 4 * words.size()));
    world.barrier();
  }
  std::vector<weft::Layout> layouts(const Shape& shape) const {
    std::vector<weft::Box> boxes;
    for (int r = 0; r < ranks; ++r) boxes.push_back(sites(shape, ranks).box(r));
    return {sites(shape, ranks), weft::Layout::slab(shape, 3, ranks, weft::Split::blocks()),
            weft::Layout::checkerboard(shape, boxes)};
  }
};

TEST_F(Gauge, FilesOfBothByteOrders) {
  const Shape shape{3, 2, 5, 4};
  for (const bool swapped : {false, true}) {
    write(swapped ? turned(file(shape)) : file(shape));
    const GaugeHeader header = read_header(world.raw(), path);
    EXPECT_EQ(header.shape, shape);
    EXPECT_EQ(header.stamp, "a stamp");
    EXPECT_EQ(header.swapped, swapped);
    for (const weft::Layout& layout : layouts(shape)) {
      const std::vector<Links> links = read_links(world.raw(), path, layout);
      const std::vector<Index> indices = weft::oracle::global_indices(layout, rank);
      ASSERT_EQ(links.size(), indices.size());
      for (std::size_t i = 0; i < links.size(); ++i)
        for (std::size_t d = 0; d < 4; ++d)
          for (std::size_t k = 0; k < 9; ++k) {
            const Index number_of = static_cast<Index>(2 * k), direction = static_cast<Index>(d);
            EXPECT_EQ(links[i][d][k / 3][k % 3],
                      Complex(number(indices[i], direction, number_of), number(indices[i], direction, number_of + 1)));
          }
    }
    world.barrier();
  }
}

TEST_F(Gauge, WrongFiles) {
  const Shape shape{2, 2, 2, 3};
  const weft::Layout layout = sites(shape, ranks);
  const auto refused = [&](const Words& words, const std::vector<std::string>& why, std::size_t bytes = 0) {
    world.barrier();
    write(words, bytes);
    weft::fails(
        world, [&] { read_links(world.raw(), path, layout); }, why);
  };
  const Words good = file(shape);
  const auto with = [&](std::size_t at, std::uint32_t word) {
    Words words = good;
    words[at] = word;
    return words;
  };
  weft::fails(world, [&] { read_links(world.raw(), path + "_not_there", layout); }, {"_not_there", "cannot be opened"});
  refused(with(0, 20104), {"begins with 20104", "20103"});
  refused(with(3, 0), {"extent is 0"});
  refused(with(2, 0xffffffff), {"extent is -1"});
  refused(with(21, 1), {"order 1"});
  refused(good, {"ends before byte 96"}, 95);
  refused(good, {"has 6000 bytes", "3x2x2x2", "7008"}, 6000);
  refused(with(100, good[100] ^ 1U), {"checksums"});
  refused(with(22, good[22] + 1), {"checksums"});
  Words body = turned(good);
  for (std::size_t i = 24; i < body.size(); ++i) body[i] = good[i];
  refused(body, {"checksums"});
  refused(file({2, 2, 2, 2}), {"2x2x2x2", "3x2x2x2"});
}

TEST_F(Gauge, PlaquetteOfTheDefinition) {
  for (const Shape& shape : {Shape{4, 2, 3, 5}, Shape{1, 2, 2, 3}, Shape{2 * ranks, 2, 2, 2}}) {
    const Index points = weft::volume(shape);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<Links> all(static_cast<std::size_t>(points));
    for (Links& site : all)
      for (Matrix& link : site)
        for (auto& row : link)
          for (Complex& value : row) value = {normal(random), normal(random)};
    const auto product = [](const Matrix& a, const Matrix& b) {
      Matrix c{};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
      return c;
    };
    const auto adjoint = [](const Matrix& a) {
      Matrix c{};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) c[i][j] = std::conj(a[j][i]);
      return c;
    };
    double space = 0, time = 0;
    for (Index i = 0; i < points; ++i) {
      const auto next = [&](int direction) {
        Index stride = 1, n = 0;
        for (int d = 0; d <= direction; ++d) stride *= d < direction ? shape[3 - d] : 1, n = shape[3 - d];
        return static_cast<std::size_t>(i / stride % n == n - 1 ? i - (n - 1) * stride : i + stride);
      };
      for (int mu = 0; mu < 4; ++mu)
        for (int nu = mu + 1; nu < 4; ++nu) {
          const auto m = static_cast<std::size_t>(mu), n = static_cast<std::size_t>(nu),
                     here = static_cast<std::size_t>(i);
          const Matrix round = product(product(all[here][m], all[next(mu)][n]),
                                       product(adjoint(all[next(nu)][m]), adjoint(all[here][n])));
          (nu == 3 ? time : space) +=
              (round[0][0] + round[1][1] + round[2][2]).real() / (3.0 * static_cast<double>(points));
        }
    }
    for (const weft::Layout& layout : layouts(shape)) {
      if (!layout.has_boxes()) continue;
      std::vector<Links> mine;
      for (const Index index : weft::oracle::global_indices(layout, rank))
        mine.push_back(all[static_cast<std::size_t>(index)]);
      const Plaquette found = plaquette(world.raw(), layout, mine);
      EXPECT_NEAR(found.space, space, 1e-11);
      EXPECT_NEAR(found.time, time, 1e-11);
    }
  }
}

TEST_F(Gauge, UnitLinks) {
  const weft::Layout layout = sites({4, 4, 4, 4}, ranks);
  const Plaquette found = plaquette(world.raw(), layout, unit_links(layout, rank));
  EXPECT_EQ(found.space, 3);
  EXPECT_EQ(found.time, 3);
}

/// Figures as the MILC code prints them.
TEST_F(Gauge, ConfigurationsOfMilc) {
  const std::string folder = WEFT_MILC_DATA;
  if (!std::filesystem::exists(folder + "/lat.sample.l4444"))
    GTEST_SKIP() << "\"" << folder << "\" has no sample files of the MILC code: give -D WEFT_MILC_DATA=<folder>";
  struct Known {
    const char *file, *space, *time;
    int digits;
  };
  for (const Known& known : {Known{"lat.sample.l4444", "1.794675", "1.774426", 6},
                             Known{"lat.sample.l8888", "1.77900215446", "1.78235928814", 11}}) {
    const std::string name = folder + "/" + known.file;
    const weft::Layout layout = sites(read_header(world.raw(), name).shape, ranks);
    const Plaquette found = plaquette(world.raw(), layout, read_links(world.raw(), name, layout));
    const auto printed = [&](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.*f", known.digits, value);
      return std::string(text);
    };
    EXPECT_EQ(printed(found.space), known.space) << known.file;
    EXPECT_EQ(printed(found.time), known.time) << known.file;
  }
}

}  // namespace
}  // namespace staggered
