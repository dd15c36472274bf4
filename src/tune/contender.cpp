#include "tune/contender.hpp"

#include <cmath>
#include <cstdint>

#include "engines/engine.hpp"
#include "tune/sample.hpp"
#include "tune/succession.hpp"

namespace weft {
namespace {

// In [-1, 1), different for all axes and positions.
double tag(int axis, Index at) {
  auto x = static_cast<std::uint64_t>(at + 1) * 0x9e3779b97f4a7c15u +
           static_cast<std::uint64_t>(axis + 1) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-52 - 1;
}

template <class T>
double root_mean_square(const std::vector<T>& values) {
  double sum = 0;
  for (const T& v : values) sum += std::norm(v);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

std::vector<std::complex<double>> transformed(const std::vector<double>& line, Kind kind, const Engine& engine) {
  const LineSpec spec{kind, Direction::forward, Precision::double_, static_cast<Index>(line.size())};
  const auto lines = engine.plan(spec, "estimate");
  std::vector<std::complex<double>> in(line.begin(), line.end()), out(line.size());
  std::vector<double> real = line, real_out(line.size());
  const auto bytes = [](auto& values) { return reinterpret_cast<std::byte*>(values.data()); };
  (*lines)(complex_input(kind) ? bytes(in) : bytes(real), complex_output(kind) ? bytes(out) : bytes(real_out), 1);
  if (!complex_output(kind)) out.assign(real_out.begin(), real_out.end());
  out.resize(static_cast<std::size_t>(spec.out_length()));
  return out;
}

}  // namespace

Tags::Tags(const AnyProblem& problem, const Options& options)
    : tolerance_(problem.precision == Precision::single_ ? 1e-3
                 : options.wire == "single"              ? 1e-5
                                                         : 1e-9) {
  const bool batch = options.batch > 1, components = options.components > 1;
  Shape shape = batch ? Shape{options.batch} : Shape();
  for (const Index n : problem.shape) shape.push_back(n);
  if (components) shape.push_back(options.components);
  for (int a = 0; a < shape.size(); ++a) {
    std::vector<double> line;
    for (Index i = 0; i < shape[a]; ++i) line.push_back(tag(a, i));
    std::vector<std::complex<double>> out(line.begin(), line.end());
    for (int k = 0; k < problem.axes.size(); ++k)
      if (problem.axes[k] + batch == a)
        out = transformed(line, problem.waves ? Kind::c2c : problem.kinds[static_cast<std::size_t>(k)],
                          engine(options.engine));
    before_size_ *= root_mean_square(line);
    after_size_ *= root_mean_square(out);
    before_.lines.push_back(std::move(line));
    after_.lines.push_back(std::move(out));
  }
}

bool Tags::agrees(double signature) const {
  if (!signed_) signed_ = true, signature_ = signature;
  return std::abs(signature - signature_) <= tolerance_ * std::abs(signature_);
}

namespace {

template <class In, class Out>
class TypedContender final : public Contender {
 public:
  TypedContender(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options)
      : comm_(comm),
        plan_(comm.raw(), problem, options),
        in_(plan_.input_memory(), plan_.input_view(), plan_.input_elements()),
        out_(plan_.output_memory(), plan_.output_view(), plan_.output_elements()) {}

  const AnyPlan& plan() const override { return plan_; }

