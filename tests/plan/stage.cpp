// Stages of two axes: rows, then the columns across them, through a block.
#include "plan/stage/stage.hpp"

#include "plan/policy/variants.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <string>
#include <vector>

namespace weft {
namespace {

using Complex = std::complex<double>;
constexpr Index planes = 2, points = 64, apart_in_block = 68;

struct Ran {
  bool may_leave_in_runs = false;
  std::vector<Complex> results;  // in C order
};

Complex value(Index x, Index y, Index z) {
  return {static_cast<double>((x + 3 * y * z) % 17), static_cast<double>((x * z + y) % 11)};
}

LineSpec columns(Index length) {
  LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, length};
  spec.in_stride = spec.out_stride = apart_in_block, spec.in_distance = spec.out_distance = 1;
  return spec;
}

// Runs all of a stage on data that `value` fills, in a view's order; one array is read and written.
std::vector<Complex> run(const Stage& stage, const View& view, GuardedMap* map = nullptr) {
  std::vector<Complex> block(static_cast<std::size_t>(stage.block_bytes()) / sizeof(Complex)),
      batch(2 * static_cast<std::size_t>(stage.line_bytes()) / sizeof(Complex) + 2);
  Workspace workspace;
  workspace.block = reinterpret_cast<std::byte*>(block.data());
  for (int k : {0, 1}) workspace.lines[k] = reinterpret_cast<std::byte*>(batch.data()) + k * stage.line_bytes();
  workspace.from.resize(stage.segments()), workspace.to.resize(stage.segments());
  workspace.from_rows.resize(stage.rows()), workspace.to_rows.resize(stage.rows()),
      workspace.ahead_rows.resize(stage.ahead_rows());

  Shape last = view.box.hi;
  for (Index& k : last) --k;
  std::vector<Complex> data(static_cast<std::size_t>(view.at(last)) + 1), results;
  const auto each = [&](auto visit) {
    for (Index x = 0; x < view.box.hi[0]; ++x)
      for (Index y = 0; y < view.box.hi[1]; ++y)
        for (Index z = 0; z < view.box.hi[2]; ++z) visit(data[static_cast<std::size_t>(view.at({x, y, z}))], x, y, z);
  };
  each([](Complex& at, Index x, Index y, Index z) { at = value(x, y, z); });
  const Slots slots{reinterpret_cast<std::byte*>(data.data())};
  for (int b = 0; b < stage.blocks(); ++b)
    for (int p = 0; p < stage.passes(); ++p) stage.program().run(b, p, 0, 1, workspace, {&slots, map});
  streaming_fence();
  each([&](const Complex& at, Index, Index, Index) { results.push_back(at); });
  return results;
}

// Planes of `rows` rows that lie so many elements apart, transformed where they are, in runs or
// not.
Ran run(Index rows, Index apart, bool overwrites, bool in_runs = false, bool from_memory = false) {
  const Box box{{0, 0, 0}, {rows, planes, points}};
  const View view{box, 0, 0, {apart, points, 1}};
  LineSpec along{Kind::c2c, Direction::forward, Precision::double_, points};
  along.out_distance = apart_in_block;
  StageSpec spec{.from = {box, {view}, sizeof(Complex)},
                 .to = {box, {view}, sizeof(Complex)},
                 .operations = {{.axis = 2}, {.axis = 0}}};
  spec.operations[0].first = engine("weft").plan(along, "measure");
  spec.operations[1].first = engine("weft").plan(columns(rows), "measure");
  Variants all = variants(spec, {.first = true, .overwrites = overwrites, .paired_rows = true}, hardware());
  if (from_memory)
    for (Variant* v : {&all.planned, all.in_runs ? &*all.in_runs : nullptr})
      if (v) v->load = Load::prefetched;
  Stage stage(spec, all);
  stage.choose({.in_runs = in_runs});
  return {all.in_runs.has_value(), run(stage, view)};
}

// Lines of `length` points, `lines` of them side by side, transformed where they are by threads
// that have a bench each.
std::unique_ptr<Stage> gathering(Index length, Index lines, Index threads = 1) {
  const Box box{{0, 0, 0}, {length, 1, lines}};
  const View view{box, 0, 0, {lines, lines, 1}};
  StageSpec spec{
      .from = {box, {view}, sizeof(Complex)}, .to = {box, {view}, sizeof(Complex)}, .operations = {{.axis = 0}}};
  spec.operations[0].first =
      engine("weft").plan({Kind::c2c, Direction::forward, Precision::double_, length}, "estimate");
  spec.threads = threads;
  return std::make_unique<Stage>(spec, variants(spec, {}, hardware()));
}

// Rows a multiple of 4 KiB apart may be written one after the other, and not by columns, which
// write all of them to the same sets of a cache; with the same bits.
TEST(Stage, RowsThatPileUpInACache) {
  const Ran loose = run(32, 260, true), piled = run(32, 256, true), copied = run(32, 256, true, true);
  EXPECT_FALSE(loose.may_leave_in_runs);
  EXPECT_EQ(piled.may_leave_in_runs, engine("weft").plan(columns(32), "measure")->takes_rows());
  EXPECT_FALSE(run(32, 256, false).may_leave_in_runs) << "where nothing has just been read";
  EXPECT_FALSE(run(8, 256, true).may_leave_in_runs) << "a set holds so few";
  EXPECT_TRUE(loose.results == piled.results);
  EXPECT_TRUE(loose.results == copied.results);
  EXPECT_TRUE(loose.results == run(32, 256, true, true, true).results) << "from memory";
  EXPECT_TRUE(loose.results == run(32, 260, true, true).results) << "told what it cannot";
  EXPECT_EQ(loose.results.size(), static_cast<std::size_t>(32 * planes * points));
  Complex sum = 0;  // the first of all results
  for (Index x = 0; x < 32; ++x)
    for (Index z = 0; z < points; ++z) sum += value(x, 0, z);
  EXPECT_LT(std::abs(piled.results.front() - sum), 1e-10);
}

// Long lines are gathered as many at a time as 3 % of input and output hold, whatever the threads,
// and never fewer than 8 where there are so many: with the same bits.
TEST(Stage, LongLinesAreGatheredInBatchesThatFitTheArray) {
  constexpr Index length = 2048, line = length * static_cast<Index>(sizeof(Complex));
  EXPECT_EQ(gathering(8 * length, 512)->line_bytes(), 8 * 8 * line) << "3 MiB are most";
  EXPECT_EQ(gathering(length, 1030, 2)->line_bytes(), 16 * line);
  EXPECT_EQ(gathering(length, 3)->line_bytes(), 3 * line) << "there are no more";
  std::vector<Complex> first;
  for (const auto& [lines, width] : {std::pair<Index, Index>{24, 8}, {520, 16}, {1030, 32}, {27, 8}}) {
    const auto stage = gathering(length, lines);
    EXPECT_EQ(stage->line_bytes(), width * line);
    const std::vector<Complex> results = run(*stage, stage->spec().to.views.front());
    for (const Index z : {Index{0}, Index{7}, Index{23}, lines - 1}) {
      Complex sum = 0;  // the first of a line's results
      for (Index x = 0; x < length; ++x) sum += value(x, 0, z);
      EXPECT_LT(std::abs(results[static_cast<std::size_t>(z)] - sum), 1e-9);
    }
    std::vector<Complex> some;
    for (Index x = 0; x < length; ++x)
      for (Index z = 0; z < 24; ++z) some.push_back(results[static_cast<std::size_t>(x * lines + z)]);
    if (first.empty()) first = some;
    EXPECT_TRUE(some == first);
  }
}

// Fields side by side are gathered together, a few rows of them at a time, and leave together: with
// the bits that each line has alone. A map is told of each where it is.
TEST(Stage, FieldsSideBySideShareABatch) {
  constexpr Index rows = 41, length = 30;
  for (const Index fields : {2, 3, 7, 8})
    for (const bool as_columns : {false, true})
      for (const bool rows_first : {false, true}) {
        const Box box{{0, 0, 0}, {rows, length, fields}};
        const View view{box, 0, 0, {rows_first ? fields : length * fields, rows_first ? rows * fields : fields, 1}};
        StageSpec spec{
            .from = {box, {view}, sizeof(Complex)}, .to = {box, {view}, sizeof(Complex)}, .operations = {{.axis = 1}}};
        Operation& operation = spec.operations[0];
        operation.first = engine("weft").plan(
            as_columns ? columns(length) : LineSpec{Kind::c2c, Direction::forward, Precision::double_, length},
            "estimate");
        operation.map = true;
        const Stage stage(spec, variants(spec, {}, hardware()));
        std::vector<Shape> told;
        const std::function<void(const Line&)> visit = [&](const Line& line) {
          told.push_back(line.first);
          auto* const values = static_cast<Complex*>(line.values);
          for (Index k = 0; k < line.count; ++k) values[k] += static_cast<double>(line.first[0] + 100 * line.first[2]);
        };
        GuardedMap map(visit);
        const std::vector<Complex> results = run(stage, view, as_columns ? nullptr : &map);
        const std::string which = std::to_string(fields) + (as_columns ? " in columns" : " in lines") +
                                  (rows_first ? ", rows side by side" : ", rows apart");
        std::vector<Complex> expected(results.size()), line(static_cast<std::size_t>(length * apart_in_block));
        for (Index x = 0; x < rows; ++x)
          for (Index z = 0; z < fields; ++z) {
            const Index step = operation.first->spec().in_stride;
            for (Index y = 0; y < length; ++y) line[static_cast<std::size_t>(y * step)] = value(x, y, z);
            auto* const bytes = reinterpret_cast<std::byte*>(line.data());
            std::vector<Complex> after(line.size());
            (*operation.first)(bytes, reinterpret_cast<std::byte*>(after.data()), 1);
            for (Index y = 0; y < length; ++y)
              expected[static_cast<std::size_t>((x * length + y) * fields + z)] =
                  after[static_cast<std::size_t>(y * step)] + (as_columns ? 0 : static_cast<double>(x + 100 * z));
          }
        EXPECT_TRUE(results == expected) << which;
        if (as_columns) continue;
        ASSERT_EQ(told.size(), static_cast<std::size_t>(rows * fields)) << which;
        for (Index k = 0; k < fields && fields < 8; ++k)
          EXPECT_EQ(told[static_cast<std::size_t>(k)], (Shape{0, 0, k})) << which;
      }
}

}  // namespace
}  // namespace weft
