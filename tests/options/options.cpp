// The table of options: all that iterates it is tested by iterating it, so that a new row needs no
// new test.
#include <gtest/gtest.h>

#include <set>

#include <weft/weft.hpp>

#include "plan/route/problem.hpp"
#include "support/environment.hpp"
#include "support/fails.hpp"
#include "support/plans.hpp"
#include "tune/json.hpp"

namespace weft {
namespace {

const mpi::Communicator& everyone() {
  static const mpi::Communicator* const all = new mpi::Communicator(mpi::Communicator::duplicate(world));
  return *all;
}

const Shape shape{6, 4, 5};
const Options initial{.effort = "estimate"};

/// A value that is allowed and not the default.
std::string other(const Option& row) {
  std::string usual = row.text(initial);
  if (row.name == "grid") return std::to_string(ranks_of_world());
  if (row.name == "groups") return std::to_string(std::max(2, ranks_of_world()));
  if (row.name == "strategy") return "isend";
  if (row.name == "communicate") return "thread";
  if (row.name == "nodes") {
    std::string each = "0";
    for (int r = 1; r < ranks_of_world(); ++r) each += ",1";
    return each;
  }
  if (row.type == OptionType::boolean) return usual == "true" ? "false" : "true";
  if (row.type == OptionType::integer || row.type == OptionType::number) return usual == "2" ? "3" : "2";
  if (row.name.starts_with("backward_")) usual = option(row.name.substr(9)).text(initial);
  for (const std::string& word : row.known())
    if (word != usual && word != "auto" && word != row.text(Options())) return word;
  return "";
}

/// Options that differ from `initial` in this row; with what else the row needs.
Options with_other(const Option& row) {
  Options options = initial;
  if (row.name == "communicate") options.threads = 2;
  if (row.name == "groups") options.batch = 2;
  if (row.name == "input")
    options.input = Layout::slab(shape, 1, ranks_of_world());
  else if (row.name == "output")
    options.output = Layout::slab(shape, 0, ranks_of_world());
  else
    set(options, row.name, other(row));
  return options;
}

AnyProblem problem_for(const Option& row) {
  if (row.name == "groups") return sphere<double>({8, 8, 8}, Cutoff{.squared = 4});
  return c2c<double>(shape);
}

bool has_two_values(const Option& row) {
  if (row.name == "engine") return engine_list().size() > 1;
  return ranks_of_world() > 1 || (row.name != "groups" && row.name != "nodes");
}

TEST(Options, TinyRowsAreWellFormed) {
  std::set<std::string_view> names;
  for (const Option& row : options()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_FALSE(row.help.empty());
    EXPECT_EQ(row.help.find('\n'), row.help.npos);
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), row.name.npos);
    EXPECT_EQ(&option(row.name), &row);
    EXPECT_NE(row.allowed(), "");
    EXPECT_EQ(row.text(Options()), get({}, row.name));
  }
  EXPECT_EQ(to_string(Options()), "");
  const std::string unknown = message([] { option("pigeon"); });
  EXPECT_EQ(unknown.find("no option 'pigeon'; there are strategy, "), 0u) << unknown;
  for (const std::string_view name : names) EXPECT_NE(unknown.find(name), unknown.npos) << name;
}

TEST(Options, TinyEveryRowIsReadAsItIsTold) {
  for (const Option& row : options()) {
    SCOPED_TRACE(row.name);
    std::vector<std::string> texts = row.known();
    if (row.type == OptionType::layout) {
      Options given = with_other(row);
      EXPECT_NE(get(given, row.name), "default");
      set(given, row.name, "default");
      EXPECT_EQ(to_string(given), to_string(initial));
      continue;
    }
    if (row.type == OptionType::boolean) texts = {"true", "false"};
    if (row.type != OptionType::text) texts.push_back(other(row));
    for (const std::string& text : texts) {
      SCOPED_TRACE(text);
      Options by_text = initial, by_value = initial;
      set(by_text, row.name, text);
      const bool as_by_default = row.name.starts_with("backward_") && text == option(row.name.substr(9)).text(by_text);
      EXPECT_EQ(get(by_text, row.name), as_by_default ? "auto" : text);
      set(by_value, row.name, row.value(by_text));
      EXPECT_EQ(get(by_value, row.name), get(by_text, row.name));
      if (get(by_text, row.name) != row.text(Options())) {
        EXPECT_NE(to_string(by_text).find(std::string(row.name) + " " + text), std::string::npos) << to_string(by_text);
      }
      for (const Option& another : options()) {
        if (&another == &row || (row.name.starts_with("backward_") && another.name.starts_with("backward_"))) continue;
        EXPECT_EQ(another.text(by_text), another.text(initial)) << another.name;
      }
      EXPECT_EQ(message([&] { check_options(by_text); }), "no error");
    }
  }
}

