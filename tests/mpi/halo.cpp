// Halo exchange: every strategy fills every ghost point with the value of the point that it is a
// copy of, and nothing else; adding brings every ghost point's value back to it.
#include <weft/halo.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "mpi/communicator.hpp"
#include "support/allocations.hpp"
#include "support/changing.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"

namespace weft {
namespace {

using mpi::Communicator;

constexpr Index none = -1;

/// A rank's array, element by element.
struct Array {
  std::vector<Index> own;     ///< global index of its own point that is there; or none
  std::vector<Index> copies;  ///< global index of the point that a ghost point is a copy of; or none
};

class Halos : public testing::Test {
 protected:
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  int ranks = world.size(), rank = world.rank();

  Layout pencils(const Shape& shape, const Order& order = {}) const {
    int grid[2] = {0, 0};
    MPI_Dims_create(ranks, 2, grid);
    Few<int> all = Few<int>::filled(shape.size(), 1);
    all[0] = grid[0];
    all[1] = grid[1];
    return Layout::grid(shape, all, Split::even(), order);
  }
  std::vector<Box> boxes(const Layout& layout) const {
    std::vector<Box> all;
    for (int r = 0; r < ranks; ++r) all.push_back(layout.box(r));
    return all;
  }

  /// By counting on every axis on how many of them a point is a ghost.
  static Array array(const Layout& layout, const HaloOptions& options, int rank) {
    const Shape& before = options.width;
    const Shape& behind = options.behind.empty() ? options.width : options.behind;
    const Box box = layout.box(rank);
    std::vector<Box> around(static_cast<std::size_t>(layout.ranks()), box);
    for (int a = 0; a < layout.axes() && !box.empty(); ++a)
      around[0].lo[a] = box.lo[a] - before[a], around[0].hi[a] = box.hi[a] + behind[a];
    const Layout grown(layout.shape(), around, layout.order(), layout.padding());
    const std::vector<Index> indices = oracle::global_indices(grown, 0, options.periodic);
    Array all{std::vector<Index>(indices.size(), none), std::vector<Index>(indices.size(), none)};
    const View view = grown.view(0);
    oracle::each_point(around[0], [&](const Shape& point) {
      int outside = 0;
      for (int a = 0; a < layout.axes(); ++a) outside += point[a] < box.lo[a] || point[a] >= box.hi[a];
      const auto at = static_cast<std::size_t>(view.at(point));
      if (outside == 0)
        all.own[at] = indices[at];
      else if (outside == 1 || options.corners)
        all.copies[at] = indices[at];
    });
    return all;
  }
  static Array array(const Layout& layout, const Layout& ghosts, int rank) {
    std::vector<Index> own = oracle::global_indices(layout, rank), copies(own.size(), none);
    for (const Index index : oracle::global_indices(ghosts, rank)) own.push_back(none), copies.push_back(index);
    return {own, copies};
  }

  static std::string element(Index value, std::size_t bytes) {
    std::string text(bytes, static_cast<char>(value % 251));
    std::memcpy(text.data(), &value, std::min(bytes, sizeof value));
    return text;
  }

  /// Rounds of other data each, in one call and in two, with one rank late.
  void fills(Halo& halo, const Array& array, Index element_bytes, int fields) {
    ASSERT_EQ(halo.elements(), static_cast<Index>(array.own.size()));
    const auto bytes = static_cast<std::size_t>(element_bytes);
    constexpr int rounds = 5;
    std::vector<std::string> given(static_cast<std::size_t>(rounds * fields)), expected(given.size());
    std::vector<std::vector<void*>> arrays(rounds);
    for (std::size_t k = 0; k < given.size(); ++k) {
      const Index number = 1000 * static_cast<Index>(k);
      for (std::size_t i = 0; i < array.own.size(); ++i) {
        const Index copied = array.own[i] != none ? array.own[i] : array.copies[i];
        given[k] += element(array.own[i] != none ? array.own[i] + number : -7, bytes);
        expected[k] += element(copied != none ? copied + number : -7, bytes);
      }
      arrays[k / static_cast<std::size_t>(fields)].push_back(given[k].data());
    }
    Lateness late;
    const long allocated = allocations();
    for (std::size_t round = 0; round < rounds; ++round) {
      late.next();
      const Fields these(arrays[round]);
      if (round % 2) {
        halo(these);
      } else {
        halo.start(these);
        halo.test();
        halo.finish();
      }
    }
    EXPECT_EQ(allocations(), allocated);
    for (std::size_t k = 0; k < given.size(); ++k)
      EXPECT_TRUE(given[k] == expected[k]) << "round " << k / static_cast<std::size_t>(fields) << ", field "
                                           << k % static_cast<std::size_t>(fields) << "; " << late.seed();
  }

