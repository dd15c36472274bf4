#include "overlaps.hpp"

#include <algorithm>
#include <numeric>

#include <weft/error.hpp>
#include <weft/quote.hpp>

namespace localised {

namespace {

constexpr weft::Index value_bytes = sizeof(double);

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Appends an element to runs, as part of the last one where it follows.
void append(std::vector<weft::Run>& runs, weft::Index element) {
  if (!runs.empty() && runs.back().first + runs.back().count == element)
    ++runs.back().count;
  else
    runs.push_back({element, 1});
}

void append(std::vector<weft::Run>& runs, const std::vector<weft::Run>& more) {
  runs.insert(runs.end(), more.begin(), more.end());
}

weft::Index count(const std::vector<weft::Run>& runs) {
  weft::Index sum = 0;
  for (const weft::Run& run : runs) sum += run.count;
  return sum;
}

/// Adds the time until it ends.
struct Watch {
  explicit Watch(double& sum) : sum_(sum), start_(MPI_Wtime()) {}
  ~Watch() { sum_ += MPI_Wtime() - start_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  double& sum_;
  double start_;
};

/// Every pair of orbitals is worked out where the second one lives.
class Partners : public Overlaps {
 public:
  Partners(MPI_Comm comm, const Orbitals& orbitals) : Overlaps(comm, orbitals) {
    const int self = rank_of(comm);
    std::vector<std::vector<weft::Run>> wanted(static_cast<std::size_t>(orbitals.ranks()));
    for (std::size_t j = 0; j < orbitals.count(); ++j)
      for (std::size_t i = 0; i < orbitals.count(); ++i) {
        const std::vector<Common> common = orbitals.common(i, j);
        if (common.empty()) continue;
        const int owner = orbitals.owner(j);
        std::vector<weft::Run> runs;
        if (orbitals.owner(i) != owner) {
          for (const Common& c : common) append(runs, orbitals.offset(i) + c.in_first);
          formula_bytes_ += value_bytes * count(runs);
        }
        auto& all = wanted[static_cast<std::size_t>(owner)];
        if (owner == self) pairs_.push_back({i, j, count(all), common});
        append(all, runs);
      }
    plan(wanted, "isend");
  }

  std::vector<double> columns(const std::vector<double>& mine) override {
    exchange(mine);
    const Watch watch(seconds_.products);
    const int self = rank_of(comm_);
    const std::size_t n = orbitals_.count(), first = orbitals_.first(self);
    const auto own = [&](std::size_t orbital) {
      return mine.data() + (orbitals_.offset(orbital) - orbitals_.offset(first));
    };
    std::vector<double> s(n * (orbitals_.first(self + 1) - first));
    for (const Pair& pair : pairs_) {
      const bool here = orbitals_.owner(pair.i) == self;
      const double *const a = here ? own(pair.i) : arrived_.data() + pair.arrives_at, *const b = own(pair.j);
      double sum = 0;
      for (std::size_t p = 0; p < pair.common.size(); ++p)
        sum += a[here ? pair.common[p].in_first : static_cast<weft::Index>(p)] * b[pair.common[p].in_second];
      s[(pair.j - first) * n + pair.i] = sum;
    }
    return s;
  }

  weft::Index formula_bytes() const override { return formula_bytes_; }

 private:
  struct Pair {
    std::size_t i, j;
    weft::Index arrives_at;
    std::vector<Common> common;
  };
  std::vector<Pair> pairs_;
  weft::Index formula_bytes_ = 0;
};

/// Every rank works out its slab's part of all pairs.
class Slabs : public Overlaps {
 public:
  Slabs(MPI_Comm comm, const Orbitals& orbitals, const std::string& strategy) : Overlaps(comm, orbitals) {
    const int self = rank_of(comm), ranks = orbitals.ranks();
    const weft::Shape& grid = orbitals.geometry().grid;
    const std::vector<weft::Index> bounds = weft::Split::even().bounds(grid[0], ranks);
    std::vector<std::vector<weft::Run>> wanted(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
      const weft::Index lo = bounds[static_cast<std::size_t>(r)] * grid[1] * grid[2],
                        hi = bounds[static_cast<std::size_t>(r) + 1] * grid[1] * grid[2];
      auto& all = wanted[static_cast<std::size_t>(r)];
      for (std::size_t i = 0; i < orbitals.count(); ++i) {
        const std::vector<weft::Index>& points = orbitals.points(i);
        const auto from = std::lower_bound(points.begin(), points.end(), lo) - points.begin(),
                   to = std::lower_bound(points.begin(), points.end(), hi) - points.begin();
        if (r == self) parts_.push_back({from, to, count(all)});
        if (from < to) append(all, {{orbitals.offset(i) + from, to - from}});
      }
    }
    plan(wanted, strategy);
    for (std::size_t j = 0; j < orbitals.count(); ++j)
      for (std::size_t i = 0; i <= j; ++i) {
        std::vector<Common> common = orbitals.common(i, j);
        std::erase_if(common, [&](const Common& c) { return c.in_first < parts_[i].lo || c.in_first >= parts_[i].hi; });
        for (Common& c : common) c.in_first += parts_[i].at - parts_[i].lo, c.in_second += parts_[j].at - parts_[j].lo;
        if (!common.empty()) pairs_.push_back({i, j, std::move(common)});
      }
  }

