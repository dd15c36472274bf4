// Long lines: the points of a line as an array of n1 x n2, whose axes two plans transform one after
// the other. Between them element (k1, j2) is multiplied by the power k1 j2 of exp(-2 pi i / n).
// n1 and n2 are the rows and columns that callers see, or others that give every rank the same
// points and the same modes in the same order.
#include <weft/long_line.hpp>

#include <algorithm>
#include <array>
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

/// values (k1, j2) times the power k1 j2, or its conjugate. `part` is the box of both, with all
/// rows from 0 on; they lie one behind the other. A power is the product of two: of where a run of
/// values begins, and of how far on it is, which all runs of a row share. Row 0 stays as it is.
template <class Real>
void multiply(std::complex<Real>* values, const Box& part, const UnityRoots& powers, bool conjugate) {
  constexpr Index longest_run = 32;
  const double sign = conjugate ? -1 : 1;
  std::array<double, longest_run> cosines{}, sines{};
  const Index row = part.extent(1), run = std::min(row, longest_run);
  values += row;
  for (Index k1 = 1; k1 < part.hi[0]; ++k1) {
    for (Index j = 0; j < run; ++j) {
      const std::complex<double> w = powers(k1 * j);  // below n, since k1 < n1 and j < n2
      cosines[static_cast<std::size_t>(j)] = w.real(), sines[static_cast<std::size_t>(j)] = sign * w.imag();
    }
    for (Index first = part.lo[1]; first < part.hi[1]; first += run) {
      const std::complex<double> w = powers(k1 * first);
      const double cosine = w.real(), sine = sign * w.imag();
      const Index count = std::min(run, part.hi[1] - first);
      for (Index j = 0; j < count; ++j, ++values) {
        const double c = cosines[static_cast<std::size_t>(j)], s = sines[static_cast<std::size_t>(j)];
        const double x = cosine * c - sine * s, y = cosine * s + sine * c;
        const double re = values->real(), im = values->imag();
        *values = {static_cast<Real>(re * x - im * y), static_cast<Real>(re * y + im * x)};
      }
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

/// How a line is cut. Callers see `rows` rows of `columns` points; scrambled modes lie in as many
/// rows, row k with the modes k, k + rows, ...
struct LineCuts {
  LineCuts(Index n, Index given_rows, int ranks, const Options& options)
      : rows(given_rows > 0 ? given_rows : largest_divisor_to_root(n)),
        columns(n / rows),
        natural(options.natural_output),
        points(Layout::slab({rows, columns}, 0, ranks, options.split)),
        modes(natural ? Layout::slab({rows, columns}, 1, ranks, options.split).ordered({1, 0}) : points) {
    n1 = inner_rows(n, ranks, options.split);
    n2 = n / n1;
    from = Layout::slab({n1, n2}, 0, ranks, options.split);
    middle = Layout::slab({n1, n2}, 1, ranks, options.split);
    // of the second plan: k1 as two axes where the modes of a row are those of several
    if (natural || n1 == rows) {
      shape = {n1, n2}, along = 1;
      ahead = middle;
      to = natural ? middle.ordered({1, 0}) : from;
    } else {
      shape = {n1 / rows, rows, n2}, along = 2;
      ahead = Layout::slab(shape, 2, ranks, options.split);
      to = Layout::slab(shape, 1, ranks, options.split).ordered({1, 2, 0});
    }
  }

  Index rows, columns;
  bool natural;
  Layout points, modes;                ///< of `rows` x `columns`
  Index n1 = 1, n2 = 1;                ///< what the plans transform
  Layout from = points;                ///< of n1 x n2: before the first plan
  Layout middle = points;              ///< behind it
  Shape shape;                         ///< of the second plan
  int along = 1;                       ///< the axis that it transforms
  Layout ahead = points, to = points;  ///< before and behind it

 private:
  // Of all numbers of rows that give every rank what it has of `rows`, the one whose rows and
  // columns are most alike: both are short then, and stay in cache. Scrambled rows of modes are
  // also whole numbers of rows. A split that names numbers of rows is meant for these.
  Index inner_rows(Index n, int ranks, const Split& split) const {
    if (const std::string rule = split.text(); rule != Split::even().text() && rule != Split::blocks().text())
      return rows;
    const auto alike = [&](Index count) {
      if (!natural && count % rows != 0) return false;
      const std::vector<Index> mine = split.bounds(rows, ranks), theirs = split.bounds(count, ranks);
      const std::vector<Index> cut = split.bounds(columns, ranks), also = split.bounds(n / count, ranks);
      for (std::size_t r = 0; r < mine.size(); ++r)
        if (mine[r] * columns != theirs[r] * (n / count) || (natural && cut[r] * rows != also[r] * count)) return false;
      return true;
    };
    for (Index d = largest_divisor_to_root(n); d > 0; --d) {
      if (n % d != 0) continue;
      for (const Index count : {d, n / d})
        if (count == rows || alike(count)) return count;
    }
    return rows;
  }
};

struct AnyLongLine::Body {
  Body(const mpi::Communicator& all, Precision precision, Index points, const Options& options, Index given_rows)
      : n(points),
        cuts(all.agree([&] { return LineCuts(n, given_rows, all.size(), options); })),
        powers(all.agree([&] { return UnityRoots(n); })),
        in(line_of(cuts.points, 0, n)),
        out(line_of(cuts.modes, cuts.natural ? 1 : 0, n)),
        first(all.raw(), problem(precision, {Kind::c2c}, {cuts.n1, cuts.n2}, {0}),
              part_of(options, cuts.from, cuts.middle)),
        second(all.raw(), problem(precision, {Kind::c2c}, cuts.shape, {cuts.along}),
               part_of(options, cuts.ahead, cuts.to)),
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
    const Box& part = cuts.middle.box(rank);
    if (part.empty()) return;
    if (single)
      multiply(reinterpret_cast<std::complex<float>*>(between.get()), part, powers, conjugate);
    else
      multiply(reinterpret_cast<std::complex<double>*>(between.get()), part, powers, conjugate);
  }

  Index n;
  LineCuts cuts;
  UnityRoots powers;
  Layout in, out;  // of the line
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
Index AnyLongLine::rows() const { return body_->cuts.rows; }
Index AnyLongLine::columns() const { return body_->cuts.columns; }

Index AnyLongLine::mode(Index p) const {
  if (p < 0 || p >= body_->n)
    throw Error("element " + std::to_string(p) + " of a line of " + std::to_string(body_->n) +
                " points is asked for; "
                "allowed: 0 to " +
                std::to_string(body_->n - 1));
  const LineCuts& cuts = body_->cuts;
  return cuts.natural ? p : p / cuts.columns + cuts.rows * (p % cuts.columns);
}

const Layout& AnyLongLine::input_layout() const { return body_->in; }
const Layout& AnyLongLine::output_layout() const { return body_->out; }
Index AnyLongLine::input_elements() const { return body_->in.elements(body_->rank); }
Index AnyLongLine::output_elements() const { return body_->out.elements(body_->rank); }
Index AnyLongLine::input_first() const { return body_->in.box(body_->rank).lo[0]; }
Index AnyLongLine::output_first() const { return body_->out.box(body_->rank).lo[0]; }

std::string AnyLongLine::describe() const {
  const LineCuts& cuts = body_->cuts;
  const auto in_rows = [](Index rows, Index columns) {
    return std::to_string(rows) + " rows of " + std::to_string(columns);
  };
  return "line of " + std::to_string(body_->n) + " points as " + in_rows(cuts.rows, cuts.columns) + ", " +
         (cuts.natural ? "natural" : "scrambled") + " order; " +
         (cuts.n1 == cuts.rows ? "" : "transformed as " + in_rows(cuts.n1, cuts.n2) + ", ") + "columns, then rows\n" +
         body_->first.describe() + body_->second.describe();
}

}  // namespace weft
