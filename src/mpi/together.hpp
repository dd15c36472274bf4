// Planning together: a rank that fails alone is heard of by all, in the next collective.
//
// Always true: inside `Communicator::together` every collective begins with one reduction, always
// the same call, in which ranks say whether they are well. A rank that fails takes part in one of
// these, so whoever waits in a collective hears of it. Then all ranks meet at the end of
// `together`, throw the same, and are in step again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "mpi/check.hpp"

namespace weft::mpi {

class Communicator;

/// Thrown where a rank hears that another one has failed, or MPI fails in hearing. No
/// std::exception, so that nobody in between takes it for a failure that all ranks know of;
/// `together` makes an Error of it.
struct Heard {};

/// What all ranks must free in the same order: a window, or an open file. A handle that goes inside
/// of `together`, where one rank may have failed and others not yet heard of it, is freed in the
/// next collective in which all are well, or when all have met.
class Joint {
 public:
  Joint();
  Joint(const Joint&) = delete;
  Joint& operator=(const Joint&) = delete;
  /// Collective.
  ~Joint();

  MPI_Win window = MPI_WIN_NULL;
  bool locked = false;  ///< the window, by this rank, for all
  MPI_File file = MPI_FILE_NULL;
  std::shared_ptr<std::byte> memory;  ///< what the window shows, where that is the caller's

 private:
  friend class Together;
  std::uint64_t number_;
  Joint* next_ = nullptr;
};
struct FreeJointly {
  void operator()(Joint* joint) const noexcept;
};
using JointHandle = std::unique_ptr<Joint, FreeJointly>;

/// One call of `Communicator::together`, from its begin to its end.
class Together {
 public:
  using Numbers = std::array<Index, 4>;

  /// Of the calling thread; null outside of `together`.
  static Together* innermost();

  explicit Together(const Communicator& comm);
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  ~Together();

  /// What a collective of all ranks begins with. Throws Heard.
  void hear() { word({}); }
  /// What a collective on `comm` begins with, or is: the largest of all ranks' numbers, place by
  /// place. Throws Heard.
  Numbers most(const Communicator& comm, const Numbers& numbers);
  /// This rank is well to the end. Throws Heard.
  void end();
  /// In a handler: tells the others, and throws on all ranks what the lowest one that failed has to
  /// say: Declined where any rank declined, else Error. What all throw alike stays as it is.
  [[noreturn]] void fail();

 private:
  friend struct FreeJointly;
  Numbers word(const Numbers& numbers);
  Numbers reduce(bool failed, const Numbers& numbers);
  void leave(Joint* joint) noexcept;
  void free_left() noexcept;

  const Communicator& comm_;
  Together* const outer_;
  const int named_;            // this rank in messages: its number in the outermost call
  const std::uint64_t first_;  // of the handles that are made in here
  bool parted_ = false;        // some rank has failed: no more collectives before all meet
  std::string refused_;        // what MPI said where it failed in `word`
};

}  // namespace weft::mpi
