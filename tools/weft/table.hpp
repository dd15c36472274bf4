// Tables of text: aligned columns for people, Markdown for documents.
#pragma once

#include <string>
#include <vector>

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  /// May be shorter than the header: then its last cell runs on over the rest of the line.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// The first column to the left, the others to the right (`text`: all to the left).
  std::string plain(bool text = false) const;
  std::string markdown() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};
