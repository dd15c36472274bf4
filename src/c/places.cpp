// The places of handles: blocks of memory that are never given back, each twice as large as the one
// before.
#include "c/places.hpp"

#include <cstdint>
#include <mutex>
#include <new>

namespace weft::c {
namespace {

constexpr int first_places = 128, most_blocks = 32;
constexpr int kept_free = 64;  // a place that has become free is taken again when there are more of them than this

constexpr std::uintptr_t places_in(int block) { return std::uintptr_t{first_places} << block; }

// Never destroyed: handles may end while the program does.
std::atomic<Place*> blocks[most_blocks];
std::atomic<int> block_count{0};
std::mutex& mutex() {
  static std::mutex& the_one = *new std::mutex;
  return the_one;
}
// Below: under the mutex.
std::uintptr_t taken = 0;  // places of the last block that have been used
Place *longest_free = nullptr, *last_free = nullptr;
int free_places = 0;

Place* unused() {
  const int count = block_count.load(std::memory_order_relaxed);
  if (count > 0 && taken < places_in(count - 1)) return blocks[count - 1].load(std::memory_order_relaxed) + taken++;
  if (count == most_blocks) throw std::bad_alloc();
  Place* const block = new Place[places_in(count)];
  blocks[count].store(block, std::memory_order_relaxed);
  block_count.store(count + 1, std::memory_order_release);
  taken = 1;
  return block;
}

}  // namespace

Place* place_at(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (int b = block_count.load(std::memory_order_acquire) - 1; b >= 0; --b) {
    Place* const block = blocks[b].load(std::memory_order_relaxed);
    const std::uintptr_t bytes = at - reinterpret_cast<std::uintptr_t>(block);
    if (bytes < places_in(b) * sizeof(Place))
      return bytes % sizeof(Place) == 0 ? block + bytes / sizeof(Place) : nullptr;
  }
  return nullptr;
}

Place* place_of(const char* const* noun, void* object) {
  const std::lock_guard lock(mutex());
  Place* place = longest_free;
  if (free_places > kept_free) {
    longest_free = place->next;
    --free_places;
  } else {
    place = unused();
  }
  place->object = object;
  place->next = nullptr;
  place->noun.store(noun, std::memory_order_release);
  return place;
}

void empty(Place* place) noexcept {
  const std::lock_guard lock(mutex());
  place->noun.store(nullptr, std::memory_order_relaxed);
  place->object = nullptr;
  place->next = nullptr;
  (free_places++ > 0 ? last_free->next : longest_free) = place;
  last_free = place;
}

}  // namespace weft::c
