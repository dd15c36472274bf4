#include "mpi/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <weft/error.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft {

std::shared_ptr<std::byte> allocate(Index bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20, line = 64;
  const auto wanted = static_cast<std::size_t>(std::max<Index>(bytes, 1));
  void* memory = nullptr;
  if (posix_memalign(&memory, wanted >= huge ? huge : line, wanted) != 0)
    throw Error("no memory for a buffer of " + std::to_string(bytes) + " bytes; use smaller tiles or more ranks");
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (wanted >= huge) madvise(memory, wanted / huge * huge, MADV_HUGEPAGE);  // a wish: where it is refused nothing is lost but speed
#endif
  std::memset(memory, 0, wanted);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

}  // namespace weft
