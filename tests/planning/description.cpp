// What a plan keeps about itself does not grow with the batch.
#include <gtest/gtest.h>

#include <malloc.h>
#include <mpi.h>

#include <weft/weft.hpp>

namespace weft {
namespace {

/// Bytes that this process has from malloc now.
Index allocated() {
  const auto now = mallinfo2();
  return static_cast<Index>(now.uordblks + now.hblkhd);
}

TEST(Description, DoesNotGrowWithTheBatch) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) GTEST_SKIP() << "exchange buffers grow with the batch";
  const Options few{.wisdom = false, .effort = "estimate", .batch = 1 << 10};
  Options many = few;
  many.batch = 1 << 20;
  const auto takes = [](const Options& options) {
    const Index before = allocated();
    const AnyPlan plan(MPI_COMM_WORLD, c2c<double>({4, 4, 4}), options);
    return allocated() - before - plan.bytes_owned();
  };
  takes(few);  // what is made once
  EXPECT_LT(takes(many), takes(few) + (Index{1} << 20));
}

}  // namespace
}  // namespace weft
