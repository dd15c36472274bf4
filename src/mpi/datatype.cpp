#include "mpi/datatype.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace weft::mpi {

namespace {

/// `count` times a stride of elements.
struct Loop {
  Index count, stride;
};

/// The loops over a view's elements in C order of its box, innermost first; neighbours that one
/// loop can run are joined.
std::vector<Loop> loops(const View& view) {
  std::vector<Loop> all;
  for (int axis = view.box.axes() - 1; axis >= 0; --axis) {
    const Index count = view.box.extent(axis), stride = view.strides[axis];
    if (count == 1) continue;
    if (!all.empty() && stride == all.back().count * all.back().stride)
      all.back().count *= count;
    else
      all.push_back({count, stride});
  }
  return all;
}

}  // namespace

Datatype::Datatype(MPI_Datatype uncommitted, Index size) : raw_(uncommitted), size_(size) { ++live.datatypes; }

Datatype::~Datatype() {
  if (raw_ == MPI_BYTE || !running()) return;
  MPI_Type_free(&raw_);
  --live.datatypes;
}

void Datatype::commit(Index first, Index last) {
  MPI_Count size = 0, lower = 0, extent = 0;
  check(MPI_Type_size_x(raw_, &size), "MPI_Type_size_x");
  check(MPI_Type_get_true_extent_x(raw_, &lower, &extent), "MPI_Type_get_true_extent_x");
  // Some MPIs give bounds wider than the data; narrower ones would be wrong.
  if (size != size_ || lower > first || lower + extent < last)
    throw Error("MPI made a datatype of " + std::to_string(size) + " bytes from " + std::to_string(lower) + " to " +
                std::to_string(lower + extent) + "; wanted " + std::to_string(size_) + " bytes from " +
                std::to_string(first) + " to " + std::to_string(last));
  check(MPI_Type_commit(&raw_), "MPI_Type_commit");
}

Datatype Datatype::strided(const Datatype& element, Index count, Index stride_bytes) {
  if (count > count_limit) {
    const Index groups = count / count_limit, rest = count % count_limit;
    const Datatype group = strided(element, count_limit, stride_bytes);
    const Datatype whole = strided(group, groups, count_limit * stride_bytes),
                   tail = strided(element, rest, stride_bytes);
    return joined({{0, 1, &whole}, {groups * count_limit * stride_bytes, 1, &tail}});
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hvector(static_cast<int>(count), 1, stride_bytes, element.raw_, &made),
        "MPI_Type_create_hvector");
  return {made, count * element.size_};
}

Datatype Datatype::joined(const std::vector<Part>& parts) {
  if (static_cast<Index>(parts.size()) > count_limit) {
    std::vector<Datatype> groups;
    for (auto from = parts.begin(); from != parts.end();) {
      const auto to = from + std::min<Index>(count_limit, parts.end() - from);
      groups.push_back(joined({from, to}));
      from = to;
    }
    std::vector<Part> all;
    for (const Datatype& group : groups) all.push_back({0, 1, &group});
    return joined(all);
  }
  std::vector<int> counts;
  std::vector<MPI_Aint> at;
  std::vector<MPI_Datatype> types;
  Index size = 0;
  for (const Part& part : parts) {
    counts.push_back(static_cast<int>(part.count));
    at.push_back(part.at);
    types.push_back(part.type->raw_);
    size += part.count * part.type->size_;
  }
  const int length = static_cast<int>(parts.size());
  MPI_Datatype made = MPI_DATATYPE_NULL;
  // Lists of blocks of one type take faster paths inside MPI than structures do.
  if (std::all_of(types.begin(), types.end(), [&](MPI_Datatype type) { return type == types.front(); }))
    check(MPI_Type_create_hindexed(length, counts.data(), at.data(), types.front(), &made), "MPI_Type_create_hindexed");
  else
    check(MPI_Type_create_struct(length, counts.data(), at.data(), types.data(), &made), "MPI_Type_create_struct");
  return {made, size};
}

Datatype Datatype::bytes(Index count) {
  if (count == 0) return {};
  Datatype byte;  // MPI_BYTE, which is not ours to free
  byte.size_ = 1;
  Datatype made = strided(byte, count, 1);
  made.commit(0, count);
  made.dense_ = true;
  return made;
}

Datatype Datatype::repeated(Index count) const {
  if (count == 0) return {};
  Datatype made = strided(*this, count, size_);
  made.commit(0, count * size_);
  made.dense_ = dense_;
  return made;
}

Datatype Datatype::of(const View& view, Index element_bytes) { return of(std::vector<View>{view}, element_bytes); }

Datatype Datatype::of(const std::vector<View>& views, Index element_bytes) {
  const Datatype element = bytes(element_bytes);
  std::vector<Datatype> made;  // reserved: parts point into it
  made.reserve(views.size());
  std::vector<Part> parts;
  Index first = std::numeric_limits<Index>::max(), last = 0;
  for (const View& view : views) {
    if (view.box.empty()) continue;
    std::vector<Loop> nest = loops(view);
    Index begin = view.offset, end = view.offset + 1;
    for (const Loop& loop : nest) (loop.stride < 0 ? begin : end) += (loop.count - 1) * loop.stride;
    first = std::min(first, begin * element_bytes);
    last = std::max(last, end * element_bytes);
    Part part{view.offset * element_bytes, 1, &element};
    if (nest.size() == 1 && nest[0].stride == 1 && nest[0].count <= count_limit) {
      part.count = nest[0].count;
    } else if (!nest.empty()) {
      Datatype type = strided(element, nest[0].count, nest[0].stride * element_bytes);
      for (std::size_t l = 1; l < nest.size(); ++l) type = strided(type, nest[l].count, nest[l].stride * element_bytes);
      made.push_back(std::move(type));
      part.type = &made.back();
    }
    parts.push_back(part);
  }
  if (parts.empty()) return {};
  Datatype all = joined(parts);
  all.commit(first, last);
  return all;
}

Datatype Datatype::of(const std::vector<Piece>& pieces, int peer, Index element_bytes) {
  std::vector<View> views;
  for (const Piece& piece : pieces)
    if (piece.peer == peer) views.push_back(piece.at);
  return of(views, element_bytes);
}

}  // namespace weft::mpi
