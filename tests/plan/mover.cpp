// The mover against element-wise copying: every form, every element size, degenerate extents,
// streaming and not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "plan/stage/mover.hpp"

namespace weft {
namespace {

constexpr Index sizes[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 120};

// Bytes that differ from one element to the next.
std::vector<std::byte> pattern(Index bytes) {
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<std::byte>(k * 37 + k / 251);
  return memory;
}

void check(Index bytes, Index ni, Index nj, const Shape& from, const Shape& to, bool stream) {
  const Panel p{ni, nj, from[0] * bytes, from[1] * bytes, to[0] * bytes, to[1] * bytes};
  const Index room = bytes * (1 + (ni - 1) * std::max(from[0], to[0]) + (nj - 1) * std::max(from[1], to[1]));
  const auto source = pattern(room);
  std::vector<std::byte> target(static_cast<std::size_t>(room) + 64, std::byte{0xee}), expected = target;
  // So that streaming really streams
  const auto aligned = (64 - reinterpret_cast<std::uintptr_t>(target.data()) % 64) % 64;
  for (Index i = 0; i < ni; ++i)
    for (Index j = 0; j < nj; ++j)
      std::memcpy(expected.data() + aligned + i * p.to_i + j * p.to_j, source.data() + i * p.from_i + j * p.from_j,
                  static_cast<std::size_t>(bytes));
  const Mover move(bytes, p);
  stream ? move.stream(source.data(), target.data() + aligned, p) : move(source.data(), target.data() + aligned, p);
  streaming_fence();
  EXPECT_TRUE(target == expected) << bytes << " byte elements, " << ni << "x" << nj << ", strides " << from << " -> "
                                  << to << (stream ? ", streaming" : "");
}

TEST(Mover, EveryFormOfPanel) {
  for (const Index bytes : sizes)
    for (const bool stream : {false, true})
      for (const auto& [ni, nj] : {std::pair<Index, Index>{1, 1},
                                   {1, 7},
                                   {7, 1},
                                   {2, 3},
                                   {4, 4},
                                   {5, 8},
                                   {8, 5},
                                   {16, 8},
                                   {67, 9},
                                   {9, 70},
                                   {128, 8},
                                   {8, 128}}) {
        const Index wide = 4 * ((std::max(ni, nj) + 7) / 4);  // rows that begin on a cache line for 16 byte elements
        for (const Index row : {std::max(ni, nj), std::max(ni, nj) + 3, wide}) {
          const Shape by_j{row, 1}, by_i{1, row}, loose{2 * row + 1, 2};
          for (const Shape& from : {by_j, by_i, loose})
            for (const Shape& to : {by_j, by_i, loose}) check(bytes, ni, nj, from, to, stream);
        }
      }
}

// Rows that follow one another without a gap, whether or not they begin cache lines, from rows that
// do not.
TEST(Mover, RunsOfRows) {
  for (const Index bytes : sizes)
    for (const Index nj : {1, 2, 5, 16, 33, 65}) {
      check(bytes, 7, nj, {nj + 3, 1}, {nj, 1}, true);
      check(bytes, nj, 7, {1, nj + 3}, {1, nj}, true);
    }
}

// Boxes with extents 1, 2, 3 and 5 in every order, from and to every memory order, padded or not.
TEST(Mover, ViewsOfEveryOrder) {
  Order order{0, 1, 2};
  for (const Index bytes : {Index{4}, Index{16}, Index{24}})
    for (const Shape& shape : {Shape{1, 2, 3}, Shape{5, 1, 2}, Shape{3, 5, 1}, Shape{1, 1, 1}, Shape{1, 1, 5},
                               Shape{5, 3, 2}, Shape{2, 2, 2}}) {
      const Box box = Box::whole(shape);
      std::vector<Order> orders;
      do orders.push_back(order);
      while (std::next_permutation(order.begin(), order.end()));
      for (const Order& a : orders)
        for (const Order& b : orders)
          for (const Shape& padding : {Shape{0, 0, 0}, Shape{1, 2, 0}}) {
            const View from = dense_view(box, a, padding, 0), to = dense_view(box, b, {}, 1);
            const auto source = pattern(dense_elements(box, a, padding) * bytes);
            std::vector<std::byte> target(static_cast<std::size_t>(box.volume() * bytes));
            Slots slots{const_cast<std::byte*>(source.data()), target.data()};
            copy(from, slots, to, slots, bytes);
            for (Index i = 0; i < shape[0]; ++i)
              for (Index j = 0; j < shape[1]; ++j)
                for (Index k = 0; k < shape[2]; ++k)
                  ASSERT_EQ(std::memcmp(source.data() + from.at({i, j, k}) * bytes,
                                        target.data() + to.at({i, j, k}) * bytes, static_cast<std::size_t>(bytes)),
                            0)
                      << bytes << " byte elements of " << shape << " at " << point_string({i, j, k});
          }
    }
}

}  // namespace
}  // namespace weft
