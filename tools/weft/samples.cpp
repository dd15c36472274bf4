#include "samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <weft/quote.hpp>

#include "command.hpp"
#include "request.hpp"

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells = split(line, ',');
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

double number_of(const std::string& word, const std::string& where) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != 0 || !std::isfinite(value))
    throw Usage(fmt::format("{}: '{}' is no number", where, weft::shown(word)));
  return value;
}

}  // namespace

Column read_column(const std::string& path, const std::string& wanted) {
  std::istringstream file(text_of_file(path));
  std::vector<std::string> names;
  std::size_t ranks = 0, at = 0;
  Column column;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}, line {}", weft::shown_path(path), number);
    const std::vector<std::string> cells = cells_of(line);
    if (names.empty()) {
      names = cells;
      const auto place = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      };
      ranks = place("ranks");
      const std::string header = weft::shown(line, 200);
      if (ranks == names.size())
        throw Usage(fmt::format("{}: the header is {}; one column must be called ranks", where, header));
      if (names.size() < 2) throw Usage(fmt::format("{}: the header is {}; give a column beside ranks", where, header));
      if (wanted.empty() && names.size() > 2)
        throw Usage(fmt::format("{}: the header is {}; name one with --column", where, header));
      at = wanted.empty() ? 1 - ranks : place(wanted);
      if (at == names.size() || at == ranks)
        throw Usage(fmt::format("{}: there is no column {} beside ranks in {}", where, weft::shown(wanted), header));
      column.name = names[at];
      continue;
    }
    if (cells.size() != names.size())
      throw Usage(fmt::format("{}: {} values, and the header has {} names", where, cells.size(), names.size()));
    column.samples.push_back({number_of(cells[ranks], where), number_of(cells[at], where)});
  }
  if (names.empty())
    throw Usage(weft::shown_path(path) + " is empty: the first line names the columns, as in ranks,seconds");
  return column;
}

Column speedups(const Column& times) {
  double alone = 0, runs = 0;  // the mean, where there are several on 1 rank
  for (const weft::Sample& s : times.samples)
    if (s.ranks == 1) alone += s.value, ++runs;
  if (runs > 0) alone /= runs;
  if (!(alone > 0))
    throw Usage(fmt::format("\"{}\" has no time on 1 rank to compare with; give one, or a column called speedup",
                            weft::shown(times.name)));
  Column column{"speedup", {}};
  for (const weft::Sample& s : times.samples) column.samples.push_back({s.ranks, alone / s.value});
  return column;
}