  /// Adds what ghost points have of every rank. Whole numbers, so that no order of adding matters.
  void adds(Halo& halo, const std::vector<Array>& of_ranks, Index numbers, int fields) {
    const Array& mine = of_ranks[static_cast<std::size_t>(rank)];
    const auto value = [](int of, std::size_t at, Index k, int round, int field) {
      return static_cast<double>((static_cast<Index>(at) * 13 + of * 7 + k * 3 + round * 5 + field) % 101 + 1);
    };
    std::vector<std::vector<double>> data;
    std::vector<std::vector<double>> expected;
    constexpr int rounds = 3;
    std::vector<std::vector<void*>> arrays(rounds);
    for (int round = 0; round < rounds; ++round)
      for (int f = 0; f < fields; ++f) {
        std::map<std::pair<Index, Index>, double> sums;
        for (int r = 0; r < ranks; ++r)
          for (std::size_t i = 0; i < of_ranks[static_cast<std::size_t>(r)].copies.size(); ++i)
            if (const Index of = of_ranks[static_cast<std::size_t>(r)].copies[i]; of != none)
              for (Index k = 0; k < numbers; ++k) sums[{of, k}] += value(r, i, k, round, f);
        std::vector<double>& given = data.emplace_back();
        std::vector<double>& sum = expected.emplace_back();
        for (std::size_t i = 0; i < mine.own.size(); ++i)
          for (Index k = 0; k < numbers; ++k) {
            given.push_back(value(rank, i, k, round, f));
            sum.push_back(given.back() + (mine.own[i] != none ? sums[{mine.own[i], k}] : 0));
          }
      }
    for (std::size_t k = 0; k < data.size(); ++k)
      arrays[k / static_cast<std::size_t>(fields)].push_back(data[k].data());
    Lateness late;
    const long allocated = allocations();
    for (const std::vector<void*>& round : arrays) {
      late.next();
      const Fields these(round);
      if (&round == &arrays[1]) {
        halo.add<double>(these);
      } else {
        halo.start_add<double>(these);
        halo.test();
        halo.finish();
      }
    }
    EXPECT_EQ(allocations(), allocated);
    EXPECT_EQ(data, expected) << late.seed();
  }

