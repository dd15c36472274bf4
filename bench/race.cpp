#include "race.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>

#include "field.hpp"
#include "ring.hpp"

namespace {

/// What memory holds that nobody has written: seen in any sum, and no NaN, which a comparison might lose.
constexpr double poison = 1e15;

/// How many transforms in a row keep small numbers finite: each multiplies them by at most the square root of the number of points,
/// there and back by all of it.
int growth_allows(const Case& what) {
  const double room = what.is_double() ? 400 : 50, each = std::log10(static_cast<double>(volume(what.shape))) / (what.there_and_back() ? 1 : 2);
  return std::max(1, static_cast<int>(room / std::max(each, 0.1)) - 1);
}

/// A contender on its way: planned, and the ranks it runs on.
class Runner {
 public:
  Runner(const World& world, const Entry& entry, const Candidate& candidate) : world_(world), what_(entry.what), alone_(entry.alone) {
    const double start = MPI_Wtime();
    if (alone_)
      alone(world_, [&] { contender_ = candidate.make(); });
    else
      contender_ = candidate.make();
    plan_seconds_ = most(MPI_Wtime() - start);
  }

  double plan_seconds() const { return plan_seconds_; }
  weft::Index array_bytes() const {
    if (!here()) return 0;
    const auto in = contender_.in.elements * static_cast<weft::Index>(what_.before_bytes());
    const auto out = contender_.out.elements * static_cast<weft::Index>(what_.after_bytes());
    return contender_.in.memory == contender_.out.memory ? std::max(in, out) : in + out;
  }
  /// Alike on all ranks.
  bool trying() const {
    int answer = here() && contender_.trying && contender_.trying();
    MPI_Bcast(&answer, 1, MPI_INT, 0, world_.comm);
    return answer != 0;
  }
  weft::Index bytes_owned() const { return here() ? contender_.bytes_owned : 0; }

  /// Collective: the worse error of forward and of the way back.
  double verify(const Field& field) {
    return with_types(what_, [&]<class In, class Out>(In, Out) {
      const bool in_place = contender_.in.memory == contender_.out.memory;
      const auto in = array<In>(contender_.in);
      const auto out = array<Out>(contender_.out);
      std::fill_n(in.data(), in.size(), In(0));
      if (!in_place) std::fill_n(out.data(), out.size(), Out(poison));
      in.for_each([&](const weft::Shape& p, In& value) { value = typed<In>(field.before(p)); });
      run(contender_.forward);
      const auto after = [&](const weft::Shape& p) {
        if (!what_.sphere()) return field.after(p);
        weft::Shape at{p[0]};
        for (int a = 0; a < 3; ++a) {
          const weft::Index g = contender_.vectors[static_cast<std::size_t>(p[1])][static_cast<std::size_t>(a)];
          at.push_back(g < 0 ? g + what_.shape[a] : g);
        }
        return field.after(at);
      };
      double worst = error(out, after);
      if (what_.sphere()) {  // of real space its length is known, and what it comes from
        const double points = static_cast<double>(volume(what_.shape)), coefficients = norm(out);
        std::fill_n(in.data(), in.size(), In(poison));
        run(contender_.backward);
        worst = std::max(worst, std::abs(norm(in) / (points * coefficients) - 1));
        run(contender_.forward);
        worst = std::max(worst, error(out, [&](const weft::Shape& p) { return points * after(p); }));
      } else if (what_.there_and_back()) {
        if (!in_place) std::fill_n(in.data(), in.size(), In(poison));
        run(contender_.backward);
        const double points = static_cast<double>(volume(what_.shape));
        worst = std::max(worst, error(in, [&](const weft::Shape& p) { return points * field.before(p); }));
      }
      return worst;
    });
  }

  /// Collective: seconds of one of so many transforms. The data is set before, and again where it would grow beyond numbers; the first
  /// transform then is not timed, so that what is timed has its code, pages and as much of its data as fit in cache, as in a loop.
  double turn(int transforms) {
    double seconds = 0;
    for (int left = transforms, now = 0; left > 0; left -= now) {
      now = std::min(left, growth_allows(what_));
      refresh();
      once();
      const auto timed = [&] {
        const double start = MPI_Wtime();
        for (int i = 0; i < now; ++i) once();
        seconds += MPI_Wtime() - start;
      };
      if (alone_) {
        alone(world_, timed);
      } else {
        MPI_Barrier(world_.comm);
        timed();
      }
    }
    return most(seconds / transforms);
  }

 private:
  bool here() const { return !alone_ || world_.rank == 0; }

  void run(const std::function<void()>& work) const {
    if (here()) work();
  }
  void once() const {
    if (!here()) return;
    contender_.forward();
    if (what_.there_and_back()) contender_.backward();
  }

  template <class T>
  weft::Array<T> array(const Part& part) const {
    return {part.memory, part.view, part.elements};
  }
  template <class T>
  static T typed(std::complex<double> value) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(value.real());
    else
      return static_cast<T>(value);
  }

