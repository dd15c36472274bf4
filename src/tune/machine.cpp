// The machine as all ranks see it when all of them are at work: medians of a few rounds, the slowest rank's.
#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>

#include <weft/tune.hpp>

#include "engines/engine.hpp"
#include "mpi/messages.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

// Of one repetition, the median of some rounds; where ranks wait for one another's turns on few cores, of few.
template <class Work>
double seconds_of(const mpi::Communicator& comm, int repeats, Work work) {
  std::vector<double> rounds;
  const double first = clock_seconds();
  work();
  const bool slow = comm.max(clock_seconds() - first) > 2e-3;
  if (slow) repeats = 1;
  for (int round = 0; round < (slow ? 3 : 5); ++round) {
    comm.barrier();
    const double begin = clock_seconds();
    for (int r = 0; r < repeats; ++r) work();
    rounds.push_back(comm.max(clock_seconds() - begin) / repeats);
  }
  return median(std::move(rounds));
}

// A message to the next and from the previous one of a circle of ranks, those that are in it.
struct Circle {
  int next = MPI_PROC_NULL, previous = MPI_PROC_NULL;  // of those who are not in it

  Circle(const std::vector<int>& ranks, int rank) {
    const auto at = std::find(ranks.begin(), ranks.end(), rank);
    if (at == ranks.end() || ranks.size() < 2) return;
    next = at + 1 == ranks.end() ? ranks.front() : at[1];
    previous = at == ranks.begin() ? ranks.back() : at[-1];
  }
  void turn(const mpi::Communicator& comm, const std::vector<char>& out, std::vector<char>& in, const mpi::Amount& amount) const {
    if (next != MPI_PROC_NULL) mpi::sendrecv(comm, out.data(), amount, next, in.data(), amount, previous, 0);
  }
};

Machine measured(const mpi::Communicator& comm, const std::vector<int>& asked) {
  const std::vector<int> nodes = comm.nodes(asked);
  std::vector<int> mine, firsts;  // the ranks of this node, and the first rank of each
  for (int r = 0; r < comm.size(); ++r) {
    const int node = nodes[static_cast<std::size_t>(r)];
    if (node == nodes[static_cast<std::size_t>(comm.rank())]) mine.push_back(r);
    if (node == static_cast<int>(firsts.size())) firsts.push_back(r);
  }
  constexpr int large = 1 << 19;
  std::vector<char> out(4 * large, 1), in(4 * large, 0);
  Machine machine;
  const auto measure = [&](const std::vector<int>& ranks, double& message, double& bytes) {
    const Circle circle(ranks, comm.rank());
    const mpi::Datatype byte = mpi::Datatype::bytes(1);
    const mpi::Amount few(8, byte), many(large, byte);
    message = seconds_of(comm, 20, [&] { circle.turn(comm, out, in, few); }) / 2;  // a call, and a message
    bytes = large / std::max(seconds_of(comm, 2, [&] { circle.turn(comm, out, in, many); }) - 2 * message, 1e-9);
  };
  if (comm.max(static_cast<int>(mine.size())) > 1) measure(mine, machine.message_seconds, machine.bytes_per_second);
  if (firsts.size() > 1) measure(firsts, machine.node_message_seconds, machine.node_bytes_per_second);
  machine.copied_per_second = 4 * large / seconds_of(comm, 1, [&] { std::memcpy(in.data(), out.data(), 4 * large); });

  constexpr Index length = 128, count = 64;
  const auto lines = comm.agree([&] { return engines().front()->plan({Kind::c2c, Direction::forward, Precision::double_, length}, "estimate"); });
  std::vector<std::complex<double>> values(length * count, 0.0), results(length * count);
  const double flops = 5.0 * length * 7 * count;
  machine.flops_per_second = flops / seconds_of(comm, 4, [&] { (*lines)(reinterpret_cast<const std::byte*>(values.data()), reinterpret_cast<std::byte*>(results.data()), count); });
  return machine;
}

}  // namespace

Machine measure_machine(MPI_Comm user, const std::vector<int>& asked) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] { return measured(comm, asked); });
}

}  // namespace weft
