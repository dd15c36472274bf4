// Measurements over numbers of ranks, from a file that people and spreadsheets write.
#pragma once

#include <string>
#include <vector>

#include <weft/fit.hpp>

/// A column of a table.
struct Column {
  std::string name;
  std::vector<weft::Sample> samples;
};

/// Reads comma-separated values: a header with "ranks" and other names, then numbers; # begins a
/// comment. `wanted` names the column; empty: there must be only one. Throws Usage, naming file and
/// line, for anything else.
Column read_column(const std::string& path, const std::string& wanted);

/// Times as speed-ups over that on one rank. Throws Usage where there is none.
Column speedups(const Column& times);
