// What the handles of the C interface hold, and what all of its functions share: status, text,
// lists, arguments. No exception leaves `guarded`, and every function that can fail is a call of
// it. A handle that a caller has points to a place, never to the object itself: `given` finds that.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/weft.h>
#include <weft/weft.hpp>

#include "c/places.hpp"

static_assert(WEFT_MAX_AXES == weft::max_axes);

struct weft_options {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "options";
  weft::Options value;
};
struct weft_problem {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "problem";
  weft::AnyProblem value;
};
struct weft_layout {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "layout";
  weft::Layout value;
};
struct weft_plan {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "plan";
  weft::AnyPlan value;
  /// The plan's own arrays, once they were asked for.
  std::shared_ptr<std::byte> input = nullptr, output = nullptr;
  /// What weft_plan_considered points into.
  std::vector<std::vector<weft::Considered>> considered = {};
};
struct weft_redistribution {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "redistribution";
  weft::Redistribution value;
};
struct weft_halo {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "halo";
  weft::Halo value;
};
struct weft_trace {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "trace";
  weft::Trace value;
};
struct weft_timeline {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "timeline";
  weft::Timeline value;
};
struct weft_tuning {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "tuning";
  weft::Tuning value;
};
struct weft_wisdom {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "wisdom";
  weft::Wisdom value;
  std::vector<std::string> notes;
  /// What weft_wisdom_at points into; empty after a change.
  std::vector<weft::Wisdom::Entry> entries = {};
};

struct weft_profile {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "profile";
  weft::MachineProfile value;
};
struct weft_forecast {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "forecast";
  std::vector<weft::Forecast> value;
};
struct weft_fit {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "fit";
  weft::Fit value;
};

