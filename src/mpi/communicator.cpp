#include "mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include <weft/quote.hpp>

#include "mpi/messages.hpp"

namespace weft::mpi {

namespace {

/// WEFT_RANKS_PER_NODE, 0 when it is not set.
int ranks_per_node() {
  const char* const given = std::getenv("WEFT_RANKS_PER_NODE");
  if (!given) return 0;
  const std::string_view text(given);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw Error("WEFT_RANKS_PER_NODE=" + shown(text) + ": give a whole number of at least 1, or unset it");
  return value;
}

/// Of a long text the part where it begins to differ from the other.
std::string excerpt(const std::string& text, const std::string& other) {
  constexpr std::size_t most = 200, before = 60;
  if (text.size() <= most) return text.empty() ? "nothing" : shown(text, most);
  const auto differ = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin();
  const std::size_t from = std::max<std::size_t>(static_cast<std::size_t>(differ), before) - before;
  return (from > 0 ? "..." : "") + shown(text.substr(from, most), most) + (from + most < text.size() ? "..." : "");
}

// While it lives, MPI returns errors of what belongs to no communicator, for which it else ends the
// program.
class Returns {
 public:
  explicit Returns(MPI_Comm of) : of_(of) {
    check(MPI_Comm_get_errhandler(of_, &before_), "MPI_Comm_get_errhandler");
    check(MPI_Comm_set_errhandler(of_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~Returns() {
    MPI_Comm_set_errhandler(of_, before_);
    MPI_Errhandler_free(&before_);
  }
  Returns(const Returns&) = delete;
  Returns& operator=(const Returns&) = delete;

 private:
  MPI_Comm of_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// Throws locally unless MPI is running and `comm` is one of one group.
void check_given(MPI_Comm comm) {
  check_running("duplicate a communicator");
  if (comm == MPI_COMM_NULL) throw Error("the communicator is MPI_COMM_NULL; give one that this rank belongs to");
  int inter = 0;
  {
    const Returns world(MPI_COMM_WORLD), self(MPI_COMM_SELF);  // which of them MPI tells is up to its version
    if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
      throw Error("the communicator is none that MPI knows; give one that was made and not freed");
  }
  if (inter)
    throw Error(
        "the communicator is an intercommunicator; give an intracommunicator, such as MPI_Intercomm_merge makes of it");
}

}  // namespace

// A communicator from its making to its freeing; an attribute of it says that it is ours.
struct Communicator::Owned : std::enable_shared_from_this<Owned> {
  Owned() = default;
  ~Owned() {
    if (raw == MPI_COMM_NULL || !running()) return;
    MPI_Comm_free(&raw);
    if (counted) --live.communicators;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  MPI_Comm raw = MPI_COMM_NULL;  // what MPI makes goes here at once, so that nothing can be lost on the way
  bool counted = false;
  std::vector<std::pair<std::vector<int>, std::weak_ptr<Owned>>> groups;
  std::uint64_t numbers = 0;
  std::vector<std::vector<Index>> places;  // by rank: the lowest one that it shares memory with, its own in the world
};

namespace {

using Free = int (*)(MPI_Comm, int, void*, void*);

// Attributes by which a communicator's own of ours is found, and the one that is shared by all who
// use a user's.
int new_key(Free free) {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free, &key, nullptr), "MPI_Comm_create_keyval");
  return key;
}

int own_key() {
  static const int key = new_key(MPI_COMM_NULL_DELETE_FN);
  return key;
}

template <class T>
T* attribute(MPI_Comm comm, int key) {
  T* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  return found ? value : nullptr;
}

}  // namespace

Communicator::Communicator(std::shared_ptr<Owned> made) {
  if (made->raw == MPI_COMM_NULL) return;
  owned_ = std::move(made);
  raw_ = owned_->raw;
  ++live.communicators, owned_->counted = true;
  check(MPI_Comm_set_errhandler(raw_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_set_attr(raw_, own_key(), owned_.get()), "MPI_Comm_set_attr");
  check(MPI_Comm_rank(raw_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(raw_, &size_), "MPI_Comm_size");
}

Communicator Communicator::duplicate(MPI_Comm comm) {
  mind_time_limit();
  check_given(comm);
  auto made = std::make_shared<Owned>();
  if (Together* const now = Together::innermost()) now->hear();
  return duplicate(comm, std::move(made));
}

Communicator Communicator::duplicate(MPI_Comm comm, std::shared_ptr<Owned> into) {
  const Wait wait("MPI_Comm_dup");
  check(MPI_Comm_dup(comm, &into->raw), "MPI_Comm_dup");
  return Communicator(std::move(into));
}

std::shared_ptr<Communicator::Owned> Communicator::owned(MPI_Comm comm) {
  Owned* const known = attribute<Owned>(comm, own_key());
  return known ? known->shared_from_this() : nullptr;
}

Communicator Communicator::again() const {
  Communicator other;
  other.owned_ = owned_;
  other.raw_ = raw_;
  other.rank_ = rank_;
  other.size_ = size_;
  return other;
}

Communicator Communicator::of(MPI_Comm group) {
  const auto own = owned(group);
  if (!own) return duplicate(group);
  Communicator same;
  same.owned_ = own;
  same.raw_ = own->raw;
  check(MPI_Comm_rank(group, &same.rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(group, &same.size_), "MPI_Comm_size");
  return same;
}

Communicator Communicator::shared(MPI_Comm comm) {
  check_given(comm);
  const bool at_once = thread_level() == MPI_THREAD_MULTIPLE;
  if (!at_once && owned(comm)) return of(comm);
  using Known = std::weak_ptr<Owned>;
  static const int key = new_key([](MPI_Comm, int, void* value, void*) {
    delete static_cast<Known*>(value);
    return int{MPI_SUCCESS};
  });
  const Known* const known = attribute<Known>(comm, key);
  const std::shared_ptr<Owned> own = known && !at_once ? known->lock() : nullptr;
  // What a new one takes is there before ranks compare notes, so that they can say who lacks it.
  std::shared_ptr<Owned> made;
  std::unique_ptr<Known> value;
  try {
    made = std::make_shared<Owned>();
    value = std::make_unique<Known>(made);
  } catch (const std::bad_alloc&) {
  }
  if (Together* const now = Together::innermost()) now->hear();
  mind_time_limit();
  // Ranks may have freed their last plan at different times: what one of them lacks all make anew.
  int answers[] = {own != nullptr, !at_once, value != nullptr};
  {
    const Wait wait("MPI_Allreduce");
    check(MPI_Allreduce(MPI_IN_PLACE, answers, 3, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  }
  if (answers[0]) return of(own->raw);
  if (!answers[2]) throw Error(std::string("a rank is ") + reason(std::bad_alloc()));
  Communicator shared = duplicate(comm, std::move(made));
  // where this fails it is not found, and another one made
  if (answers[1] && MPI_Comm_set_attr(comm, key, value.get()) == MPI_SUCCESS) value.release();
  return shared;
}

Communicator Communicator::group(const std::vector<int>& members) const {
  if (static_cast<int>(members.size()) == size_) return again();
  std::vector<int> name;
  auto& groups = owned_->groups;
  const std::shared_ptr<Owned> known = agree([&] {
    std::erase_if(groups, [](const auto& g) { return g.second.expired(); });
    name = members;
    groups.reserve(groups.size() + 1);
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == members; });
    return at == groups.end() ? nullptr : at->second.lock();
  });
  if (min(known ? 1 : 0)) return of(known->raw);
  Communicator made = split(members.front(), rank_);
  std::erase_if(groups, [&](const auto& g) { return g.first == members; });
  groups.emplace_back(std::move(name), made.owned_);
  return made;
}

std::uint64_t Communicator::next_number() const { return owned_->numbers++; }

void Communicator::swap(Communicator& other) noexcept {
  std::swap(owned_, other.owned_);
  std::swap(raw_, other.raw_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  std::swap(traffic_, other.traffic_);
}

Communicator Communicator::split(int color, int key) const {
  auto made = std::make_shared<Owned>();
  hear();
  const Wait wait("MPI_Comm_split");
  check(MPI_Comm_split(raw_, color < 0 ? MPI_UNDEFINED : color, key, &made->raw), "MPI_Comm_split");
  return Communicator(std::move(made));
}

Communicator Communicator::graph(const std::vector<int>& sources, const std::vector<int>& targets) const {
  auto made = std::make_shared<Owned>();
  hear();
  const Wait wait("MPI_Dist_graph_create_adjacent");
  check(MPI_Dist_graph_create_adjacent(raw_, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                       static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                       0, &made->raw),
        "MPI_Dist_graph_create_adjacent");
  return Communicator(std::move(made));
}

Together::Numbers Communicator::most(const Together::Numbers& numbers) const {
  if (Together* const now = Together::innermost()) return now->most(*this, numbers);
  Together::Numbers all = numbers;
  const Wait wait("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_MAX, raw_),
        "MPI_Allreduce");
  return all;
}

void Communicator::barrier() const {
  hear();
  const Wait wait("MPI_Barrier");
  check(MPI_Barrier(raw_), "MPI_Barrier");
}

void Communicator::bcast(std::string& text, int root) const {
  const Index length = max(rank_ == root ? static_cast<Index>(text.size()) : 0);
  text.resize(static_cast<std::size_t>(length));
  if (length == 0) return;
  hear();
  const Wait wait("MPI_Bcast");
  for (Index at = 0; at < length; at += count_limit)
    check(MPI_Bcast(text.data() + at, static_cast<int>(std::min(length - at, count_limit)), MPI_CHAR, root, raw_),
          "MPI_Bcast");
}

Index Communicator::total(Index value) const {
  hear();
  const Wait wait("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, raw_), "MPI_Allreduce");
  return value;
}

double Communicator::total(double value) const {
  hear();
  const Wait wait("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, raw_), "MPI_Allreduce");
  return value;
}

std::vector<double> Communicator::max(std::vector<double> values) const {
  const auto count = static_cast<int>(values.size());
  hear();
  const Wait wait("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_DOUBLE, MPI_MAX, raw_), "MPI_Allreduce");
  return values;
}

std::vector<Index> Communicator::gather_all(Index value) const {
  std::vector<Index> all(static_cast<std::size_t>(size_));
  hear();
  const Wait wait("MPI_Allgather");
  check(MPI_Allgather(&value, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, raw_), "MPI_Allgather");
  return all;
}

std::vector<std::string> Communicator::gather_all(const std::string& text) const {
  const std::vector<Index> lengths = gather_all(static_cast<Index>(text.size()));
  std::vector<std::string> all(lengths.size());
  Index total = 0;
  for (const Index length : lengths) total += length;
  if (total > count_limit) {
    all[static_cast<std::size_t>(rank_)] = text;
    for (int r = 0; r < size_; ++r) bcast(all[static_cast<std::size_t>(r)], r);
    return all;
  }
  const std::vector<int> counts(lengths.begin(), lengths.end());
  std::vector<int> offsets(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) offsets[r] = offsets[r - 1] + counts[r - 1];
  std::string joined(static_cast<std::size_t>(total), '\0');
  hear();
  const Wait wait("MPI_Allgatherv");
  check(MPI_Allgatherv(text.data(), static_cast<int>(text.size()), MPI_CHAR, joined.data(), counts.data(),
                       offsets.data(), MPI_CHAR, raw_),
        "MPI_Allgatherv");
  for (std::size_t r = 0; r < all.size(); ++r)
    all[r] = joined.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(counts[r]));
  return all;
}

std::vector<std::vector<Index>> Communicator::gather_all(const std::vector<Index>& values) const {
  const auto count = static_cast<Index>(values.size());
  std::vector<Index> joined(values.size() * static_cast<std::size_t>(size_));
  const Datatype element = Datatype::bytes(sizeof(Index));
  const Amount block(count, element);
  hear();
  const Wait wait("MPI_Allgather");
  check(MPI_Allgather(values.data(), block.count(), block.type(), joined.data(), block.count(), block.type(), raw_),
        "MPI_Allgather");
  std::vector<std::vector<Index>> all;
  for (auto next = joined.begin(); all.size() < static_cast<std::size_t>(size_); next += count)
    all.emplace_back(next, next + count);
  return all;
}

std::vector<int> Communicator::nodes(const std::vector<int>& asked) const {
  std::optional<int> per_node;
  try {
    per_node = ranks_per_node();
  } catch (const Error&) {  // told below, on all ranks
  }
  const std::string unit = per_node.value_or(0) ? std::to_string(*per_node) : "it unset";
  std::string numbers_asked;
  for (const int node : asked) numbers_asked += (numbers_asked.empty() ? "" : ",") + std::to_string(node);
  bool known = !owned_->places.empty();
  // one question for all of it; what a rank does not know, all find anew
  if (!alike((per_node ? unit : "none") + ";" + numbers_asked + (known ? ";known" : "")) || !per_node) {
    per_node = agree(ranks_per_node);
    same("WEFT_RANKS_PER_NODE", unit), same("the nodes of ranks", numbers_asked);
    known = false;
  }
  if (!asked.empty() && asked.size() != static_cast<std::size_t>(size_))
    throw Error("nodes are given for " + std::to_string(asked.size()) + " ranks, but the communicator has " +
                std::to_string(size_) + "; give one number a rank, or none to have them found");
  if (!known) {
    int world_rank = 0;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank), "MPI_Comm_rank");
    owned_->places = gather_all(std::vector<Index>{first_of_node(), world_rank});
  }

  std::map<std::array<Index, 3>, int> numbers;
  std::vector<int> nodes;
  for (std::size_t r = 0; r < owned_->places.size(); ++r) {
    const auto& at = owned_->places[r];
    const std::array<Index, 3> place{at[0], *per_node ? at[1] / *per_node : 0, asked.empty() ? 0 : asked[r]};
    nodes.push_back(numbers.try_emplace(place, static_cast<int>(numbers.size())).first->second);
  }
  return nodes;
}

// The lowest rank of those who share memory with this one.
int Communicator::first_of_node() const {
  Owned shared;
  hear();
  {
    const Wait wait("MPI_Comm_split_type");
    check(MPI_Comm_split_type(raw_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &shared.raw), "MPI_Comm_split_type");
  }
  MPI_Group all = MPI_GROUP_NULL, node = MPI_GROUP_NULL;
  check(MPI_Comm_group(raw_, &all), "MPI_Comm_group");
  check(MPI_Comm_group(shared.raw, &node), "MPI_Comm_group");
  const int first_there = 0;
  int first = 0;
  check(MPI_Group_translate_ranks(node, 1, &first_there, all, &first), "MPI_Group_translate_ranks");
  check(MPI_Group_free(&node), "MPI_Group_free");
  check(MPI_Group_free(&all), "MPI_Group_free");
  return first;
}

const char* reason(const std::exception& caught) {
  if (dynamic_cast<const std::bad_alloc*>(&caught) || dynamic_cast<const std::length_error*>(&caught))
    return "out of memory: take more ranks, or a smaller shape or batch";
  return caught.what();
}

bool names_rank(std::string_view text) {
  if (!text.starts_with("rank ")) return false;
  const auto end = text.find_first_not_of("0123456789", 5);
  return end != 5 && end != std::string_view::npos && text.substr(end).starts_with(": ");
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return value;
}

void Communicator::settle(const std::optional<std::string>& error) const {
  const int failed = min(error ? rank_ : size_);
  if (failed == size_) return;
  std::string text = error.value_or("");
  bcast(text, failed);
  throw Error(names_rank(text) ? text : "rank " + std::to_string(failed) + ": " + text);
}

void Communicator::same(const std::string& what, const std::string& text) const {
  if (alike(text)) return;
  std::string first = text;
  bcast(first);
  const int rank = min(text == first ? size_ : rank_);
  if (rank == size_) return;
  std::string other = text;
  bcast(other, rank);
  throw Error("ranks disagree about " + what + ": rank 0 has " + excerpt(first, other) + ", rank " +
              std::to_string(rank) + " has " + excerpt(other, first) + "; give every rank the same");
}

bool Communicator::alike(const std::string& text) const {
  const auto number = static_cast<Index>(hash(text)), length = static_cast<Index>(text.size());
  const auto largest = most({number, ~number, length, ~length});  // the largest complement is the least value's
  return largest[0] == ~largest[1] && largest[2] == ~largest[3];
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  std::string line(text, static_cast<std::size_t>(length));
  line.erase(std::min(line.size(), line.find_first_of(",\n")));  // what follows is who built it, and how
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

}  // namespace weft::mpi
