#include "operator.hpp"

#include <algorithm>
#include <cstring>

#include <weft/halo.hpp>

namespace staggered {
namespace {

using weft::Index;
using weft::Shape;

constexpr std::size_t link_numbers = 2 * colours * colours;
/// Sites between two calls that let an exchange progress.
constexpr std::size_t sites_at_once = 1024;

/// A complex number, as one vector.
template <class Real>
struct PairOf {
  typedef Real Type __attribute__((vector_size(2 * sizeof(Real))));
};

template <class Real>
typename PairOf<Real>::Type pair(const Real* from) {
  typename PairOf<Real>::Type both;
  std::memcpy(&both, from, sizeof both);
  return both;
}

template <class Real>
MPI_Datatype datatype();
template <>
MPI_Datatype datatype<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype datatype<float>() {
  return MPI_FLOAT;
}

}  // namespace

void put_phases(const weft::Layout& layout, int rank, std::vector<Links>& links) {
  const weft::View own = layout.view(rank);
  each_site(own.box, [&](const Shape& at) {
    const Index t = at[0], y = at[2], x = at[3];
    const Index odd[directions] = {t, t + x, t + x + y, t + 1 == layout.shape()[0] ? 1 : 0};
    for (std::size_t d = 0; d < directions; ++d)
      if (odd[d] % 2 != 0)
        for (auto& row : links[static_cast<std::size_t>(own.at(at))][d])
          for (Complex& value : row) value = -value;
  });
}

template <class Real>
BasicOperator<Real>::BasicOperator(MPI_Comm comm, const weft::Layout& layout, const std::vector<Hops>& hops,
                                   const OperatorOptions& options)
    : hops_(2 * directions * hops.size()), overlaps_(options.overlaps) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const Shape& n = layout.shape();
  check_parities(n);
  Index farthest = 0;
  for (const Hops& hop : hops) farthest = std::max<Index>(farthest, hop.distance);
  const Shape& width = width_ = ghost_width(layout, farthest);
  exchanges_ = exchanges(comm, layout, width, colours, options.way, datatype<Real>());
  const weft::Box& box = layout.box(rank);
  weft::Box around = box;
  for (int a = 0; a < directions && !box.empty(); ++a) around.lo[a] -= width[a], around.hi[a] += width[a];
  const weft::View own = layout.view(rank), numbered = dense_view(around, {});

  // Of every site around: its number in a field of its parity.
  std::vector<std::uint32_t> number(static_cast<std::size_t>(around.volume()));
  for (const int p : {0, 1}) {
    Parity& parity = parities_[at(p)];
    std::uint32_t next = 0;
    const auto count = [&](const weft::Box& sites) {
      each_site(sites, [&](const Shape& site) {
        if (parity_of(site) == p) number[static_cast<std::size_t>(numbered.at(site))] = next++;
      });
    };
    count(box);
    parity.order.resize(next);
    for (int a = 0; a < directions; ++a)
      for (const bool upper : {false, true}) count(ghosts_at(box, width, a, upper));
    parity.ghosts = next - parity.order.size();
    parity.neighbours.resize(parity.order.size() * hops_);
    parity.links.resize(parity.order.size() * hops_ * link_numbers);
  }

  const auto beyond = [&](const Shape& site, const Hops& hop, int a, bool back) {
    Shape to = site;
    to[a] += back ? -hop.distance : hop.distance;
    if (width[a] == 0) to = wrapped(n, to);
    return to;
  };
  const auto is_inner = [&](const Shape& site) {
    for (const Hops& hop : hops)
      for (int a = 0; a < directions; ++a)
        for (const bool back : {false, true})
          if (!box.contains(beyond(site, hop, a, back))) return false;
    return true;
  };
  std::vector<std::uint32_t> position(static_cast<std::size_t>(box.volume()));  // in the order of computing, of sites
  std::size_t next[2] = {0, 0};
  for (const bool inner : {true, false}) {
    each_site(box, [&](const Shape& site) {
      if (is_inner(site) != inner) return;
      const std::size_t p = at(parity_of(site)), place = static_cast<std::size_t>(own.at(site));
      position[place] = static_cast<std::uint32_t>(next[p]);
      parities_[p].order[next[p]++] = number[static_cast<std::size_t>(numbered.at(site))];
    });
    if (inner)
      for (const std::size_t p : {0, 1}) parities_[p].inner = next[p];
  }
  for (Parity& parity : parities_) parity.places.resize(parity.order.size());
  each_site(box, [&](const Shape& site) {
    parities_[at(parity_of(site))].places[number[static_cast<std::size_t>(numbered.at(site))]] = own.at(site);
  });

