// A communicator that weft owns: always a duplicate or a part, never the caller's own, and errors
// on it return. Everything here is collective over the communicator unless it says "local".
#pragma once

#include <bit>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/traffic.hpp>

#include "mpi/check.hpp"
#include "mpi/together.hpp"
#include "mpi/watch.hpp"

namespace weft::mpi {

class Communicator {
 public:
  /// No communicator: to be moved into.
  Communicator() = default;
  /// A duplicate of `comm`. Throws locally when MPI is not running, or `comm` is null or an
  /// intercommunicator.
  static Communicator duplicate(MPI_Comm comm);
  /// The duplicate that all share who ask for one of `comm`: made for the first of them and freed
  /// after the last, so that many plans need but one. Each gets its own where threads may call MPI
  /// at once, for then calls of two plans may meet on it. Where `comm` is weft's own, that is
  /// shared, and nothing is communicated. Throws as `duplicate`.
  static Communicator shared(MPI_Comm comm);
  /// For an exchange over all ranks of `group`: `group` itself where it is weft's own, else a
  /// duplicate. Whoever sends on it does so inside `start`, or in collectives, since starts come in
  /// the same order on all ranks.
  static Communicator of(MPI_Comm group);
  /// The same communicator, with traffic of its own. Local.
  Communicator again() const;
  Communicator(Communicator&& other) noexcept { swap(other); }
  Communicator& operator=(Communicator&& other) noexcept {
    swap(other);
    return *this;
  }

  int rank() const { return rank_; }  // local
  int size() const { return size_; }  // local
  MPI_Comm raw() const { return raw_; }

  /// The ranks that name the same members, in order: this communicator where that is all, else one
  /// that is shared by all who name them while anybody has it. Every rank names itself and all
  /// those that name it.
  Communicator group(const std::vector<int>& members) const;
  /// How often this was called on this communicator, all its handles together. Local, and alike on
  /// all ranks if they call alike.
  std::uint64_t next_number() const;
  /// The ranks of one color, ordered by key, then by rank here. A negative color gets no
  /// communicator: raw() is MPI_COMM_NULL.
  Communicator split(int color, int key = 0) const;
  /// The same ranks, each with the neighbours that neighbourhood collectives receive from and send
  /// to.
  Communicator graph(const std::vector<int>& sources, const std::vector<int>& targets) const;
  void barrier() const;
  /// Every rank's `text` becomes the root's.
  void bcast(std::string& text, int root = 0) const;

  /// Of integers and of floating-point numbers alike; the same bits on every rank.
  template <class T>
  T max(T value) const {
    return from_key<T>(most({to_key(value)})[0]);
  }
  /// Of as many on each rank, one by one.
  std::vector<double> max(std::vector<double> values) const;
  template <class T>
  T min(T value) const {
    return from_key<T>(~most({~to_key(value)})[0]);
  }
  /// Of up to four at once, one by one.
  template <class T, std::size_t count>
  std::array<T, count> min(const std::array<T, count>& values) const {
    Together::Numbers numbers{};
    static_assert(count <= std::tuple_size_v<Together::Numbers>);
    for (std::size_t k = 0; k < count; ++k) numbers[k] = ~to_key(values[k]);
    numbers = most(numbers);
    std::array<T, count> all;
    for (std::size_t k = 0; k < count; ++k) all[k] = from_key<T>(~numbers[k]);
    return all;
  }
  template <class T>
  T sum(T value) const {
    return static_cast<T>(total(static_cast<Wide<T>>(value)));
  }

  /// Every rank's value, by rank.
  std::vector<Index> gather_all(Index value) const;
  std::vector<std::string> gather_all(const std::string& text) const;
  /// Every rank's values, by rank; as many on each.
  std::vector<std::vector<Index>> gather_all(const std::vector<Index>& values) const;

  /// As weft::nodes, which is this for everyone. The one place where nodes are found: once, while
  /// anybody has this communicator.
  std::vector<int> nodes(const std::vector<int>& asked = {}) const;

