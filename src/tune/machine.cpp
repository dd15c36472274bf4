// The machine as all ranks see it when all of them are at work: medians of a few rounds, the
// slowest rank's.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>

#include <weft/tune.hpp>

#include "engines/engine.hpp"
#include "mpi/messages.hpp"
#include "tune/rates.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

// Of one repetition, the median of some rounds; where ranks wait for one another's turns on few
// cores, of few.
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
  void turn(const mpi::Communicator& comm, const std::vector<char>& out, std::vector<char>& in,
            const mpi::Amount& amount) const {
    if (next != MPI_PROC_NULL) mpi::sendrecv(comm, out.data(), amount, next, in.data(), amount, previous, 0);
  }
};

// Those of this rank's node, and the first rank of each node.
struct Circles {
  std::vector<int> mine, firsts;

  Circles(const mpi::Communicator& comm, const std::vector<int>& asked) {
    const std::vector<int> nodes = comm.nodes(asked);
    for (int r = 0; r < comm.size(); ++r) {
      const int node = nodes[static_cast<std::size_t>(r)];
      if (node == nodes[static_cast<std::size_t>(comm.rank())]) mine.push_back(r);
      if (node == static_cast<int>(firsts.size())) firsts.push_back(r);
    }
  }
};

constexpr int large = 1 << 19;

double turn_seconds(const mpi::Communicator& comm, const std::vector<int>& ranks, int bytes, int repeats) {
  const Circle circle(ranks, comm.rank());
  const mpi::Amount amount(bytes, mpi::Datatype::bytes(1));
  std::vector<char> out(static_cast<std::size_t>(bytes), 1), in(out);
  comm.hear();  // messages wait for ranks that have no memory
  return seconds_of(comm, repeats, [&] { circle.turn(comm, out, in, amount); });
}

double copied_per_second(const mpi::Communicator& comm, std::size_t bytes) {
  std::vector<char> out(bytes, 1), in(bytes, 0);
  const int repeats = std::max(1, static_cast<int>(4 * large / bytes));
  return static_cast<double>(bytes) / seconds_of(comm, repeats, [&] { std::memcpy(in.data(), out.data(), bytes); });
}

// Seconds that processors are busy with a message to the next one of a circle: what they take longer
// for some computing while messages are on their way. MPI is called now and then, so that they get
// on; and as often, with something to wait for, where there are none. It is time of the processor,
// so that waiting for others is not in it, but for as many times as ranks share cores.
double processor_seconds(const mpi::Communicator& comm, const std::vector<int>& ranks, int bytes, double wire) {
  constexpr int together = 1 << 20, most = 64, rounds = 9;
  constexpr Index chunk = 10000;
  const int count = std::clamp(together / bytes, 1, most);
  const Circle circle(ranks, comm.rank());
  const mpi::Amount amount(bytes, mpi::Datatype::bytes(1)), nothing(0, mpi::Datatype::bytes(1));
  std::vector<char> out(static_cast<std::size_t>(bytes), 1), in(static_cast<std::size_t>(bytes) * most);
  mpi::Requests requests(2 * most + 1);
  comm.hear();  // messages wait for ranks that have no memory
  struct Spent {
    double busy, wall;
  };
  volatile double sum = 0;
  const auto compute = [&](Index chunks) {
    for (Index k = 0; k < chunks * chunk; ++k) {
      sum = sum + 1;
      if (k % chunk == 0) requests.test();
    }
  };
  const auto timed = [&](int messages, Index chunks) {
    comm.barrier();
    const double begin = clock_seconds();
    const std::clock_t start = std::clock();
    mpi::ireceive(comm, in.data(), nothing, comm.rank(), 1, requests);
    for (int k = 0; circle.next != MPI_PROC_NULL && k < messages; ++k)
      mpi::ireceive(comm, in.data() + static_cast<std::ptrdiff_t>(k) * bytes, amount, circle.previous, 0, requests);
    for (int k = 0; circle.next != MPI_PROC_NULL && k < messages; ++k)
      mpi::isend(comm, out.data(), amount, circle.next, 0, requests);
    compute(chunks);
    mpi::send(comm, out.data(), nothing, comm.rank(), 1);
    const double wall = clock_seconds() - begin;
    while (!requests.test()) std::this_thread::sleep_for(std::chrono::microseconds(20));  // others are late
    const double busy = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return Spent{comm.max(busy), comm.max(wall)};
  };
  // long enough for all of them to arrive meanwhile
  const double one = timed(0, 20).wall / 20;
  const auto enough = static_cast<Index>((1e-3 + 2 * count * wire) / one) + 1;
  std::vector<double> longer, shared;
  for (int round = 0; round < rounds; ++round) {
    const Spent alone = timed(0, enough);
    longer.push_back((timed(count, enough).busy - alone.busy) / count);
    shared.push_back(std::max(1.0, alone.wall / alone.busy));
  }
  return median(std::move(longer)) * median(std::move(shared));
}