  /// Small numbers everywhere, padding included: see `growth_allows`.
  void refresh() const {
    if (!here()) return;
    const auto fill = [&](auto real) {
      using Real = decltype(real);
      static const std::vector<Real> numbers = [] {
        std::mt19937 random(2);
        std::uniform_real_distribution<Real> uniform(-1, 1);
        std::vector<Real> values(4096);
        for (Real& value : values) value = uniform(random) * (sizeof(Real) == 4 ? Real(1e-15) : Real(1e-100));
        return values;
      }();
      std::byte* at = contender_.in.memory.get();
      for (std::size_t left = static_cast<std::size_t>(contender_.in.elements) * what_.before_bytes(); left > 0;) {
        const std::size_t bytes = std::min(left, numbers.size() * sizeof(Real));
        std::memcpy(at, numbers.data(), bytes);
        at += bytes, left -= bytes;
      }
    };
    what_.is_double() ? fill(double()) : fill(float());
  }

  /// 2-norm of the difference over that of what was expected, over all ranks.
  template <class T, class Expected>
  double error(const weft::Array<T>& array, Expected expected) const {
    double sums[2] = {0, 0};
    if (here())
      array.for_each([&](const weft::Shape& p, const T& value) {
        const std::complex<double> wanted = expected(p);
        sums[0] += std::norm(std::complex<double>(value) - wanted);
        sums[1] += std::norm(wanted);
      });
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, world_.comm);
    return std::sqrt(sums[0] / sums[1]);
  }

  template <class T>
  double norm(const weft::Array<T>& array) const {
    long double exact = 0;  // of millions of numbers: in double the sum was wrong by 1e-13
    array.for_each([&](const weft::Shape&, const T& value) { exact += std::norm(std::complex<double>(value)); });
    auto sum = static_cast<double>(exact);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world_.comm);
    return sum;
  }

  double most(double here) const {
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_DOUBLE, MPI_MAX, world_.comm);
    return here;
  }

  World world_;
  Case what_;
  bool alone_;
  Contender contender_;
  double plan_seconds_ = 0;
};

/// Some find out in their first executions what suits the machine (weft, what should go past the caches): that is over before anything is timed.
/// In rows, since most that are timed come after others of their own: the first of a row finds its input fresh in cache, which makes what others have read cheap to overwrite.
constexpr int settling = 200, in_a_row = 7;  // transforms

/// Plans every candidate and keeps the fastest.
std::optional<Runner> fastest(const World& world, const Entry& entry, int transforms, Result& result) {
  std::optional<Runner> best;
  const Candidate* settled_early = nullptr;
  double least = INFINITY;
  for (const Candidate& candidate : entry.candidates) {
    Tried& tried = result.tried.emplace_back(Tried{candidate.options, 0, ""});
    try {
      Runner runner(world, entry, candidate);
      const bool tries = entry.candidates.size() > 1 && runner.trying();
      if (entry.candidates.size() > 1) {
        constexpr double longest = 0.5;  // of a candidate's settling
        double settled = 0;  // alike on all ranks
        const int row = std::max(transforms, in_a_row);
        for (int done = 0; done < settling && settled < longest && runner.trying(); done += row + 1) settled += runner.turn(row) * (row + 1);
        std::vector<double> seconds;
        for (int i = 0; i < 5; ++i) seconds.push_back(runner.turn(transforms));
        tried.median_seconds = median(seconds);
        if (tried.median_seconds >= least) continue;
        least = tried.median_seconds;
      }
      result.options = candidate.options;
      result.plan_seconds = runner.plan_seconds();
      best.emplace(std::move(runner));
      settled_early = tries ? &candidate : nullptr;
    } catch (const weft::Declined& e) {
      tried.declined = e.what();
    }
  }
  if (settled_early) best.reset(), best.emplace(world, entry, *settled_early);  // to find out anew when all are there
  return best;
}

}  // namespace

double Result::median() const { return ::median(seconds); }
double Result::least() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Result::most() const { return *std::max_element(seconds.begin(), seconds.end()); }

int transforms_a_turn(const Case& what, int ranks) {
  constexpr double operations_a_second = 1e10, least_seconds = 5e-3;  // of a rank that is fast; of a turn
  const double seconds = what.operations() / operations_a_second / ranks;
  return static_cast<int>(std::clamp(std::ceil(least_seconds / std::max(seconds, 1e-9)), 1.0, 1000.0));
}

