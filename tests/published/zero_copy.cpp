// The construction of Hoefler & Gottlieb (EuroMPI 2010): a 2-D transform whose only transposition
// is a receive datatype.
#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include "mpi/communicator.hpp"
#include "mpi/type_map.hpp"
#include "support/changing.hpp"

namespace weft {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr Index complex_bytes = 16;

/// What an exchange saw: where it was to receive, and at which address it did.
struct Seen {
  View target;
  std::vector<View> in;
  Index owned = 0;
  const std::byte* received = nullptr;
};
std::vector<Seen> seen;  // of every exchange bound since it was cleared: forward first
bool crooked = false;    // tell of types that differ

bool alone() {
  int ranks = 0;
  MPI_Comm_size(world, &ranks);
  return ranks == 1;
}

class WatchedExchange final : public Exchange {
 public:
  WatchedExchange(std::unique_ptr<Exchange> watched, const Demand& demand)
      : watched_(std::move(watched)), slots_(*demand.slots), number_(seen.size()) {
    const int me = demand.pattern.members()[static_cast<std::size_t>(demand.pattern.rank())];
    Seen& mine = seen.emplace_back(Seen{demand.pattern.to().view(me, demand.to_slot), {}, watched_->bytes_owned()});
    for (int t = 0; t < watched_->tiles(); ++t) {
      tiles_.push_back(watched_->tile(t));
      for (const Piece& piece : tiles_.back().in) mine.in.push_back(piece.at);
    }
    array_ = watched_->array();
  }
  std::vector<Type> datatypes() const override {
    std::vector<Type> all = watched_->datatypes();
    if (crooked && !all.empty()) all.back().difference = "it is crooked";
    return all;
  }
  void start(int t) override { watched_->start(t); }
  void finish(int t) override {
    watched_->finish(t);
    seen[number_].received = slots_[static_cast<std::size_t>(seen[number_].target.slot)];
  }

 private:
  std::unique_ptr<Exchange> watched_;
  const Slots& slots_;
  std::size_t number_;
};

/// `datatype`, watched.
class Watched final : public Strategy {
 public:
  std::string_view name() const override { return "watched"; }
  std::string_view summary() const override { return datatype_.summary(); }
  std::string declines(const Demand& demand) const override { return datatype_.declines(demand); }
  Cost cost(const Demand& demand) const override { return datatype_.cost(demand); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<WatchedExchange>(datatype_.bind(demand, group), demand);
  }

