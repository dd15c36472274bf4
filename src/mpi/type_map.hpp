// What MPI itself says a datatype is: its tree of constructors, and its type map (the standard's
// word for the bytes that it touches, in order). Always true: nothing here trusts what was asked
// for when the datatype was made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <mpi.h>

#include <weft/pattern.hpp>

namespace weft::mpi {

class TypeMap {
 public:
  /// Reads the type by MPI_Type_get_envelope and MPI_Type_get_contents. Throws Error for
  /// constructors that weft never calls.
  explicit TypeMap(MPI_Datatype type);

  /// Size, extent, true extent, tree, and bytes in order; several lines, long lists shortened.
  std::string text() const;
  /// Calls f(first byte, bytes) for contiguous parts in the order in which MPI sends them
  /// (neighbours are not joined), until it returns false.
  void each_run(const std::function<bool(Index, Index)>& f) const;
  /// Where the bytes differ from those that the views name, each in C order of its box; empty: they
  /// are the same in the same order.
  std::string difference(const std::vector<View>& views, Index element_bytes) const;

 private:
  /// A constructor, as copies of inner types: `count` times, `stride` bytes apart, `length` of them
  /// behind one another.
  struct Part {
    Index at, count, stride, length;
    int node;
  };
  struct Node {
    std::string name;
    Index size = 0, extent = 0;
    bool dense = false;  // its bytes are 0, 1, ... size - 1 in this order, and copies of it follow without a gap
    std::vector<Part> parts;
  };
  int read(MPI_Datatype type);
  void describe(int node, const std::string& indent, std::string& text) const;
  bool walk(int node, Index at, const std::function<bool(Index, Index)>& f) const;

  std::vector<Node> nodes_;  // inner ones first
  Index lower_ = 0, extent_ = 0, true_lower_ = 0, true_extent_ = 0;
};

}  // namespace weft::mpi
