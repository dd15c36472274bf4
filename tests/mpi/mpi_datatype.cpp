// Datatypes hold the elements of views in C order of their boxes, and messages arrive, whether
// counts fit in an int or not.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "mpi/messages.hpp"
#include "mpi/type_map.hpp"
#include "support/oracle.hpp"

namespace weft::mpi {
namespace {

/// Walks the paths of huge counts.
class SmallCounts {
 public:
  explicit SmallCounts(Index limit) : before_(std::exchange(count_limit, limit)) {}
  ~SmallCounts() { count_limit = before_; }

 private:
  Index before_;
};

constexpr Index limits[] = {INT_MAX, 7, 2};

/// The data of a type, as a message to oneself has them.
std::vector<Index> packed(const Datatype& type, const std::vector<Index>& memory) {
  std::vector<Index> data(static_cast<std::size_t>(type.size()) / sizeof(Index), -1);
  const int bytes = static_cast<int>(type.size());
  check(MPI_Sendrecv(memory.data(), bytes > 0, type.raw(), 0, 0, data.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
  return data;
}

std::vector<Index> numbers(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Index> walked(const View& view) {
  std::vector<Index> all;
  oracle::each_point(view.box, [&](const Shape& point) { all.push_back(view.at(point)); });
  return all;
}

TEST(DatatypeTiny, ViewsInCOrder) {
  const Handles before = live_handles();
  for (const Index limit : limits) {
    const SmallCounts small(limit);
    for (const Shape& extents : {Shape{1, 1, 1}, Shape{3, 5, 2}, Shape{1, 17, 1}, Shape{9, 1, 2}, Shape{0, 3, 3}})
      for (const Order& order : {Order{0, 1, 2}, Order{2, 1, 0}, Order{1, 2, 0}})
        for (const Shape& padding : {Shape{}, Shape{1, 0, 2}}) {
          const View whole = dense_view(Box::whole(extents), order, padding, -1, 3);
          const std::vector<Index> memory = numbers(3 + dense_elements(whole.box, order, padding));
          EXPECT_EQ(packed(Datatype::of(whole, sizeof(Index)), memory), walked(whole));
          const View part = whole.cut(whole.box.cut(1, 0, (extents[1] + 1) / 2));
          EXPECT_EQ(packed(Datatype::of(part, sizeof(Index)), memory), walked(part));
        }
  }
  EXPECT_EQ(live_handles(), before);
}

TEST(DatatypeTiny, PiecesOneAfterTheOther) {
  const std::vector<Index> memory = numbers(200);
  std::vector<Piece> pieces;
  std::vector<Index> wanted;
  for (Index i = 0; i < 20; ++i) {
    // Lists of runs may lie backwards
    const View row{{{i}, {i + 1 + i % 3}}, -1, 9 * i, {i % 5 == 0 ? -2 : 1 + i % 2}};
    pieces.push_back({static_cast<int>(i % 2), row});
    if (i % 2 == 1)
      for (const Index at : walked(row)) wanted.push_back(at);
  }
  for (const Index limit : limits) {
    const SmallCounts small(limit);
    EXPECT_EQ(packed(Datatype::of(pieces, 1, sizeof(Index)), memory), wanted);
    EXPECT_EQ(Datatype::of(pieces, 5, sizeof(Index)).size(), 0);
  }
}

TEST(TypeMapTiny, TellsTypesFromOthers) {
  const Handles before = live_handles();
  const View whole = dense_view(Box::whole({3, 4, 5}), {2, 0, 1}, {0, 1, 0}, -1, 3);
  const View part = whole.cut({{0, 1, 1}, {3, 3, 5}}), moved = whole.cut({{0, 0, 1}, {3, 2, 5}}),
             longer = whole.cut({{0, 1, 1}, {3, 4, 5}});
  const View turned{// The same bytes, another order
                    {{0, 0, 0}, {4, 2, 3}},
                    -1,
                    part.offset,
                    {part.strides[2], part.strides[1], part.strides[0]}};
  for (const Index limit : limits) {
    const SmallCounts small(limit);
    const Datatype type = Datatype::of(std::vector<View>{part, whole}, 12);
    const TypeMap map(type.raw());
    EXPECT_EQ(map.difference({part, whole}, 12), "");
    for (const std::vector<View>& others : {std::vector<View>{moved, whole},
                                            {longer, whole},
                                            {turned, whole},
                                            {whole, part},
                                            {part},
                                            {part, whole, part},
                                            {}})
      EXPECT_NE(map.difference(others, 12), "");
    EXPECT_NE(map.difference({part, whole}, 4), "");
    std::vector<Index> bytes, wanted;
    map.each_run([&](Index at, Index count) {
      while (count-- > 0) bytes.push_back(at++);
      return true;
    });
    for (const View& view : {part, whole})
      for (const Index at : walked(view))
        for (Index k = 0; k < 12; ++k) wanted.push_back(12 * at + k);
    EXPECT_EQ(bytes, wanted);
  }
  EXPECT_EQ(live_handles(), before);

  const TypeMap contiguous(Datatype::of(View{Box::whole({6}), -1, 2, {1}}, 8).raw());
  EXPECT_NE(contiguous.text().find("48 bytes, extent [16, 64), true extent [16, 64)"), std::string::npos)
      << contiguous.text();
  EXPECT_NE(contiguous.text().find("bytes in order: [16, 64)\n"), std::string::npos) << contiguous.text();
  const TypeMap reversed(Datatype::of(View{Box::whole({6}), -1, 5, {-1}}, 8).raw());
  EXPECT_NE(reversed.text().find("bytes in order: [40, 48), [32, 40), [24, 32), [16, 24), and 2 more"),
            std::string::npos)
      << reversed.text();
}

TEST(DatatypeTiny, BytesOfAnyCount) {
  for (const Index limit : limits) {
    const SmallCounts small(limit);
    for (const Index bytes : {1, 2, 24, 1000}) EXPECT_EQ(Datatype::bytes(bytes).repeated(50).size(), 50 * bytes);
  }
  // Beyond what an int counts in bytes, and beyond what it counts at all.
  EXPECT_EQ(Datatype::bytes(24).repeated(Index{1} << 30).size(), Index{24} << 30);
  EXPECT_EQ(Datatype::bytes(1).repeated(Index{5} << 30).size(), Index{5} << 30);
  EXPECT_EQ(Datatype::of(View{Box::whole({3, Index{5} << 30}), -1, 0, {Index{6} << 30, 1}}, 4).size(), Index{60} << 30);
}

TEST(MessagesTiny, RoundTheRing) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "there is nobody to send to";
  const Handles before = live_handles();
  const int next = (world.rank() + 1) % world.size(), last = (world.rank() + world.size() - 1) % world.size();
  for (const Index limit : limits) {
    const SmallCounts small(limit);
    const Datatype element = Datatype::bytes(sizeof(Index));
    const Amount amount(30, element);
    EXPECT_EQ(amount.bytes(), 240);
    const std::vector<Index> out(30, world.rank());
    std::vector<Index> in(30, -1);
    const Traffic start = world.traffic();
    Requests requests(2);
    ireceive(world, in.data(), amount, last, 1, requests);
    isend(world, out.data(), amount, next, 1, requests);
    EXPECT_EQ(live_handles().requests, before.requests + 2);
    while (!requests.test()) {
    }
    EXPECT_TRUE(requests.empty());
    EXPECT_EQ(in, std::vector<Index>(30, last));
    EXPECT_EQ(live_handles().requests, before.requests);
    EXPECT_EQ(world.traffic(), (Traffic{start.calls + 2, start.messages + 1, start.bytes + 240}));
    if (const int peer = world.rank() ^ 1; peer < world.size()) {
      std::vector<Index> swapped(30, world.rank());
      sendrecv_replace(world, swapped.data(), amount, peer, 2);
      EXPECT_EQ(swapped, std::vector<Index>(30, peer));
    }
  }
  {
    // What an error leaves behind: a receive that nobody answers.
    Index value = 0;
    const Datatype element = Datatype::bytes(sizeof value);
    Requests requests(1);
    ireceive(world, &value, Amount(1, element), last, 3, requests);
  }
  EXPECT_EQ(live_handles(), before);
}

// MPICH 4.0 lost the end of what it packs from a dense type whose handle had a number beyond 256.
TEST(MessagesTiny, ManyDatatypesAlive) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const int peer = world.rank() ^ 1;
  std::vector<Datatype> alive;
  for (const Index bytes : {8, 16, 24}) {
    for (int k = 0; k < 1000; ++k) alive.push_back(Datatype::bytes(bytes));
    if (peer >= world.size()) continue;
    for (Index count = 1; count < 9; ++count) {
      const auto length = static_cast<std::size_t>(count * bytes);
      std::vector<char> data(length, static_cast<char>(1 + world.rank()));
      sendrecv_replace(world, data.data(), Amount(count, alive.back()), peer, 2);
      EXPECT_EQ(data, std::vector<char>(length, static_cast<char>(1 + peer))) << count << " of " << bytes << " bytes";
    }
  }
}

TEST(MessagesTiny, EveryAlltoall) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const Handles before = live_handles();
  const auto ranks = static_cast<std::size_t>(world.size());
  // Rank s sends 3 (s + 1) + d elements to rank d; the offsets leave gaps.
  const auto parts = [&](bool send) {
    Parts all;
    Index offset = 1;
    for (Index r = 0; r < world.size(); ++r) {
      const Index source = send ? world.rank() : r, target = send ? r : world.rank();
      all.counts.push_back(3 * (source + 1) + target);
      all.offsets.push_back(offset);
      offset += all.counts.back() + 2;
    }
    return all;
  };
  const Parts send = parts(true), receive = parts(false);
  const auto value = [](Index source, Index target, Index i) { return 10000 * source + 100 * target + i; };
  const auto room = [](const Parts& all) { return static_cast<std::size_t>(all.offsets.back() + all.counts.back()); };
  std::vector<Index> out(room(send), -1), in(room(receive));
  for (std::size_t d = 0; d < ranks; ++d)
    for (Index i = 0; i < send.counts[d]; ++i)
      out[static_cast<std::size_t>(send.offsets[d] + i)] = value(world.rank(), static_cast<Index>(d), i);
  const auto verify = [&] {
    for (std::size_t s = 0; s < ranks; ++s)
      for (Index i = 0; i < receive.counts[s]; ++i)
        ASSERT_EQ(in[static_cast<std::size_t>(receive.offsets[s] + i)], value(static_cast<Index>(s), world.rank(), i));
    in.assign(in.size(), -1);
  };
  for (const Index limit : limits) {
    const SmallCounts small(limit);
    const Datatype element = Datatype::bytes(sizeof(Index));
    const auto types = [&](const Parts& all) {
      std::vector<Datatype> made;
      for (std::size_t r = 0; r < ranks; ++r)
        made.push_back(Datatype::of(View{Box::whole({all.counts[r]}), -1, all.offsets[r], {1}}, sizeof(Index)));
      return made;
    };
    const Alltoall calls[] = {Alltoall::uneven(world, send, receive, element),
                              Alltoall::typed(world, types(send), types(receive))};
    for (const Alltoall& call : calls) {
      call(world, out.data(), in.data());
      verify();
      Requests request(1);
      call.start(world, out.data(), in.data(), request);
      request.wait();
      verify();
      if (!persistent_collectives) continue;
      Prepared prepared;
      call.prepare(world, out.data(), in.data(), prepared);
      for (int round = 0; round < 3; ++round) {
        prepared.start(world);
        prepared.wait();
        verify();
      }
    }
    std::vector<Index> blocks(10 * ranks, world.rank()), got(10 * ranks, -1);
    Alltoall::even(world, 10, element)(world, blocks.data(), got.data());
    for (std::size_t s = 0; s < got.size(); ++s) ASSERT_EQ(got[s], static_cast<Index>(s / 10));
  }
  EXPECT_EQ(live_handles(), before);
}

}  // namespace
}  // namespace weft::mpi
