#include "limits.hpp"

#include <fmt/format.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>

#include "peers/fftw.hpp"
#include "race.hpp"

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Collective: what `work`, of `amount` units, reaches on rank 0 while the others sleep, and on all ranks together. Medians of turns.
Limit measured(const World& world, const std::string& what, const std::string& unit, double amount, const std::function<void()>& work) {
  constexpr int turns = 9;
  const auto seconds = [&] {
    int rounds = 0;
    const double start = MPI_Wtime();
    while (rounds == 0 || MPI_Wtime() - start < 0.02) work(), ++rounds;
    return (MPI_Wtime() - start) / rounds;
  };
  Limit limit{what, unit};
  std::vector<double> one, all;
  for (int turn = 0; turn < turns; ++turn) {
    alone(world, [&] { one.push_back(amount / seconds()); });
    MPI_Barrier(world.comm);
    double rate = amount / seconds();
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_SUM, world.comm);
    all.push_back(rate);
  }
  if (world.rank == 0) limit.one_rank = median(one);
  MPI_Bcast(&limit.one_rank, 1, MPI_DOUBLE, 0, world.comm);
  limit.all_ranks = median(all);
  return limit;
}

Limit copying(const World& world, std::size_t bytes) {
  const auto from = memory(bytes), to = memory(bytes);
  return measured(world, fmt::format("copy of {} MiB a rank", bytes / mebibyte), "GB/s", 2e-9 * static_cast<double>(bytes),
                  [&] { std::memcpy(to.get(), from.get(), bytes); });
}

#ifdef __SSE2__
Limit streaming(const World& world, std::size_t bytes) {
  const auto from = memory(bytes), to = memory(bytes);
  return measured(world, fmt::format("copy of {} MiB a rank, streaming stores", bytes / mebibyte), "GB/s",
                  2e-9 * static_cast<double>(bytes), [&] {
                    const auto* const in = reinterpret_cast<const double*>(from.get());
                    auto* const out = reinterpret_cast<double*>(to.get());
                    for (std::size_t i = 0; i < bytes / sizeof(double); i += 2) _mm_stream_pd(out + i, _mm_load_pd(in + i));
                    _mm_sfence();
                  });
}
#endif

Limit lines(const World& world, int n) {
  using F = Fftw<double>;
  const int count = std::max(1, 1024 / n);  // 16 KiB, which fits every first-level cache
  const auto data = memory(static_cast<std::size_t>(n * count) * sizeof(F::Complex));
  auto* const values = reinterpret_cast<F::Complex*>(data.get());
  const F::Plan plan = F::owned(F::c2c(1, &n, count, values, nullptr, 1, n, values, nullptr, 1, n, FFTW_FORWARD, FFTW_PATIENT));
  std::memset(data.get(), 0, static_cast<std::size_t>(n * count) * sizeof(F::Complex));
  constexpr int rounds = 100;
  return measured(world, fmt::format("lines of {} in cache", n), "GFlop/s", 1e-9 * rounds * count * 5.0 * n * std::log2(n), [&] {
    for (int i = 0; i < rounds; ++i) F::execute(plan.get());
  });
}

}  // namespace

std::vector<Limit> limits(const World& world) {
  std::vector<Limit> limits;
  for (const int n : {64, 128, 192, 256}) limits.push_back(lines(world, n));
  for (const std::size_t bytes : {16 * mebibyte, 512 * mebibyte}) {
    limits.push_back(copying(world, bytes));
#ifdef __SSE2__
    limits.push_back(streaming(world, bytes));
#endif
  }
  return limits;
}

double least_seconds(const std::vector<Limit>& limits, const Case& what) {
  double flops = INFINITY, bytes = 0;
  for (const Limit& limit : limits)
    (limit.unit == "GB/s" ? bytes : flops) =
        1e9 * (limit.unit == "GB/s" ? std::max(bytes / 1e9, limit.all_ranks) : std::min(flops / 1e9, limit.all_ranks));
  const double touched = 4.0 * static_cast<double>(volume(what.shape) * what.batch) * static_cast<double>(what.after_bytes());
  return what.operations() / flops + touched / bytes;
}

std::string text(const std::vector<Limit>& limits, const World& world) {
  std::string out = fmt::format("{:<44} {:>10} {:>10}\n", "", "1 rank", fmt::format("{} ranks", world.ranks));
  for (const Limit& limit : limits)
    out += fmt::format("{:<44} {:>10.1f} {:>10.1f} {}\n", limit.what, limit.one_rank, limit.all_ranks, limit.unit);
  return out;
}

nlohmann::ordered_json json(const std::vector<Limit>& limits) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Limit& limit : limits)
    rows.push_back({{"what", limit.what}, {"unit", limit.unit}, {"one_rank", limit.one_rank}, {"all_ranks", limit.all_ranks}});
  return rows;
}
