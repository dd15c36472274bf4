// Long lines: the points of a line as an array of n1 x n2, whose axes two plans transform one after
// the other. Between them element (k1, j2) is multiplied by the power k1 j2 of exp(-2 pi i / n).
#include <weft/long_line.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include "mpi/communicator.hpp"

namespace weft {

/// Powers of exp(-2 pi i / n), each the product of two out of tables of about the square root of n
/// entries. Entries are correct to rounding in double precision, and so are powers to one more
/// rounding.
class UnityRoots {
 public:
  explicit UnityRoots(Index n) : n_(n) {
    while ((Index{1} << (2 * bits_)) < n) ++bits_;
    const Index step = Index{1} << bits_;
    for (Index k = 0; k < step; ++k) fine_.push_back(power(k));
    for (Index k = 0; k * step < n; ++k) coarse_.push_back(power(k * step));
  }
  /// Of an exponent from 0 to n - 1.
  std::complex<double> operator()(Index exponent) const {
    const std::complex<double> a = coarse_[static_cast<std::size_t>(exponent >> bits_)];
    const std::complex<double> b = fine_[static_cast<std::size_t>(exponent & ((Index{1} << bits_) - 1))];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  std::complex<double> power(Index k) const {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n_);
    return {static_cast<double>(std::cos(angle)), -static_cast<double>(std::sin(angle))};
  }

  Index n_;
  int bits_ = 0;
  std::vector<std::complex<double>> fine_, coarse_;
};

namespace {

Index largest_divisor_to_root(Index n) {
  Index found = 1;
  for (Index d = 2; d <= n / d; ++d)
    if (n % d == 0) found = d;
  return found;
}

/// values (k1, j2) times the power k1 j2, or its conjugate. `part` is the box of both; rows lie one
/// behind the other.
template <class Real>
void multiply(std::complex<Real>* values, const Box& part, const UnityRoots& powers, bool conjugate) {
  const double sign = conjugate ? -1 : 1;
  for (Index k1 = part.lo[0]; k1 < part.hi[0]; ++k1) {
    Index exponent = part.lo[1] * k1;  // below n, since k1 < n1 and j2 < n2
    for (Index j2 = part.lo[1]; j2 < part.hi[1]; ++j2, ++values, exponent += k1) {
      const std::complex<double> w = powers(exponent);
      const double re = values->real(), im = values->imag(), sine = sign * w.imag();
      *values = {static_cast<Real>(re * w.real() - im * sine), static_cast<Real>(re * sine + im * w.real())};
    }
  }
}

/// Collective.
void check_request(const mpi::Communicator& all, Precision precision, Index n, const Options& options, Index rows) {
  all.same("the length of the line", std::to_string(n));
  all.same("the rows of the line", std::to_string(rows));
  all.same("its precision", std::string(to_string(precision)));
  all.same("how it is cut", options.split.text());
  all.agree([&] {
    if (n < 1) throw Error("a line of " + std::to_string(n) + " points; give at least 1");
    if (rows < 0 || (rows > 0 && n % rows != 0))
      throw Error("a line of " + std::to_string(n) + " points is asked for in " + std::to_string(rows) +
                  " rows; give a divisor of its length, or 0");
    const Options plain;
    const char* given = options.input                            ? "input"
                        : options.output                         ? "output"
                        : !options.grid.empty()                  ? "grid"
                        : options.batch != plain.batch           ? "batch"
                        : options.components != plain.components ? "components"
                        : options.placement != plain.placement   ? "placement"
                                                                 : nullptr;
    if (given)
      throw Error("option \"" + std::string(given) +
                  "\" is given for a long line, which chooses it itself; leave it "
                  "at its default");
  });
}

/// One axis of `points`, each rank with those of its rows.
Layout line_of(const Layout& rows, int axis, Index n) {
  std::vector<Box> parts;
  const Index row = n / rows.shape()[axis];
  for (int rank = 0; rank < rows.ranks(); ++rank)
    parts.push_back(Box{Shape{rows.box(rank).lo[axis] * row}, Shape{rows.box(rank).hi[axis] * row}});
  return Layout(Shape{n}, parts);
}

}  // namespace

struct AnyLongLine::Body {
  Body(const mpi::Communicator& all, Precision precision, Index points, const Options& options, Index given_rows)
      : n(points),
        n1(given_rows > 0 ? given_rows : largest_divisor_to_root(n)),
        n2(n / n1),
        natural(options.natural_output),
        powers(all.agree([&] { return UnityRoots(n); })),
        rows(Layout::slab({n1, n2}, 0, all.size(), options.split)),
        middle(Layout::slab({n1, n2}, 1, all.size(), options.split)),
        modes(natural ? middle.ordered({1, 0}) : rows),
        in(line_of(rows, 0, n)),
        out(line_of(modes, natural ? 1 : 0, n)),
        first(all.raw(), problem(precision, {Kind::c2c}, {n1, n2}, {0}), part_of(options, rows, middle)),
        second(all.raw(), problem(precision, {Kind::c2c}, {n1, n2}, {1}), part_of(options, middle, modes)),
        between(first.output_memory()),
        rank(all.rank()),
        single(precision == Precision::single_) {}