double flops_per_second(const mpi::Communicator& comm, Index length, Index count) {
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, length};
  const auto lines = comm.agree([&] { return engines().front()->plan(spec, "estimate"); });
  std::vector<std::complex<double>> values(static_cast<std::size_t>(length * count), 0.0), results(values);
  const double flops = 5.0 * static_cast<double>(length * count) * std::log2(static_cast<double>(length));
  const auto* in = reinterpret_cast<const std::byte*>(values.data());
  auto* out = reinterpret_cast<std::byte*>(results.data());
  return flops / seconds_of(comm, 4, [&] { (*lines)(in, out, count); });
}

// There and back.
double real_flops_per_second(const mpi::Communicator& comm, Index length, Index count) {
  const auto plan = [&](Kind kind, Direction direction) {
    return comm.agree([&] {
      return engines().front()->plan({kind, direction, Precision::double_, length}, "estimate");
    });
  };
  const auto there = plan(Kind::r2c, Direction::forward), back = plan(Kind::c2r, Direction::backward);
  std::vector<double> values(static_cast<std::size_t>(length * count), 0.0);
  std::vector<std::complex<double>> results(static_cast<std::size_t>((length / 2 + 1) * count));
  const double flops = 2 * 2.5 * static_cast<double>(length * count) * std::log2(static_cast<double>(length));
  auto* in = reinterpret_cast<std::byte*>(values.data());
  auto* out = reinterpret_cast<std::byte*>(results.data());
  return flops / seconds_of(comm, 4, [&] { (*there)(in, out, count), (*back)(out, in, count); });
}

Machine measured(const mpi::Communicator& comm, const std::vector<int>& asked) {
  const Circles circles(comm, asked);
  Machine machine;
  const auto measure = [&](const std::vector<int>& ranks, double& message, double& bytes) {
    message = turn_seconds(comm, ranks, 8, 20) / 2;  // a call, and a message
    bytes = large / std::max(turn_seconds(comm, ranks, large, 2) - 2 * message, 1e-9);
  };
  if (comm.max(static_cast<int>(circles.mine.size())) > 1)
    measure(circles.mine, machine.message_seconds, machine.bytes_per_second);
  if (circles.firsts.size() > 1) measure(circles.firsts, machine.node_message_seconds, machine.node_bytes_per_second);
  machine.copied_per_second = copied_per_second(comm, 4 * large);
  machine.flops_per_second = flops_per_second(comm, 128, 64);
  return machine;
}

}  // namespace

MachineProfile measured_rates(const mpi::Communicator& comm, const std::vector<int>& asked) {
  const Circles circles(comm, asked);
  MachineProfile profile;
  profile.machine = measured(comm, asked);
  const auto messages = [&](const std::vector<int>& ranks, double message) {
    std::vector<Rate> rates;
    for (const int bytes : {1 << 10, 1 << 13, 1 << 16, large, 4 * large}) {
      const double seconds = turn_seconds(comm, ranks, bytes, std::clamp(large / bytes, 1, 20));
      rates.push_back({static_cast<double>(bytes), bytes / std::max(seconds - 2 * message, 0.1 * seconds)});
    }
    return rates;
  };
  if (comm.max(static_cast<int>(circles.mine.size())) > 1)
    profile.messages = messages(circles.mine, profile.machine.message_seconds);
  if (circles.firsts.size() > 1) profile.node_messages = messages(circles.firsts, profile.machine.node_message_seconds);
  for (const int bytes : {8, 1 << 10, 1 << 13, 1 << 16}) {
    if (circles.firsts.size() < 2) break;
    const double rate = rate_at(profile.node_messages, bytes, profile.machine.node_bytes_per_second);
    const double seconds = processor_seconds(comm, circles.firsts, bytes, bytes / rate);
    // no message is busier than a longer one, but for noise
    const double least = profile.node_processor.empty() ? 1e-9 : profile.node_processor.back().seconds;
    profile.node_processor.push_back({static_cast<double>(bytes), std::max(seconds, least)});
  }
  for (const std::size_t bytes :
       {std::size_t{1} << 16, std::size_t{1} << 19, std::size_t{1} << 21, std::size_t{1} << 24})
    profile.copies.push_back({static_cast<double>(bytes), copied_per_second(comm, bytes)});
  // lengths that are powers of two, and between them those that are not, which take more
  for (const Index length :
       {8, 12, 16, 20, 24, 30, 32, 36, 40, 48, 60, 64, 72, 80, 96, 100, 128, 144, 192, 256, 512, 1024, 4096}) {
    profile.lines.push_back({static_cast<double>(length), flops_per_second(comm, length, 8192 / length)});
    profile.real_lines.push_back({static_cast<double>(length), real_flops_per_second(comm, length, 16384 / length)});
  }
  profile.ranks = comm.size(), profile.nodes = static_cast<int>(circles.firsts.size());
  return profile;
}

Machine measure_machine(MPI_Comm user, const std::vector<int>& asked) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] { return measured(comm, asked); });
}

}  // namespace weft
