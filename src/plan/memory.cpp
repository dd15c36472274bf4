#include "plan/memory.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft {

std::shared_ptr<std::byte> allocate(Index bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20, line = 64;
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t alignment = wanted >= huge ? huge : line;
  const std::size_t rounded = (wanted + alignment) / alignment * alignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (!memory) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (wanted >= huge) madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: where it is refused nothing is lost but speed
#endif
  std::memset(memory, 0, rounded);
  return {memory, [](std::byte* p) { std::free(p); }};
}

}  // namespace weft
