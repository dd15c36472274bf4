#include "mpi/clock.hpp"

#include <array>
#include <cstdlib>

#include "mpi/messages.hpp"

namespace weft::mpi {
namespace {

constexpr int clock_tag = 0, fewest = 8, most = 200;
constexpr std::int64_t patience_nanoseconds = 2'000'000;  // for one rank, once it was asked often enough

using Message = std::array<std::int64_t, 4>;  // go on, then a Reading

}  // namespace

trace::Reading compare_clocks(const Communicator& comm) {
  const Datatype byte = Datatype::bytes(1);
  const Amount message(sizeof(Message), byte), time(sizeof(std::int64_t), byte);
  comm.hear();
  const Wait wait("comparing clocks");
  if (comm.rank() > 0) {
    for (;;) {
      Message asked;
      receive(comm, asked.data(), message, 0, clock_tag);
      if (!asked[0]) return {asked[1], asked[2], asked[3]};
      const std::int64_t here = trace::now();
      send(comm, &here, time, 0, clock_tag);
    }
  }
  for (int r = 1; r < comm.size(); ++r) {
    trace::Reading best;
    const std::int64_t begin = trace::now();
    for (int k = 0; k < most && (k < fewest || trace::now() - begin < patience_nanoseconds); ++k) {
      const Message ask{1};
      std::int64_t there = 0;
      const std::int64_t asked = trace::now();
      send(comm, ask.data(), message, r, clock_tag);
      receive(comm, &there, time, r, clock_tag);
      const std::int64_t heard = trace::now(), accuracy = (heard - asked + 1) / 2;
      if (k == 0 || accuracy < best.accuracy) best = {there, asked + (heard - asked) / 2 - there, accuracy};
    }
    if (std::abs(best.offset) <= best.accuracy) best.offset = 0;
    const Message found{0, best.at, best.offset, best.accuracy};
    send(comm, found.data(), message, r, clock_tag);
  }
  return {trace::now(), 0, 0};
}

}  // namespace weft::mpi
