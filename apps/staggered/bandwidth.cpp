#include "bandwidth.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace staggered {

double read_bytes_per_second(MPI_Comm comm) {
  using Pair = double __attribute__((vector_size(16)));
  constexpr std::size_t numbers = std::size_t{12} << 20, at_once = 16;
  const std::vector<double> array(numbers, 1);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  double best = 0, wrong = 0;
  for (int round = 0; round < 6; ++round) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    Pair sums[at_once / 2] = {};
    for (std::size_t i = 0; i < numbers; i += at_once)
      for (std::size_t k = 0; k < at_once / 2; ++k) {
        Pair next;
        std::memcpy(&next, array.data() + i + 2 * k, sizeof next);
        sums[k] += next;
      }
    double seconds = MPI_Wtime() - begin, total = 0;
    for (const Pair& sum : sums) total += sum[0] + sum[1];
    wrong += total != static_cast<double>(numbers);  // nobody may leave out what is used
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    best = std::max(best, static_cast<double>(ranks) * static_cast<double>(sizeof(double) * numbers) / seconds);
  }
  return wrong > 0 ? 0 : best;
}

}  // namespace staggered
