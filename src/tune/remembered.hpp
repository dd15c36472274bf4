// What this process remembers: what it has tuned or imported, and files as it read them last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <weft/wisdom.hpp>

namespace weft {

/// The one of this process; `mutex` guards all of it.
struct Remembered {
  std::mutex mutex;
  Wisdom own;
  struct Copy {
    std::filesystem::file_time_type time;
    std::uintmax_t bytes = 0;
    Wisdom wisdom;
    std::vector<std::string> notes;
  };
  std::map<std::string, Copy> files;

  static Remembered& the_one();

  /// A file as it was read last; it is read again when it has changed. What is wrong with it is in
  /// the notes.
  const Copy& file(const std::string& name);
};

}  // namespace weft
