#include "mpi/dense.hpp"

#include <map>
#include <typeinfo>

#include "support/changing.hpp"

namespace weft {
namespace {

Order shifted(const Order& axes, const Options& o) {
  Order s;
  for (const int a : axes) s.push_back(a + (o.batch > 1));
  return s;
}

// Where over_all begins among the schedules: anything that differs from problem to problem, and is
// the same whichever tests run.
Index turn_of(const AnyProblem& problem, const Change& change) {
  Options o;
  change(o);
  Index turn = o.batch + o.components + o.threads + o.in_place();
  for (const Index n : problem.shape) turn = 2 * turn + n;
  return turn;
}

// The array that all cases begin with, and its transform by the definition.
struct Whole {
  std::vector<Complex> before, after;
};

// A few are kept for the cases that follow: most differ in options alone.
template <class In>
const Whole& whole(const AnyProblem& problem, const Options& options, const Shape& shape) {
  static std::map<std::string, Whole> known;
  const Order axes = shifted(problem.axes, options);
  std::string key = to_string(shape);
  for (int k = 0; k < axes.size(); ++k)
    key += " " + std::to_string(axes[k]) + std::string(to_string(problem.kinds[static_cast<std::size_t>(k)]));
  key += std::string(" ") + typeid(In).name();
  if (const auto at = known.find(key); at != known.end()) return at->second;
  if (known.size() > 3) known.clear();
  Whole& made = known[key];
  for (Index k = 0; k < volume(shape); ++k) made.before.emplace_back(Filler<In>::at(k));
  made.after = naive(made.before, shape, axes, problem.kinds);
  return made;
}

}  // namespace

template <class In, class Out>
std::vector<std::byte> verify(const Problem<In, Out>& problem, const Options& options, double tolerance) {
  Plan fft(world, problem, options);
  SCOPED_TRACE(fft.describe());
  const Shape& shape = fft.input_layout().shape();
  const Whole& known = whole<In>(problem, options, shape);
  const auto before = [&](const Shape& p) { return known.before[static_cast<std::size_t>(position(p, shape))]; };
  const auto after = [&](const Shape& p) { return known.after[static_cast<std::size_t>(position(p, shape))]; };
  double points_each = 1;
  for (int k = 0; k < problem.axes.size(); ++k)
    points_each *=
        static_cast<double>(logical_size(problem.kinds[static_cast<std::size_t>(k)], problem.shape[problem.axes[k]]));
  const double scale = options.scale == "full"        ? 1 / points_each
                       : options.scale == "symmetric" ? 1 / std::sqrt(points_each)
                                                      : 1;

  auto u = fft.input();
  auto u_hat = fft.output();
  std::vector<std::byte> bits;
  for (int round = 0; round < 2; ++round) {  // the second finds everything used
    u.fill([&](const Shape& p) { return Filler<In>::at(position(p, shape)); });
    fft.forward(u, u_hat);
    EXPECT_LT(worst<Out>(u_hat, [&](const Shape& p) { return after(p) * scale; }), tolerance) << "forward";
    if (!options.in_place() && !options.overwrites_input()) {
      EXPECT_EQ(worst<In>(u, before), 0) << "the input is not preserved";
    }
    if (round == 0)
      u_hat.for_each([&](const Shape&, Out& v) {
        const auto* at = reinterpret_cast<const std::byte*>(&v);
        bits.insert(bits.end(), at, at + sizeof v);
      });
    fft.backward(u_hat, u);
    EXPECT_LT(worst<In>(u, [&](const Shape& p) { return before(p) / fft.scale(); }) * fft.scale(), tolerance)
        << "backward";
  }
  u.fill([&](const Shape& p) { return Filler<In>::at(position(p, shape)); });
  auto v =
      options.in_place()
          ? u
          : Array<In>(std::shared_ptr<std::byte>(new std::byte[static_cast<std::size_t>(u.size()) * sizeof(In) + 64](),
                                                 std::default_delete<std::byte[]>()),
                      fft.input_view(), u.size());
  const double both = options.scale == "none" ? fft.scale() : 1;
  // with Fourier along the first axis, the part that is constant along it is kept and the rest
  // doubled; else all is doubled
  const int first = problem.axes[0] + (options.batch > 1);
  const bool fourier = complex_output(problem.kinds[0]);
  fft.forward_map_backward(u.span(), v.span(), [&](const Shape& p, Out& x) {
    x *= static_cast<real_of<Out>>(fourier && p[first] == 0 ? both : 2 * both);
  });
  const auto doubled = [&](const Shape& p) {
    Complex mean = 0;
    Shape q = p;
    for (q[first] = 0; fourier && q[first] < shape[first]; ++q[first])
      mean += before(q) / static_cast<double>(shape[first]);
    return 2.0 * before(p) - mean;
  };
  EXPECT_LT(worst<In>(v, doubled), tolerance) << "forward_map_backward";
  u.fill([&](const Shape& p) { return Filler<In>::at(position(p, shape)); });
  const std::vector<In> given(u.data(), u.data() + u.size());
  fft.forward(u, u_hat);
  back_to_back(fft, given, std::vector<Out>(u_hat.data(), u_hat.data() + u_hat.size()));
  return bits;
}

template <class In, class Out>
void over_all(const Problem<In, Out>& problem, double tolerance, const Change& change, bool few,
              const std::function<bool(const Strategy&)>& wanted) {
  Options plain{.effort = "estimate"};
  change(plain);
  const AnyPlan lines = lines_of(problem, plain);
  std::vector<std::byte> first;
  int ran = 0;
  const auto runs = [&](Case c) {
    change(c.options);
    SCOPED_TRACE(c.name + " of " + to_string(problem.shape));
    try {
      const auto bits = verify(problem, c.options, tolerance);
      if (ran++ == 0) first = bits;
      EXPECT_TRUE(bits == first) << "not the same bits as the first way";
      return true;
    } catch (const Declined&) {
      return false;
    }
  };
  for (Case c : ways(few, turn_of(problem, change))) {
    if (!wanted(strategy(c.options.strategy))) continue;
    if (!runs(c) && few) c.options.schedule = {}, runs(c);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(ran, 0);
}

std::string of_rank_0(std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, world);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, world);
  return text;
}

#define WEFT_DENSE(In, Out)                                                                \
  template std::vector<std::byte> verify(const Problem<In, Out>&, const Options&, double); \
  template void over_all(const Problem<In, Out>&, double, const Change&, bool,             \
                         const std::function<bool(const Strategy&)>&)
WEFT_DENSE(std::complex<double>, std::complex<double>);
WEFT_DENSE(double, std::complex<double>);
WEFT_DENSE(float, std::complex<float>);
WEFT_DENSE(double, double);

}  // namespace weft
