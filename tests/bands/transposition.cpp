// Bands as whole ones and back: every number says where it comes from.
#include <gtest/gtest.h>

#include "bands/transposition.hpp"

namespace {

using bands::Complex;

TEST(Transposition, WholeBandsAndBack) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto rows_of = [](int r) { return r == 1 ? 0L : 3L + r; };  // one rank has none
  long total = 0, before = 0;
  for (int r = 0; r < ranks; ++r) {
    total += rows_of(r);
    if (r < rank) before += rows_of(r);
  }
  const long rows = rows_of(rank);
  const auto number = [&](long band, long wave) { return static_cast<double>(band * total + wave); };
  bands::Seconds seconds;
  for (const long step : {0, 4})
    for (const char* const strategy : {"auto", "isend"}) {
      const bands::Ranks shared{MPI_COMM_WORLD, &seconds, step};
      bands::Transposition transposition(shared, rows, 2, strategy);
      for (const long count : {1, 3, 2 * ranks, 4 * ranks + 1, 7 * ranks + 3}) {
        bands::Block in(rows, count), out(rows, count);
        for (long c = 0; c < count; ++c)
          for (long i = 0; i < rows; ++i) in(i, c) = {number(c, before + i), static_cast<double>(step)};
        std::vector<double> seen(static_cast<std::size_t>(count));
        transposition.look(in.column(0), count, [&](const Complex* bands, long first, long some) {
          for (long b = 0; b < some; ++b)
            for (long g = 0; g < total; ++g) {
              EXPECT_EQ(bands[b * total + g], Complex(number(first + b, g), static_cast<double>(step)));
              seen[static_cast<std::size_t>(first + b)] = 1;
            }
        });
        MPI_Allreduce(MPI_IN_PLACE, seen.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(seen, std::vector<double>(static_cast<std::size_t>(count), 1));  // each band is one rank's
        transposition.apply(in.column(0), out.column(0), count,
                            [&](const Complex* bands, Complex* to, long some, const auto& progress) {
                              for (long b = 0; b < some; progress(), ++b)
                                for (long g = 0; g < total; ++g)
                                  to[b * total + g] = bands[b * total + g] + Complex(0, static_cast<double>(g));
                            });
        for (long c = 0; c < count; ++c)
          for (long i = 0; i < rows; ++i)
            EXPECT_EQ(out(i, c), in(i, c) + Complex(0, static_cast<double>(before + i))) << count << " " << step;
      }
    }
}

}  // namespace
