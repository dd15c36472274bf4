#include "limits.hpp"

#include <fmt/format.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "../tools/weft/median.hpp"
#include "peers/fftw.hpp"
#include "runner.hpp"

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr weft::Index longest = 1024;  // of lines in cache: 16 KiB an array, and two fit a first-level cache

/// Collective: what `work`, of `amount` units, reaches on rank 0 while the others sleep, and on all
/// ranks together. Medians of turns.
Limit measured(const World& world, const std::string& what, const std::string& unit, double amount,
               const std::function<void()>& work) {
  constexpr int turns = 5;
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
    if (world.ranks == 1) continue;
    MPI_Barrier(world.comm);
    double rate = amount / seconds();
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_SUM, world.comm);
    all.push_back(rate);
  }
  if (world.rank == 0) limit.one_rank = median(one);
  MPI_Bcast(&limit.one_rank, 1, MPI_DOUBLE, 0, world.comm);
  limit.all_ranks = all.empty() ? limit.one_rank : median(all);
  return limit;
}

Limit copying(const World& world, std::size_t bytes) {
  const auto from = memory(bytes), to = memory(bytes);
  Limit limit = measured(world, fmt::format("copy of {} MiB a rank", bytes / mebibyte), "GB/s",
                         2e-9 * static_cast<double>(bytes), [&] { std::memcpy(to.get(), from.get(), bytes); });
  limit.bytes = bytes;
  return limit;
}

#ifdef __SSE2__
Limit streaming(const World& world, std::size_t bytes) {
  const auto from = memory(bytes), to = memory(bytes);
  const auto copy = [&] {
    const auto* const in = reinterpret_cast<const double*>(from.get());
    auto* const out = reinterpret_cast<double*>(to.get());
    for (std::size_t i = 0; i < bytes / sizeof(double); i += 2) _mm_stream_pd(out + i, _mm_load_pd(in + i));
    _mm_sfence();
  };
  Limit limit = measured(world, fmt::format("copy of {} MiB a rank, streaming stores", bytes / mebibyte), "GB/s",
                         2e-9 * static_cast<double>(bytes), copy);
  limit.bytes = bytes;
  return limit;
}
#endif

/// Lines in place, from one array to another, or interleaved: whichever is fastest on all ranks.
Limit lines(const World& world, int n) {
  using F = Fftw<double>;
  const int count = static_cast<int>(longest) / n;
  const std::size_t bytes = static_cast<std::size_t>(n * count) * sizeof(F::Complex);
  const auto first = memory(bytes), second = memory(bytes);
  auto *const from = reinterpret_cast<F::Complex*>(first.get()), *const to =
                                                                     reinterpret_cast<F::Complex*>(second.get());
  struct Way {
    F::Complex* out;
    int stride, apart;
  };
  Limit best;
  for (const Way& way : {Way{from, 1, n}, Way{to, 1, n}, Way{from, count, 1}, Way{to, count, 1}}) {
    const F::Plan plan = F::owned(F::c2c(1, &n, count, from, nullptr, way.stride, way.apart, way.out, nullptr,
                                         way.stride, way.apart, FFTW_FORWARD, FFTW_PATIENT));
    std::memset(first.get(), 0, bytes);
    constexpr int rounds = 100;
    const Limit limit = measured(world, fmt::format("lines of {} in cache", n), "GFlop/s",
                                 1e-9 * rounds * count * 5.0 * n * std::log2(n), [&] {
                                   for (int i = 0; i < rounds; ++i) F::execute(plan.get());
                                 });
    if (limit.all_ranks > best.all_ranks) best = limit;
  }
  return best;
}

}  // namespace

std::vector<Limit> limits(const World& world, const Case& what) {
  std::vector<Limit> limits;
  std::set<int> lengths;
  for (const weft::Index n : what.shape)
    if (n > 1) lengths.insert(static_cast<int>(std::min(n, longest)));
  for (const int n : lengths) limits.push_back(lines(world, n));
  for (const std::size_t bytes : {2 * mebibyte, 16 * mebibyte, 128 * mebibyte}) {
    limits.push_back(copying(world, bytes));
#ifdef __SSE2__
    limits.push_back(streaming(world, bytes));
#endif
  }
  return limits;
}

double least_seconds(const std::vector<Limit>& limits, const World& world, const Case& what) {
  const double array = static_cast<double>(volume(what.shape) * what.batch) * static_cast<double>(what.after_bytes());
  const auto away = [&](const Limit& limit) {
    return std::abs(std::log(static_cast<double>(limit.bytes) * world.ranks / array));
  };
  double lines = 0, copying = 0, nearest = INFINITY;
  for (const Limit& limit : limits)
    if (limit.bytes > 0) nearest = std::min(nearest, away(limit));
  for (const Limit& limit : limits) {
    double& best = limit.bytes > 0 ? copying : lines;
    if (limit.bytes == 0 || away(limit) == nearest) best = std::max(best, limit.all_ranks);
  }
  const double passes = what.real ? 8 : 4;  // there and back
  return 1e-9 * ((lines > 0 ? what.operations() / lines : 0) + passes * array / copying);
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
    rows.push_back(
        {{"what", limit.what}, {"unit", limit.unit}, {"one_rank", limit.one_rank}, {"all_ranks", limit.all_ranks}});
  return rows;
}
