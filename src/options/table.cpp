// The one table of options: a row says all that anybody needs to know of an option.
#include <algorithm>
#include <limits>

#include <weft/exchange.hpp>
#include <weft/options.hpp>

#include "engines/engine.hpp"

namespace weft {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double most_int = std::numeric_limits<int>::max(), least_int = std::numeric_limits<int>::min();

/// Words that stand for numbers: of an integer for one.
using Words = std::vector<std::pair<std::string, std::vector<Index>>>;

std::vector<std::string> names_of(const Words& words) {
  std::vector<std::string> names;
  for (const auto& [name, meant] : words) names.push_back(name);
  return names;
}

/// The word that stands for these numbers, null where there is none.
const std::string* word_for(const std::vector<Index>& numbers, const Words& words) {
  for (const auto& [name, meant] : words)
    if (meant == numbers) return &name;
  return nullptr;
}
/// The numbers of an integer, of integers, or of a word.
std::vector<Index> numbers_of(const OptionValue& value, const Words& words) {
  if (const auto* const word = std::get_if<std::string>(&value))
    for (const auto& [name, meant] : words)
      if (name == *word) return meant;
  if (const auto* const whole = std::get_if<Index>(&value)) return {*whole};
  return std::get<std::vector<Index>>(value);
}

/// What all rows of one group share.
struct Rows {
  OptionGroup group;
  std::vector<Option>& rows;

  Option& add(std::string_view name, OptionType type, std::string_view help) {
    return rows.emplace_back(Option{name, type, group, help, {}, {}, {}, {}, {}, 0, 0, {}, {}});
  }

  /// `place(options)` is the member, here and in all below.
  template <class Place>
  Option& text(std::string_view name, std::string_view help, Place place, std::vector<std::string> words) {
    Option& row = add(name, OptionType::text, help);
    row.words = std::move(words);
    row.value = [=](const Options& o) { return OptionValue(place(o)); };
    row.store = [=](Options& o, const OptionValue& value) { place(o) = std::get<std::string>(value); };
    return row;
  }
  template <class Place>
  Option& boolean(std::string_view name, std::string_view help, Place place) {
    Option& row = add(name, OptionType::boolean, help);
    row.value = [=](const Options& o) { return OptionValue(place(o)); };
    row.store = [=](Options& o, const OptionValue& value) { place(o) = std::get<bool>(value); };
    return row;
  }
  template <class Place>
  Option& number(std::string_view name, std::string_view help, Place place, double least, double most) {
    Option& row = add(name, OptionType::number, help);
    row.least = least, row.most = most;
    row.value = [=](const Options& o) { return OptionValue(place(o)); };
    row.store = [=](Options& o, const OptionValue& value) { place(o) = std::get<double>(value); };
    return row;
  }
  template <class Place>
  Option& integer(std::string_view name, std::string_view help, Place place, double least, double most,
                  const Words& words = {}) {
    Option& row = add(name, OptionType::integer, help);
    row.least = least, row.most = most;
    row.words = names_of(words);
    row.value = [=](const Options& o) -> OptionValue {
      const Index number = place(o);
      if (const std::string* const word = word_for({number}, words)) return *word;
      return number;
    };
    row.store = [=](Options& o, const OptionValue& value) {
      auto& member = place(o);
      member = static_cast<std::remove_reference_t<decltype(member)>>(numbers_of(value, words).front());
    };
    return row;
  }
  template <class Place>
  Option& integers(std::string_view name, std::string_view help, Place place, double least, double most,
                   const Words& words) {
    Option& row = add(name, OptionType::integers, help);
    row.least = least, row.most = most;
    row.words = names_of(words);
    row.value = [=](const Options& o) -> OptionValue {
      std::vector<Index> numbers(place(o).begin(), place(o).end());
      if (const std::string* const word = word_for(numbers, words)) return *word;
      return numbers;
    };
    row.store = [=](Options& o, const OptionValue& value) {
      auto& member = place(o);
      std::remove_reference_t<decltype(member)> list;
      for (const Index each : numbers_of(value, words)) list.push_back(static_cast<int>(each));
      member = list;
    };
    return row;
  }
  template <class Place>
  Option& layout(std::string_view name, std::string_view help, Place place) {
    Option& row = add(name, OptionType::layout, help);
    row.words = {"default"};
    row.value = [=](const Options& o) { return OptionValue(place(o) ? place(o)->describe(true) : "default"); };
    row.store = [=](Options& o, const OptionValue&) { place(o).reset(); };
    return row;
  }

