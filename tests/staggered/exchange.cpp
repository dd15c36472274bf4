// Every way of filling ghost sites gives each of them the value of its site.
#include "staggered/exchange.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <weft/exchange.hpp>

#include "staggered/faces.hpp"
#include "staggered/ways.hpp"
#include "support/fails.hpp"

namespace staggered {
namespace {

using weft::Index;
using weft::Shape;

class FillingGhosts : public testing::Test {
 protected:
  weft::mpi::Communicator world = weft::mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();

  /// Number k of the object at a site.
  static double number(Index site, int k, int round) { return static_cast<double>(site * 1000 + k) + 0.25 * round; }

  void fills(const weft::Layout& parts, Index farthest) {
    const Shape width = ghost_width(parts, farthest), &shape = parts.shape();
    const weft::Box& box = parts.box(rank);
    int able = 0;
    for (const std::string& way : ways())
      for (const Object& object : objects) {
        SCOPED_TRACE(way + ", " + object.name + ", " + parts.describe());
        Exchanges both;
        try {
          both = exchanges(world.raw(), parts, width, object.numbers, way);
        } catch (const weft::Declined&) {
          continue;
        }
        ++able;
        for (const int parity : {0, 1})
          for (int round = 0; round < 3; ++round) {
            std::vector<double> field, expected;
            const auto add = [&](const weft::Box& sites, bool own) {
              each_site(sites, [&](const Shape& site) {
                if (parity_of(site) != parity) return;
                for (int k = 0; k < 2 * object.numbers; ++k) {
                  expected.push_back(number(number_of(shape, wrapped(shape, site)), k, round));
                  field.push_back(own ? expected.back() : -1);
                }
              });
            };
            add(box, true);
            for (int a = 0; a < directions; ++a)
              for (const bool upper : {false, true}) add(ghosts_at(box, width, a, upper), false);
            Exchange& exchange = *both[static_cast<std::size_t>(parity)];
            exchange.start(field.data());
            if (round == 1) exchange.test();
            exchange.finish();
            EXPECT_EQ(field, expected) << "parity " << parity << ", round " << round;
          }
      }
    EXPECT_GE(able, 15);
  }
};

TEST_F(FillingGhosts, TinyByEveryWay) {
  fills(sites({2 * ranks, 2, 4, 2}, ranks), 1);
  fills(sites({6, 4, 4, 2}, ranks), 1);  // uneven, or empty
}

TEST_F(FillingGhosts, FarGhosts) { fills(weft::Layout::slab({4 * ranks + 2, 4, 2, 2}, 0, ranks), 3); }

// 4^4 sites a rank have 32 of each parity on each side.
TEST_F(FillingGhosts, TinyTypesOfFaces) {
  const weft::Layout parts = weft::Layout::slab({4 * ranks, 4, 4, 4}, 0, ranks);
  const FaceTypes types(world.raw(), parts, ghost_width(parts, 1));
  for (int object = 0; object < 3; ++object)
    for (const int parity : {0, 1})
      for (int side = 0; side < sides; ++side) {
        int bytes = 0;
        MPI_Type_size(types.leaves(object, parity, side), &bytes);
        EXPECT_EQ(bytes, 32 * 16 * objects[object].numbers);
        const Face& face = types.face(parity, side);
        EXPECT_EQ(face.count, ranks > 1 && side < 2 ? 32 : 0);
        EXPECT_EQ(face.neighbour == MPI_PROC_NULL, face.count == 0);
      }
}

TEST_F(FillingGhosts, TinyPartsThatAreTooNarrow) {
  if (ranks == 1) return;
  const weft::Layout parts = weft::Layout::slab({2 * ranks, 2, 2, 2}, 0, ranks);
  for (const char* way : {by_hand, by_faces})
    weft::fails(world, [&] { exchanges(world.raw(), parts, ghost_width(parts, 3), 3, way); },
                {"3 sites deep", "only 2", "weft's strategies"});
  weft::fails(world, [&] { exchanges(world.raw(), parts, ghost_width(parts, 1), 3, "pigeon"); },
              {"no strategy 'pigeon'"});
  weft::fails(world, [&] { exchanges(world.raw(), parts, ghost_width(parts, 1), 5, by_faces); },
              {"5 complex", "3, 6 and 9"});
}

}  // namespace
}  // namespace staggered