  std::vector<double> columns(const std::vector<double>& mine) override {
    exchange(mine);
    const std::size_t n = orbitals_.count();
    std::vector<double> s(n * n);
    {
      const Watch watch(seconds_.products);
      for (const Pair& pair : pairs_) {
        double sum = 0;
        for (const Common& c : pair.common)
          sum += arrived_[static_cast<std::size_t>(c.in_first)] * arrived_[static_cast<std::size_t>(c.in_second)];
        s[pair.j * n + pair.i] = s[pair.i * n + pair.j] = sum;
      }
    }
    const Watch watch(seconds_.sums);
    MPI_Allreduce(MPI_IN_PLACE, s.data(), static_cast<int>(s.size()), MPI_DOUBLE, MPI_SUM, comm_);
    const int self = rank_of(comm_);
    const auto at = [&](int rank) { return s.begin() + static_cast<long>(orbitals_.first(rank) * n); };
    return {at(self), at(self + 1)};
  }

  weft::Index formula_bytes() const override { return value_bytes * orbitals_.offset(orbitals_.count()); }

 private:
  /// Places [lo, hi) of an orbital's points are in this rank's slab, and arrive at `at`.
  struct Part {
    weft::Index lo, hi, at;
  };
  struct Pair {
    std::size_t i, j;
    std::vector<Common> common;  ///< places among what has arrived
  };
  std::vector<Part> parts_;
  std::vector<Pair> pairs_;
};

}  // namespace

void Overlaps::plan(const std::vector<std::vector<weft::Run>>& wanted, const std::string& strategy) {
  const int self = rank_of(comm_), ranks = orbitals_.ranks();
  const weft::Shape all{orbitals_.offset(orbitals_.count())};
  std::vector<std::vector<weft::Run>> owned;
  for (int r = 0; r < ranks; ++r) {
    const weft::Index lo = orbitals_.offset(orbitals_.first(r)), hi = orbitals_.offset(orbitals_.first(r + 1));
    owned.push_back({{lo, hi - lo}});
  }
  const weft::Layout from = weft::Layout::runs(all, owned), to = weft::Layout::runs(all, wanted);
  exchange_ = std::make_unique<weft::Redistribution>(comm_, from, to, value_bytes,
                                                     weft::RedistributionOptions{.strategy = strategy});
  arrived_.resize(static_cast<std::size_t>(std::max<weft::Index>(to.elements(self), 1)));

  const weft::Pattern pattern(from, to, self);
  std::vector<weft::Index> counts(static_cast<std::size_t>(pattern.ranks()));
  for (int t = 0; t < pattern.tiles(); ++t)
    for (const weft::Piece& piece : pattern.tile(t).gives)
      counts[static_cast<std::size_t>(piece.peer)] += piece.at.box.volume();
  for (int peer = 0; peer < pattern.ranks(); ++peer) {
    const weft::Index elements = counts[static_cast<std::size_t>(peer)];
    (peer == pattern.rank() ? moved_.kept_bytes : moved_.sent_bytes) += value_bytes * elements;
    moved_.messages += peer != pattern.rank() && elements > 0;
  }
  weft::Index sums[] = {moved_.sent_bytes, moved_.kept_bytes, moved_.messages};
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, comm_);
  moved_ = {sums[0], sums[1], sums[2]};
}

void Overlaps::exchange(const std::vector<double>& mine) {
  seconds_ = {};
  const Watch watch(seconds_.exchange);
  const double none = 0;
  (*exchange_)(mine.empty() ? &none : mine.data(), arrived_.data());
}

std::vector<std::string> ways() { return {"partners", "slabs", "slabs by messages"}; }

std::unique_ptr<Overlaps> overlaps(const std::string& way, MPI_Comm comm, const Orbitals& orbitals) {
  if (way == "partners") return std::make_unique<Partners>(comm, orbitals);
  if (way == "slabs") return std::make_unique<Slabs>(comm, orbitals, "alltoallv");
  if (way == "slabs by messages") return std::make_unique<Slabs>(comm, orbitals, "isend");
  throw weft::Error("'" + weft::shown(way) +
                    "' is no way to find overlaps; there are partners, slabs and slabs by "
                    "messages");
}

}  // namespace localised
