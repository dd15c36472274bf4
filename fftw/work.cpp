#include "work.hpp"

#include <fftw3-mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "blocks.hpp"
#include "line.hpp"

namespace drop_in {
namespace {

constexpr std::array<weft::Kind, 11> kinds = {  // in the order of FFTW's numbers, FFTW_R2HC to FFTW_RODFT11
    weft::Kind::r2hc, weft::Kind::hc2r, weft::Kind::dht,  weft::Kind::dct1, weft::Kind::dct3, weft::Kind::dct2,
    weft::Kind::dct4, weft::Kind::dst1, weft::Kind::dst3, weft::Kind::dst2, weft::Kind::dst4};
static_assert(FFTW_R2HC == 0 && FFTW_REDFT00 == 3 && FFTW_REDFT01 == 4 && FFTW_REDFT10 == 5 && FFTW_RODFT11 == 10);

class Transform final : public Work {
 public:
  Transform(MPI_Comm comm, const weft::AnyProblem& problem, const weft::Options& options)
      : plan_(comm, problem, options) {}
  void run(void* in, void* out, bool back) override {
    if (back)
      plan_.backward(in, out);
    else
      plan_.forward(in, out);
  }
  std::string describe() const override { return plan_.describe(); }

 private:
  weft::AnyPlan plan_;
};

class Line final : public Work {
 public:
  Line(MPI_Comm comm, const weft::AnyProblem& problem, weft::Index rows, const weft::Options& options)
      : line_(comm, problem.precision, problem.shape[0], options, rows) {}
  void run(void* in, void* out, bool back) override {
    if (back)
      line_.backward(in, out);
    else
      line_.forward(in, out);
  }
  std::string describe() const override { return line_.describe(); }

 private:
  weft::AnyLongLine line_;
};

// Not from an array to itself, which redistribution cannot: then from a copy.
class Transposition final : public Work {
 public:
  Transposition(MPI_Comm comm, const weft::Layout& from, const weft::Layout& to, weft::Index bytes, bool in_place)
      : move_(comm, from, to, bytes) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (in_place) copy_.resize(static_cast<std::size_t>(from.elements(rank) * bytes));
  }
  void run(void* in, void* out, bool) override {
    if (in == out && !copy_.empty()) {
      std::memcpy(copy_.data(), in, copy_.size());
      in = copy_.data();
    }
    move_(in, out);
  }
  std::string describe() const override { return move_.describe(); }

 private:
  weft::Redistribution move_;
  std::vector<std::byte> copy_;
};

// An array that is cut along its first axis in memory: of FFTW's axes the first, or, transposed,
// the second.
weft::Layout cut(const weft::Shape& shape, bool transposed, std::ptrdiff_t block, int ranks, weft::Index row = 0) {
  weft::Order order = weft::c_order(shape.size());
  if (transposed) std::swap(order[0], order[1]);
  const int axis = transposed ? 1 : 0, last = shape.size() - 1;
  weft::Shape padding;
  if (row > 0) {
    padding = weft::Shape::filled(shape.size(), 0);
    padding[last] = row - shape[last];
  }
  const auto split = weft::Split::blocks(block_of(shape[axis], block, ranks));
  return weft::Layout::slab(shape, axis, ranks, split).ordered(order, padding);
}

bool real_side(Request::What what, bool before) {
  return what == Request::What::r2r || what == (before ? Request::What::r2c : Request::What::c2r);
}

// One point, on which FFTW-MPI 3.3.10 crashes: it writes in front of a tensor without axes.
bool single_point(const Request& r) {
  constexpr unsigned orders =
      FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT | FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT;
  return r.rank == 1 && r.n[0] == 1 && !(r.flags & orders);
}

// Why a transform of one axis is none of weft's long lines; empty: it is one.
std::string no_line(const Request& r, int ranks) {
  const bool back = r.sign == FFTW_BACKWARD;
  if (r.what != Request::What::c2c) return "one-dimensional transforms of real numbers";
  if (r.howmany > 1) return "several one-dimensional transforms at once";
  if (r.flags & (back ? FFTW_MPI_SCRAMBLED_OUT : FFTW_MPI_SCRAMBLED_IN))
    return "one-dimensional transforms that are scrambled where points are, not modes";
  if (r.flags & (FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT)) return "transposed arrays of one axis";
  if (LineCut(r.n[0], ranks).rows == 0) return "one-dimensional transforms that one rank has as a whole";
  return {};
}

// One axis, each rank with its part of it.
weft::Layout line_layout(const Request& r, bool after, int ranks) {
  const LineCut cut(r.n[0], ranks);
  std::vector<weft::Box> parts;
  for (int rank = 0; rank < ranks; ++rank) {
    const Part part = cut.part(after, r.sign, r.flags, ranks, rank);
    parts.push_back({weft::Shape{part.start}, weft::Shape{part.start + part.count}});
  }
  return weft::Layout(weft::Shape{r.n[0]}, parts);
}

// Whether real kinds are taken for the way back of their inverses, with which they share a plan
// then: the first that is not its own inverse says so.
bool undoes(const std::vector<weft::Kind>& each) {
  for (const weft::Kind kind : each) {
    if (kind == weft::inverse(kind)) continue;
    return kind == weft::Kind::hc2r || kind == weft::Kind::dct3 || kind == weft::Kind::dst3;
  }
  return false;
}

std::string effort_of(unsigned flags) {
  return flags & FFTW_ESTIMATE     ? "estimate"
         : flags & FFTW_EXHAUSTIVE ? "exhaustive"
         : flags & FFTW_PATIENT    ? "patient"
                                   : "measure";
}

}  // namespace

