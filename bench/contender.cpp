#include "contender.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

std::vector<Candidate> repeated(const Candidate& candidate, int times) {
  return std::vector<Candidate>(static_cast<std::size_t>(times), candidate);
}

std::shared_ptr<std::byte> memory(std::size_t bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  const std::size_t unit = bytes >= huge ? huge : 64, size = std::max<std::size_t>((bytes + unit - 1) / unit, 1) * unit;
  void* const start = std::aligned_alloc(unit, size);
  if (!start) throw std::bad_alloc();
  if (unit == huge) madvise(start, size, MADV_HUGEPAGE);  // only a wish
  std::memset(start, 0, size);
  return {static_cast<std::byte*>(start), [](std::byte* p) { std::free(p); }};
}

Part coefficients(const Case& what, const std::vector<weft::GVector>& vectors) {
  return part(what, weft::Box::whole({static_cast<weft::Index>(vectors.size())}), {0});
}

Part part(const Case& what, const weft::Box& box, const weft::Order& order, const weft::Shape& padding,
          weft::Index apart) {
  Part part;
  part.view = dense_view(box, order, padding);
  if (apart == 0) apart = dense_elements(box, order, padding);
  part.elements = apart * what.batch;
  weft::Box& all = part.view.box;
  weft::Shape strides{apart};
  all.lo = {0}, all.hi = {what.batch};
  for (int axis = 0; axis < box.axes(); ++axis) {
    all.lo.push_back(box.lo[axis]);
    all.hi.push_back(box.hi[axis]);
    strides.push_back(part.view.strides[axis]);
  }
  part.view.strides = strides;
  return part;
}