  /// Fills and adds with every strategy that can; all do with something.
  template <class Make, class ArrayOf>
  void exchanges(HaloOptions options, Make make, ArrayOf array_of) {
    std::vector<Array> all;
    for (int r = 0; r < ranks; ++r) all.push_back(array_of(r));
    for (const bool adding : {false, true}) {
      int able = 0;
      for (const Strategy* strategy : strategies()) {
        options.strategy = strategy->name();
        options.adds = adding;
        for (const Index element_bytes : adding ? std::vector<Index>{8, 24} : std::vector<Index>{8, 48}) {
          SCOPED_TRACE(options.strategy + (adding ? " adds" : " fills") + " elements of " +
                       std::to_string(element_bytes) + " bytes, fields " + std::to_string(options.fields));
          std::optional<Halo> halo;
          try {
            halo.emplace(make(element_bytes, options));
          } catch (const Declined&) {
            continue;
          }
          EXPECT_EQ(halo->strategy(), options.strategy);
          able += element_bytes == 8;
          if (adding)
            adds(*halo, all, element_bytes / 8, options.fields);
          else
            fills(*halo, all[static_cast<std::size_t>(rank)], element_bytes, options.fields);
        }
      }
      EXPECT_GE(able, 3);
    }
  }
  void of_boxes(const Layout& layout, const HaloOptions& options) {
    SCOPED_TRACE(layout.describe() + ", width " + point_string(options.width) + ", behind " +
                 point_string(options.behind) + (options.corners ? "" : ", no corners"));
    exchanges(
        options, [&](Index bytes, const HaloOptions& these) { return Halo(world.raw(), layout, bytes, these); },
        [&](int r) { return array(layout, options, r); });
  }
  void of_lists(const Layout& layout, const Layout& ghosts, const HaloOptions& options = {}) {
    SCOPED_TRACE(layout.describe() + ", ghosts " + ghosts.describe());
    exchanges(
        options, [&](Index bytes, const HaloOptions& these) { return Halo(world.raw(), layout, ghosts, bytes, these); },
        [&](int r) { return array(layout, ghosts, r); });
  }
};

TEST_F(Halos, TinyPeriodic) {
  of_boxes(Layout::slab({5, 4, 3}, 0, ranks), {.width = {1, 2, 1}, .periodic = {1, 0, 1}});
}

TEST_F(Halos, TinyFieldsAtOnce) {
  of_boxes(Layout::slab({4, 3}, 0, ranks, Split::even(), {1, 0}), {.width = {1, 1}, .periodic = {1, 1}, .fields = 3});
}

TEST_F(Halos, BoxesOfAllKinds) {
  const Shape shape{6, 5, 4};
  of_boxes(pencils(shape), {.width = {1, 1, 1}});
  of_boxes(pencils(shape, {2, 0, 1}), {.width = {1, 1, 0}, .corners = false, .periodic = {1, 1, 1}});
  of_boxes(Layout::slab(shape, 1, ranks, Split::blocks()).ordered({2, 1, 0}, {1, 2, 3}),
           {.width = {0, 2, 1}, .behind = {1, 0, 3}, .periodic = {1, 1, 1}});
  of_boxes(Layout::slab({13}, 0, ranks), {.width = {2}, .periodic = {1}});
  of_boxes(Layout::grid({4, 2, 2, 4}, {ranks, 1, 1, 1}),
           {.width = {1, 1, 1, 1}, .corners = false, .periodic = {1, 1, 1, 1}});
}

TEST_F(Halos, WiderThanPartsAndThanTheArray) {
  of_boxes(Layout::slab({2 * ranks + 1, 3}, 0, ranks), {.width = {5, 0}});
  of_boxes(Layout::slab({3, 2}, 0, ranks), {.width = {7, 3}, .periodic = {1, 1}});  // also where ranks have no points
  of_boxes(Layout::slab({3, 2}, 0, ranks), {.width = {0, 0}, .periodic = {1, 1}});
}

TEST_F(Halos, FieldsOfBoxesAndLists) {
  const Shape shape{6, 4, 2};
  const HaloOptions options{.width = {1, 0, 1}, .periodic = {1, 1, 1}, .fields = 2};
  of_boxes(pencils(shape).ordered({1, 2, 0}, {2, 1, 3}), options);
  const Layout slab = Layout::slab(shape, 0, ranks);
  of_lists(Layout::checkerboard(shape, boxes(slab)), checkerboard_ghosts(slab, options), {.fields = 2});
}

TEST_F(Halos, EvenSitesFirst) {
  const Shape shape{4, 6, 2, 4};
  const HaloOptions options{.width = {1, 1, 1, 1}, .corners = false, .periodic = {1, 1, 1, 1}};
  const Layout lattice = pencils(shape);
  for (const int parity : {-1, 0, 1})
    of_lists(Layout::checkerboard(shape, boxes(lattice)), checkerboard_ghosts(lattice, options, parity));
}

// Every rank wants points of all others, in descending order, some of them twice, and others not at
// all.
TEST_F(Halos, ListsOfIndices) {
  const Shape shape{3, 5};
  std::vector<std::vector<weft::Run>> owned(static_cast<std::size_t>(ranks)), wanted(owned.size());
  for (Index i = 0; i < 15; ++i) owned[static_cast<std::size_t>(i * 7 % 15 % ranks)].push_back({i * 7 % 15, 1});
  for (int r = 0; r < ranks; ++r)
    for (Index i = 14 - r; i >= 0; i -= 2)
      wanted[static_cast<std::size_t>(r)].insert(wanted[static_cast<std::size_t>(r)].end(), {{i, 1}, {14 - i, 1}});
  const Layout lists = Layout::runs(shape, owned), ghosts = Layout::runs(shape, wanted);
  of_lists(lists, ghosts);
  of_lists(lists, ghosts, {.fields = 3});
  of_lists(Layout::slab(shape, 0, ranks, Split::even(), {1, 0}), ghosts, {.fields = 2});
}

// By side: a ghost belongs to the first axis on which it lies outside of the part.
TEST_F(Halos, TinyGhostsOfACheckerboard) {
  const Shape shape{4, 3, 2};
  const Layout slab = Layout::slab(shape, 0, ranks);
  const HaloOptions options{.width = {1, 1, 1}, .behind = {0, 2, 1}, .periodic = {1, 0, 1}};
  const Layout both = checkerboard_ghosts(slab, options);
  const auto parity = [&](Index index) { return (index / 6 + index / 2 % 3 + index % 2) % 2; };
  for (int r = 0; r < ranks; ++r) {
    const Box& box = slab.box(r);
    Box around = box;
    for (int a = 0; a < 3 && !box.empty(); ++a) around.lo[a] -= 1, around.hi[a] += options.behind[a];
    std::vector<std::pair<int, Index>> sided;  // side, global index
    oracle::each_point(around, [&](const Shape& at) {
      int side = 0;
      while (side < 6 && (side % 2 ? at[side / 2] < box.hi[side / 2] : at[side / 2] >= box.lo[side / 2])) ++side;
      if (side < 6 && at[1] >= 0 && at[1] < 3)
        sided.emplace_back(side, ((at[0] + 4) % 4 * 3 + at[1]) * 2 + (at[2] + 2) % 2);
    });
    std::stable_sort(sided.begin(), sided.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Index> expected;
    for (const int wanted : {0, 1}) {
      const std::size_t before = expected.size();
      for (const auto& [side, index] : sided)
        if (parity(index) == wanted) expected.push_back(index);
      EXPECT_EQ(oracle::global_indices(checkerboard_ghosts(slab, options, wanted), r),
                std::vector<Index>(expected.begin() + static_cast<std::ptrdiff_t>(before), expected.end()));
    }
    EXPECT_EQ(oracle::global_indices(both, r), expected);
  }
}

TEST_F(Halos, TinyInsideAndDescription) {
  const Layout slab = Layout::slab({2 * ranks, 3}, 0, ranks);
  Halo halo(world.raw(), slab, 8, {.width = {1, 2}, .adds = true});
  EXPECT_EQ(halo.inside(), slab.grown({1, 2}).view(rank).cut(slab.box(rank)));
  EXPECT_EQ(halo.inside().offset, 9);
  EXPECT_NE(halo.describe().find(halo.strategy()), std::string::npos) << halo.describe();
  EXPECT_THROW(Halo(world.raw(), slab, slab, 8).inside(), Error);
  Halo moved = std::move(halo);
  EXPECT_EQ(moved.elements(), 4 * 7);
}

TEST_F(Halos, TinyTwoStrategies) {
  const Layout slab = Layout::slab({2 * ranks, 3}, 0, ranks);
  const HaloOptions options{.width = {1, 1}, .periodic = {1, 1}, .adds = true, .strategy = "datatype+isend"};
  Halo halo(world.raw(), slab, 8, options);
  EXPECT_EQ(halo.strategy(), "datatype");
  std::vector<Array> all;
  for (int r = 0; r < ranks; ++r) all.push_back(array(slab, options, r));
  fills(halo, all[static_cast<std::size_t>(rank)], 8, 1);
  adds(halo, all, 1, 1);
  fills(halo, all[static_cast<std::size_t>(rank)], 8, 1);
}

// Sums of numbers that are rounded: whatever the strategy, in the same order.
TEST_F(Halos, TinySumsHaveTheSameBits) {
  const Layout slab = Layout::slab({2 * ranks + 1, 3}, 0, ranks);
  std::vector<double> first;
  int able = 0;
  for (const Strategy* strategy : strategies()) {
    std::optional<Halo> halo;
    try {
      halo.emplace(
          world.raw(), slab, 8,
          HaloOptions{
              .width = {4, 5}, .periodic = {1, 1}, .adds = true, .strategy = "isend+" + std::string(strategy->name())});
    } catch (const Declined&) {
      continue;
    }
    ++able;
    std::vector<double> u;
    for (Index i = 0; i < halo->elements(); ++i) u.push_back(std::sin(static_cast<double>(i * i + 5 * rank)));
    halo->add<double>(u.data());
    if (first.empty()) first = u;
    EXPECT_EQ(u, first) << strategy->name();
  }
  EXPECT_GE(able, 3);
}

TEST_F(Halos, TinyTraces) {
  Trace trace(world.raw(), 400);
  const Layout slab = Layout::slab({2 * ranks, 3}, 0, ranks);
  Halo halo(world.raw(), slab, 8, {.width = {1, 0}, .periodic = {1, 0}, .adds = true, .strategy = "isend"});
  halo.record(trace);
  std::vector<double> u(static_cast<std::size_t>(halo.elements()));
  const long before = allocations();
  for (int k = 0; k < 4; ++k) halo(u.data()), halo.add<double>(u.data());
  EXPECT_EQ(allocations() - before, 0);
  const Timeline timeline = trace.timeline();
  if (rank > 0) return;
  std::map<std::string, Index> bytes, spans;
  for (const Span& span : timeline.spans)
    if (const std::string& name = span.phase == "execution" ? span.name : span.phase; span.rank == 0)
      bytes[name] += span.bytes, ++spans[name];
  const Index sent = ranks > 1 ? 4 * 2 * 3 * 8 : 0;  // two planes a round
  EXPECT_EQ(bytes["fill start"], sent);
  EXPECT_EQ(bytes["add start"], sent);
  EXPECT_EQ(bytes["start"], 2 * sent);
  for (const char* name : {"fill start", "fill finish", "add start", "add finish"}) EXPECT_EQ(spans[name], 4) << name;
  for (const char* name : {"open", "start", "finish", "close"}) EXPECT_EQ(spans[name], 8) << name;
}

TEST_F(Halos, TinyWrongArguments) {
  const Layout slab = Layout::slab({2 * ranks, 3}, 0, ranks), runs = Layout::checkerboard({2 * ranks, 3}, boxes(slab));
  const auto makes = [&](const Layout& layout, const HaloOptions& options, Index bytes = 8) {
    return [=, this] { Halo(world.raw(), layout, bytes, options); };
  };
  const HaloOptions good{.width = {1, 1}};
  fails(world, makes(slab, {}), {"halo of width ()", "2 axes", "each axis"});
  fails(world, makes(slab, {.width = {1, -1}}), {"(1, -1)", "0 or more"});
  fails(world, makes(slab, {.width = {1, 1}, .behind = {1}}), {"(1) behind"});
  fails(world, makes(slab, {.width = {1, 1}, .periodic = {1}}), {"periodic", "2"});
  fails(world, makes(slab, {.width = {1, 1}, .fields = 0}), {"0 fields"});
  fails(world, makes(slab, {.width = {1, 1}, .strategy = "pigeon"}), {"no strategy 'pigeon'"});
  fails(world, makes(slab, {.width = {1, 1}, .adds = true, .strategy = "isend+pigeon"}), {"no strategy 'pigeon'"});
  fails(world, makes(slab, good, 0), {"0 bytes"});
  fails(world, makes(runs, good), {"consists of runs", "layout of their own"});
  fails(world, makes(Layout::slab({4, 3}, 0, ranks + 1), good), {std::to_string(ranks) + " rank"});
  fails(world, [&] { Halo(world.raw(), slab, runs, 8, good); }, {"widths", "give one of them"});
  fails(world, [&] { Halo(world.raw(), slab, Layout::slab({9, 9}, 0, ranks), 8); }, {"same shape"});
  fails(world, [&] { checkerboard_ghosts(slab, {.width = {1, 1}, .periodic = {1, 1}}); }, {"axis 1", "even extents"});
  fails(world, [&] { checkerboard_ghosts(runs, good); }, {"only boxes"});
  fails(world, [&] { checkerboard_ghosts(slab, good, 2); }, {"parity 2"});
  EXPECT_THROW(Halo(MPI_COMM_NULL, slab, 8, good), Error);

  Halo halo(world.raw(), slab, 12, good), adding(world.raw(), slab, 12, {.width = {1, 1}, .adds = true});
  std::vector<std::int32_t> u(static_cast<std::size_t>(3 * halo.elements()));
  const auto refused = [&](auto f, const std::string& why) {
    try {
      f();
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("rank " + std::to_string(rank) + ": "), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  refused([&] { halo(nullptr); }, "null pointer");
  refused([&] { halo({u.data(), u.data()}); }, "arrays 2");
  refused([&] { halo.finish(); }, "has not been started");
  refused([&] { halo.add<std::int32_t>(u.data()); }, "say adds");
  refused([&] { adding.add<double>(u.data()); }, "whole number");
  halo.start(u.data());
  refused([&] { halo.start(u.data()); }, "started before");
  halo.finish();
  halo(u.data());
  adding.add<std::int32_t>(u.data());
  if (ranks == 1) return;

  const bool last = rank == ranks - 1;
  const std::string name = "rank " + std::to_string(ranks - 1);
  fails(world, makes(slab, {.width = {last ? 2 : 1, 1}}), {"ranks disagree", "halo", name});
  fails(world, makes(last ? slab.ordered({1, 0}) : slab, good), {"ranks disagree", "layout", name});
  fails(world, makes(slab, good, last ? 4 : 8), {"ranks disagree", "bytes", name});
}

}  // namespace
}  // namespace weft
