// Profiles of machines as text that people can write.
#include <cmath>
#include <cstdlib>

#include <weft/forecast.hpp>
#include <weft/quote.hpp>

#include "tune/json.hpp"

namespace weft {
namespace {

/// What is written beside the constants.
struct RateTable {
  const char* name;
  std::vector<Rate> MachineProfile::*rates;
};
constexpr RateTable tables[] = {{"messages", &MachineProfile::messages},
                                {"node_messages", &MachineProfile::node_messages},
                                {"copies", &MachineProfile::copies},
                                {"lines", &MachineProfile::lines},
                                {"real_lines", &MachineProfile::real_lines}};
struct RatioTable {
  const char* name;
  std::vector<Ratio> MachineProfile::*ratios;
};
constexpr RatioTable ratio_tables[] = {{"work", &MachineProfile::work}, {"real_work", &MachineProfile::real_work}};
struct Word {
  const char* name;
  std::string MachineProfile::*text;
};
constexpr Word words[] = {{"host", &MachineProfile::host},
                          {"processor", &MachineProfile::processor},
                          {"mpi", &MachineProfile::mpi},
                          {"date", &MachineProfile::date}};

double positive(const Json& value, const std::string& what, const std::string& where) {
  const double number = value.number(-1);
  if (!(number > 0) || !std::isfinite(number))
    throw Error(where + ": " + what + " is " + shown(value.dump(), 60) + "; give a number above 0");
  return number;
}

}  // namespace

std::string text_of(const MachineProfile& profile) {
  Json all{Json::Members()};
  for (const MachineRow& row : machine_rows()) all.set(std::string(row.name), profile.machine.*row.value);
  for (const RateTable& table : tables) {
    Json::List list;
    for (const Rate& rate : profile.*table.rates) list.push_back(Json::List{rate.at, rate.per_second});
    if (!list.empty()) all.set(table.name, std::move(list));
  }
  const auto pairs = [](const std::vector<Ratio>& ratios) {
    Json::List list;
    for (const Ratio& ratio : ratios) list.push_back(Json::List{ratio.at, ratio.ratio});
    return list;
  };
  Json::List times;
  for (const Time& time : profile.node_processor) times.push_back(Json::List{time.at, time.seconds});
  if (!times.empty()) all.set("node_processor", std::move(times));
  for (const RatioTable& table : ratio_tables)
    if (!(profile.*table.ratios).empty()) all.set(table.name, pairs(profile.*table.ratios));
  Json exchanges{Json::Members()};
  for (const auto& [name, ratios] : profile.exchanges) {
    std::map<int, std::vector<Ratio>> by_ranks;
    for (const ExchangeRatio& ratio : ratios)
      by_ranks[static_cast<int>(ratio.ranks)].push_back({ratio.at, ratio.ratio});
    Json one{Json::Members()};
    for (const auto& [ranks, list] : by_ranks) one.set(std::to_string(ranks), pairs(list));
    exchanges.set(name, std::move(one));
  }
  if (!profile.exchanges.empty()) all.set("exchanges", std::move(exchanges));
  all.set("correction", profile.correction);
  all.set("relative_error", profile.relative_error);
  all.set("ranks", profile.ranks);
  all.set("nodes", profile.nodes);
  for (const Word& word : words)
    if (!(profile.*word.text).empty()) all.set(word.name, profile.*word.text);
  return all.dump() + "\n";
}

MachineProfile profile_of(const std::string& text, const std::string& where) {
  Json all;
  try {
    all = Json::parse(text);
  } catch (const Error& e) {
    throw Error(where + " is no JSON: " + e.what());
  }
  std::string known;
  const auto name = [&](std::string_view one) { known += (known.empty() ? "" : ", ") + std::string(one); };
  for (const MachineRow& row : machine_rows()) name(row.name);
  for (const RateTable& table : tables) name(table.name);
  for (const RatioTable& table : ratio_tables) name(table.name);
  for (const char* other : {"node_processor", "exchanges", "correction", "relative_error", "ranks", "nodes"})
    name(other);
  for (const Word& word : words) name(word.name);
  if (!all.is_object() || all.members().empty())
    throw Error(where + " is no profile of a machine: give a JSON object with at least one of " + known);
  MachineProfile profile;
  const auto pairs = [&]<class Sized>(std::vector<Sized> list, const Json& value, const std::string& what,
                                      const std::string& of) {
    for (const Json& pair : value.list()) {
      if (pair.list().size() != 2)
        throw Error(where + ": " + what + " has " + shown(pair.dump()) + "; give pairs [size, " + of + "]");
      list.push_back({positive(pair.list()[0], "a size of " + what, where),
                      positive(pair.list()[1], "a " + of + " of " + what, where)});
      if (list.size() > 1 && !(list.back().at > list[list.size() - 2].at))
        throw Error(where + ": the sizes of " + what + " do not ascend");
    }
    if (list.empty())
      throw Error(where + ": " + what + " is " + shown(value.dump()) + "; give a list of pairs [size, " + of + "]");
    return list;
  };
  const auto exchanges = [&](const Json& value) {
    std::map<std::string, std::vector<ExchangeRatio>> by_name;
    for (const auto& [named, by_ranks] : value.members()) {
      try {
        strategy(named);
      } catch (const Error& e) {
        throw Error(where + ": exchanges: " + e.what());
      }
      for (const auto& [ranks, list] : by_ranks.members()) {
        const double members = positive(Json(std::atof(ranks.c_str())), "a number of ranks of " + named, where);
        for (const Ratio& r : pairs(std::vector<Ratio>(), list, named + " on " + ranks + " ranks", "ratio"))
          by_name[named].push_back({members, r.at, r.ratio});
      }
    }
    if (by_name.empty())
      throw Error(where + ": exchanges is " + shown(value.dump()) +
                  "; give an object of strategies, of an object of numbers of ranks, of pairs [size, ratio]");
    return by_name;
  };
  const auto count = [&](const Json& value, const std::string& what) {
    const double number = value.number(-1);
    if (!(number >= 0 && number <= 1e9) || number != std::floor(number))
      throw Error(where + ": " + what + " is " + shown(value.dump()) +
                  "; give a whole number, 0 for a machine that was not measured");
    return static_cast<int>(number);
  };
  for (const auto& [key, value] : all.members()) {
    bool found = false;
    for (const MachineRow& row : machine_rows())
      if (row.name == key) profile.machine.*row.value = positive(value, key, where), found = true;
    for (const RateTable& table : tables)
      if (table.name == key) profile.*table.rates = pairs(std::vector<Rate>(), value, key, "rate"), found = true;
    for (const Word& word : words)
      if (word.name == key) profile.*word.text = value.text(), found = true;
    for (const RatioTable& table : ratio_tables)
      if (table.name == key) profile.*table.ratios = pairs(std::vector<Ratio>(), value, key, "ratio"), found = true;
    if (key == "node_processor")
      profile.node_processor = pairs(std::vector<Time>(), value, key, "number of seconds"), found = true;
    if (key == "exchanges") profile.exchanges = exchanges(value), found = true;
    if (key == "correction") profile.correction = positive(value, key, where), found = true;
    if (key == "relative_error") profile.relative_error = positive(value, key, where), found = true;
    if (key == "ranks") profile.ranks = count(value, key), found = true;
    if (key == "nodes") profile.nodes = count(value, key), found = true;
    if (!found) throw Error(where + " has \"" + shown(key) + "\", which no profile has; there are " + known);
  }
  return profile;
}

}  // namespace weft