std::string declines(const Request& r, int ranks, bool& invalid) {
  invalid = true;
  if (r.rank < 0 || (r.rank > 0 && !r.n)) return "a transform of " + std::to_string(r.rank) + " axes; give at least 2";
  for (int axis = 0; axis < r.rank; ++axis)
    if (r.n[axis] < 1)
      return "extent " + std::to_string(r.n[axis]) + " of axis " + std::to_string(axis) + "; give at least 1";
  if (r.howmany < 1) return "howmany is " + std::to_string(r.howmany) + "; give at least 1";
  const bool transposed_in = r.flags & FFTW_MPI_TRANSPOSED_IN, transposed_out = r.flags & FFTW_MPI_TRANSPOSED_OUT;
  const bool moves = r.what == Request::What::transpose;
  for (const bool before : {true, false}) {
    if (r.rank < 2) break;
    const int axis = (moves ? !before : before ? transposed_in : transposed_out) ? 1 : 0;
    const std::ptrdiff_t given = before ? r.in_block : r.out_block;
    std::ptrdiff_t n = r.n[axis];
    const bool halves = r.what == Request::What::r2c || r.what == Request::What::c2r;
    if (halves && axis == r.rank - 1 && !real_side(r.what, before)) n = n / 2 + 1;
    const std::ptrdiff_t block = block_of(n, given, ranks);
    if (block < 1 || (n + block - 1) / block > ranks)
      return "blocks of " + std::to_string(given) + " for axis " + std::to_string(axis) + " of extent " +
             std::to_string(n) + " on " + std::to_string(ranks) + " ranks; give at least " +
             std::to_string((n + ranks - 1) / ranks) + ", or FFTW_MPI_DEFAULT_BLOCK";
  }
  invalid = single_point(r) && r.what != Request::What::c2c;
  if (invalid) return "a real transform of one axis with one point, which FFTW's MPI transforms crash on";
  if (single_point(r)) return {};
  if (r.rank < 1) return "transforms of no axes";
  if (r.rank == 1) return no_line(r, ranks);
  if (r.flags & (FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT)) return "scrambled orders";
  if (r.rank + (r.howmany > 1) > weft::max_axes) return "more axes than " + std::to_string(weft::max_axes - 1);
  if (r.rank == 2 &&
      ((r.what == Request::What::r2c && transposed_in) || (r.what == Request::What::c2r && transposed_out)))
    return "transposed real arrays of two axes";
  return {};
}

