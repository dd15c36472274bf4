#include "mpi/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <weft/error.hpp>

#include <sys/mman.h>

namespace weft {

namespace {

thread_local bool without_memory = false;

Error no_memory(Index bytes) {
  return Error("no memory for a buffer of " + std::to_string(bytes) + " bytes; use smaller tiles or more ranks");
}

}  // namespace

WithoutMemory::WithoutMemory(bool on) : before_(without_memory) { without_memory = on || before_; }
WithoutMemory::~WithoutMemory() { without_memory = before_; }
bool WithoutMemory::here() { return without_memory; }

std::byte* reserve(std::size_t bytes) {
  void* const space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return space == MAP_FAILED ? nullptr : static_cast<std::byte*>(space);
}

std::shared_ptr<std::byte> allocate(Index bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20, line = 64;
  const auto wanted = static_cast<std::size_t>(std::max<Index>(bytes, 1));
  if (without_memory) {
    std::byte* const space = reserve(wanted);
    if (!space) throw no_memory(bytes);
    return {space, [wanted](std::byte* p) { munmap(p, wanted); }};
  }
  void* memory = nullptr;
  if (posix_memalign(&memory, wanted >= huge ? huge : line, wanted) != 0) throw no_memory(bytes);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // a wish: where it is refused nothing is lost but speed
  if (wanted >= huge) madvise(memory, wanted / huge * huge, MADV_HUGEPAGE);
#endif
  std::memset(memory, 0, wanted);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

}  // namespace weft
