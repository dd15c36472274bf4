// Stages of two axes: rows, then the columns across them, through a block.
#include "plan/stage.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

namespace weft {
namespace {

using Complex = std::complex<double>;
constexpr Index planes = 2, points = 64, apart_in_block = 68;

struct Ran {
  bool may_copy = false;
  std::vector<Complex> results;  // in C order
};

LineSpec columns(Index length) {
  LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, length};
  spec.in_stride = spec.out_stride = apart_in_block, spec.in_distance = spec.out_distance = 1;
  return spec;
}

// Planes of `rows` rows that lie so many elements apart, transformed where they are; the stage is told whether to copy.
Ran run(Index rows, Index apart, bool overwrites, bool copies = false) {
  const Box box{{0, 0, 0}, {rows, planes, points}};
  const View view{box, 0, 0, {apart, points, 1}};
  LineSpec along{Kind::c2c, Direction::forward, Precision::double_, points};
  along.out_distance = apart_in_block;
  Stage::Request request{.from = {box, {view}, sizeof(Complex)}, .to = {box, {view}, sizeof(Complex)}, .operations = {{.axis = 2}, {.axis = 0}}};
  request.operations[0].first = engine("fftw").plan(along, "measure");
  request.operations[1].first = engine("fftw").plan(columns(rows), "measure");
  request.overwrites = overwrites;
  Stage stage(request);
  stage.copy(copies);

  std::vector<Complex> block(static_cast<std::size_t>(stage.block_bytes()) / sizeof(Complex)), batch(2 * static_cast<std::size_t>(stage.line_bytes()) / sizeof(Complex) + 2);
  Bench bench;
  bench.block = reinterpret_cast<std::byte*>(block.data());
  for (int k : {0, 1}) bench.lines[k] = reinterpret_cast<std::byte*>(batch.data()) + k * stage.line_bytes();
  bench.from.resize(stage.segments()), bench.to.resize(stage.segments());
  bench.from_rows.resize(stage.rows()), bench.to_rows.resize(stage.rows()), bench.ahead_rows.resize(stage.ahead_rows());

  std::vector<Complex> data(static_cast<std::size_t>(rows * apart + planes * points));
  const auto each = [&](auto visit) {
    for (Index x = 0; x < rows; ++x)
      for (Index y = 0; y < planes; ++y)
        for (Index z = 0; z < points; ++z) visit(data[static_cast<std::size_t>(view.at({x, y, z}))], x, y, z);
  };
  each([](Complex& value, Index x, Index y, Index z) { value = {static_cast<double>((x + 3 * y * z) % 17), static_cast<double>((x * z + y) % 11)}; });
  const Slots slots{reinterpret_cast<std::byte*>(data.data())};
  for (int b = 0; b < stage.blocks(); ++b)
    for (int p = 0; p < stage.passes(); ++p) stage.run(b, p, 0, 1, bench, {&slots, nullptr});
  streaming_fence();
  Ran ran{stage.may_copy(), {}};
  each([&](const Complex& value, Index, Index, Index) { ran.results.push_back(value); });
  return ran;
}

// Rows a multiple of 4 KiB apart may be written one after the other, and not by columns, which write all of them to the same sets of a cache; with the same bits.
TEST(Stage, RowsThatPileUpInACache) {
  const Ran loose = run(32, 260, true), piled = run(32, 256, true), copied = run(32, 256, true, true);
  EXPECT_FALSE(loose.may_copy);
  EXPECT_EQ(piled.may_copy, engine("fftw").plan(columns(32), "measure")->takes_rows());
  EXPECT_FALSE(run(32, 256, false).may_copy) << "where nothing has just been read";
  EXPECT_FALSE(run(8, 256, true).may_copy) << "a set holds so few";
  EXPECT_TRUE(loose.results == piled.results);
  EXPECT_TRUE(loose.results == copied.results);
  EXPECT_TRUE(loose.results == run(32, 260, true, true).results) << "told what it cannot";
  EXPECT_EQ(loose.results.size(), static_cast<std::size_t>(32 * planes * points));
  Complex sum = 0;  // the first of all results
  for (Index x = 0; x < 32; ++x)
    for (Index z = 0; z < points; ++z) sum += Complex(static_cast<double>(x % 17), static_cast<double>((x * z) % 11));
  EXPECT_LT(std::abs(piled.results.front() - sum), 1e-10);
}

}  // namespace
}  // namespace weft
