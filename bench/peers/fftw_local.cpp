#include "fftw.hpp"

namespace {

template <class Real>
Contender make(const Case& what, int threads, bool in_place) {
  using F = Fftw<Real>;
  using Complex = typename F::Complex;
  const weft::Order order = weft::c_order(what.shape.size());
  const weft::Box before = weft::Box::whole(what.before()), after = weft::Box::whole(what.after());
  const weft::Shape padding = in_place ? in_place_padding(what) : weft::Shape::filled(what.shape.size(), 0);
  Contender c;
  c.in = part(what, before, order, padding), c.out = part(what, after, order);
  c.out.memory = memory(static_cast<std::size_t>(c.out.elements) * what.after_bytes());
  c.in.memory = in_place ? c.out.memory : memory(static_cast<std::size_t>(c.in.elements) * what.before_bytes());

  std::vector<int> n(what.shape.begin(), what.shape.end()), rows = n, modes = n;
  rows.back() += static_cast<int>(padding[padding.size() - 1]);
  modes.back() = static_cast<int>(what.after()[what.shape.size() - 1]);
  const int rank = static_cast<int>(n.size()), batch = static_cast<int>(what.batch);
  const int in_apart = static_cast<int>(c.in.view.strides[0]), out_apart = static_cast<int>(c.out.view.strides[0]);
  const unsigned flags = FFTW_MEASURE | FFTW_DESTROY_INPUT;
  auto* const out = reinterpret_cast<Complex*>(c.out.memory.get());
  typename F::Plan forward, backward;
  F::forget_wisdom();
  F::threads(threads);
  if (what.real) {
    auto* const in = reinterpret_cast<Real*>(c.in.memory.get());
    forward =
        F::owned(F::r2c(rank, n.data(), batch, in, rows.data(), 1, in_apart, out, modes.data(), 1, out_apart, flags));
    backward =
        F::owned(F::c2r(rank, n.data(), batch, out, modes.data(), 1, out_apart, in, rows.data(), 1, in_apart, flags));
  } else {
    auto* const in = reinterpret_cast<Complex*>(c.in.memory.get());
    forward = F::owned(
        F::c2c(rank, n.data(), batch, in, nullptr, 1, in_apart, out, nullptr, 1, out_apart, FFTW_FORWARD, flags));
  }
  F::threads(1);
  c.forward = [forward] { F::execute(forward.get()); };
  c.backward = [backward] { F::execute(backward.get()); };
  return c;
}

}  // namespace

std::vector<Candidate> fftw_local(const Case& what, int threads) {
  std::vector<Candidate> candidates;
  for (const bool in_place : {true, false})
    for (Candidate& candidate : repeated({in_place ? "in place, measure" : "out of place, measure", [=] {
                                            return what.is_double() ? make<double>(what, threads, in_place)
                                                                    : make<float>(what, threads, in_place);
                                          }}))
      candidates.push_back(std::move(candidate));
  return candidates;
}
