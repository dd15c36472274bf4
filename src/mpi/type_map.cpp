#include "mpi/type_map.hpp"

#include <algorithm>

#include "mpi/check.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t shown = 4;  // of a long list

std::string range(Index first, Index last) { return "[" + std::to_string(first) + ", " + std::to_string(last) + ")"; }

std::string counted(Index count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The bytes that views name, one contiguous part after the other.
class Walk {
 public:
  Walk(const std::vector<View>& views, Index element_bytes) : views_(views), element_bytes_(element_bytes) { settle(); }

  bool over() const { return view_ == views_.size(); }
  Index at() const { return views_[view_].at(point_) * element_bytes_ + done_; }
  Index left() const { return element_bytes_ - done_; }
  void pass(Index bytes) {
    done_ += bytes;
    if (done_ < element_bytes_) return;
    done_ = 0;
    const Box& box = views_[view_].box;
    int axis = box.axes() - 1;
    while (axis >= 0 && ++point_[axis] == box.hi[axis]) {
      point_[axis] = box.lo[axis];
      --axis;
    }
    if (axis < 0) ++view_, settle();
  }

 private:
  void settle() {
    while (!over() && views_[view_].box.empty()) ++view_;
    if (!over()) point_ = views_[view_].box.lo;
  }

  const std::vector<View>& views_;
  Index element_bytes_, done_ = 0;
  std::size_t view_ = 0;
  Shape point_;
};

}  // namespace

TypeMap::TypeMap(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  check(MPI_Type_get_true_extent_x(type, &true_lower, &true_extent), "MPI_Type_get_true_extent_x");
  lower_ = lower, extent_ = extent, true_lower_ = true_lower, true_extent_ = true_extent;
  read(type);
}

