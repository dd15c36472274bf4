// Where handles point to: places that stay when what they hold has ended. So a handle that was
// destroyed, or is another one's, or no handle at all, is recognised without touching memory that
// is gone.
#pragma once

#include <atomic>

namespace weft::c {

struct Place {
  std::atomic<const char* const*> noun{nullptr};  ///< of what it holds, by address: one for each type; null: nothing
  void* object = nullptr;
  Place* next = nullptr;  ///< free places, the longest free first
};

/// The place at an address, or null where that is none. Takes no lock.
Place* place_at(const void* address) noexcept;
/// A place that holds an object. Throws std::bad_alloc.
Place* place_of(const char* const* noun, void* object);
/// Empties a place, which may be taken again after many others.
void empty(Place* place) noexcept;

}  // namespace weft::c