  std::string prove(const Tags& tags) override {
    const bool in_place = plan_.requested().in_place();
    constexpr double poison = 1e15;
    const double forward_scale = plan_.requested().scale == "full"        ? 1 / logical_points()
                                 : plan_.requested().scale == "symmetric" ? 1 / std::sqrt(logical_points())
                                                                          : 1;
    fill(in_, 0);
    if (!in_place) fill(out_, poison);
    each(in_, tags.before(), [&](In& value, double wanted) { value = static_cast<real_of<In>>(wanted); });
    comm_.hear();
    plan_.forward(in_.data(), out_.data());
    double worst = 0;  // squared
    const auto compare = [&](std::complex<double> seen, std::complex<double> wanted) {
      const double error = std::norm(seen - wanted);
      if (!(error <= worst)) worst = std::isnan(error) ? 1e300 : error;
    };
    const double after_scale = 1 / (tags.after_size() * forward_scale), before_scale = 1 / tags.before_size();
    const bool waves = plan_.problem().waves != nullptr;
    const auto after = [&](const Out& value, std::complex<double> wanted) {
      compare(std::complex<double>(value) * after_scale, wanted / tags.after_size());
    };
    if (waves)
      each_coefficient(out_, tags, after);
    else
      each(out_, tags.after(), after);
    if (std::string wrong = verdict("forward", worst, tags); !wrong.empty()) return wrong;

    Succession<In, Out> succession(comm_, plan_, in_, out_);
    const std::vector<Out> there = succession.after().taken();
    if (!in_place) fill(in_, poison);
    comm_.hear();
    plan_.backward(out_.data(), in_.data());
    const std::vector<In> back = succession.before().taken();
    if (!waves) {
      each(in_, tags.before(), [&](const In& value, double wanted) {
        compare(std::complex<double>(value) * plan_.scale() * before_scale, wanted * before_scale);
      });
    } else {  // what is left of the tags is the same for all right plans, and comes back as it was
      double signature = 0;
      each(in_, tags.before(),
           [&](const In& value, double tag) { signature += std::complex<double>(value).real() * tag; });
      signature = comm_.sum(signature);
      if (!tags.agrees(signature)) worst = 1e300;
      if (const PlaneWaves& w = *plan_.problem().waves; !(w.box && w.real)) {
        plan_.forward(in_.data(), out_.data());
        const auto scale = static_cast<real_of<Out>>(plan_.scale());
        each_coefficient(out_, tags,
                         [&](const Out& value, std::complex<double> wanted) { after(value * scale, wanted); });
      }
    }
    std::string wrong = verdict("backward", worst, tags);
    if (wrong.empty()) {
      const auto set_before = [&](const Array<In>& array, double factor) {
        fill(array, 0);
        each(array, tags.before(), [&](In& value, double tag) { value = static_cast<real_of<In>>(factor * tag); });
      };
      const auto set_after = [&](const Array<Out>& array, double factor) {
        fill(array, 0);
        const auto set = [&](Out& value, std::complex<double> tag) { value = as<Out>(factor * forward_scale * tag); };
        waves ? each_coefficient(array, tags, set) : each(array, tags.after(), set);
      };
      wrong = succession.wrong(set_before, set_after, there, back, tags.tolerance());
    }
    clear();
    return wrong;
  }

  void clear() override {
    fill(in_, 0);
    fill(out_, 0);
  }

  Seconds time(double skew_seconds, int executions) override {
    if (skew_seconds > 0) {
      const double there = timed(skew_seconds, [&] { plan_.forward(in_.data(), out_.data()); });
      const double back = timed(skew_seconds, [&] { plan_.backward(out_.data(), in_.data()); });
      return {there, back, there + back, there + back + 2 * skew_seconds};
    }
    std::vector<Index> mine;  // nanoseconds: of forward, of backward, of both, and again; and of all that
    const Index start = trace::now();
    for (int k = 0; k < executions; ++k) {
      comm_.barrier();
      const Index begin = trace::now();
      plan_.forward(in_.data(), out_.data());
      const Index middle = trace::now();
      plan_.backward(out_.data(), in_.data());
      const Index end = trace::now();
      mine.insert(mine.end(), {middle - begin, end - middle, end - begin});
    }
    mine.push_back(trace::now() - start);
    const auto all = comm_.gather_all(mine);
    const auto slowest = [&](std::size_t k) {
      Index most = 0;
      for (const auto& rank : all) most = std::max(most, rank[k]);
      return 1e-9 * static_cast<double>(most);
    };
    const auto middle_of = [&](std::size_t what) {
      std::vector<double> values;
      for (std::size_t k = what; k + 1 < mine.size(); k += 3) values.push_back(slowest(k));
      return median(std::move(values));
    };
    return {middle_of(0), middle_of(1), middle_of(2), slowest(mine.size() - 1)};
  }