  std::size_t first = 0;  // of the hops of one distance
  for (const Hops& hop : hops) {
    const Index far = hop.distance;
    weft::Halo backward(
        comm, layout, static_cast<Index>(sizeof(Links)),
        {.width = {far, far, far, far}, .behind = {0, 0, 0, 0}, .corners = false, .periodic = {1, 1, 1, 1}});
    std::vector<Links> links(static_cast<std::size_t>(backward.elements()));
    const weft::View inside = backward.inside();
    each_site(box, [&](const Shape& site) {
      links[static_cast<std::size_t>(inside.at(site))] = (*hop.links)[static_cast<std::size_t>(own.at(site))];
    });
    backward(links.data());
    each_site(box, [&](const Shape& site) {
      Parity& parity = parities_[at(parity_of(site))];
      std::size_t k = position[static_cast<std::size_t>(own.at(site))] * hops_ + first;
      for (int d = 0; d < directions; ++d)
        for (const bool back : {false, true}) {
          const int a = axis(d);
          parity.neighbours[k] = number[static_cast<std::size_t>(numbered.at(beyond(site, hop, a, back)))];
          const Index here = inside.at(site) - (back ? far * inside.strides[a] : 0);
          const Matrix& link = links[static_cast<std::size_t>(here)][at(d)];
          Real* to = parity.links.data() + k++ * link_numbers;
          for (std::size_t column = 0; column < colours; ++column)
            for (std::size_t row = 0; row < colours; ++row) {
              const Complex value = back ? -std::conj(link[column][row]) : link[row][column];
              *to++ = static_cast<Real>(value.real());
              *to++ = static_cast<Real>(value.imag());
            }
        }
    });
    first += 2 * directions;
  }
}

/// Calls f(site, sum over its hops) for positions [first, last) in the order of computing. Columns
/// of links, real and imaginary parts side by side, are multiplied by the real and by the imaginary
/// parts of vectors; these products are put together once a site.
template <class Real>
template <class F>
void BasicOperator<Real>::sum(const Parity& parity, std::size_t first, std::size_t last, const Vector* from,
                              F&& f) const {
  using Pair = typename PairOf<Real>::Type;
  using Number = std::complex<Real>;
  const Real* link = parity.links.data() + first * hops_ * link_numbers;
  const std::uint32_t* neighbour = parity.neighbours.data() + first * hops_;
  for (std::size_t position = first; position < last; ++position) {
    Pair re0{}, re1{}, re2{}, im0{}, im1{}, im2{};
    const auto add = [&](const Real* column, const Real* value) {
      const Pair re{value[0], value[0]}, im{value[1], value[1]};
      const Pair row0 = pair(column), row1 = pair(column + 2), row2 = pair(column + 4);
      re0 += row0 * re, im0 += row0 * im;
      re1 += row1 * re, im1 += row1 * im;
      re2 += row2 * re, im2 += row2 * im;
    };
    for (std::size_t hop = 0; hop < hops_; ++hop, link += link_numbers) {
      const auto* const v = reinterpret_cast<const Real*>(from + *neighbour++);
      add(link, v);
      add(link + 6, v + 2);
      add(link + 12, v + 4);
    }
    f(parity.order[position], Vector{Number(re0[0] - im0[1], re0[1] + im0[0]), Number(re1[0] - im1[1], re1[1] + im1[0]),
                                     Number(re2[0] - im2[1], re2[1] + im2[0])});
  }
}

/// The same for all sites of a parity, ghost sites of `from` being filled meanwhile.
template <class Real>
template <class F>
void BasicOperator<Real>::sums(int parity, Vector* from, F&& f) {
  const Parity& target = parities_[at(parity)];
  Exchange& exchange = *exchanges_[at(1 - parity)];
  const double begin = MPI_Wtime();
  exchange.start(from);
  if (!overlaps_) exchange.finish();
  const double started = MPI_Wtime();
  for (std::size_t first = 0; first < target.inner; first += sites_at_once) {
    if (overlaps_ && first > 0) exchange.test();
    sum(target, first, std::min(first + sites_at_once, target.inner), from, f);
  }
  const double computed = MPI_Wtime();
  if (overlaps_) exchange.finish();
  const double finished = MPI_Wtime();
  sum(target, target.inner, target.order.size(), from, f);
  seconds_.starts += started - begin;
  seconds_.inner += computed - started;
  seconds_.finishes += finished - computed;
  seconds_.rim += MPI_Wtime() - finished;
}

template <class Real>
void BasicOperator<Real>::exchange_by(Exchanges exchanges, bool overlaps) {
  exchanges_ = std::move(exchanges);
  overlaps_ = overlaps;
}

template <class Real>
void BasicOperator<Real>::apply(int parity, Vector* from, Vector* to) {
  sums(parity, from, [&](std::size_t site, const Vector& sum) { to[site] = sum; });
}

template <class Real>
double BasicOperator<Real>::apply_shifted(int parity, double shift, const Vector* p, Vector* from, Vector* to) {
  const auto times = static_cast<Real>(shift);
  double product = 0;
  sums(parity, from, [&](std::size_t site, const Vector& sum) {
    for (std::size_t c = 0; c < colours; ++c) {
      const std::complex<Real> value = times * p[site][c] - sum[c];
      to[site][c] = value;
      product += p[site][c].real() * value.real() + p[site][c].imag() * value.imag();
    }
  });
  return product;
}

template <class Real>
double BasicOperator<Real>::packing_seconds() const {
  return exchanges_[0]->packing_seconds + exchanges_[1]->packing_seconds;
}

template class BasicOperator<double>;
template class BasicOperator<float>;

}  // namespace staggered