  /// A setting of backward's schedule, as forward's where backward has none of its own.
  void as_forward(Option& row) {
    const auto is_forward = [&](const Option& other) { return "backward_" + std::string(other.name) == row.name; };
    const auto forward = std::find_if(rows.begin(), rows.end(), is_forward);
    row.words = forward->words;
    if (row.words.empty() || row.words.front() != "auto") row.words.insert(row.words.begin(), "auto");
    row.value = [of = row.value](const Options& o) { return o.backward_schedule ? of(o) : OptionValue("auto"); };
    row.store = [of = row.store, there = forward->value](Options& o, const OptionValue& value) {
      if (!o.backward_schedule) o.backward_schedule = o.schedule;
      if (value == OptionValue("auto"))
        of(o, there(o));
      else
        of(o, value);
      if (o.backward_schedule == o.schedule) o.backward_schedule.reset();
    };
  }
};

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy* s : strategies()) names.emplace_back(s->name());
  return names;
}
/// "direct+deposit"; any may be left to the model.
bool several_strategies(const std::string& text) {
  const std::vector<std::string> names = strategy_names();
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find('+', begin);
    const std::string one = text.substr(begin, end - begin);
    if (one != "auto" && std::find(names.begin(), names.end(), one) == names.end()) return false;
  }
  return true;
}
bool is_split(const std::string& text) {
  try {
    return static_cast<void>(Split::from(text)), true;
  } catch (const Error&) {
    return false;
  }
}
std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine* e : engines()) names.emplace_back(e->name());
  return names;
}
std::vector<std::string> with_auto(std::vector<std::string> words) {
  words.insert(words.begin(), "auto");
  return words;
}

// ---- the table ----

void add_speed(Rows rows) {
  Option& strategy = rows.text("strategy", "how data travels; auto: as wisdom or the model says; tune: as measured",
                               [](auto& o) -> auto& { return o.strategy; }, {"auto", "tune"});
  strategy.list = "strategies", strategy.names = strategy_names;
  strategy.form = "several with + between them, one an exchange", strategy.takes = several_strategies;
  rows.number(
      "tune_seconds", "how long strategy tune may measure", [](auto& o) -> auto& { return o.tune_seconds; }, 0, 1e6);
  rows.boolean(
      "wisdom", "strategy auto looks wisdom up, and tune keeps what it finds",
      [](auto& o) -> auto& { return o.wisdom; });
  Option& engine = rows.text("engine", "what transforms lines", [](auto& o) -> auto& { return o.engine; }, {});
  engine.list = "engines", engine.names = engine_names;
  rows.text(
      "effort", "the engine's search; auto: as wisdom or tuning says", [](auto& o) -> auto& { return o.effort; },
      with_auto(efforts()));
  rows.text("tiles", "an exchange is one tile, or tiles of the gathered or the kept axis; auto: as strategy auto says",
            [](auto& o) -> auto& { return o.schedule.tiles; }, {"auto", "one", "gathered", "kept"});
  rows.integer(
      "tile", "planes a tile", [](auto& o) -> auto& { return o.schedule.tile; }, 1, no_limit);
  rows.integer(
      "window", "most tiles on their way at once; 0: all", [](auto& o) -> auto& { return o.schedule.window; }, 0,
      no_limit);
  rows.integer(
      "test", "let tiles progress after so many blocks of work; 0: never",
      [](auto& o) -> auto& { return o.schedule.test; }, 0, no_limit);
  rows.text("communicate", "who does exchanges: the caller, or a thread that does nothing else",
            [](auto& o) -> auto& { return o.schedule.communicate; }, {"caller", "thread"});
  const auto backward = [&](auto&& row) { rows.as_forward(row); };
  backward(rows.text("backward_tiles", "the same of backward; auto: as forward",
                     [](auto& o) -> auto& { return o.backward_schedule->tiles; }, {"one", "gathered", "kept"}));
  backward(rows.integer(
      "backward_tile", "of plane waves sticks a tile", [](auto& o) -> auto& { return o.backward_schedule->tile; }, 1,
      no_limit));
  backward(rows.integer(
      "backward_window", "most of backward's tiles on their way at once; 0: all",
      [](auto& o) -> auto& { return o.backward_schedule->window; }, 0, no_limit));
  backward(rows.integer(
      "backward_test", "let backward's tiles progress after so many blocks of work; 0: never",
      [](auto& o) -> auto& { return o.backward_schedule->test; }, 0, no_limit));
  rows.integer("threads", "threads a rank; auto: as wisdom or tuning says", [](auto& o) -> auto& { return o.threads; },
               0, 1024, {{"auto", {0}}});
  rows.integers("nodes", "a number for every rank: those with different ones share no memory; auto: as MPI says",
                [](auto& o) -> auto& { return o.nodes; }, least_int, most_int, {{"auto", {}}});
}

