#include "runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "../tools/weft/in_a_row.hpp"

namespace {

/// What memory holds that nobody has written: seen in any sum, and no NaN, which a comparison might
/// lose.
constexpr double poison = 1e15;

/// How many transforms in a row keep small numbers finite: each multiplies them by at most the
/// square root of the number of points, there and back by all of it.
int growth_allows(const Case& what) {
  const double room = what.is_double() ? 400 : 50,
               each = std::log10(static_cast<double>(volume(what.shape))) / (what.there_and_back() ? 1 : 2);
  return std::max(1, static_cast<int>(room / std::max(each, 0.1)) - 1);
}

template <class T>
weft::Array<T> array(const Part& part) {
  return {part.memory, part.view, part.elements};
}
template <class T>
T typed(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value.real());
  else
    return static_cast<T>(value);
}

}  // namespace

Runner::Runner(const World& world, const Entry& entry, const Candidate& candidate)
    : world_(world), what_(entry.what), alone_(entry.alone) {
  const double start = MPI_Wtime();
  if (alone_)
    alone(world_, [&] { contender_ = candidate.make(); });
  else
    contender_ = candidate.make();
  plan_seconds_ = most(MPI_Wtime() - start);
}

weft::Index Runner::array_bytes() const {
  if (!here()) return 0;
  const auto in = contender_.in.elements * static_cast<weft::Index>(what_.before_bytes());
  const auto out = contender_.out.elements * static_cast<weft::Index>(what_.after_bytes());
  return contender_.in.memory == contender_.out.memory ? std::max(in, out) : in + out;
}

bool Runner::trying() const {
  int answer = here() && contender_.trying && contender_.trying();
  MPI_Bcast(&answer, 1, MPI_INT, 0, world_.comm);
  return answer != 0;
}

double Runner::verify(const Field& field) {
  return with_types(what_, [&]<class In, class Out>(In, Out) {
    const bool in_place = contender_.in.memory == contender_.out.memory;
    const auto in = array<In>(contender_.in);
    const auto out = array<Out>(contender_.out);
    std::fill_n(in.data(), in.size(), In(0));
    if (!in_place) std::fill_n(out.data(), out.size(), Out(poison));
    in.for_each([&](const weft::Shape& p, In& value) { value = typed<In>(field.before(p)); });
    const std::vector<In> given(in.data(), in.data() + in.size());
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
      keep_worse(worst, std::abs(norm(in) / (points * coefficients) - 1));
      run(contender_.forward);
      keep_worse(worst, error(out, [&](const weft::Shape& p) { return points * after(p); }));
    } else if (what_.there_and_back()) {
      if (!in_place) std::fill_n(in.data(), in.size(), In(poison));
      run(contender_.backward);
      const double points = static_cast<double>(volume(what_.shape));
      keep_worse(worst, error(in, [&](const weft::Shape& p) { return points * field.before(p); }));
    }
    std::copy(given.begin(), given.end(), in.data());
    keep_worse(worst, error_in_a_row(
                          world_.comm, what_.there_and_back() ? "ffbbfb" : "fff", in, out, false,
                          [&] { run(contender_.forward); }, [&] { run(contender_.backward); }));
    return worst;
  });
}

double Runner::turn(int transforms) {
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

double Runner::settle(int transforms) {
  constexpr int in_a_row = 7;
  const int row = std::max(transforms, in_a_row);
  return turn(row) * (row + 1);
}

void Runner::once() const {
  if (!here()) return;
  contender_.forward();
  if (what_.there_and_back()) contender_.backward();
}

// Small numbers everywhere, padding included: see `growth_allows`.
void Runner::refresh() const {
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

// 2-norm of the difference over that of what was expected, over all ranks.
template <class T, class Expected>
double Runner::error(const weft::Array<T>& array, Expected expected) const {
  double sums[2] = {0, 0};
  if (here())
    array.for_each([&](const weft::Shape& p, const T& value) {
      const std::complex<double> wanted = expected(p);
      sums[0] += std::norm(std::complex<double>(value) - wanted);
      sums[1] += std::norm(wanted);
    });
  return relative_error(world_.comm, sums[0], sums[1]);
}

template <class T>
double Runner::norm(const weft::Array<T>& array) const {
  long double exact = 0;  // of millions of numbers: in double the sum was wrong by 1e-13
  array.for_each([&](const weft::Shape&, const T& value) { exact += std::norm(std::complex<double>(value)); });
  auto sum = static_cast<double>(exact);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world_.comm);
  return sum;
}

double Runner::most(double here) const {
  MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_DOUBLE, MPI_MAX, world_.comm);
  return here;
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
