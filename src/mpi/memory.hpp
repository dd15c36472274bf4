// Memory for arrays, buffers and scratch of one rank: on a cache line, and on huge pages where it
// is large.
#pragma once

#include <cstddef>
#include <memory>

#include <weft/box.hpp>

namespace weft {

/// `bytes` of zeroed memory, its pages touched; never none. Throws Error.
std::shared_ptr<std::byte> allocate(Index bytes);

/// While one that is `on` lives, what its thread allocates, and the parts of segments, take address
/// space and no memory: zeros that become memory page by page where somebody writes. For plans that
/// only say how much they would take.
class WithoutMemory {
 public:
  explicit WithoutMemory(bool on);
  ~WithoutMemory();
  WithoutMemory(const WithoutMemory&) = delete;
  WithoutMemory& operator=(const WithoutMemory&) = delete;
  /// Whether one lives on this thread.
  static bool here();

 private:
  bool before_;
};

/// `bytes` of address space, at least one page, for mmap and munmap; null where the system refuses.
std::byte* reserve(std::size_t bytes);

}  // namespace weft
