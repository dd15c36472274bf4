// MPI calls, messages and bytes of every kernel, counted while it runs, against the formulas of its
// source. What a rank keeps is no message and is counted by none; "planes" are those of the axis
// that is gathered, `columns` the parts of the axis that is cut in its stead.
//
// Dubey and Tessera print, for N^3 on P ranks, N/P a whole number, calls a rank makes for one
// transpose and bytes a message:
//   replace (P-1) N/P, standard and overlap 2 (P-1) N/P, oneplane N/P, of 16 N^2/P bytes;
//   allplanes 1, of 16 N^3/P^2 bytes.
#include <weft/kernel.hpp>

#include <gtest/gtest.h>

#include <numeric>

#include "mpi/communicator.hpp"
#include "support/changing.hpp"

namespace weft {
namespace {

constexpr Index complex_bytes = 16;

mpi::Communicator world() { return mpi::Communicator::duplicate(MPI_COMM_WORLD); }
Index ceiling(Index n, Index k) { return (n + k - 1) / k; }
std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

/// n things among ranks as evenly as possible, the first ranks one more.
std::vector<Index> shared(Index n, int ranks) {
  std::vector<Index> parts;
  for (Index r = 0; r < ranks; ++r) parts.push_back(n / ranks + (r < n % ranks));
  return parts;
}

/// One transpose: rank r has planes[r] of `planes` and gets columns[r] of `columns`; `depth`
/// elements lie at each meeting of the two.
struct Transpose {
  std::vector<Index> planes, columns;
  Index depth;