  /// Runs f, which may fail on some ranks alone and therefore must not communicate, and returns its
  /// value. When it throws anywhere, all ranks throw Error("rank r: message") of the lowest rank r
  /// that failed.
  template <class F>
  auto agree(F&& f) const -> std::invoke_result_t<F>;
  /// Runs f, which communicates here, and returns its value. f may throw anywhere on some ranks
  /// alone, as whatever allocates may: the others hear of it in the next collective, and all throw
  /// Error("rank r: message") of the lowest such rank r. What all throw alike is thrown as it is. A
  /// part of the ranks that communicate by themselves do so in a `together` of their own, inside,
  /// and all ranks come to one. What MPI does collectively by other calls than those of this class
  /// comes after `hear`.
  template <class F>
  auto together(F&& f) const -> std::invoke_result_t<F>;
  /// Inside of `together`: goes on when all ranks are well. Nothing may fail between this and the
  /// call of MPI that follows.
  void hear() const {
    if (Together* const now = Together::innermost()) now->most(*this, {});
  }
  /// Throws on all ranks when `text` is not the same on all of them: "ranks disagree about the
  /// shape: rank 0 has ...".
  void same(const std::string& what, const std::string& text) const;

  /// Whether all ranks have the same text. One reduction of its length and of a hash of 64 bits.
  bool alike(const std::string& text) const;

  /// Data movers called on this communicator, what they sent to other ranks, since it was made.
  /// Local.
  const Traffic& traffic() const { return traffic_; }
  /// Counts one call; for the wrapper's own calls.
  void count(Index messages, Index bytes) const {
    ++traffic_.calls;
    traffic_.messages += messages;
    traffic_.bytes += bytes;
  }

 private:
  struct Owned;
  /// Of what MPI has made there, if anything.
  explicit Communicator(std::shared_ptr<Owned> made);
  static Communicator duplicate(MPI_Comm comm, std::shared_ptr<Owned> into);
  static std::shared_ptr<Owned> owned(MPI_Comm comm);
  void swap(Communicator& other) noexcept;
  template <class T>
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, Index>;
  /// Numbers whose order is that of the values, and back.
  template <class T>
  static Index to_key(T value) {
    if constexpr (std::is_floating_point_v<T>)
      return flipped(std::bit_cast<Index>(static_cast<double>(value)));
    else
      return static_cast<Index>(value);
  }
  template <class T>
  static T from_key(Index key) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(std::bit_cast<double>(flipped(key)));
    else
      return static_cast<T>(key);
  }
  static Index flipped(Index bits) { return bits < 0 ? bits ^ std::numeric_limits<Index>::max() : bits; }
  /// The largest of all ranks' numbers, place by place: what every collective here is, or begins
  /// with inside of `together`.
  Together::Numbers most(const Together::Numbers& numbers) const;
  int first_of_node() const;
  Index total(Index value) const;
  double total(double value) const;
  /// Throws on all ranks when any has an error message, that of the lowest such rank.
  void settle(const std::optional<std::string>& error) const;

  std::shared_ptr<Owned> owned_;
  MPI_Comm raw_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  mutable Traffic traffic_;
};

/// What a message says of something that was thrown: what it says of itself, but for memory that
/// could not be had. Local, and allocates nothing; the text is the exception's, or lasts.
const char* reason(const std::exception& caught);
/// Whether a message says "rank 3: ..." already: it comes from an inner `agree`. Local.
bool names_rank(std::string_view text);
/// Local: FNV-1a.
std::uint64_t hash(std::string_view text);
/// Which MPI this is, and which version, one line. Local.
std::string library();
/// What MPI was initialised with: MPI_THREAD_SINGLE, ..., MPI_THREAD_MULTIPLE. Local.
int thread_level();

template <class F>
auto Communicator::agree(F&& f) const -> std::invoke_result_t<F> {
  using Value = std::invoke_result_t<F>;
  std::optional<std::string> error;
  std::conditional_t<std::is_void_v<Value>, std::optional<bool>, std::optional<Value>> value;
  try {
    heed_time_limit();
    if constexpr (std::is_void_v<Value>)
      f();
    else
      value.emplace(f());
  } catch (const std::exception& caught) {
    error = reason(caught);
  }
  settle(error);
  if constexpr (!std::is_void_v<Value>) return std::move(*value);
}

template <class F>
auto Communicator::together(F&& f) const -> std::invoke_result_t<F> {
  Together here(*this);
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      f();
      here.end();
    } else {
      auto value = f();
      here.end();
      return value;
    }
  } catch (...) {
    here.fail();
  }
}

}  // namespace weft::mpi