 private:
  const Strategy& datatype_ = strategy("datatype");
};

Options watched() {
  static const bool added = (add(std::make_unique<Watched>()), true);
  seen.clear();
  crooked = false;
  Options options;
  options.strategy = added ? "watched" : "";
  options.effort = "estimate";
  return options;
}

// Every element arrives at its final place in the caller's output, where the lines of the second
// stage are contiguous: nothing is left to transpose.
TEST(ZeroCopyTiny, ReceivesWhereTheSecondStageWorks) {
  if (alone()) GTEST_SKIP() << "there is nobody to exchange with";
  for (const Shape& shape : {Shape{7, 5}, Shape{5, 9}, Shape{6, 12}, Shape{2, 3}, Shape{13, 2}}) {
    SCOPED_TRACE(to_string(shape));
    Plan fft(world, c2c<double>(shape), watched());
    const std::vector<Seen>& exchanges = seen;
    auto u = fft.input(), u_hat = fft.output();
    u.fill([](const Shape&) { return 1.0; });
    fft.forward(u, u_hat);
    u_hat.for_each([&](const Shape& k, std::complex<double>& v) {
      EXPECT_LT(std::abs(v - (k[0] == 0 && k[1] == 0 ? static_cast<double>(volume(shape)) : 0.0)), 1e-12)
          << to_string(k);
    });
    ASSERT_FALSE(exchanges.empty());
    const Seen& forward = exchanges.front();
    EXPECT_EQ(forward.owned, 0);
    EXPECT_EQ(forward.received, reinterpret_cast<const std::byte*>(u_hat.data()));
    View output = fft.output_view();
    output.slot = forward.target.slot;  // the same memory, as its address tells
    EXPECT_TRUE(output.box.empty() || same_memory(forward.target, output));
    if (output.box.extent(0) > 1) {
      EXPECT_EQ(output.strides[0], 1) << "the lines along axis 0 are not contiguous";
    }
    Index arrived = 0;
    for (const View& view : forward.in) {
      EXPECT_TRUE(view.box.empty() || same_memory(view, output.cut(view.box)));
      arrived += view.box.volume();
    }
    EXPECT_EQ(arrived, output.box.volume());
    EXPECT_EQ(fft.datatypes().different, 0) << fft.datatypes().text;
    back_to_back(fft);
  }
}

TEST(ZeroCopyTiny, APlanTellsOfTypesThatDiffer) {
  if (alone()) GTEST_SKIP() << "there is nobody to exchange with";
  const Options options = watched();
  const AnyPlan fft(world, c2c<double>({6, 6}), options);
  const auto fine = fft.datatypes();
  EXPECT_GT(fine.made, 0);
  EXPECT_EQ(fine.different, 0);
  crooked = true;
  const auto wrong = fft.datatypes();
  EXPECT_EQ(wrong.made, fine.made);
  EXPECT_EQ(wrong.different, 2) << "one each way";
  EXPECT_NE(wrong.text.find("DIFFERS from its pattern: it is crooked"), std::string::npos);
}

// The source prints the types for N x N on P ranks, b = N/P, C a complex number: to send vector(b,
// b, N, C) resized to b C, to receive vector(b, 1, N, C) resized to one C, b of them. They touch
// the bytes that the pieces of `datatype` name, in the same order.
TEST(ZeroCopyTiny, TypesOfTheSource) {
  const mpi::Communicator comm = mpi::Communicator::duplicate(world);
  const int ranks = comm.size(), b = 4, n = b * ranks;
  MPI_Datatype element, vector, resized, send, receive;
  MPI_Type_contiguous(complex_bytes, MPI_BYTE, &element);
  MPI_Type_vector(b, b, n, element, &vector);
  MPI_Type_create_resized(vector, 0, complex_bytes * b, &send);
  MPI_Type_free(&vector);
  MPI_Type_vector(b, 1, n, element, &vector);
  MPI_Type_create_resized(vector, 0, complex_bytes, &resized);
  MPI_Type_contiguous(b, resized, &receive);

  Slots slots(2, nullptr);
  const Layout rows = Layout::slab({n, n}, 0, ranks), columns = Layout::slab({n, n}, 1, ranks, Split::even(), {1, 0});
  const Demand demand{Pattern(rows, columns, comm.rank()),
                      complex_bytes,
                      {},
                      0,
                      1,
                      &slots,
                      std::vector<int>(static_cast<std::size_t>(ranks))};
  const auto exchange = strategy("datatype").bind(demand, world);
  for (const bool out : {true, false})
    for (int peer = 0; peer < ranks; ++peer) {
      std::vector<View> views;
      for (const Piece& piece : out ? exchange->tile(0).out : exchange->tile(0).in)
        if (piece.peer == peer) views.push_back(piece.at);
      const int one = 1;
      const MPI_Aint at = peer * complex_bytes * b;  // MPI_Alltoall's block of this peer
      MPI_Datatype placed;
      MPI_Type_create_hindexed(1, &one, &at, out ? send : receive, &placed);
      EXPECT_EQ(mpi::TypeMap(placed).difference(views, complex_bytes), "") << mpi::TypeMap(placed).text();
      MPI_Type_free(&placed);
      // without the transposition it is another type
      MPI_Type_create_hindexed(1, &one, &at, out ? receive : send, &placed);
      EXPECT_NE(mpi::TypeMap(placed).difference(views, complex_bytes), "");
      MPI_Type_free(&placed);
    }
  for (MPI_Datatype* type : {&element, &vector, &resized, &send, &receive}) MPI_Type_free(type);
}

}  // namespace
}  // namespace weft