void add_results(Rows rows) {
  rows.text("wire", "single: doubles travel as floats, half the bytes, with an error of up to 6e-8 an exchange",
            [](auto& o) -> auto& { return o.wire; }, {"same", "single"});
  rows.integers("grid", "process grid over the leading axes; auto: as wisdom or tuning says",
                [](auto& o) -> auto& { return o.grid; }, 1, most_int, {{"default", {}}, {"auto", {0}}});
  Option& split = rows.add("split", OptionType::text, "how an axis is cut among ranks");
  split.words = {"even", "blocks"};
  split.form = "blocks of some size as \"blocks:8\", bounds as \"0,3,8\"", split.takes = is_split;
  split.value = [](const Options& o) { return OptionValue(o.split.text()); };
  split.store = [](Options& o, const OptionValue& value) { o.split = Split::from(std::get<std::string>(value)); };
  rows.layout(
      "input", "who owns what before forward; default: as the grid says", [](auto& o) -> auto& { return o.input; });
  rows.layout(
      "output", "who owns what after forward; default: what costs least", [](auto& o) -> auto& { return o.output; });
  rows.boolean(
      "natural_output", "output distributed as the input, not transposed",
      [](auto& o) -> auto& { return o.natural_output; });
  rows.integer(
      "batch", "transforms a call, each array behind the other", [](auto& o) -> auto& { return o.batch; }, 1, no_limit);
  rows.integer("groups", "plane waves: groups of ranks that share the batch; auto: as wisdom or tuning says",
               [](auto& o) -> auto& { return o.groups; }, 0, most_int, {{"auto", {0}}});
  rows.integer(
      "components", "interleaved fields: the fastest axis of every array",
      [](auto& o) -> auto& { return o.components; }, 1, no_limit);
  rows.text("placement", "a transform preserves its input, may overwrite it, or leaves its output in its place",
            [](auto& o) -> auto& { return o.placement; }, {"preserve", "overwrite", "in_place"});
  rows.text("scale", "full: forward divides by the number of points; symmetric: both ways by its root",
            [](auto& o) -> auto& { return o.scale; }, {"none", "full", "symmetric"});
}

}  // namespace

const std::vector<Option>& options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> rows;
    add_speed({OptionGroup::speed, rows});
    add_results({OptionGroup::results, rows});
    return rows;
  }();
  return all;
}

std::vector<std::pair<std::string, std::string>> engine_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Engine* e : engines()) list.emplace_back(e->name(), e->summary());
  return list;
}

}  // namespace weft