int TypeMap::read(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  Node node;
  MPI_Count size = 0, lower = 0, extent = 0;
  check(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  check(MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  node.size = size, node.extent = extent;
  if (combiner == MPI_COMBINER_NAMED) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    check(MPI_Type_get_name(type, name, &length), "MPI_Type_get_name");
    node.name.assign(name, static_cast<std::size_t>(length));
    node.dense = lower == 0 && size == extent;
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }

  std::vector<int> i(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
  std::vector<MPI_Datatype> inner(static_cast<std::size_t>(types));
  check(MPI_Type_get_contents(type, integers, addresses, types, i.data(), a.data(), inner.data()),
        "MPI_Type_get_contents");
  std::vector<int> children;
  for (MPI_Datatype& child : inner) {
    children.push_back(read(child));
    int none = 0, named = 0;
    check(MPI_Type_get_envelope(child, &none, &none, &none, &named), "MPI_Type_get_envelope");
    if (named != MPI_COMBINER_NAMED) check(MPI_Type_free(&child), "MPI_Type_free");
  }
  const int child = children.empty() ? -1 : children.front();
  const auto count = static_cast<std::size_t>(i[0]);
  switch (combiner) {
    case MPI_COMBINER_DUP:
      node.name = "dup";
      node.parts = {{0, 1, 0, 1, child}};
      break;
    case MPI_COMBINER_RESIZED:
      node.name = "resized to " + range(a[0], a[0] + a[1]);
      node.parts = {{0, 1, 0, 1, child}};
      break;
    case MPI_COMBINER_CONTIGUOUS:
      node.name = "contiguous " + std::to_string(i[0]);
      node.parts = {{0, 1, 0, i[0], child}};
      break;
    case MPI_COMBINER_VECTOR:
      node.name = "vector " + std::to_string(i[0]) + " x " + std::to_string(i[1]) + ", stride " + std::to_string(i[2]) +
                  " of what follows";
      node.parts = {{0, i[0], i[2] * nodes_[static_cast<std::size_t>(child)].extent, i[1], child}};
      break;
    case MPI_COMBINER_HVECTOR:
      node.name =
          "hvector " + std::to_string(i[0]) + " x " + std::to_string(i[1]) + ", stride " + counted(a[0], "byte");
      node.parts = {{0, i[0], a[0], i[1], child}};
      break;
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
      node.name = (combiner == MPI_COMBINER_STRUCT ? "struct of " : "hindexed of ") + counted(i[0], "block");
      for (std::size_t k = 0; k < count; ++k)
        node.parts.push_back({a[k], 1, 0, i[k + 1], combiner == MPI_COMBINER_STRUCT ? children[k] : child});
      break;
    default:
      throw Error("a datatype was made by MPI constructor number " + std::to_string(combiner) +
                  ", which weft cannot read");
  }
  if (node.parts.size() == 1) {
    const Part& part = node.parts.front();
    const Node& inside = nodes_[static_cast<std::size_t>(part.node)];
    node.dense = inside.dense && part.at == 0 && (part.count == 1 || part.stride == part.length * inside.size) &&
                 lower == 0 && size == extent;
  }
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

bool TypeMap::walk(int number, Index at, const std::function<bool(Index, Index)>& f) const {
  const Node& node = nodes_[static_cast<std::size_t>(number)];
  if (node.dense) return f(at, node.size);
  for (const Part& part : node.parts) {
    const Node& inside = nodes_[static_cast<std::size_t>(part.node)];
    for (Index k = 0; k < part.count; ++k) {
      const Index begin = at + part.at + k * part.stride;
      if (inside.dense) {
        if (part.length > 0 && !f(begin, part.length * inside.size)) return false;
      } else {
        for (Index l = 0; l < part.length; ++l)
          if (!walk(part.node, begin + l * inside.extent, f)) return false;
      }
    }
  }
  return true;
}

void TypeMap::each_run(const std::function<bool(Index, Index)>& f) const {
  walk(static_cast<int>(nodes_.size()) - 1, 0, f);
}

void TypeMap::describe(int number, const std::string& indent, std::string& text) const {
  const Node& node = nodes_[static_cast<std::size_t>(number)];
  text += indent + node.name;
  const bool listed = node.name.starts_with("hindexed") || node.name.starts_with("struct");
  if (listed) {
    text += ": at byte";
    for (std::size_t k = 0; k < std::min(shown, node.parts.size()); ++k)
      text += (k ? ", " : " ") + std::to_string(node.parts[k].at) + " x " + std::to_string(node.parts[k].length);
    if (node.parts.size() > shown) text += ", and " + std::to_string(node.parts.size() - shown) + " more";
  }
  text += '\n';
  const std::size_t different = node.parts.empty() || node.parts.front().node == node.parts.back().node
                                    ? std::min<std::size_t>(1, node.parts.size())
                                    : node.parts.size();
  for (std::size_t k = 0; k < std::min(shown, different); ++k) describe(node.parts[k].node, indent + "  ", text);
  if (different > shown) text += indent + "  and " + std::to_string(different - shown) + " more\n";
}

std::string TypeMap::text() const {
  const Node& top = nodes_.back();
  std::string text = counted(top.size, "byte") + ", extent " + range(lower_, lower_ + extent_) + ", true extent " +
                     range(true_lower_, true_lower_ + true_extent_) + "\n";
  describe(static_cast<int>(nodes_.size()) - 1, "  ", text);
  std::string runs;
  Index count = 0, first = 0, last = 0;
  const auto add = [&] {
    if (first == last) return;
    if (++count <= static_cast<Index>(shown)) runs += (count > 1 ? ", " : " ") + range(first, last);
  };
  each_run([&](Index at, Index bytes) {
    if (at != last) add(), first = at;
    last = at + bytes;
    return true;
  });
  add();
  text += "  bytes in order:" + runs +
          (count > static_cast<Index>(shown) ? ", and " + std::to_string(count - static_cast<Index>(shown)) + " more"
                                             : "") +
          "\n";
  return text;
}

std::string TypeMap::difference(const std::vector<View>& views, Index element_bytes) const {
  Walk wanted(views, element_bytes);
  Index done = 0;
  std::string found;
  each_run([&](Index at, Index bytes) {
    while (bytes > 0) {
      if (wanted.over() || wanted.at() != at) {
        found = "byte number " + std::to_string(done) + " is at " + std::to_string(at) +
                (wanted.over() ? ", where the pattern has no more"
                               : ", and at " + std::to_string(wanted.at()) + " in the pattern");
        return false;
      }
      const Index common = std::min(bytes, wanted.left());
      wanted.pass(common);
      at += common, bytes -= common, done += common;
    }
    return true;
  });
  if (found.empty() && !wanted.over())
    found = "it ends after " + counted(done, "byte") + ", where the pattern goes on at " + std::to_string(wanted.at());
  return found;
}

}  // namespace weft::mpi
