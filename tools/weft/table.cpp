#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

std::string Table::plain(bool text) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      if (row.size() == widths.size() || c + 1 < row.size()) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool last = c + 1 == row.size(), left = text || c == 0 || row.size() < widths.size();
      if (left)
        out += last ? row[c] : fmt::format("{:<{}}  ", row[c], widths[c]);
      else
        out += fmt::format("{:>{}}{}", row[c], widths[c], last ? "" : "  ");
    }
    out += '\n';
  }
  return out;
}

std::string Table::markdown() const {
  std::string out;
  for (const auto& row : rows_) {
    out += fmt::format("| {} |\n", fmt::join(row, " | "));
    if (&row == &rows_.front())
      out += fmt::format("|{}\n", fmt::join(std::vector<std::string>(row.size(), "---|"), ""));
  }
  return out;
}
