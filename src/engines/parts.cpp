#include "parts.hpp"

#include <algorithm>

#include "aligned.hpp"

namespace weft {
namespace {

// Lines are parted into scratch, transformed there as twice as many real ones, and brought together
// where they are wanted.
template <class Real>
class Parts final : public Lines {
 public:
  Parts(const LineSpec& spec, std::shared_ptr<const Lines> one_part)
      : Lines(spec, Aligned::padded(one_part->scratch_bytes()) + 2 * half_bytes(spec, *one_part)),
        one_part_(std::move(one_part)) {}

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    const Index n = spec().length;
    // the engine's own scratch comes first: one thread's lines share it
    auto* const parted = reinterpret_cast<Real*>(scratch() + Aligned::padded(one_part_->scratch_bytes()));
    auto* const transformed =
        reinterpret_cast<Real*>(reinterpret_cast<std::byte*>(parted) + half_bytes(spec(), *one_part_));
    for (Index first = 0; first < count; first += batch()) {
      const Index lines = std::min(batch(), count - first);
      for (Index k = 0; k < lines; ++k) {
        const auto* from = reinterpret_cast<const Real*>(in + (first + k) * in_step_bytes());
        Real* to = parted + 2 * k * n;
        for (Index j = 0; j < n; ++j) to[j] = from[2 * j], to[n + j] = from[2 * j + 1];
      }
      (*one_part_)(reinterpret_cast<const std::byte*>(parted), reinterpret_cast<std::byte*>(transformed), 2 * lines);
      for (Index k = 0; k < lines; ++k) {
        const Real* from = transformed + 2 * k * n;
        auto* to = reinterpret_cast<Real*>(out + (first + k) * out_step_bytes());
        for (Index j = 0; j < n; ++j) to[2 * j] = from[j], to[2 * j + 1] = from[n + j];
      }
    }
  }

  Index batch() const override { return one_part_->batch(); }
  bool prefers_out_of_place() const override { return false; }  // its input is parted first
  const std::shared_ptr<const Lines>& one_part() const { return one_part_; }

 private:
  static std::size_t half_bytes(const LineSpec& spec, const Lines& one_part) {
    return Aligned::padded(static_cast<std::size_t>(2 * one_part.batch() * spec.length) * sizeof(Real));
  }

  std::shared_ptr<const Lines> one_part_;
};

}  // namespace

std::shared_ptr<const Lines> in_parts(const LineSpec& spec, std::shared_ptr<const Lines> one_part) {
  if (spec.precision == Precision::single_) return std::make_shared<Parts<float>>(spec, std::move(one_part));
  return std::make_shared<Parts<double>>(spec, std::move(one_part));
}

bool in_parts_by(const Lines& lines, const std::shared_ptr<const Lines>& one_part) {
  if (const auto* parts = dynamic_cast<const Parts<double>*>(&lines)) return parts->one_part() == one_part;
  if (const auto* parts = dynamic_cast<const Parts<float>*>(&lines)) return parts->one_part() == one_part;
  return false;
}

}  // namespace weft