  static Options part_of(Options options, const Layout& from, const Layout& to) {
    options.natural_output = false;
    options.input = from;
    options.output = to;
    return options;
  }

  void twiddle(bool conjugate) {
    const Box& part = middle.box(rank);
    if (part.empty()) return;
    if (single)
      multiply(reinterpret_cast<std::complex<float>*>(between.get()), part, powers, conjugate);
    else
      multiply(reinterpret_cast<std::complex<double>*>(between.get()), part, powers, conjugate);
  }

  Index n, n1, n2;
  bool natural;
  UnityRoots powers;
  Layout rows, middle, modes;  // of n1 x n2: before, between the two plans, after
  Layout in, out;              // the same of the line
  AnyPlan first, second;
  std::shared_ptr<std::byte> between;
  int rank;
  bool single;
};

AnyLongLine::AnyLongLine(MPI_Comm comm, Precision precision, Index n, const Options& options, Index rows) {
  const mpi::Communicator all = mpi::Communicator::shared(comm);
  check_request(all, precision, n, options, rows);
  body_ = std::make_unique<Body>(all, precision, n, options, rows);
}
AnyLongLine::~AnyLongLine() = default;
AnyLongLine::AnyLongLine(AnyLongLine&&) noexcept = default;
AnyLongLine& AnyLongLine::operator=(AnyLongLine&&) noexcept = default;

void AnyLongLine::forward(const void* in, void* out) {
  body_->first.forward(in, body_->between.get());
  body_->twiddle(false);
  body_->second.forward(body_->between.get(), out);
}

void AnyLongLine::backward(const void* in, void* out) {
  body_->second.backward(in, body_->between.get());
  body_->twiddle(true);
  body_->first.backward(body_->between.get(), out);
}

double AnyLongLine::scale() const { return body_->first.scale() * body_->second.scale(); }
Index AnyLongLine::rows() const { return body_->n1; }
Index AnyLongLine::columns() const { return body_->n2; }

Index AnyLongLine::mode(Index p) const {
  if (p < 0 || p >= body_->n)
    throw Error("element " + std::to_string(p) + " of a line of " + std::to_string(body_->n) +
                " points is asked for; "
                "allowed: 0 to " +
                std::to_string(body_->n - 1));
  return body_->natural ? p : p / body_->n2 + body_->n1 * (p % body_->n2);
}

const Layout& AnyLongLine::input_layout() const { return body_->in; }
const Layout& AnyLongLine::output_layout() const { return body_->out; }
Index AnyLongLine::input_elements() const { return body_->in.elements(body_->rank); }
Index AnyLongLine::output_elements() const { return body_->out.elements(body_->rank); }
Index AnyLongLine::input_first() const { return body_->in.box(body_->rank).lo[0]; }
Index AnyLongLine::output_first() const { return body_->out.box(body_->rank).lo[0]; }

std::string AnyLongLine::describe() const {
  const std::string order = body_->natural ? "natural" : "scrambled";
  return "line of " + std::to_string(body_->n) + " points as " + std::to_string(body_->n1) + " rows of " +
         std::to_string(body_->n2) + ", " + order + " order; columns, then rows\n" + body_->first.describe() +
         body_->second.describe();
}

}  // namespace weft