  int ranks() const { return static_cast<int>(planes.size()); }
  Index most_planes() const { return planes.front(); }
  /// The same count for all pairs of ranks.
  bool even() const { return planes.front() == planes.back() && columns.front() == columns.back(); }
  /// Bytes that rank r has to give to others.
  Index bytes(int r) const {
    return complex_bytes * depth * planes[at(r)] *
           (std::accumulate(columns.begin(), columns.end(), Index{0}) - columns[at(r)]);
  }
  /// Messages when each plane, or each group of planes, is one for each of the others that have
  /// columns.
  Index messages(int r, Index group) const {
    Index takers = 0;
    for (int p = 0; p < ranks(); ++p) takers += p != r && columns[at(p)] > 0;
    return takers * ceiling(planes[at(r)], group);
  }
  /// As many as others send to rank r.
  Index received(int r, Index group) const {
    Index all = 0;
    for (int p = 0; p < ranks(); ++p) all += p != r && columns[at(r)] > 0 ? ceiling(planes[at(p)], group) : 0;
    return all;
  }
  /// Elements that rank s gives to rank d.
  Index elements(int s, int d) const { return depth * planes[at(s)] * columns[at(d)]; }
  /// Elements that the ranks of one node give to those of another.
  Index between(const std::vector<int>& sources, const std::vector<int>& targets) const {
    Index all = 0;
    for (const int s : sources)
      for (const int d : targets) all += s == d ? 0 : elements(s, d);
    return all;
  }
  /// Elements of the largest message between two ranks.
  Index largest() const {
    Index most = 0;
    for (int r = 0; r < ranks(); ++r)
      for (int p = 0; p < ranks(); ++p)
        if (p != r) most = std::max(most, depth * planes[at(r)] * columns[at(p)]);
    return most;
  }
};

/// Nodes of two ranks, the last of one where there is one more.
std::vector<int> in_pairs(int ranks) {
  std::vector<int> nodes;
  for (int r = 0; r < ranks; ++r) nodes.push_back(r / 2);
  return nodes;
}

/// By nodes of two ranks, what rank r does where leaders exchange one message for each pair of
/// nodes. `shared`: inside a node bytes are read in place; else all goes through the leader.
Traffic through_leaders(const Transpose& x, int r, bool shared) {
  const auto node = [&](int n) {
    return 2 * n + 1 < x.ranks() ? std::vector<int>{2 * n, 2 * n + 1} : std::vector<int>{2 * n};
  };
  const std::vector<int> here = node(r / 2);
  Traffic t;
  const auto sends = [&](Index elements) { t.messages += elements > 0, t.bytes += complex_bytes * elements; };
  if (r == here.front())
    for (int n = 0; 2 * n < x.ranks(); ++n) {
      if (n == r / 2) continue;
      sends(x.between(here, node(n)));
      t.calls += (x.between(here, node(n)) > 0) + (x.between(node(n), here) > 0);
    }
  if (here.size() == 1) return t;
  const int mate = here.front() + here.back() - r;
  std::vector<int> all;
  for (int p = 0; p < x.ranks(); ++p) all.push_back(p);
  if (shared) {
    t.bytes += complex_bytes * x.elements(mate, r);
  } else {
    t.calls += 2;
    sends(r == here.front() ? x.between(all, {mate}) : x.between({r}, all));
  }
  return t;
}

/// What rank r does by the formulas. Collective calls are as many on every rank. A padded block is
/// the largest there is between two ranks: Bethune's largest number of columns times largest number
/// of planes is as much, or more where one rank alone has both.
Traffic formula(const std::string& kernel, const Transpose& x, int r, Index tile, Index kept) {
  const Index others = x.ranks() - 1, bytes = x.bytes(r), all = x.most_planes();
  if (kernel == "replace") {  // one count for both directions: the larger
    Traffic t;
    for (int p = 0; p < x.ranks(); ++p)
      for (Index plane = 0; p != r && plane < all; ++plane) {
        const Index gives = plane < x.planes[at(r)] ? x.columns[at(p)] : 0,
                    takes = plane < x.planes[at(p)] ? x.columns[at(r)] : 0;
        t.messages += std::max(gives, takes) > 0;
        t.bytes += complex_bytes * x.depth * std::max(gives, takes);
      }
    t.calls = t.messages;
    return t;
  }
  if (kernel == "standard" || kernel == "overlap")
    return {x.messages(r, 1) + x.received(r, 1), x.messages(r, 1), bytes};
  if (kernel == "oneplane") return {all, others * all, bytes};
  if (kernel == "allplanes") return {1, others, bytes};
  if (kernel == "max_overlap") return {ceiling(kept, tile), x.messages(r, all) * ceiling(kept, tile), bytes};
  if (kernel == "pipelined") return {ceiling(all, tile), x.messages(r, tile), bytes};
  if (kernel == "p2p") return {x.messages(r, all) + x.received(r, all), x.messages(r, all), bytes};
  if (kernel == "zero_copy" || kernel == "alltoallv") return {1, x.messages(r, all), bytes};
  if (kernel == "padded") return {1, others, others * complex_bytes * x.largest()};
  if (kernel == "node" || kernel == "leader") return through_leaders(x, r, kernel == "node");
  if (kernel == "thread") return {all, x.messages(r, 1), bytes};
  ADD_FAILURE() << "no formula for kernel " << kernel;
  return {};
}

std::string text(const Traffic& t) {
  return std::to_string(t.calls) + " calls, " + std::to_string(t.messages) + " messages, " + std::to_string(t.bytes) +
         " bytes";
}

/// Every kernel on a slab of this shape, forward and backward. Declined are only the collectives
/// with one count for all, where counts differ, and tiles of an axis that is not there.
void verify(const Shape& shape, Index tile) {
  const mpi::Communicator comm = world();
  const Transpose there{shared(shape[0], comm.size()), shared(shape[1], comm.size()), shape.size() == 3 ? shape[2] : 1};
  const Transpose back{there.columns, there.planes, there.depth};
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(std::string(kernel.name) + " of " + to_string(shape));
    const std::string name(kernel.name);
    Options options = kernel.of({.effort = "estimate",
                                 .threads = kernel.schedule.communicate == "thread" ? 2 : 1,
                                 .nodes = in_pairs(comm.size()),
                                 .grid = {comm.size()}});
    if (kernel.schedule.tile > 1) options.schedule.tile = tile;
    const bool declined =
        (kernel.strategy == "alltoall" && !there.even()) || (kernel.schedule.tiles == "kept" && shape.size() == 2);
    try {
      Plan fft(MPI_COMM_WORLD, c2c<double>(shape), options);
      EXPECT_FALSE(declined);
      auto u = fft.input(), u_hat = fft.output();
      u.fill([](const Shape&) { return 0; });
      for (const Transpose* x : {&there, &back}) {
        fft.measure(true);
        x == &there ? fft.forward(u, u_hat) : fft.backward(u_hat, u);
        const AnyPlan::Spent counted = fft.spent();
        EXPECT_EQ(text({counted.calls, counted.messages, counted.bytes}),
                  text(formula(name, *x, comm.rank(), tile, there.depth)))
            << (x == &there ? "forward" : "backward");
      }
      back_to_back(fft);
    } catch (const Declined& e) {
      EXPECT_TRUE(declined) << e.what();
    }
  }
}

// Whole numbers of planes and columns a rank: all kernels, and the formulas as they are printed.
TEST(Kernels, count_what_their_sources_say) {
  const Index ranks = world().size(), n = 2 * ranks;
  verify({n, n, n}, 1);
  const Transpose cube{shared(n, static_cast<int>(ranks)), shared(n, static_cast<int>(ranks)), n};
  const Index planes = n / ranks, others = ranks - 1, plane_bytes = 16 * n * n / ranks;
  EXPECT_EQ(formula("replace", cube, 0, 1, n),
            (Traffic{others * planes, others * planes, others * planes * plane_bytes}));
  EXPECT_EQ(formula("standard", cube, 0, 1, n),
            (Traffic{2 * others * planes, others * planes, others * planes * plane_bytes}));
  EXPECT_EQ(formula("overlap", cube, 0, 1, n), formula("standard", cube, 0, 1, n));
  EXPECT_EQ(formula("oneplane", cube, 0, 1, n), (Traffic{planes, others * planes, others * planes * plane_bytes}));
  EXPECT_EQ(formula("allplanes", cube, 0, 1, n), (Traffic{1, others, others * (16 * n * n * n / (ranks * ranks))}));
}

TEST(Kernels, count_groups_of_planes_and_two_dimensions) {
  const Index ranks = world().size();
  verify({2 * ranks, 3 * ranks, 5}, 3);
  verify({2 * ranks, 2 * ranks}, 2);
}

// For uneven planes read ceil(N/P).
TEST(Kernels, count_uneven_planes) {
  verify({13, 7, 3}, 3);
  verify({11, 13}, 2);
}

TEST(Kernels, count_ranks_without_planes) {
  verify({2, 7, 3}, 1);
  verify({2, 6}, 1);
}

// Dubey and Tessera: 256^3 on 128 ranks, "254 / 508 / 508 / 2 / 1 calls; 8 KiB per plane message".
TEST(Kernels, formulas_give_the_printed_numbers) {
  const Transpose x{shared(256, 128), shared(256, 128), 256};
  EXPECT_EQ(formula("replace", x, 5, 1, 256).calls, 254);
  EXPECT_EQ(formula("standard", x, 5, 1, 256).calls, 508);
  EXPECT_EQ(formula("overlap", x, 5, 1, 256).calls, 508);
  EXPECT_EQ(formula("oneplane", x, 5, 1, 256).calls, 2);
  EXPECT_EQ(formula("allplanes", x, 5, 1, 256).calls, 1);
  EXPECT_EQ(formula("replace", x, 5, 1, 256).bytes, 254 * 8 * 1024);
  // Hoefler and Zerah: 128^3 on 16 ranks, 8 planes a rank, 16 KiB for each plane and destination
  const Transpose y{shared(128, 16), shared(128, 16), 128};
  EXPECT_EQ(formula("pipelined", y, 0, 1, 128), (Traffic{8, 8 * 15, 8 * 15 * 16 * 1024}));
}

/// Bethune's sticks: a column's 30 points lie on one rank before, on their planes' ranks after;
/// both kinds of rank split evenly.
struct Sticks {
  Layout columns, planes;
  std::vector<Index> column_counts, plane_counts;
};

Sticks cnt40(int ranks) {
  std::vector<Stick> all;
  for (Index i = -15; i < 15; ++i)
    for (Index j = -15; j < 15; ++j)
      if (i * i + j * j <= 205) all.push_back({{(i + 30) % 30, (j + 30) % 30}, 0, 30});
  const std::vector<Index> counts = shared(static_cast<Index>(all.size()), ranks);
  std::vector<std::vector<Stick>> of_rank;
  for (auto next = all.begin(); const Index count : counts) {
    of_rank.emplace_back(next, next + count);
    next += count;
  }
  return {Layout::sticks({30, 30, 30}, of_rank), Layout::slab({30, 30, 30}, 2, ranks), counts, shared(30, ranks)};
}

// Bethune, HECToR dCSE report 2010: CNT40 on its coarse grid, 657 columns; on 16 ranks messages of
// 84, 82, 42 and 41 elements, 1154.9 elements sent by a rank in the mean and 1231.9 with what it
// keeps; padded 16 x 84 = 1344.
TEST(SticksTiny, count_what_the_report_says) {
  const mpi::Communicator comm = world();
  const int ranks = comm.size();
  const auto r = at(comm.rank());
  const Sticks sticks = cnt40(ranks);
  const Index others = ranks - 1, columns = sticks.column_counts[r], planes = sticks.plane_counts[r];
  for (const std::string name : {"alltoallv", "isend", "padded", "node", "leader"}) {
    Slots slots;
    const Demand demand{
        Pattern(sticks.columns, sticks.planes, comm.rank()), complex_bytes, {}, -1, -1, &slots, in_pairs(ranks)};
    const auto exchange = strategy(name).bind(demand, comm.raw());
    exchange->open(0), exchange->start(0), exchange->finish(0), exchange->close(0);
    const Traffic counted = exchange->traffic();
    // One message for each pair of nodes; a node of two and its leader send one each way
    if (name == "node" || name == "leader") {
      const Index nodes = (ranks + 1) / 2, pairs = ranks / 2;
      EXPECT_EQ(comm.sum(counted.messages), nodes * (nodes - 1) + (name == "leader" ? 2 * pairs : 0)) << name;
      continue;
    }
    EXPECT_EQ(counted.calls, name == "isend" ? 2 * others : 1) << name;
    EXPECT_EQ(counted.messages, others) << name;
    EXPECT_EQ(counted.bytes,
              complex_bytes * (name == "padded" ? others * sticks.column_counts.front() * sticks.plane_counts.front()
                                                : columns * (30 - planes)))
        << name;
    if (ranks != 16) continue;
    EXPECT_TRUE((columns == 41 || columns == 42) && (planes == 1 || planes == 2));
    if (name == "padded") {
      EXPECT_EQ(counted.bytes / others * ranks, 1344 * complex_bytes);
    } else {
      EXPECT_NEAR(static_cast<double>(comm.sum(counted.bytes)) / complex_bytes / 16, 1154.9, 0.05);
      EXPECT_NEAR(static_cast<double>(comm.sum(counted.bytes / complex_bytes + columns * planes)) / 16, 1231.9, 0.05);
    }
  }
}

}  // namespace
}  // namespace weft
