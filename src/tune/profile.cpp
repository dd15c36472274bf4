// Profiles of machines: measured, with a few plans that tell how far to trust them; and as text
// that people can write.
#include <algorithm>
#include <cmath>
#include <functional>

#include <weft/forecast.hpp>
#include <weft/quote.hpp>

#include "engines/engine.hpp"
#include "mpi/communicator.hpp"
#include "tune/contender.hpp"
#include "tune/json.hpp"
#include "tune/rates.hpp"
#include "tune/sample.hpp"

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
                                {"lines", &MachineProfile::lines}};
struct Word {
  const char* name;
  std::string MachineProfile::*text;
};
constexpr Word words[] = {{"host", &MachineProfile::host},
                          {"processor", &MachineProfile::processor},
                          {"mpi", &MachineProfile::mpi},
                          {"date", &MachineProfile::date}};

/// How plans compare with what the model says of them. Ranks agree, since all of them have the
/// slowest one's times.
void calibrate(const mpi::Communicator& comm, const std::vector<int>& asked, MachineProfile& profile) {
  const std::vector<int> nodes = comm.nodes(asked);
  const auto lines = comm.agree([&] { return engines().front()->keep(); });
  std::vector<double> ratios;  // logarithms of measured over predicted
  for (const Index n : {32, 64, 96})
    for (const char* name : {"direct", "alltoallv", "isend", "node"}) {
      const auto problem = c2c<double>({n, n, n});
      const Options options{.strategy = name, .wisdom = false, .effort = "estimate", .nodes = asked};
      const std::vector<Forecast> said = forecast(problem, options, nodes, profile);
      if (!said.front().declined.empty()) continue;
      try {
        const auto contender = Contender::make(comm, problem, options);
        if (!contender->prove(Tags(problem, options)).empty()) continue;
        const double seconds = comm.max(contender->time(0, n < 64 ? 9 : 5).both);
        ratios.push_back(std::log(seconds / said.front().seconds));
      } catch (const Error&) {  // alike on all ranks: the machine refuses what the strategy needs
      }
      if (comm.size() == 1) break;
    }
  if (ratios.empty()) return;
  const double middle = median(ratios);
  double squares = 0;
  for (const double r : ratios) squares += (r - middle) * (r - middle);
  profile.correction = std::exp(middle);
  // two standard deviations, and never less than what measuring itself leaves open
  const double deviation = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(ratios.size() - 1, 1)));
  profile.relative_error = std::max(0.1, std::exp(2 * deviation) - 1);
}

double positive(const Json& value, const std::string& what, const std::string& where) {
  const double number = value.number(-1);
  if (!(number > 0) || !std::isfinite(number))
    throw Error(where + ": " + what + " is " + shown(value.dump(), 60) + "; give a number above 0");
  return number;
}

}  // namespace

MachineProfile measure_profile(MPI_Comm user, const std::vector<int>& asked) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] {
    MachineProfile profile = measured_rates(comm, asked);
    calibrate(comm, asked, profile);
    return profile;
  });
}

std::string text_of(const MachineProfile& profile) {
  Json all{Json::Members()};
  for (const MachineRow& row : machine_rows()) all.set(std::string(row.name), profile.machine.*row.value);
  for (const RateTable& table : tables) {
    Json::List list;
    for (const Rate& rate : profile.*table.rates) list.push_back(Json::List{rate.at, rate.per_second});
    if (!list.empty()) all.set(table.name, std::move(list));
  }
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
  for (const char* other : {"correction", "relative_error", "ranks", "nodes"}) name(other);
  for (const Word& word : words) name(word.name);
  if (!all.is_object() || all.members().empty())
    throw Error(where + " is no profile of a machine: give a JSON object with at least one of " + known);
  MachineProfile profile;
  const auto rates = [&](const Json& value, const std::string& what) {
    std::vector<Rate> list;
    for (const Json& pair : value.list()) {
      if (pair.list().size() != 2)
        throw Error(where + ": " + what + " has " + shown(pair.dump()) + "; give pairs [size, rate]");
      list.push_back(
          {positive(pair.list()[0], "a size of " + what, where), positive(pair.list()[1], "a rate of " + what, where)});
      if (list.size() > 1 && !(list.back().at > list[list.size() - 2].at))
        throw Error(where + ": the sizes of " + what + " do not ascend");
    }
    if (list.empty())
      throw Error(where + ": " + what + " is " + shown(value.dump()) + "; give a list of pairs [size, rate]");
    return list;
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
      if (table.name == key) profile.*table.rates = rates(value, key), found = true;
    for (const Word& word : words)
      if (word.name == key) profile.*word.text = value.text(), found = true;
    if (key == "correction") profile.correction = positive(value, key, where), found = true;
    if (key == "relative_error") profile.relative_error = positive(value, key, where), found = true;
    if (key == "ranks") profile.ranks = count(value, key), found = true;
    if (key == "nodes") profile.nodes = count(value, key), found = true;
    if (!found) throw Error(where + " has \"" + shown(key) + "\", which no profile has; there are " + known);
  }
  return profile;
}

}  // namespace weft
