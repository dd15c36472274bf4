// The overlap matrix of localised orbitals on several ranks, in three ways:
//
//     partners            a rank gets, of each orbital elsewhere that overlaps one of its own, the points they share
//     slabs               a transposition: a rank gets its slab of all orbitals, and parts of the matrix are summed
//     slabs by messages   the same parts, sent point to point
//
// Source: L. Genovese's talk on BigDFT (2012), whose ways these are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mpi.h>
#include <weft/redistribute.hpp>

#include "orbitals.hpp"

namespace localised {

/// What all ranks together move for one matrix.
struct Moved {
  weft::Index sent_bytes = 0;  ///< to other ranks
  weft::Index kept_bytes = 0;  ///< that stay on their rank; of partners none travel through the exchange
  weft::Index messages = 0;    ///< pairs of different ranks with something to send
};

/// Of the last matrix on this rank.
struct Seconds {
  double exchange = 0, products = 0, sums = 0;
};

class Overlaps {
 public:
  virtual ~Overlaps() = default;
  /// Collective: the overlaps of all orbitals with this rank's own, a column of orbitals.count()
  /// numbers for each of these. `mine` are the values of this rank's orbitals, one behind the
  /// other.
  virtual std::vector<double> columns(const std::vector<double>& mine) = 0;
  /// What the published formulas say is sent and kept, summed over ranks, bytes.
  virtual weft::Index formula_bytes() const = 0;

  const Moved& moved() const { return moved_; }
  const Seconds& seconds() const { return seconds_; }
  const std::string& strategy() const { return exchange_->strategy(); }

 protected:
  Overlaps(MPI_Comm comm, const Orbitals& orbitals) : comm_(comm), orbitals_(orbitals) {}
  /// Collective: plans the exchange, and counts what its pattern moves.
  void plan(const std::vector<std::vector<weft::Run>>& wanted, const std::string& strategy);
  /// Collective: fills in what arrives, and begins to count seconds anew.
  void exchange(const std::vector<double>& mine);

  MPI_Comm comm_;
  const Orbitals& orbitals_;
  std::unique_ptr<weft::Redistribution> exchange_;
  std::vector<double> arrived_;
  Moved moved_;
  Seconds seconds_;
};

/// Names of all ways.
std::vector<std::string> ways();
/// Collective. Throws Error for a name that is none of ways().
std::unique_ptr<Overlaps> overlaps(const std::string& way, MPI_Comm comm, const Orbitals& orbitals);

}  // namespace localised
