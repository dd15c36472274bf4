// Fields in LIME files are read as they were written, and files that are none are refused.
#include "staggered/lime.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "mpi/communicator.hpp"
#include "staggered/lattice.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"

namespace staggered {
namespace {

using weft::Index;
using weft::Shape;

class Lime : public testing::Test {
 protected:
  weft::mpi::Communicator world = weft::mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();
  std::string path =
      (std::filesystem::temp_directory_path() / ("weft_lime_" + world.gather_all(std::to_string(getpid())).front()))
          .string();

  ~Lime() override {
    world.barrier();
    if (rank == 0) std::remove(path.c_str());
  }

  static void append(std::string& text, std::uint64_t value, int bytes) {
    for (int k = bytes; k-- > 0;) text.push_back(static_cast<char>(value >> 8 * k & 0xffU));
  }
  static std::string record(const std::string& type, const std::string& data) {
    std::string text;
    append(text, 0x456789ab, 4);
    append(text, 0x00018000, 4);
    append(text, data.size(), 8);
    text += type + std::string(128 - type.size(), '\0') + data;
    return text + std::string((8 - data.size() % 8) % 8, '\0');
  }
  static float number(Index site, Index k) { return static_cast<float>(site) + 0.01F * static_cast<float>(k); }
  /// A field of three numbers a site, behind a record that is no data.
  static std::string file(const Shape& shape) {
    std::string data;
    for (Index site = 0; site < weft::volume(shape); ++site)
      for (Index k = 0; k < 3; ++k) append(data, std::bit_cast<std::uint32_t>(number(site, k)), 4);
    return record("scidac-private-file-xml", "<a/>") + record("scidac-binary-data", data);
  }
  void write(const std::string& text) const {
    world.barrier();
    if (rank == 0) std::ofstream(path, std::ios::binary) << text;
    world.barrier();
  }
};

TEST_F(Lime, TinyFields) {
  const Shape shape{3, 2, 5, 2};
  write(file(shape));
  for (const weft::Layout& layout : {sites(shape, ranks), weft::Layout::slab(shape, 2, ranks, weft::Split::blocks())}) {
    std::vector<float> expected;
    for (const Index site : weft::oracle::global_indices(layout, rank))
      for (Index k = 0; k < 3; ++k) expected.push_back(number(site, k));
    EXPECT_EQ(read_field(world.raw(), path, layout, 3), expected);
  }
}

TEST_F(Lime, TinyWrongFiles) {
  const Shape shape{2, 2, 2, 3};
  const std::string good = file(shape);
  const auto refused = [&](const std::string& text, const std::vector<std::string>& why) {
    write(text);
    weft::fails(
        world, [&] { read_field(world.raw(), path, sites(shape, ranks), 3); }, why);
  };
  weft::fails(world, [&] { read_field(world.raw(), path + "_not_there", sites(shape, ranks), 3); },
              {"cannot be opened"});
  std::string other = good;
  other[152] = 'x';  // where the second record begins
  refused(other, {"at byte 152 no record begins"});
  refused(good.substr(0, good.size() - 100), {"ends before a record of 288 bytes at byte 152"});
  refused(good.substr(0, 200), {"no record \"scidac-binary-data\""});
  refused("", {"no record \"scidac-binary-data\""});
  refused(file({2, 2, 2, 2}), {"192 bytes", "needs 288"});
}

}  // namespace
}  // namespace staggered
