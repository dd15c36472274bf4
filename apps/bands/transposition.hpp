// Bands transposed: ranks that have a slice of every band get whole bands, and give them back. Then
// a band's transform stays on one rank, as in BigDFT.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weft/halo.hpp>
#include <weft/sphere.hpp>

#include "block.hpp"

namespace bands {

/// The plane waves of all ranks, rank after rank. Collective.
std::vector<weft::GVector> all_vectors(MPI_Comm comm, const std::vector<weft::GVector>& mine);

class Transposition {
 public:
  /// Collective. This rank has `rows` of all plane waves, in the order of `all_vectors`, and gets
  /// at most `bands` whole bands at a time. `strategy` is one of redistributions.
  Transposition(const Ranks& ranks, long rows, long bands, std::string strategy);

  /// What is done with `count` whole bands that lie one behind the other: it reads `in`, writes
  /// `out`, and calls `progress` now and then, which lets go on what travels.
  using Work = std::function<void(const Complex* in, Complex* out, long count, const std::function<void()>& progress)>;
  /// Collective: work on `count` columns of slices, whose bands ranks share. Where `ranks`
  /// work on some at once, the next bands come, and those before go back, meanwhile.
  void apply(const Complex* in, Complex* out, long count, const Work& work);
  /// What looks at `count` whole bands, of which the first is that column.
  using Look = std::function<void(const Complex* in, long first, long count)>;
  /// Collective.
  void look(const Complex* in, long count, const Look& look);

  /// Whether this rank gets any of so many bands.
  bool has_any(long count) const;
  /// Seconds of this rank in transpositions.
  double seconds() const { return seconds_; }
  const std::string& strategy() { return turn(bands_).gather->strategy(); }

 private:
  /// So many whole bands of each rank, of two places: what lies in one travels while the other's is
  /// worked on. A halo's array holds what a rank has, and behind it what it gets: this is a
  /// redistribution that can travel meanwhile.
  struct Turn {
    long bands;
    std::unique_ptr<weft::Halo> gather, scatter;
    std::array<std::vector<Complex>, 2> to_bands, to_slices;
  };
  /// Columns [first, first + count) of a call, in a turn and a place of it.
  struct Some {
    Turn& turn;
    std::size_t place;
    long first, count;
  };
  /// Collective: the turn of so many bands, made when it is first asked for.
  Turn& turn(long bands);
  std::vector<Some> cut(long count);
  const Complex* whole(const Some& some) const;
  /// Of `some`, whole bands of this rank: the column of the first, and how many.
  long first(const Some& some) const { return some.first + rank_ * some.turn.bands; }
  long count(const Some& some) const;
  void bring(const Some& some, const Complex* in);
  void end(weft::Halo& halo);
  void return_to(const Some& some, Complex* out);

  MPI_Comm comm_;
  bool travels_;
  int rank_ = 0, ranks_ = 1;
  long rows_, bands_;
  std::vector<weft::Index> bounds_;  ///< of the rows of each rank among all plane waves
  std::string strategy_;
  std::vector<std::unique_ptr<Turn>> turns_;
  double seconds_ = 0;
};

}  // namespace bands
