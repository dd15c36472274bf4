// What the program is doing now: one line that is overwritten on a terminal, and in a log a line
// for every new phase.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "launch.hpp"

class Progress {
 public:
  explicit Progress(bool speaks) : speaks_(speaks), watched_(watched()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void phase(const std::string& what) {
    phase_ = what;
    if (speaks_ && !watched_) fmt::print(stderr, "{}\n", what);
    detail("");
  }
  /// Shown only to those who watch.
  void detail(const std::string& what) const {
    if (!speaks_ || !watched_) return;
    fmt::print(stderr, "\r\033[K{} {}", phase_, what);
    std::fflush(stderr);
  }
  /// Makes room for other output.
  void clear() const {
    if (!speaks_ || !watched_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }

 private:
  bool speaks_, watched_;
  std::string phase_;
};
