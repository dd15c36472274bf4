#include "kept.hpp"

#include <set>
#include <vector>

namespace drop_in {
namespace {

// What is idle is kept up to so many, and of arrays up to so large: beyond them executing takes far
// longer than planning.
constexpr std::size_t most_idle = 16;
constexpr weft::Index most_idle_bytes = weft::Index{64} << 20;

std::set<Kept*>& all() {
  static std::set<Kept*> all;
  return all;
}

int key() {
  static int key = MPI_KEYVAL_INVALID;
  if (key != MPI_KEYVAL_INVALID) return key;
  MPI_Comm_create_keyval(
      MPI_COMM_NULL_COPY_FN,
      [](MPI_Comm, int, void* value, void*) {
        auto* const kept = static_cast<std::shared_ptr<Kept>*>(value);
        all().erase(kept->get());
        delete kept;
        return int{MPI_SUCCESS};
      },
      &key, nullptr);
  // While MPI is still there, plans can give back what they have of it.
  int at_end = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(
      MPI_COMM_NULL_COPY_FN,
      [](MPI_Comm, int, void*, void*) {
        Kept::let_go();
        return int{MPI_SUCCESS};
      },
      &at_end, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr);
  MPI_Comm_free_keyval(&at_end);
  return key;
}

}  // namespace

std::shared_ptr<Kept> Kept::of(MPI_Comm comm) {
  std::shared_ptr<Kept>* known = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key(), &known, &found);
  if (found) return *known;
  auto made = std::make_unique<std::shared_ptr<Kept>>(std::make_shared<Kept>());
  std::shared_ptr<Kept> kept = *made;
  if (MPI_Comm_set_attr(comm, key(), made.get()) == MPI_SUCCESS) {
    made.release();
    all().insert(kept.get());
  }
  return kept;
}

void Kept::let_go() {
  const std::vector<Kept*> now(all().begin(), all().end());
  for (Kept* const kept : now) kept->trim(0, 0);
}

std::int64_t Kept::find(const std::string& key) const {
  const auto at = entries_.find(key);
  return at == entries_.end() ? 0 : at->second.number;
}

std::shared_ptr<Work> Kept::at(const std::string& key) const { return entries_.at(key).work; }

void Kept::add(const std::string& key, std::shared_ptr<Work> work, weft::Index bytes_per_rank) {
  left_.remove(key);
  entries_.insert_or_assign(key, Entry{++numbers_, std::move(work), bytes_per_rank});
}

void Kept::left(const std::string& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end() || !idle(at->second)) return;
  left_.remove(key);
  left_.push_back(key);
  trim(most_idle, most_idle_bytes);
}

void Kept::trim(std::size_t most, weft::Index most_bytes) {
  std::erase_if(left_, [&](const std::string& key) {
    const auto at = entries_.find(key);
    return at == entries_.end() || !idle(at->second);
  });
  weft::Index bytes = 0;
  for (const std::string& key : left_) bytes += entries_.at(key).bytes;
  while (!left_.empty() && (left_.size() > most || bytes > most_bytes)) {
    const auto at = entries_.find(left_.front());
    bytes -= at->second.bytes;
    entries_.erase(at);
    left_.pop_front();
  }
}

}  // namespace drop_in
