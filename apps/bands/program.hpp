// What the programs over this library have in common: their command line, MPI, files, progress, and
// how they end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "band_structure.hpp"

namespace bands {

struct Asked {
  std::string input, json, cube, xsf, restart;
  int pools = 0;
  long at_once = 0;
  std::vector<std::string> options;  ///< NAME=VALUE of weft's options
  bool quiet = false, forces = false, whole_bands = false;
};

/// What rank 0 prints, and what it writes where files of it were asked for.
struct Result {
  std::string text, json, cube, xsf;
};

class Program {
 public:
  /// One that finds a density has options for its files.
  Program(std::string name, std::string what, bool density)
      : name_(std::move(name)), what_(std::move(what)), density_(density) {}

  /// Starts MPI, reads the input on all ranks, works, prints and writes. Returns the exit code: 0
  /// fine, 1 a failure, 2 the command line is wrong. `work` fails on all ranks or on none.
  int run(int argc, char** argv, const std::function<Result(const Asked&, const Input&, const Settings&)>& work);

 private:
  std::string name_, what_;
  bool density_;
};

}  // namespace bands
