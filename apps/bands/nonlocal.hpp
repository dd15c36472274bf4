// The nonlocal part of norm-conserving pseudopotentials: sum over atoms, l, m, i, j of |p_i Y_lm>
// h_ij <p_j Y_lm|, as two matrix products with all projectors.
#pragma once

#include "basis.hpp"
#include "block.hpp"
#include "gth.hpp"

namespace bands {

class Nonlocal {
 public:
  Nonlocal() = default;
  /// Of this rank's plane waves. `gth` has an entry for each species.
  Nonlocal(const Crystal& crystal, const Basis& basis, const std::vector<Gth>& gth);

  /// Collective: <p|in> of `count` columns, which travel until `add`.
  Overlap held(const Ranks& ranks, const Complex* in, long count) const;
  /// Collective: out += V in, by what `held` returned.
  void add(const Ranks& ranks, Overlap& held, Complex* out) const;
  /// Collective: adds to `forces`, Ha/bohr, what columns of `psi` do to each atom; each holds so
  /// many electrons, its k-point's weight included.
  void add_forces(const Ranks& ranks, const Basis& basis, const Columns& psi, const std::vector<double>& electrons,
                  std::vector<Vector3>& forces) const;

 private:
  /// Columns of `projectors_` that one h couples.
  struct Coupled {
    long first;
    std::size_t atom;
    const std::vector<std::vector<double>>* h;
  };

  Block projectors_;
  std::vector<Coupled> coupled_;
};

}  // namespace bands
