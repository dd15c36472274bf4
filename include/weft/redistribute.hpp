// Redistribution on its own: any layout to any layout, any element size, no FFT.
#pragma once

#include <memory>
#include <string>

#include <weft/exchange.hpp>
#include <weft/trace.hpp>

#pragma GCC visibility push(default)
namespace weft {

struct RedistributionOptions {
  /// A name of `strategies()`, or "auto": the cheapest by cost that does not decline, on this
  /// machine as tuning measured it last
  std::string strategy = "auto";
  /// Periodic[a] = 1: a destination may reach beyond the global shape on axis a and wraps (empty:
  /// none)
  Few<int> periodic = Few<int>();
  std::vector<int> nodes = std::vector<int>();  ///< as in Options
  /// "auto" may look the machine up in wisdom; else, and where it is not known, a first guess
  /// stands in
  bool wisdom = true;
};

class Redistribution;
namespace check {
struct Program;
/// What every rank does in a redistribution, as data. Collective.
std::vector<Program> programs(const Redistribution& redistribution);
}  // namespace check

/// A reusable redistribution. Creation is collective; executing allocates nothing. `forward` moves
/// data laid out as `from` to data laid out as `to`; elements of `to` that no source has (holes)
/// are left as they are.
class Redistribution {
 public:
  Redistribution(MPI_Comm comm, const Layout& from, const Layout& to, Index element_bytes,
                 const RedistributionOptions& options = {});
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;

  /// Collective. The arrays hold from.elements(rank) and to.elements(rank) elements. They may
  /// overlap where nothing is written that is also read, but for elements that stay on their rank
  /// and in their place: so a halo is filled within its own array, `from` being the boxes inside
  /// it, padded to its strides. The first execution of arrays that overlap in another way looks at
  /// every element, and allocates. Throws Error on this rank alone for a null pointer, and for any
  /// other overlap: all ranks must call it rightly.
  void operator()(const void* in, void* out);
  /// Records every execution from now on, as plans do. Local; on all ranks, or the trace lacks
  /// some.
  void record(Trace& trace);
  const std::string& strategy() const;
  /// Strategy, bytes and messages, memory.
  std::string describe() const;

 private:
  struct [[gnu::visibility("hidden")]] Body;
  friend std::vector<check::Program> check::programs(const Redistribution& redistribution);
  std::unique_ptr<Body> body_;
};

/// Once, without keeping a plan.
void redistribute(MPI_Comm comm, const Layout& from, const void* in, const Layout& to, void* out, Index element_bytes,
                  const RedistributionOptions& options = {});

template <class T>
void redistribute(MPI_Comm comm, const Layout& from, const T* in, const Layout& to, T* out,
                  const RedistributionOptions& options = {}) {
  redistribute(comm, from, static_cast<const void*>(in), to, static_cast<void*>(out), static_cast<Index>(sizeof(T)),
               options);
}

}  // namespace weft
#pragma GCC visibility pop
