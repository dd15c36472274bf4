// H psi = kinetic psi + V psi + nonlocal psi, of one k-point: kinetic energies are diagonal in G,
// the local potential in real space, where the bands of a basis of half the sphere are real.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <weft/plan.hpp>

#include "basis.hpp"
#include "block.hpp"
#include "nonlocal.hpp"
#include "space.hpp"
#include "transposition.hpp"

namespace bands {

/// A batch of 1 becomes a few bands: the last ones of a block fill a batch badly, and a band alone
/// makes short messages.
inline void set_batch(weft::Options& options, long bands) {
  if (options.batch == 1) options.batch = std::min<weft::Index>(bands, 4);
}

class Hamiltonian {
 public:
  /// Collective. Transforms `options.batch` bands a call. The basis must outlive it. With
  /// `ranks.whole_bands` each rank transforms so many whole bands at a time, alone.
  Hamiltonian(const Ranks& ranks, const Basis& basis, const weft::Shape& grid, const weft::Options& options);

  const Ranks& ranks() const { return ranks_; }
  const Basis& basis() const { return basis_; }
  const weft::AnyPlan& plan() const;

  /// Collective: the local potential, Ha, on the slabs of `space`.
  void set_potential(const Space& space, const std::vector<double>& slab);
  void set_nonlocal(Nonlocal nonlocal) { nonlocal_ = std::move(nonlocal); }
  const Nonlocal& nonlocal() const { return nonlocal_; }
  /// Collective: adds electrons[b] |psi_b(r)|^2 of each column to `density`, which has a value for
  /// each point of density_box() and lacks the factor 1 / volume.
  void add_density(const Complex* psi, const std::vector<double>& electrons, std::vector<double>& density);
  /// This rank's part of real space in a transform of bands, which are shared among task groups.
  weft::Box density_box() const;
  /// Collective: out = H in, of `count` columns.
  void apply(const Complex* in, Complex* out, long count);
  /// Whether this rank transforms any of so many bands; where they are not transposed it does.
  bool has_bands(long count) const { return !transposition_ || transposition_->has_any(count); }
  /// Seconds that the transforms of this rank have spent in exchanges.
  double exchange_seconds() const {
    return transposition_ ? transposition_->seconds() : plan().spent().exchange_seconds;
  }
  /// How bands, or what is in their transforms, travel.
  std::string strategy() const { return transposition_ ? transposition_->strategy() : plan().effective().strategy; }
  /// Bands to which H has been applied.
  long applications() const { return applications_; }

 private:
  /// Of bands as the plan has them.
  void apply_potential(const Complex* in, Complex* out, long count, const std::function<void()>& progress);
  void add_density_of(const Complex* psi, const double* electrons, long count, std::vector<double>& density);

  Ranks ranks_;
  const Basis& basis_;
  std::unique_ptr<Transposition> transposition_;  ///< null: ranks share the transform of a band
  std::variant<weft::Plan<Complex, Complex>, weft::Plan<double, Complex>> plan_;
  std::vector<double> potential_;  ///< on the points that this rank's plan maps
  std::vector<Complex> in_, out_;  ///< a batch that is not full
  Nonlocal nonlocal_;
  long applications_ = 0;
};

}  // namespace bands