namespace weft::c {

/// Keeps the message of a failure for weft_error(). Throws nothing: without memory for it a shorter
/// one is kept.
void failed(const char* message) noexcept;

/// Runs f and tells how it ended.
template <class F>
int guarded(F&& f) noexcept {
  try {
    f();
    return WEFT_OK;
  } catch (const Declined& e) {
    failed(e.what());
    return WEFT_DECLINED;
  } catch (const std::bad_alloc&) {
    failed("out of memory");
  } catch (const std::exception& e) {
    failed(e.what());
  } catch (...) {
    failed("a function that was given to weft threw what is no std::exception");
  }
  return WEFT_ERROR;
}

/// Throws Error before MPI is initialised and when it has been finalised; `what` is what is to be
/// done.
void need_mpi(const char* what);
/// Fortran's communicator in C's form. None where MPI is not running, of which whoever is given it
/// complains.
MPI_Comm comm_of(MPI_Fint comm) noexcept;

template <class T>
concept Handle = requires {
  T::noun;
};

/// What a pointer points to. Throws Error where it is NULL; `what` names the argument.
template <class T>
T& given(T* pointer, const char* what) {
  if (pointer == nullptr) throw Error(std::string(what) + " is NULL; give a pointer to it, or a handle that was made");
  return *pointer;
}
/// What a handle stands for. Throws Error where it is NULL, was destroyed, or is another one's.
template <Handle T>
T& given(T* handle, const char* what) {
  if (handle == nullptr) throw Error(std::string(what) + " is NULL; give a pointer to it, or a handle that was made");
  const Place* const place = place_at(handle);
  const char* const* const noun = place == nullptr ? nullptr : place->noun.load(std::memory_order_acquire);
  if (noun == &T::noun) return *static_cast<T*>(place->object);
  throw Error(std::string(what) +
              (noun != nullptr ? " is a handle of another type, '" + std::string(*noun) + "'"
                               : " is no handle, or one that has been destroyed") +
              "; give one of type '" + T::noun + "' that was made and not destroyed");
}
inline const Layout& layout_of(const weft_layout* layout) { return given(layout, "layout").value; }

/// A list of `count` entries, which may be NULL if it is empty.
template <class T>
const T* list(const T* entries, Index count, const char* what) {
  if (count < 0)
    throw Error("the number of " + std::string(what) + " is " + std::to_string(count) + "; allowed: 0 or more");
  if (count > 0) given(entries, what);
  return entries;
}
inline std::string text(const char* given_text, const char* what) { return &given(given_text, what); }

/// How many ranks or axes there are, as an int.
inline int counted(Index count, Index least, Index most, const char* what) {
  if (count < least || count > most)
    throw Error("the number of " + std::string(what) + " is " + std::to_string(count) +
                "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(count);
}
inline int axes_of(Index axes) { return counted(axes, 1, max_axes, "axes"); }

/// Numbers of which there are so many.
inline std::vector<int> numbers(Index count, const int* entries, const char* what) {
  list(entries, count, what);
  return {entries, entries + count};
}
inline weft_machine machine_of(const Machine& m) {
  return {m.message_seconds,      m.bytes_per_second,      m.copied_per_second,
          m.node_message_seconds, m.node_bytes_per_second, m.flops_per_second};
}

/// One entry an axis.
inline Shape shape(Index axes, const int64_t* entries, const char* what) {
  return {&given(entries, what), entries + axes_of(axes)};
}
/// The same, or no entry where it is NULL.
inline Shape shape_or_none(Index axes, const int64_t* entries) {
  return entries == nullptr ? Shape() : Shape(entries, entries + axes_of(axes));
}
/// Numbers of axes, parts or the like, each an int. NULL: none.
inline Few<int> ints(Index count, const int64_t* entries, const char* what) {
  Few<int> few;
  if (entries == nullptr) return few;
  for (Index i = 0; i < count; ++i) {
    if (entries[i] != static_cast<int>(entries[i]))
      throw Error(std::string(what) + " has " + std::to_string(entries[i]) + ", which is far too large");
    few.push_back(static_cast<int>(entries[i]));
  }
  return few;
}
inline GVector vector(const int64_t* g) { return {g[0], g[1], g[2]}; }
inline std::vector<GVector> vectors(Index count, const int64_t* g) {
  list(g, count, "G-vectors");
  std::vector<GVector> all;
  all.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) all.push_back(vector(g + 3 * i));
  return all;
}

inline Options options_or_default(const weft_options* options) {
  return options == nullptr ? Options() : given(options, "options").value;
}

/// Copies a text out, as much as there is room for.
inline void copy_out(std::string_view from, char* to, Index room, int64_t* length) {
  if (room < 0 || (to == nullptr && room > 0))
    throw Error("there is room for a text of " + std::to_string(room) + " bytes at " +
                (to == nullptr ? "NULL" : "its place") + "; give a place and its bytes, or NULL and 0");
  if (length != nullptr) *length = static_cast<Index>(from.size());
  if (room == 0) return;
  const std::size_t copied = std::min(from.size(), static_cast<std::size_t>(room) - 1);
  std::copy_n(from.data(), copied, to);
  to[copied] = '\0';
}
/// Copies a list out, as much as there is room for: write(entry, number).
template <class Entries, class Write>
void list_out(const Entries& from, const void* to, Index room, int64_t* count, Write&& write) {
  if (room < 0 || (to == nullptr && room > 0))
    throw Error("there is room for " + std::to_string(room) + " entries at " +
                (to == nullptr ? "NULL" : "their place") + "; give a place and its entries, or NULL and 0");
  if (count != nullptr) *count = static_cast<Index>(from.size());
  for (std::size_t i = 0; i < std::min(from.size(), static_cast<std::size_t>(room)); ++i) write(from[i], i);
}
template <class T>
void tell(T* to, T value) {
  if (to != nullptr) *to = value;
}
template <class T>
void fill_axes(const T& from, std::remove_cvref_t<decltype(from[0])>* to) {
  std::copy(from.begin(), from.end(), to);
}

/// Those of a redistribution or a halo. Any other that was set would be of no effect, which is an
/// error; `what` names the exchange.
RedistributionOptions exchange_options(const weft_options* options, const char* what);

/// The view of a part as C has it.
weft_view view_of(const View& view, Index elements, Index reach);

/// A handle of an object, to be given to a caller.
template <Handle T>
T* handed_out(std::unique_ptr<T> object) {
  Place* const place = place_of(&T::noun, object.get());
  object.release();
  return reinterpret_cast<T*>(place);
}
/// Makes a handle of what f returns; the handle is NULL where f fails.
template <Handle T, class F>
int made(T** handle, F&& f) noexcept {
  return guarded([&] {
    given(handle, "the place for a handle") = nullptr;
    *handle = handed_out(std::unique_ptr<T>(new T{f()}));
  });
}
/// Of a handle that was destroyed before, by a copy of it, nothing but the message of weft_error().
template <Handle T>
void destroyed(T** handle) noexcept {
  if (handle == nullptr || *handle == nullptr) return;
  guarded([&] {
    const std::unique_ptr<T> object(&given(*handle, T::noun));
    empty(place_at(*handle));
  });
  *handle = nullptr;
}

/// Entry `at` of a list.
template <class Entries>
auto& entry_of(Entries& entries, Index at, const char* what) {
  const auto size = static_cast<Index>(entries.size());
  if (at < 0 || at >= size)
    throw Error(std::string(what) + " " + std::to_string(at) + " is asked for; there are " + std::to_string(size) +
                ", counted from 0");
  return entries[static_cast<std::size_t>(at)];
}

}  // namespace weft::c
