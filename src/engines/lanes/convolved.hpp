// Lines as convolutions, which are transforms of a neighbouring length, there and back.
#pragma once

#include "passes.hpp"

namespace weft::lanes {
namespace {

// What goes into a convolution: of a prime length in the order of powers of its generator, else by
// a chirp, and zeros behind.
template <class Real>
struct Entering {
  Work<Real> line;
  const Convolution<Real>* by;
  WEFT_INLINE Point<Real> operator[](Index j) const {
    if (by->from) return line[by->from[j]];
    return j < by->points ? times(line[j], by->chirp[2 * j], by->chirp[2 * j + 1]) : Point<Real>{};
  }
};
// Its spectrum, times that of the kernel, conjugated: transformed once more it is the conjugate of
// the convolution.
template <class Real>
struct Multiplied {
  Work<Real> spectrum;
  const Real* kernel;
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    spectrum.put(j, conjugate(times(v, kernel[2 * j], kernel[2 * j + 1])));
  }
};
template <class Real>
struct Leaving {
  Work<Real> line;
  const Convolution<Real>* by;
  const Point<Real>* first;
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    if (by->to)
      line.put(by->to[j], *first + conjugate(v));
    else if (j < by->points)
      line.put(j, times(conjugate(v), by->chirp[2 * j], by->chirp[2 * j + 1]));
  }
};

// C. M. Rader, Proc. IEEE 56 (1968) 1107: with j = g^q and k = g^-p, y_k = x_0 + sum_q x_(g^q)
// w^(g^(q-p)). L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451: with c_j = exp(pi i
// j^2 / n), y_k = c_k sum_j (x_j c_j) conj(c_(k-j)).
template <class Real>
void convolve_lines(const Program<Real>& program, Real* lines, Real* work) {
  const Convolution<Real>* const by = program.convolution;
  const Work<Real> line{lines}, here{work};
  Point<Real> first{}, all{};
  if (by->to) {
    first = all = line[0];
    for (Index j = 1; j < by->points; ++j) all = all + line[j];
  }
  Nothing nothing;
  plain_passes<false>(program, Entering<Real>{line, by}, Multiplied<Real>{line, by->kernel}, here, nothing);
  plain_passes<false>(program, line, Leaving<Real>{line, by, &first}, here, nothing);
  if (by->to) line.put(0, all);
}
// The same, of whichever part has it: it is compiled once.
template <class Real>
WEFT_INLINE void convolve(const Program<Real>& program, Work<Real> line, Work<Real> here) {
  program.convolution->run(program, line.p, here.p);
}

// A line of as many points as `line_points` says, whichever way.
template <bool back, class Real, class From, class To, class Asks>
void passes(const Program<Real>& program, From x, To y, Work<Real> here, Asks& ahead) {
  if (!program.convolution) return plain_passes<back>(program, x, y, here, ahead);
  const Work<Real> line = beside(program, here);
  const Index points = line_points(program);
  for (Index j = 0; j < points; ++j) line.put(j, x[j]);
  convolve(program, line, here);
  for (Index j = 0; j < points; ++j) y.put(j, line[j]);
}
template <bool back, class Real, class From, class To>
void passes(const Program<Real>& program, From x, To y, Work<Real> here) {
  Nothing nothing;
  passes<back>(program, x, y, here, nothing);
}

}  // namespace
}  // namespace weft::lanes