  void record(Trace& trace) override {
    plan_.record(trace);
    time(0, 1);
    plan_.measure(false);
  }

 private:
  template <class T>
  static void fill(const Array<T>& array, double value) {
    for (T& element : array.span()) element = static_cast<real_of<T>>(value);
  }

  template <class T>
  static T as(std::complex<double> value) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(value.real());
    else
      return {static_cast<real_of<T>>(value.real()), static_cast<real_of<T>>(value.imag())};
  }

  double logical_points() const {
    double points = 1;
    const AnyProblem& p = plan_.problem();
    for (int k = 0; k < p.axes.size(); ++k)
      points *= static_cast<double>(logical_size(p.kinds[static_cast<std::size_t>(k)], p.shape[p.axes[k]]));
    return points;
  }

  // visit(value&, tag) of every element, along the axis whose points lie closest.
  template <class T, class U, class Visit>
  static void each(const Array<T>& array, const Product<U>& tags, Visit visit) {
    const Box& box = array.box();
    if (box.empty()) return;
    const Shape& strides = array.strides();
    int along = 0;
    for (int a = 1; a < strides.size(); ++a)
      if (strides[a] <= strides[along]) along = a;
    const std::vector<U>& line = tags.lines[static_cast<std::size_t>(along)];
    for (Shape p = box.lo;;) {
      const U others = tags(p, along);
      T* const values = &array[p];
      for (Index i = box.lo[along]; i < box.hi[along]; ++i)
        visit(values[(i - box.lo[along]) * strides[along]], others * line[static_cast<std::size_t>(i)]);
      int a = p.size() - 1;
      while (a >= 0 && (a == along || ++p[a] == box.hi[a])) p[a] = box.lo[a], --a;
      if (a < 0) return;
    }
  }

  template <class Visit>
  void each_coefficient(const Array<Out>& array, const Tags& tags, Visit visit) const {
    const Shape& grid = plan_.problem().shape;
    Out* value = array.data();
    for (Index b = 0; b < plan_.requested().batch; ++b)
      for (const GVector& g : plan_.vectors()) {
        Shape point = plan_.requested().batch > 1 ? Shape{b} : Shape();
        for (int a = 0; a < 3; ++a) point.push_back((g[static_cast<std::size_t>(a)] + grid[a]) % grid[a]);
        visit(*value++, tags.after()(point));
      }
  }

  std::string verdict(const char* what, double error, const Tags& tags) const {
    error = std::sqrt(comm_.max(error));
    return error <= tags.tolerance()
               ? ""
               : std::string(what) + " of known data is wrong by " + std::to_string(error) + " of its size";
  }

  template <class Work>
  double timed(double skew_seconds, Work work) {
    comm_.barrier();
    const double begin = clock_seconds();
    random_ = random_ * 6364136223846793005u + static_cast<std::uint64_t>(2 * comm_.rank() + 1);
    const double wait = skew_seconds * static_cast<double>(random_ >> 11) * 0x1p-53;
    while (clock_seconds() - begin < wait) {
    }
    const double start = clock_seconds() - begin;
    work();
    const double end = comm_.max(clock_seconds() - begin);
    return end - comm_.max(start);
  }

  const mpi::Communicator& comm_;
  AnyPlan plan_;
  Array<In> in_;
  Array<Out> out_;
  std::uint64_t random_ = 1;
};

}  // namespace

std::unique_ptr<Contender> Contender::make(const mpi::Communicator& comm, const AnyProblem& problem,
                                           const Options& options) {
  const auto of = [&](auto real) -> std::unique_ptr<Contender> {
    using Real = decltype(real);
    using Complex = std::complex<Real>;
    if (problem.kinds.empty() || complex_input(problem))
      return std::make_unique<TypedContender<Complex, Complex>>(comm, problem, options);
    if (complex_output(problem)) return std::make_unique<TypedContender<Real, Complex>>(comm, problem, options);
    return std::make_unique<TypedContender<Real, Real>>(comm, problem, options);
  };
  return problem.precision == Precision::double_ ? of(double()) : of(float());
}

}  // namespace weft
