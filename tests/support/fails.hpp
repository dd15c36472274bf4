// What everyone must see alike: one error, the same on every rank, and no handle of MPI left behind.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace weft {

/// Collective: f must throw the same Error on every rank, and its message hold all of `words`.
template <class F>
void fails(const mpi::Communicator& world, F&& f, const std::vector<std::string>& words) {
  const mpi::Handles live = mpi::live_handles();
  std::string message = "no error";
  try {
    f();
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(mpi::live_handles(), live);
  for (const std::string& other : world.gather_all(message)) EXPECT_EQ(message, other);
  EXPECT_NE(message, "no error");
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks: " << word;
}

}  // namespace weft
