// Plans that outlive those of the program: one that is asked for again is there at once. They
// belong to a communicator of the program's, as an attribute of it, and go with it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "work.hpp"

namespace drop_in {

class Kept {
 public:
  /// Of this communicator, made where there is none.
  static std::shared_ptr<Kept> of(MPI_Comm comm);
  /// Lets go of all plans that no plan of the program's stands for, of every communicator.
  static void let_go();

  /// The number of the work of that key, the same on all ranks that have it; 0: there is none.
  std::int64_t find(const std::string& key) const;
  std::shared_ptr<Work> at(const std::string& key) const;
  /// Takes it in the place of another one with this key. All ranks do so in the same order.
  void add(const std::string& key, std::shared_ptr<Work> work, weft::Index bytes_per_rank);
  /// A plan of the program's that stood for it is gone.
  void left(const std::string& key);

 private:
  struct Entry {
    std::int64_t number;
    std::shared_ptr<Work> work;
    weft::Index bytes;
  };
  bool idle(const Entry& entry) const { return entry.work.use_count() == 1; }
  void trim(std::size_t most, weft::Index most_bytes);

  std::map<std::string, Entry> entries_;
  std::list<std::string> left_;  // keys of those that are idle, the first to go first
  std::int64_t numbers_ = 0;
};

}  // namespace drop_in
