// The one mover: every copy of elements between strided places goes through here. Elements are
// opaque bytes.
#pragma once

#include <cstddef>

#include <weft/view.hpp>

namespace weft {

/// A two-dimensional copy: element (i, j), i < ni, j < nj, goes from `i*from_i + j*from_j` to
/// `i*to_i + j*to_j` (strides in bytes).
struct Panel {
  Index ni = 0, nj = 0;
  Index from_i = 0, from_j = 0, to_i = 0, to_j = 0;
};

/// One form of a copy.
using MoveFunction = void (*)(const std::byte* from, std::byte* to, const Panel&, Index element_bytes);

/// Copies panels of one element size and one form (rows, transposing, scattered). Chosen once,
/// called often; the machine's widest registers are found at run time.
class Mover {
 public:
  Mover() = default;
  /// The fastest way for the strides of `panel` (its extents may differ from call to call).
  Mover(Index element_bytes, const Panel& panel);
  void operator()(const std::byte* from, std::byte* to, const Panel& panel) const {
    function_(from, to, panel, element_bytes_);
  }
  /// The same; stores go past the caches where that can be done.
  void stream(const std::byte* from, std::byte* to, const Panel& panel) const {
    streaming_(from, to, panel, element_bytes_);
  }

 private:
  MoveFunction function_ = nullptr, streaming_ = nullptr;
  Index element_bytes_ = 0;
};

/// Asks for memory that will be read soon.
void fetch(const std::byte* from, Index bytes);

/// After streaming stores and before telling anyone that the data is there.
void streaming_fence();

/// Copies between two views of equal extents (their boxes may differ in position).
void copy(const View& from, const Slots& from_slots, const View& to, const Slots& to_slots, Index element_bytes);

}  // namespace weft
