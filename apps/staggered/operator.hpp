// The staggered operator between sites of the two parities.
//
//     (D psi)(x) = sum of W(x, d) psi(x + d) over the hops d = +-1 (and +-3) along every axis,
//
// where W holds the links with their phases, their signs, and backward their adjoints.
//
// Always true: a field of one parity holds this rank's sites of it, x fastest, and its ghost sites
// behind them. Links and numbers of neighbours lie in the order in which sites are computed: those
// that need no ghost site first.
#pragma once

#include <string>
#include <vector>

#include "exchange.hpp"
#include "gauge_file.hpp"

namespace staggered {

/// Multiplies links by the phases eta_t = 1, eta_x = (-1)^t, eta_y = (-1)^(t + x), eta_z = (-1)^(t
/// + x + y), and those in t at the last t by -1. `layout` has boxes.
void put_phases(const weft::Layout& layout, int rank, std::vector<Links>& links);

/// What all applications have taken so far.
struct Seconds {
  double starts = 0, inner = 0, finishes = 0, rim = 0;
};

/// Links of one distance, phases in them, laid out as the lattice.
struct Hops {
  int distance;
  const std::vector<Links>* links;
};

struct OperatorOptions {
  std::string way = "auto";  ///< of filling ghost sites, as `exchanges` knows them
  bool overlaps = true;      ///< false: ghost sites are filled before any site is computed
};

/// `Real` is double or float: of links, of vectors, and of what is computed with them.
template <class Real>
class BasicOperator {
 public:
  using Vector = BasicVector<Real>;

  /// Collective. `layout` has boxes that are a partition. Throws weft::Error alike on all ranks
  /// where an extent is odd, for then sites across the end have the same parity.
  BasicOperator(MPI_Comm comm, const weft::Layout& layout, const std::vector<Hops>& hops,
                const OperatorOptions& options = {});

  /// From now on ghost sites are filled by these exchanges, which are of `width()`, with or without
  /// overlap.
  void exchange_by(Exchanges exchanges, bool overlaps);
  /// Ghost sites at both ends of every axis.
  const weft::Shape& width() const { return width_; }

  /// Sites of a parity (0: even) on this rank; with ghost sites.
  std::size_t sites(int parity) const { return parities_[at(parity)].order.size(); }
  std::size_t elements(int parity) const { return sites(parity) + parities_[at(parity)].ghosts; }
  /// This rank's sites of a parity as the lattice numbers them: places in an array laid out as the
  /// lattice.
  const std::vector<weft::Index>& places(int parity) const { return parities_[at(parity)].places; }
  /// This rank's sites that need no ghost site.
  std::size_t inner_sites(int parity) const { return parities_[at(parity)].inner; }
  /// Hops of a site.
  std::size_t hops() const { return hops_; }

  /// Collective: to = D from, where `to` is of `parity` and `from` of the other one, whose ghost
  /// sites are filled while sites that need none are computed. Only own sites of `to` are written.
  void apply(int parity, Vector* from, Vector* to);
  /// Collective: to = shift p - D from, where `to` and `p` are of `parity`. Returns this rank's
  /// share of Re(p, to), summed in double precision.
  double apply_shifted(int parity, double shift, const Vector* p, Vector* from, Vector* to);

  const Seconds& seconds() const { return seconds_; }
  /// Of this rank, in ways that pack by themselves.
  double packing_seconds() const;

 private:
  struct Parity {
    std::vector<weft::Index> places;
    std::vector<std::uint32_t> order;       // sites, as they are computed
    std::size_t inner = 0, ghosts = 0;      // sites without ghosts among their neighbours, which come first
    std::vector<std::uint32_t> neighbours;  // by site, by hop: places in a field of the other parity
    std::vector<Real> links;                // W in the same order, column by column
  };
  static std::size_t at(int parity) { return static_cast<std::size_t>(parity); }
  template <class F>
  void sum(const Parity& parity, std::size_t first, std::size_t last, const Vector* from, F&& f) const;
  template <class F>
  void sums(int parity, Vector* from, F&& f);

  std::size_t hops_;
  bool overlaps_;
  weft::Shape width_;
  Parity parities_[2];
  Exchanges exchanges_;
  Seconds seconds_;
};

using Operator = BasicOperator<double>;
using SingleOperator = BasicOperator<float>;

}  // namespace staggered
