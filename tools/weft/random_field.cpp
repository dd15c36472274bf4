#include "field.hpp"

#include <utility>

namespace {

constexpr int terms = 3;
constexpr weft::Index naive_length = 2048;  // the definition's n^2 steps take milliseconds up to here

/// Uniform in (-1, 1), the same on every rank and machine (splitmix64).
double noise(std::uint64_t seed) {
  seed = (seed + 1) * 0x9e3779b97f4a7c15U;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>(static_cast<std::int64_t>(seed ^ (seed >> 31))) * 0x1p-63;
}

class RandomField : public Field {
 public:
  RandomField(const World& world, const weft::AnyProblem& problem, const weft::Options& options) : rank_(world.rank) {
    weft::Shape shape;
    if (options.batch > 1) shape.push_back(options.batch);
    const int first = shape.size();
    for (const weft::Index n : problem.shape) shape.push_back(n);
    if (options.components > 1) shape.push_back(options.components);

    for (int t = 0; t < terms; ++t) {
      for (int a = 0; a < shape.size(); ++a) {
        Values line(static_cast<std::size_t>(shape[a]));
        for (std::size_t i = 0; i < line.size(); ++i)
          line[i] = noise((i * terms + static_cast<std::size_t>(t)) * weft::max_axes + static_cast<std::size_t>(a));
        // complex where it can be, else the spectrum is symmetric and hides a wrong sign
        const std::complex<double> turn = a == 0 && complex_input(problem) ? std::polar(1.0, t + 1.0) : 1.0;
        before_.push_back(line);
        for (auto& value : before_.back()) value *= turn;
        for (int k = 0; k < problem.axes.size(); ++k)
          if (problem.axes[k] + first == a)
            line = transformed(problem.kinds[static_cast<std::size_t>(k)], std::move(line));
        for (auto& value : line) value *= turn;
        after_.push_back(std::move(line));
      }
    }
  }

  Values before(const weft::Layout& layout) const override { return product(layout.box(rank_), before_); }
  Values after(const weft::Layout& layout) const override { return product(layout.box(rank_), after_); }
  Values after(const std::vector<weft::Shape>& points) const override {
    Values values;
    for (const weft::Shape& p : points) {
      weft::Box here{p, p};
      for (weft::Index& hi : here.hi) ++hi;
      values.push_back(product(here, after_).front());
    }
    return values;
  }
  std::string reference() const override { return "a random field whose spectrum is known line by line"; }

 private:
  static Values transformed(weft::Kind kind, Values line) {
    const auto n = static_cast<weft::Index>(line.size());
    return serial_transform(weft::problem(weft::Precision::double_, {kind}, {n}),
                            n <= naive_length ? "naive" : weft::engine_list().front().first, std::move(line));
  }

  static Values product(const weft::Box& box, const std::vector<Values>& lines) {
    Values values;
    values.reserve(static_cast<std::size_t>(box.volume()));
    const int axes = box.axes(), last = axes - 1;
    const auto at = [&](int term, int axis, weft::Index i) {
      return lines[static_cast<std::size_t>(term * axes + axis)][static_cast<std::size_t>(i)];
    };
    if (box.empty()) return values;
    for (weft::Shape p = box.lo;;) {
      std::array<std::complex<double>, terms> row;
      for (int t = 0; t < terms; ++t) {
        row[static_cast<std::size_t>(t)] = 1;
        for (int a = 0; a < last; ++a) row[static_cast<std::size_t>(t)] *= at(t, a, p[a]);
      }
      for (weft::Index i = box.lo[last]; i < box.hi[last]; ++i) {
        std::complex<double> sum = 0;
        for (int t = 0; t < terms; ++t) sum += row[static_cast<std::size_t>(t)] * at(t, last, i);
        values.push_back(sum);
      }
      int a = last - 1;
      while (a >= 0 && ++p[a] == box.hi[a]) p[a] = box.lo[a], --a;
      if (a < 0) return values;
    }
  }

  int rank_;
  std::vector<Values> before_, after_;  // [term * axes + axis]
};

}  // namespace

std::unique_ptr<Field> random_field(const World& world, const weft::AnyProblem& problem, const weft::Options& options) {
  return std::make_unique<RandomField>(world, problem, options);
}

Values serial_transform(weft::AnyProblem problem, const std::string& engine, Values values) {
  problem.precision = weft::Precision::double_;
  const weft::Options options{.engine = engine, .effort = "estimate", .natural_output = true};
  return with_types(problem, [&]<class In, class Out>(In, Out) -> Values {
    if constexpr (sizeof(In) + sizeof(Out) < 2 * sizeof(double)) {
      return {};  // double precision only
    } else {
      weft::AnyPlan plan(MPI_COMM_SELF, problem, options);
      load(input_of<In>(plan), std::exchange(values, {}));
      plan.forward(plan.input_memory().get(), plan.output_memory().get());
      return unload(output_of<Out>(plan));
    }
  });
}