Job job(const Request& r, int ranks) {
  Job job;
  const bool transposed_in = r.flags & FFTW_MPI_TRANSPOSED_IN, transposed_out = r.flags & FFTW_MPI_TRANSPOSED_OUT;
  const weft::Index real_bytes = r.single ? 4 : 8;
  job.howmany = r.howmany;
  job.problem.precision = r.single ? weft::Precision::single_ : weft::Precision::double_;
  if (r.rank == 1 && !single_point(r)) {
    job.back = r.sign == FFTW_BACKWARD;
    job.scrambled = r.flags & (job.back ? FFTW_MPI_SCRAMBLED_IN : FFTW_MPI_SCRAMBLED_OUT);
    job.line_rows = LineCut(r.n[0], ranks).rows;
    job.problem.shape = weft::Shape{r.n[0]};
    job.layouts = {line_layout(r, job.back, ranks), line_layout(r, !job.back, ranks)};
    job.bytes = 2 * real_bytes;
    job.effort = effort_of(r.flags);
    return job;
  }
  // Complex axes of one point do nothing, but for the first two, which say who has what. As lines
  // they would cost a pass.
  std::vector<std::ptrdiff_t> extents(r.n, r.n + r.rank);
  if (r.rank == 1) extents.push_back(1);
  if (r.what == Request::What::c2c) extents.erase(std::remove(extents.begin() + 2, extents.end(), 1), extents.end());
  const weft::Shape shape(extents.begin(), extents.end());
  job.problem.shape = shape;
  if (r.what == Request::What::transpose) {
    // the array changes hands; with a flag its memory order stays as if it had not
    const auto part = [&](int axis, std::ptrdiff_t block, bool second_first) {
      const auto split = weft::Split::blocks(block_of(shape[axis], block, ranks));
      return weft::Layout::slab(shape, axis, ranks, split, second_first ? weft::Order{1, 0} : weft::Order{0, 1});
    };
    job.transposes = true;
    job.layouts = {part(0, r.in_block, transposed_in), part(1, r.out_block, !transposed_out)};
    job.bytes = real_bytes * r.howmany;
    return job;
  }
  std::vector<weft::Kind> each;
  job.back = r.what == Request::What::c2r || (r.what == Request::What::c2c && r.sign == FFTW_BACKWARD);
  if (r.what == Request::What::r2r) {
    for (int axis = 0; axis < r.rank; ++axis) each.push_back(kinds.at(static_cast<std::size_t>(r.kinds[axis])));
    job.back = undoes(each);
    if (job.back) std::transform(each.begin(), each.end(), each.begin(), weft::inverse);
  } else {
    each = {r.what == Request::What::c2c ? weft::Kind::c2c : weft::Kind::r2c};
  }
  job.problem = weft::problem(job.problem.precision, each, shape);
  weft::Shape half = shape;
  weft::Index& halved = half[half.size() - 1];
  halved = halved / 2 + 1;
  const auto side = [&](bool before) {
    const bool transposed = before ? transposed_in : transposed_out;
    const std::ptrdiff_t block = before ? r.in_block : r.out_block;
    if (r.what == Request::What::c2c || r.what == Request::What::r2r) return cut(shape, transposed, block, ranks);
    return real_side(r.what, before) ? cut(shape, transposed, block, ranks, 2 * halved)
                                     : cut(half, transposed, block, ranks);
  };
  job.layouts = {side(true), side(false)};
  if (job.back) std::swap(job.layouts[0], job.layouts[1]);
  job.bytes = real_bytes * (r.what == Request::What::r2r ? 1 : 2);
  job.may_overwrite =
      !(r.flags & FFTW_PRESERVE_INPUT) && (r.what == Request::What::c2r || r.flags & FFTW_DESTROY_INPUT);
  job.effort = effort_of(r.flags);
  return job;
}

std::string Job::key() const {
  std::string text =
      (transposes      ? "transpose "
       : line_rows > 0 ? "line of " + std::to_string(line_rows) + (scrambled ? " rows, scrambled, " : " rows, ")
                       : std::string("transform ")) +
      weft::to_string(problem.shape) + " x " + std::to_string(howmany) + " of " + std::to_string(bytes) + " bytes, " +
      std::string(weft::to_string(problem.precision)) + ", " + effort + (may_overwrite ? ", overwrite" : "") + "; ";
  for (const weft::Kind kind : problem.kinds) text += std::string(weft::to_string(kind)) + " ";
  for (const weft::Layout& layout : layouts) text += "; " + layout.describe(true);
  return text;
}

weft::Index Job::bytes_per_rank() const {
  return weft::volume(problem.shape) * howmany * (transposes ? bytes / howmany : bytes) / layouts.front().ranks();
}

double Job::operations() const {
  if (transposes) return 0;
  const double points = static_cast<double>(weft::volume(problem.shape)) * static_cast<double>(howmany);
  const bool all_complex = line_rows > 0 || weft::complex_input(problem);
  return (all_complex ? 5 : 2.5) * points * std::log2(std::max(points / static_cast<double>(howmany), 2.0)) /
         layouts.front().ranks();
}

std::unique_ptr<Work> make(MPI_Comm comm, const Job& job, bool in_place, int threads) {
  if (job.transposes) return std::make_unique<Transposition>(comm, job.layouts[0], job.layouts[1], job.bytes, in_place);
  weft::Options options;
  options.effort = job.effort;
  options.threads = threads;
  if (job.line_rows > 0) {
    options.split = weft::Split::blocks();
    options.natural_output = !job.scrambled;
    return std::make_unique<Line>(comm, job.problem, job.line_rows, options);
  }
  options.input = job.layouts[0];
  options.output = job.layouts[1];
  options.components = job.howmany;
  options.placement = in_place ? "in_place" : job.may_overwrite ? "overwrite" : "preserve";
  return std::make_unique<Transform>(comm, job.problem, options);
}

}  // namespace drop_in
