// operator new and delete of a program, for the one file that includes this. That has `bool
// refused()`, which is asked at every allocation, in front of the include.
#pragma once

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (!refused())
    if (void* const memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return refused() ? nullptr : std::malloc(size ? size : 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  if (!refused())
    if (void* const memory = std::aligned_alloc(step, (size + step) / step * step)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
