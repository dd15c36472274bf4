// Kernels: the ways to cut and overlap a transpose that have names in the literature. Each is a
// strategy and a schedule; none has code of its own.
#pragma once

#include <weft/plan.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// A strategy and a schedule under the name that a publication gave them.
struct Kernel {
  std::string_view name, strategy;
  ScheduleOptions schedule;
  std::string_view summary, source;  ///< one line each

  /// `options` with this strategy and schedule: Plan fft(comm, problem,
  /// kernel("oneplane").of(options)).
  Options of(Options options) const;
};

/// All kernels, in the order of their sources.
const std::vector<Kernel>& kernels();
/// The kernel of that name; throws Error listing all names when there is none.
const Kernel& kernel(std::string_view name);

}  // namespace weft
#pragma GCC visibility pop
