// Where points lie, and how they get there.
#pragma once

#include "vectors.hpp"

namespace weft::lanes {
namespace {

// In work memory real and imaginary parts alternate, vector by vector.
template <class Real>
struct Work {
  Real* p;
  WEFT_INLINE Point<Real> operator[](Index j) const {
    return {load(p + 2 * j * width<Real>), load(p + (2 * j + 1) * width<Real>)};
  }
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    store(p + 2 * j * width<Real>, v.r), store(p + (2 * j + 1) * width<Real>, v.i);
  }
};

// Places are handed on by value, and those of whole batches have at most 16 bytes: more would go
// through memory, in other pieces than those in which they were written there, and so wait for all
// stores before them (memory policy, K6).

// Lines side by side.
template <class Real, bool back>
struct Columns {
  Real* p;
  Index stride;
  WEFT_INLINE Point<Real> operator[](Index j) const { return split<back>(load_pair(p + j * stride)); }
  WEFT_INLINE void put(Index j, Point<Real> v) const { store_pair(p + j * stride, joined<back>(v)); }
};
template <class Real, bool back>
struct FewColumns {
  Real* p;
  Index stride;
  Few<Real> few;
  WEFT_INLINE Point<Real> operator[](Index j) const { return split<back>(few.load(p + j * stride)); }
  WEFT_INLINE void put(Index j, Point<Real> v) const { few.store(p + j * stride, joined<back>(v)); }
};

// The lines of a cache that a pair of registers takes, four lines farther on.
template <bool written, class Real>
WEFT_INLINE void ask_beside(const Real* p) {
  constexpr Index line = cache_line / static_cast<Index>(sizeof(Real));
  __builtin_prefetch(p + 4 * line, written, 2);
  if constexpr (2 * bytes > cache_line) __builtin_prefetch(p + 5 * line, written, 2);
}

// Columns of rows that lie anywhere. While some are transformed, memory brings those after the
// next, `beside` them, unless it is known what else is wanted: rows may be in no near cache, or on
// the same few lines of it, as planes' rows are.
template <class Real, bool back, bool beside>
struct RowsIn {
  const Real* const* row;
  Index shift;
  WEFT_INLINE Point<Real> operator[](Index j) const {
    const Real* const p = row[j] + shift;
    if (beside) ask_beside<false, Real>(p);
    return split<back>(load_pair(p));
  }
};
// They are asked for ahead, too, where nothing streams: stores wait for few lines at once.
template <bool back, bool streams, class Real>
WEFT_INLINE void put_in_row(Real* p, Point<Real> v) {
  store_pair<streams>(p, joined<back>(v));
  if (!streams) ask_beside<true, Real>(p);
}
template <class Real>
WEFT_INLINE bool kept(const Rows<Real>& rows, Index j) {
  return static_cast<std::size_t>(j - rows.first_kept) < static_cast<std::size_t>(rows.kept);
}
template <class Real, bool back, bool streams>
struct RowsOut {
  const Rows<Real>* rows;
  Index shift;
  RowsOut(const Rows<Real>& of, Index first) : rows(&of), shift(2 * first) {}
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    streams && !kept(*rows, j) ? put_in_row<back, true>(rows->out[j] + shift, v)
                               : put_in_row<back, false>(rows->out[j] + shift, v);
  }
};
// The same, scaled.
template <class Real, bool back, bool streams>
struct ScaledRowsOut : RowsOut<Real, back, streams> {
  using RowsOut<Real, back, streams>::RowsOut;
  WEFT_INLINE void put(Index j, Point<Real> v) const { RowsOut<Real, back, streams>::put(j, v * this->rows->scale); }
};
template <class Real, bool back>
struct FewRows {
  const Rows<Real>& rows;
  Index shift;
  Few<Real> few;
  WEFT_INLINE Point<Real> operator[](Index j) const { return split<back>(few.load(rows.in[j] + shift)); }
  WEFT_INLINE void put(Index j, Point<Real> v) const {
    few.store(rows.out[j] + shift, joined<back>(Point<Real>{v.r * rows.scale, v.i * rows.scale}));
  }
};

template <class Real>
Index line_points(const Program<Real>& program) {
  return program.convolution ? program.convolution->points : program.points;
}

// The other part, where gathered lines are before the first and after the last.
template <class Real>
Work<Real> beside(const Program<Real>& program, Work<Real> work) {
  return {work.p + (program.points + 1) * 2 * width<Real>};
}

// Rows to work memory and back; points left over go number by number. Where there are fewer rows
// than lanes, the others have copies of the first. Real rows forward are what the caller has, and
// memory brings those after them meanwhile; c2r mostly finds them in cache, and asks for nothing.
template <class Real, bool back, bool ahead>
void gather(const Real* in, Index step, Index points, Index lines, Real* work) {
  constexpr int w = width<Real>;
  const Real* row[w];
  for (int k = 0; k < w; ++k) row[k] = in + (point_of<Real>(k) < lines ? point_of<Real>(k) * step : 0);
  Index j = 0;
  for (; j + w / 2 <= points; j += w / 2) {
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) {
      v[k] = load(row[k] + 2 * j);
      if (ahead) __builtin_prefetch(row[k] + 2 * j + w * step);
    }
    transpose<Real>(v);
    for (int k = 0; k < w; ++k) store(work + (2 * j + (back ? k ^ 1 : k)) * w, v[k]);
  }
  for (; j < points; ++j)
    for (int k = 0; k < w; ++k) {
      work[(2 * j + back) * w + k] = row[k][2 * j];
      work[(2 * j + !back) * w + k] = row[k][2 * j + 1];
    }
}
template <class Real, bool back, bool streams = false>
void scatter(const Real* work, Real* out, Index step, Index points, Index lines) {
  constexpr int w = width<Real>;
  Index j = 0;
  for (; j + w / 2 <= points; j += w / 2) {
    Vector<Real> v[w];
    for (int k = 0; k < w; ++k) v[k] = load(work + (2 * j + (back ? k ^ 1 : k)) * w);
    transpose<Real>(v);
    for (int k = 0; k < w; ++k)
      if (point_of<Real>(k) < lines) store<streams>(out + point_of<Real>(k) * step + 2 * j, v[k]);
  }
  for (; j < points; ++j)
    for (int k = 0; k < w; ++k) {
      if (point_of<Real>(k) >= lines) continue;
      Real* const z = out + point_of<Real>(k) * step + 2 * j;
      z[0] = work[(2 * j + back) * w + k];
      z[1] = work[(2 * j + !back) * w + k];
    }
}
// The same for fewer columns than lanes.
template <class Real, bool back>
void gather(FewColumns<Real, back> in, Index first, Index points, Work<Real> work) {
  for (Index j = first; j < first + points; ++j) work.put(j, in[j]);
}
template <class Real, bool back>
void scatter(Work<Real> work, FewColumns<Real, back> out, Index first, Index points) {
  for (Index j = first; j < first + points; ++j) out.put(j, work[j]);
}

}  // namespace
}  // namespace weft::lanes
