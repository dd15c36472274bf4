// The one list of strategies. A strategy is a file here that defines
// `std::unique_ptr<weft::Strategy> weft::NAME()`, and its line below: lists, tuner, tests, tables
// and every language then have it.
#include <memory>

#include <weft/exchange.hpp>
#include <weft/quote.hpp>

// One a line.
// clang-format off
#define WEFT_STRATEGIES(strategy) \
  strategy(alltoall)              \
  strategy(alltoallv)             \
  strategy(padded)                \
  strategy(bruck)                 \
  strategy(sendrecv)              \
  strategy(sendrecv_replace)      \
  strategy(isend)                 \
  strategy(unpacked)              \
  strategy(ialltoall)             \
  strategy(persistent)            \
  strategy(neighbor)              \
  strategy(put)                   \
  strategy(datatype)              \
  strategy(direct)                \
  strategy(deposit)               \
  strategy(node)                  \
  strategy(leader)                \
  strategy(hierarchical)
// clang-format on

namespace weft {

#define DECLARE(name) std::unique_ptr<Strategy> name();
WEFT_STRATEGIES(DECLARE)

namespace {

struct List {
  std::vector<std::unique_ptr<Strategy>> owned;
  std::vector<const Strategy*> all;

  List() {
#define APPEND(name) append(name());
    WEFT_STRATEGIES(APPEND)
  }
  void append(std::unique_ptr<Strategy> strategy) {
    all.push_back(strategy.get());
    owned.push_back(std::move(strategy));
  }
  static List& the_one() {
    static List list;
    return list;
  }
};

const Strategy* find(std::string_view name) {
  for (const Strategy* known : strategies())
    if (known->name() == name) return known;
  return nullptr;
}

}  // namespace

const std::vector<const Strategy*>& strategies() { return List::the_one().all; }

const Strategy& strategy(std::string_view name) {
  if (const Strategy* const known = find(name)) return *known;
  std::string names;
  for (const Strategy* known : strategies()) names += (names.empty() ? "" : ", ") + std::string(known->name());
  throw Error("there is no strategy '" + shown(name) + "'; there are " + names);
}

void add(std::unique_ptr<Strategy> strategy) {
  if (!strategy) throw Error("a null pointer was given where a strategy is to be added");
  const std::string name(strategy->name());
  // Options and command lines separate names by commas and have words of their own.
  if (name.empty() || name.find_first_of(", \t\n") != std::string::npos || name == "auto" || name == "tune" ||
      name == "all")
    throw Error("a strategy cannot be named '" + shown(name) +
                "'; give a word without blanks and commas other than auto, tune and all");
  if (find(name)) throw Error("there is a strategy '" + shown(name) + "' already; give another name");
  List::the_one().append(std::move(strategy));
}

}  // namespace weft
