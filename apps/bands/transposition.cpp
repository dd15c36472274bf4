#include "transposition.hpp"

#include <algorithm>

#include "seconds.hpp"

namespace bands {

std::vector<weft::GVector> all_vectors(MPI_Comm comm, const std::vector<weft::GVector>& mine) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const int numbers = static_cast<int>(3 * mine.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks)), first(counts.size());
  MPI_Allgather(&numbers, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  for (std::size_t r = 1; r < first.size(); ++r) first[r] = first[r - 1] + counts[r - 1];
  std::vector<weft::GVector> all(static_cast<std::size_t>((first.back() + counts.back()) / 3));
  static_assert(sizeof(weft::GVector) == 3 * sizeof(long) && sizeof(weft::Index) == sizeof(long));
  MPI_Allgatherv(mine.data(), numbers, MPI_LONG, all.data(), counts.data(), first.data(), MPI_LONG, comm);
  return all;
}

Transposition::Transposition(const Ranks& ranks, long rows, long bands, std::string strategy)
    : comm_(ranks.comm), travels_(ranks.at_once > 0), rows_(rows), bands_(bands), strategy_(std::move(strategy)) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  std::vector<long> counts(static_cast<std::size_t>(ranks_));
  MPI_Allgather(&rows_, 1, MPI_LONG, counts.data(), 1, MPI_LONG, comm_);
  bounds_.push_back(0);
  for (const long count : counts) bounds_.push_back(bounds_.back() + count);
  turns_.resize(static_cast<std::size_t>(bands + 1));
  turn(bands);
}

Transposition::Turn& Transposition::turn(long bands) {
  std::unique_ptr<Turn>& made = turns_[static_cast<std::size_t>(bands)];
  if (made) return *made;
  made = std::make_unique<Turn>();
  made->bands = bands;
  const long all = bands * ranks_;
  const weft::Shape shape{all, bounds_.back()};
  const auto slices = weft::Layout::slab(shape, 1, ranks_, weft::Split::given(bounds_));
  const auto whole = weft::Layout::slab(shape, 0, ranks_);
  weft::HaloOptions options;
  options.strategy = strategy_;
  made->gather = std::make_unique<weft::Halo>(comm_, slices, whole, sizeof(Complex), options);
  made->scatter = std::make_unique<weft::Halo>(comm_, whole, slices, sizeof(Complex), options);
  const auto room = static_cast<std::size_t>(all * rows_ + bands * bounds_.back());
  for (std::size_t place = 0; place < (travels_ ? 2 : 1); ++place)
    made->to_bands[place].resize(room), made->to_slices[place].resize(room);
  return *made;
}

std::vector<Transposition::Some> Transposition::cut(long count) {
  std::vector<Some> all;
  for (long first = 0; first < count; first += bands_ * ranks_) {
    const long now = std::min(bands_ * ranks_, count - first);
    all.push_back({turn((now + ranks_ - 1) / ranks_), travels_ ? all.size() % 2 : 0, first, now});
  }
  return all;
}

bool Transposition::has_any(long count) const {
  return count >= bands_ * ranks_ || rank_ * ((count + ranks_ - 1) / ranks_) < count;
}

const Complex* Transposition::whole(const Some& some) const {
  return some.turn.to_bands[some.place].data() + some.turn.bands * ranks_ * rows_;
}

long Transposition::count(const Some& some) const {
  return std::clamp(some.count - rank_ * some.turn.bands, 0L, some.turn.bands);
}

void Transposition::bring(const Some& some, const Complex* in) {
  const Stopwatch watch(seconds_);
  std::vector<Complex>& array = some.turn.to_bands[some.place];
  std::copy_n(in + some.first * rows_, some.count * rows_, array.begin());
  some.turn.gather->start(array.data());
}

void Transposition::end(weft::Halo& halo) {
  const Stopwatch watch(seconds_);
  halo.finish();
}

void Transposition::return_to(const Some& some, Complex* out) {
  end(*some.turn.scatter);
  const Stopwatch watch(seconds_);
  const std::vector<Complex>& array = some.turn.to_slices[some.place];
  std::copy_n(array.begin() + some.turn.bands * bounds_.back(), some.count * rows_, out + some.first * rows_);
}

void Transposition::apply(const Complex* in, Complex* out, long count_of_all, const Work& work) {
  const std::vector<Some> all = cut(count_of_all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Some& now = all[i];
    const bool next = travels_ && i + 1 < all.size(), before = travels_ && i > 0;
    if (i == 0 || !travels_) bring(now, in);
    end(*now.turn.gather);
    if (next) bring(all[i + 1], in);
    std::vector<Complex>& back = now.turn.to_slices[now.place];
    work(whole(now), back.data(), count(now), [&] {
      const Stopwatch watch(seconds_);
      if (next) all[i + 1].turn.gather->test();
      if (before) all[i - 1].turn.scatter->test();
    });
    if (before) return_to(all[i - 1], out);
    {
      const Stopwatch watch(seconds_);
      now.turn.scatter->start(back.data());
    }
    if (!travels_ || i + 1 == all.size()) return_to(now, out);
  }
}

void Transposition::look(const Complex* in, long count_of_all, const Look& look) {
  const std::vector<Some> all = cut(count_of_all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || !travels_) bring(all[i], in);
    end(*all[i].turn.gather);
    if (travels_ && i + 1 < all.size()) bring(all[i + 1], in);
    look(whole(all[i]), first(all[i]), count(all[i]));
  }
}

}  // namespace bands
