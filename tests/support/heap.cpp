// The C library's allocator, with a counter before it: operator new and libraries come through here
// as well.
#include "support/heap.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#define WEFT_SANITIZED \
  (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_SANITIZED 1
#else
#define WEFT_SANITIZED 0
#endif

#if defined(__GLIBC__) && !WEFT_SANITIZED

static thread_local Heap count __attribute__((tls_model("initial-exec")));  // a lazy one would allocate

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return ++count.all, __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) { return ++count.all, __libc_calloc(n, size); }
void* realloc(void* p, std::size_t size) { return ++count.all, __libc_realloc(p, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return ++count.all, ++count.by_memalign, __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return ++count.all, __libc_memalign(alignment, size); }
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  ++count.all;
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}
}

std::optional<Heap> heap() { return count; }

#else

std::optional<Heap> heap() { return {}; }

#endif
