// Memory that the ranks of one node share: every rank has a part of its own, and all read and write
// all parts in place. Always true: the memory has no name in any file system, so nothing is left
// behind however the ranks end; what its pages need is reserved while planning, so that touching
// them cannot fail later.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace weft::mpi {

class Segments {
 public:
  /// Collective over `group`, whose ranks are all on one node. `bytes` is the size of this rank's
  /// part, which may be 0 and may differ between ranks. Parts are zero, begin on a page, and have
  /// huge pages where they fill at least half of one.
  ///
  /// WEFT_SHARED_MEMORY in the environment says what may be used: `own` (an anonymous file of ours,
  /// and where the system refuses that, a window of MPI; the default), `window` (only the latter)
  /// or `none`. Throws Error on all ranks when nothing is left.
  Segments(const Communicator& group, Index bytes);
  /// The same where every rank knows the size of each rank's part.
  Segments(const Communicator& group, std::vector<Index> bytes);
  /// The destructor is local for memory of our own, collective for a window.

  /// Where a rank's part lies in this process.
  std::byte* part(int rank) const { return base_ + offsets_[static_cast<std::size_t>(rank)]; }
  /// What this rank's part takes, rounded up to pages.
  Index bytes_held() const { return held(bytes_[static_cast<std::size_t>(rank_)]); }
  /// Why the memory is a window of MPI; empty when it is our own.
  const std::string& note() const { return note_; }

 private:
  struct File;
  /// Where another process of the node finds the open file: process and descriptor, and device and
  /// inode, which make sure that it found the right one.
  using Address = std::array<Index, 4>;

  Index held(Index bytes) const;
  Index place();
  Address shared_file(const Communicator& group, File& file, Index total) const;
  void map(const Communicator& group);
  void clear();
  void allocate_window(const Communicator& group, const std::string& refused);

  struct Unmap {
    std::size_t bytes;
    void operator()(void* space) const noexcept;
  };

  int rank_;
  bool own_ = true;
  std::vector<Index> bytes_, offsets_;  // by rank
  std::byte* base_ = nullptr;
  std::unique_ptr<void, Unmap> reserved_;  // address space of our own mapping
  JointHandle window_;
  std::string note_;
};

/// A counter in shared memory, alone on its cache line (and on the one fetched with it). It is born
/// 0 there and only grows.
class Flag {
 public:
  /// Everything written before is seen by whoever sees this. Sequentially consistent, because the
  /// instruction that this takes on x86 also completes streaming stores, which a release does not
  /// wait for.
  void raise(std::uint64_t count) { value().store(count, std::memory_order_seq_cst); }
  /// One of several who count together; everything read before stays before.
  void add() { value().fetch_add(1, std::memory_order_release); }
  bool reached(std::uint64_t count) const {
    return const_cast<Flag*>(this)->value().load(std::memory_order_acquire) >= count;
  }
  /// Returns when `count` is reached. A wait of more than a millisecond lets MPI progress now and
  /// then, on the group's communicator.
  void wait(std::uint64_t count, const Communicator& group) const;

 private:
  std::atomic_ref<std::uint64_t> value() { return std::atomic_ref(count_); }

  alignas(128) std::uint64_t count_;
};
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free,
              "a lock is in one process; flags are between processes");

}  // namespace weft::mpi
