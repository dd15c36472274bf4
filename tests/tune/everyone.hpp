// What tests of tuning share: a communicator of all ranks, and a problem that is tuned in no time.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <weft/weft.hpp>

#include "mpi/communicator.hpp"
#include "support/plans.hpp"

namespace weft {

inline const mpi::Communicator& everyone() {
  // Lives until MPI ends
  static const mpi::Communicator* const all = new mpi::Communicator(mpi::Communicator::duplicate(world));
  return *all;
}

inline void same_everywhere(const std::string& text) {
  for (const std::string& other : everyone().gather_all(text)) EXPECT_EQ(other, text);
}

inline const AnyProblem small = c2c<double>({12, 8, 6});
inline const Options quick{.strategy = "tune", .tune_seconds = 0.3, .effort = "estimate"};

}  // namespace weft
