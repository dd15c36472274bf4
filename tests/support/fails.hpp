// What everyone must see alike: one error, the same on every rank, and no handle of MPI left
// behind.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "support/message.hpp"

namespace weft {

/// Collective: f must throw the same Error on every rank, and its message hold all of `words`.
template <class F>
void fails(const mpi::Communicator& world, F&& f, const std::vector<std::string>& words) {
  const mpi::Handles live = mpi::live_handles();
  const std::string text = message(f);
  EXPECT_EQ(mpi::live_handles(), live);
  for (const std::string& other : world.gather_all(text)) EXPECT_EQ(text, other);
  EXPECT_NE(text, "no error");
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text << "\nlacks: " << word;
}

}  // namespace weft