TEST(Options, TinyWhatIsNotAllowedIsSaid) {
  const std::vector<OptionValue> wrong{"pigeon",
                                       "",
                                       "-7.5",
                                       "1e",
                                       "2,",
                                       "99999999999999999999",
                                       Index{-1},
                                       -1.5,
                                       std::vector<Index>{},
                                       "auto+tune+",
                                       std::string(1 << 20, 'x'),
                                       "\x1b[31m"};
  for (const Option& row : options())
    for (const OptionValue& value : wrong) {
      if (row.name == "nodes" && value == OptionValue(Index{-1})) continue;  // any number is a node's
      Options given = initial;
      const std::string said = message([&] { set(given, row.name, value); });
      EXPECT_EQ(said.find(std::string(row.name) + " is "), 0u) << said;
      EXPECT_NE(said.find("; allowed: "), said.npos) << said;
      for (const std::string& word : row.known()) EXPECT_NE(said.find("\"" + word + "\""), said.npos) << said;
      EXPECT_EQ(said.find('\x1b'), said.npos);
      EXPECT_LT(said.size(), 1000u);
      EXPECT_EQ(to_string(given), to_string(initial));
    }
  Options given;
  set(given, "threads", 0);
  EXPECT_EQ(get(given, "threads"), "auto");
  set(given, "grid", "2x3");
  EXPECT_EQ(given.grid, (Few<int>{2, 3}));
  given.threads = -1;
  EXPECT_EQ(message([&] { check_options(given); }), "threads is -1; allowed: \"auto\" or 0 to 1024");
  given = {};
  given.backward_schedule = ScheduleOptions{"kept", 0};
  EXPECT_EQ(message([&] { check_options(given); }).find("backward_tile is 0; allowed: "), 0u);
}

TEST(Options, TinyBackwardsScheduleIsAsForwards) {
  Options given;
  set(given, "tiles", "gathered");
  set(given, "tile", 8);
  EXPECT_FALSE(given.backward_schedule);
  set(given, "backward_tile", 3);
  EXPECT_EQ(given.backward_schedule, (ScheduleOptions{"gathered", 3}));
  set(given, "backward_tiles", "kept");
  EXPECT_EQ(given.backward_schedule, (ScheduleOptions{"kept", 3}));
  set(given, "backward_tile", "auto");
  EXPECT_EQ(given.backward_schedule, (ScheduleOptions{"kept", 8}));
  set(given, "backward_tiles", "auto");
  EXPECT_FALSE(given.backward_schedule);
}

TEST(Options, TinyEveryRowIsComparedAmongRanks) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nobody to disagree with";
  const bool last = rank_of_world() == ranks_of_world() - 1;
  for (const Option& row : options()) {
    if (!has_two_values(row)) continue;
    const Options different = with_other(row);
    Options usual = different;
    row.store(usual, row.value(initial));
    std::string_view first;  // a setting of backward's makes others of it its own, too
    for (const Option& each : options())
      if (first.empty() && each.text(usual) != each.text(different)) first = each.name;
    EXPECT_TRUE(first == row.name || row.name.starts_with("backward_")) << first;
    fails(everyone(), [&] { AnyPlan(world, problem_for(row), last ? different : usual); },
          {"ranks disagree about " + std::string(first) + ": rank 0 has "});
  }
}

TEST(Options, TinyEveryRowIsTold) {
  const Environment none("WEFT_WISDOM", "none");
  for (const Option& row : options()) {
    if (!has_two_values(row)) continue;
    SCOPED_TRACE(row.name);
    const Options asked = with_other(row);
    const AnyPlan plan(world, problem_for(row), asked);
    EXPECT_EQ(get(plan.requested(), row.name), get(asked, row.name));
    const std::string told = plan.describe(), line = told.substr(told.find("\nasked for: "), 1000);
    EXPECT_NE(line.substr(0, line.find('\n', 1)).find(std::string(row.name) + " "), std::string::npos) << told;
  }
}

/// The key under which wisdom keeps what was found for these options.
std::string key(const AnyProblem& problem, const Options& options, const Tuning& found) {
  forget_wisdom();
  remember(world, problem, options, found);
  std::string text = export_wisdom();  // of rank 0
  everyone().bcast(text);
  return Json::parse(text)["entries"].list().at(0)["key"].dump();
}

TEST(Options, TinyEveryRowIsPartOfWisdomsKey) {
  const Environment none("WEFT_WISDOM", "none");
  const std::set<std::string_view> aside{"tune_seconds", "wisdom"};  // how to look is no part of what is asked
  const Tuning found = tune(world, c2c<double>(shape), initial, {.seconds = 0});
  const std::string plain = key(c2c<double>(shape), initial, found);
  EXPECT_NE(plain.find("; engine "), plain.npos) << plain;
  EXPECT_EQ(plain.find("threads"), plain.npos) << "what is as by default is no part of it: " << plain;
  for (const Option& row : options()) {
    if (!has_two_values(row)) continue;
    const Options asked = with_other(row);
    const std::string with = key(problem_for(row), asked, found);
    EXPECT_EQ(with != plain, !aside.contains(row.name)) << row.name << ": " << with;
    if (row.name != "nodes" && row.type != OptionType::layout) {
      const bool named = with.find("; " + std::string(row.name) + " " + get(asked, row.name)) != with.npos;
      EXPECT_EQ(named, !aside.contains(row.name)) << row.name << ": " << with;
    }
  }
  forget_wisdom();
}

}  // namespace
}  // namespace weft
