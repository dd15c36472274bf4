// Counts every heap allocation of the calling thread, those inside libraries too.
#pragma once

#include <optional>

struct Heap {
  long all = 0;
  long by_memalign = 0;  // which C++ does not use, but FFTW does
};

/// Allocations of this thread so far; nothing where they cannot be counted (under a sanitizer, or
/// without glibc).
std::optional<Heap> heap();
