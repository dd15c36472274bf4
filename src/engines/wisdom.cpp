#include "wisdom.hpp"

#include <algorithm>
#include <sstream>

namespace weft {
namespace {

// "LENGTH", and what `to_string` has behind it.
bool read_extent(std::string text, LineSpec& spec) {
  std::replace(text.begin(), text.end(), ':', ' ');
  std::istringstream numbers(text);
  if (!(numbers >> spec.length)) return false;
  Index first = 0;
  if (!(numbers >> first)) return true;
  spec.in_stride = first;
  if (!(numbers >> spec.in_distance >> spec.out_distance >> spec.out_stride)) return false;
  if (!(numbers >> first)) return true;
  spec.hole_first = first;
  return static_cast<bool>(numbers >> spec.hole_last);
}

}  // namespace

std::string WisdomRow::text() const {
  return to_string(spec) + ' ' + effort + ' ' + manner + ' ' + std::to_string(details.size()) + '\n' + details + '\n';
}

std::string wisdom_header(std::string_view engine) { return "weft " + std::string(engine) + " wisdom 1\n"; }

std::vector<WisdomRow> wisdom_rows(std::string_view engine, const std::string& wisdom) {
  const std::string header = wisdom_header(engine);
  const auto check = [&](bool good) {
    if (good) return;
    throw Error("this is not wisdom of engine " + std::string(engine) + ": it must begin with \"" +
                header.substr(0, header.size() - 1) + "\" and be whole");
  };
  check(wisdom.starts_with(header));
  std::istringstream text(wisdom.substr(header.size()));
  std::vector<WisdomRow> rows;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind, direction, precision, extent;
    std::size_t bytes = 0;
    WisdomRow row;
    check(static_cast<bool>(words >> kind >> direction >> precision >> extent >> row.effort >> row.manner >> bytes));
    row.spec = {kind_from_string(kind), direction_from_string(direction), precision_from_string(precision)};
    check(read_extent(extent, row.spec) && bytes < wisdom.size());
    row.details.resize(bytes);
    check(text.read(row.details.data(), static_cast<std::streamsize>(bytes)) && text.get() == '\n');
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace weft