std::pair<std::vector<Result>, Nearness> race(const World& world, const Case& what, std::vector<Entry> entries, int repeats) {
  const int transforms = transforms_a_turn(what, world.ranks);
  const Field field(what);
  struct Running {
    Runner runner;
    Result* result;
    std::vector<double> hops = {};  // of every turn
    bool finds_out = false;         // in its first executions, what suits it
  };
  std::vector<Result> results(entries.size());
  std::vector<Running> running;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Result& result = results[i];
    result.entry = std::move(entries[i]);
    if (world.rank == 0) fmt::print(stderr, "planning {}\n", result.entry.name);  // large plans of peers take minutes
    if (auto runner = fastest(world, result.entry, transforms, result)) running.push_back({std::move(*runner), &result});
  }

  const auto verify = [&] {
    for (Running& r : running) {
      const double error = r.runner.verify(field);
      if (!(error <= r.result->relative_error)) r.result->relative_error = error;  // NaN is the worst
    }
  };
  std::vector<std::size_t> order(running.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(3);  // alike on all ranks
  Ring ring(world);
  Nearness near;
  const auto beyond = [](double least) { return [least](double hop) { return hop > Nearness::far * least; }; };
  const auto count_apart = [&](const std::vector<double>& hops, double least) { return static_cast<std::size_t>(std::count_if(hops.begin(), hops.end(), beyond(least))); };

  // Hops meanwhile. Among all others, as in the turns that count, for what suits a plan depends on what comes between its executions; where that takes long, among those that still find out.
  const auto settle = [&] {
    constexpr double among_all = 10, settling_seconds = 30;
    const int row = std::max(transforms, in_a_row);
    std::vector<double> hops;
    double seconds = 0;  // alike on all ranks
    const auto trying = [](const Running& r) { return r.runner.trying(); };
    for (Running& r : running) r.finds_out = trying(r);
    for (int done = 0; done < settling && seconds < settling_seconds && std::any_of(running.begin(), running.end(), trying); done += row + 1) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        const bool tries = trying(running[i]);
        const int now = tries ? row : transforms;
        if (tries || seconds < among_all) seconds += running[i].runner.turn(now) * (now + 1);
      }
      hops.push_back(ring.seconds());
    }
    return hops;
  };
  const auto take_turns = [&] {
    near = {ring.seconds()};
    const auto wanted = static_cast<std::size_t>(repeats);
    const auto enough = [&](std::size_t turns) {
      return std::all_of(running.begin(), running.end(), [&](const Running& r) { return r.hops.size() - count_apart(r.hops, near.hop_seconds) >= turns; });
    };
    for (int round = 0; round < repeats || (round < 2 * repeats && !enough(wanted)); ++round) {
      std::shuffle(order.begin(), order.end(), random);  // nobody always comes after the same neighbour
      for (const std::size_t i : order) {
        Running& r = running[i];
        const double before = ring.seconds();
        r.result->seconds.push_back(r.runner.turn(transforms));
        const double after = ring.seconds();
        r.hops.push_back(std::max(before, after));
        near.hop_seconds = std::min({near.hop_seconds, before, after});
      }
    }
    near.left_out = enough((wanted + 1) / 2);
    const auto apart = beyond(near.hop_seconds);
    for (Running& r : running) {
      near.turns += static_cast<int>(r.hops.size()), near.turns_apart += static_cast<int>(count_apart(r.hops, near.hop_seconds));
      for (std::size_t turn = r.hops.size(); near.left_out && turn-- > 0;)
        if (apart(r.hops[turn])) r.result->seconds.erase(r.result->seconds.begin() + static_cast<std::ptrdiff_t>(turn));
    }
  };
  // Whether more than a fifth of the time cores were together while plans settled and apart since, or the other way.
  const auto moved = [&](const std::vector<double>& settled) {
    double least = near.hop_seconds;
    for (const double hop : settled) least = std::min(least, hop);
    const std::size_t apart = count_apart(settled, least), otherwise = beyond(least)(near.hop_seconds) ? settled.size() - apart : apart;
    return 5 * otherwise > settled.size();
  };
  for (int times = 3;; --times) {
    verify();
    const std::vector<double> settled = settle();
    take_turns();
    near.moved = moved(settled);
    if (!near.moved || times == 1) break;
    if (world.rank == 0) fmt::print(stderr, "cores have moved since plans settled: once more\n");
    for (Running& r : running) {
      r.result->seconds.clear(), r.hops.clear();
      if (!r.finds_out) continue;
      r.result->tried.clear();
      if (auto runner = fastest(world, r.result->entry, transforms, *r.result)) r.runner = std::move(*runner);
    }
  }
  verify();

  for (const Running& r : running) {
    weft::Index bytes[2] = {r.runner.array_bytes(), r.runner.bytes_owned()};
    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_SUM, world.comm);
    r.result->array_bytes = bytes[0], r.result->bytes_owned = bytes[1];
  }
  return {std::move(results), near};
}

void alone(const World& world, const std::function<void()>& work) {
  std::string failure;
  int outcome[2] = {0, 0};  // length of what there is to say; whether it is only declined
  if (world.rank == 0) {
    try {
      work();
    } catch (const std::exception& e) {
      failure = e.what();
      outcome[0] = static_cast<int>(failure.size());
      outcome[1] = dynamic_cast<const weft::Declined*>(&e) != nullptr;
    }
  }
  int done = 0;
  MPI_Request request;
  MPI_Ibcast(outcome, 2, MPI_INT, 0, world.comm, &request);
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done) usleep(200);  // the threads of rank 0 want this core
  if (outcome[0] == 0) return;
  failure.resize(static_cast<std::size_t>(outcome[0]));
  MPI_Bcast(failure.data(), outcome[0], MPI_CHAR, 0, world.comm);
  if (outcome[1]) throw weft::Declined(failure);
  throw weft::Error(failure);
}
