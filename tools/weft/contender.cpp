#include "contender.hpp"

#include <algorithm>
#include <cmath>

#include "in_a_row.hpp"

namespace {

/// What memory holds that nobody has written: seen in any sum, and no NaN, which a comparison might
/// lose.
constexpr double poison = 1e15;

template <class In, class Out>
class TypedContender : public Contender {
 public:
  TypedContender(const World& world, const weft::AnyProblem& problem, const weft::Options& options)
      : world_(world), plan_(world.comm, problem, options), in_(input_of<In>(plan_)), out_(output_of<Out>(plan_)) {
    measured_.bytes_owned = most(plan_.bytes_owned());
  }

  void verify(const Field& field) override {
    const Values before = field.before(plan_.input_layout());
    std::fill_n(in_.data(), in_.size(), In(0));
    if (!in_place()) std::fill_n(out_.data(), out_.size(), Out(poison));
    load(in_, before);
    plan_.forward(in_.data(), out_.data());
    if (plan_.problem().waves) {
      verify_waves(field);
    } else {
      note(error(out_, field.after(plan_.output_layout())));
      if (!in_place()) std::fill_n(in_.data(), in_.size(), In(poison));
      plan_.backward(out_.data(), in_.data());
      rescale();
      note(error(in_, before));
    }
  }

  void verify_in_a_row() override {
    note(error_in_a_row(
        world_.comm, "ffbbfb", in_, out_, plan_.problem().waves != nullptr,
        [&] { plan_.forward(in_.data(), out_.data()); }, [&] { plan_.backward(out_.data(), in_.data()); }));
  }

  void time() override { measured_.seconds.push_back(timed()); }
  void settle() override {
    for (double left = 1; left > 0 && plan_.trying();) left -= timed();
  }

  void time_steps(int repeats, weft::Trace* trace) override {
    struct Split {
      double fft, exchange;
    };
    std::vector<Split> splits;
    trace ? plan_.record(*trace) : plan_.measure(true);
    for (int r = 0; r < repeats; ++r) {
      MPI_Barrier(world_.comm);
      const weft::AnyPlan::Spent before = plan_.spent();
      there_and_back();
      const weft::AnyPlan::Spent spent = plan_.spent();
      rescale();
      double seconds[2] = {spent.work_seconds - before.work_seconds, spent.exchange_seconds - before.exchange_seconds};
      MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_SUM, world_.comm);
      splits.push_back({seconds[0] / world_.ranks, seconds[1] / world_.ranks});
      measured_.calls = most(spent.calls - before.calls);
      measured_.messages = most(spent.messages - before.messages);
      measured_.bytes_sent = most(spent.bytes - before.bytes);
    }
    plan_.measure(false);
    std::sort(splits.begin(), splits.end(),
              [](const Split& a, const Split& b) { return a.fft + a.exchange < b.fft + b.exchange; });
    measured_.fft_seconds = splits[splits.size() / 2].fft;
    measured_.exchange_seconds = splits[splits.size() / 2].exchange;
  }

  const weft::AnyPlan& plan() const override { return plan_; }

 private:
  /// Seconds of the slowest rank, alike on all.
  double timed() {
    MPI_Barrier(world_.comm);
    const double start = MPI_Wtime();
    there_and_back();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world_.comm);
    rescale();
    return seconds;
  }

  /// Of a field's part on a sphere the coefficients are known, and how long it is; it must come
  /// back from there.
  void verify_waves(const Field& field) {
    const weft::Shape& grid = plan_.problem().shape;
    std::vector<weft::Shape> points;
    for (weft::Index b = 0; b < plan_.requested().batch; ++b)
      for (const weft::GVector& g : plan_.vectors()) {
        weft::Shape point;
        if (plan_.requested().batch > 1) point.push_back(b);
        for (int a = 0; a < 3; ++a) point.push_back((g[static_cast<std::size_t>(a)] + grid[a]) % grid[a]);
        points.push_back(point);
      }
    const Values expected = field.after(points);
    note(coefficient_error(expected));
    std::fill_n(in_.data(), in_.size(), In(poison));
    plan_.backward(out_.data(), in_.data());
    rescale();
    long double lengths[2] = {0, 0};  // of millions of numbers: in double the sum was wrong by 1e-13
    for (const In& value : in_.span()) lengths[0] += std::norm(std::complex<double>(value)) / plan_.scale();
    for (std::size_t i = 0; i < expected.size(); ++i)
      lengths[1] += (mirrored_elsewhere(points[i]) ? 2 : 1) * std::norm(expected[i]);
    MPI_Allreduce(MPI_IN_PLACE, lengths, 2, MPI_LONG_DOUBLE, MPI_SUM, world_.comm);
    note(static_cast<double>(std::abs(lengths[0] / lengths[1] - 1)));
    plan_.forward(in_.data(), out_.data());
    note(coefficient_error(expected));
    plan_.backward(out_.data(), in_.data());
    rescale();
  }

  /// Whether a coefficient stands for its mirror image too, which is not given.
  bool mirrored_elsewhere(const weft::Shape& point) const {
    const weft::PlaneWaves& waves = *plan_.problem().waves;
    const weft::Index last = point[point.size() - 1];
    if (waves.box) return waves.real && last != 0 && 2 * last != plan_.problem().shape[2];
    return waves.half && !(point == mirrored(point));
  }

  /// Minus a wave's indices.
  weft::Shape mirrored(weft::Shape point) const {
    for (int a = 0; a < 3; ++a) {
      weft::Index& i = point[point.size() - 3 + a];
      i = (plan_.problem().shape[a] - i) % plan_.problem().shape[a];
    }
    return point;
  }

  double coefficient_error(const Values& expected) const {
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      sums[0] += std::norm(std::complex<double>(out_.data()[i]) - expected[i]);
      sums[1] += std::norm(expected[i]);
    }
    return relative_error(world_.comm, sums[0], sums[1]);
  }

  bool in_place() const { return plan_.effective().in_place(); }

  void there_and_back() {
    plan_.forward(in_.data(), out_.data());
    plan_.backward(out_.data(), in_.data());
  }

  /// Undoes the growth of a round, padding included: data that overflows is slower to compute with.
  void rescale() {
    const auto scale = static_cast<decltype(std::abs(In()))>(plan_.scale());
    for (In& value : in_.span()) value *= scale;
  }

  /// 2-norm of the difference over that of what was expected, over all ranks; 0 where nothing was
  /// expected.
  template <class T>
  double error(const weft::Array<T>& array, const Values& expected) const {
    double sums[2] = {0, 0};
    if (!expected.empty()) {
      auto next = expected.begin();
      array.for_each([&](const weft::Shape&, const T& value) {
        sums[0] += std::norm(std::complex<double>(value) - *next);
        sums[1] += std::norm(*next++);
      });
    }
    return relative_error(world_.comm, sums[0], sums[1]);
  }

  void note(double error) { keep_worse(measured_.relative_error, error); }

  weft::Index most(weft::Index here) const {
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT64_T, MPI_MAX, world_.comm);
    return here;
  }

  World world_;
  weft::AnyPlan plan_;
  weft::Array<In> in_;
  weft::Array<Out> out_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(const World& world, const weft::AnyProblem& problem,
                                          const weft::Options& options) {
  return with_types(problem, [&]<class In, class Out>(In, Out) -> std::unique_ptr<Contender> {
    return std::make_unique<TypedContender<In, Out>>(world, problem, options);
  });
}
