// How a crystal screens a change of its density, as a model: what mixing takes of it.
#pragma once

namespace bands {

/// share (q^2 + k^2 / epsilon) / (q^2 + k^2) of a change is taken at wavenumber q: Kerker's rule
/// where epsilon is infinite, as in metals.
struct Screening {
  double share = 0.7;
  double wavenumber = 0.93;  ///< k, 1/bohr: waves longer than 1/k are damped; 0: none are
  double constant = 12;      ///< epsilon, at least 1: silicon's
};

}  // namespace bands
