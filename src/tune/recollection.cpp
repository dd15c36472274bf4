#include "tune/recollection.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>

#include <weft/quote.hpp>

#include "engines/engine.hpp"
#include "plan/route/problem.hpp"
#include "tune/key.hpp"
#include "tune/old_key.hpp"
#include "tune/remembered.hpp"

namespace weft {
namespace {

constexpr std::size_t losers = 16;  // that are remembered

/// Under which a machine's profile is kept, in the place of a problem.
constexpr const char* profile_key = "none: the machine";

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The machine as it was measured last at this place, by entries of one file.
void latest_machine(const std::map<std::string, std::string>& entries, const Json& place, std::string& last,
                    Json& machine) {
  for (const auto& [id, text] : entries) {
    const Json entry = Json::parse(text);
    if (same_place(entry["key"], place) && entry["date"].text() > last)
      last = entry["date"].text(), machine = entry["machine"];
  }
}

// What is not known is as a first guess has it.
Machine machine_of(const Json& known) {
  Machine m;
  for (const MachineRow& row : machine_rows())
    if (const double value = known[row.name].number(); value > 0) m.*row.value = value;
  return m;
}

}  // namespace

Machine Recollection::machine_at(const mpi::Communicator& comm, const std::vector<int>& nodes) {
  const std::vector<int> node_of = comm.nodes(nodes);
  std::string known;
  if (comm.rank() == 0) {
    const Json place = place_of(node_of);
    Remembered& memory = Remembered::the_one();
    const std::lock_guard lock(memory.mutex);
    Json machine;
    std::string last;
    latest_machine(memory.own.entries_, place, last, machine);
    for (const std::string& file : wisdom_files())
      if (!file.empty()) latest_machine(memory.file(file).wisdom.entries_, place, last, machine);
    if (!machine.is_null()) known = machine.dump();
  }
  comm.bcast(known);
  return known.empty() ? Machine() : machine_of(Json::parse(known));
}

Recollection::Recollection(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options,
                           const std::vector<int>& nodes)
    : comm_(comm), engine_(options.engine) {
  if (!options.wisdom) return;
  const std::string lists = lists_key(comm, problem);
  std::string known;
  if (comm.rank() == 0) {
    const Json::Members place = place_of(nodes);
    key_ = key_of(problem_key(problem, options) + lists, place);
    const Json old_key = key_of(old_problem_key(problem, options) + lists, place);
    const std::array<std::string, 2> ids{hash_of(key_.dump()), hash_of(old_key.dump())};
    const std::string profile_id = hash_of(key_of(profile_key, place).dump());
    Remembered& memory = Remembered::the_one();
    const std::lock_guard lock(memory.mutex);
    Json all{Json::Members()};
    Json::List notes;
    Json machine, profile;
    std::string last;
    const auto look = [&](const Wisdom& wisdom, const std::string& where) {
      if (const auto at = wisdom.entries_.find(profile_id); at != wisdom.entries_.end() && profile.is_null())
        profile = Json::parse(at->second)["profile"];
      for (const std::string& id : ids)
        if (const auto at = wisdom.entries_.find(id); at != wisdom.entries_.end() && all["found"].is_null()) {
          Json found = Json::parse(at->second);
          found.set("where", shown_path(where));
          all.set("found", std::move(found));
        }
      if (all["found"].is_null()) latest_machine(wisdom.entries_, key_, last, machine);  // a choice needs no guess
    };
    look(memory.own, "this process");
    for (const std::string& file : wisdom_files())
      if (!file.empty() && all["found"].is_null()) {
        const auto& copy = memory.file(file);
        for (const std::string& note : copy.notes) notes.emplace_back(note);
        look(copy.wisdom, file);
      }
    if (!machine.is_null()) all.set("machine", std::move(machine));
    if (all["found"].is_null() && !profile.is_null()) all.set("profile", std::move(profile));  // a choice needs none
    if (!notes.empty()) all.set("notes", std::move(notes));
    if (!all.members().empty()) known = all.dump();
  }
  comm.bcast(known);
  if (known.empty()) return;
  const Json all = Json::parse(known);
  found_ = all["found"];
  machine_ = all["machine"];
  profile_ = all["profile"];
  for (const Json& note : all["notes"].list()) notes_.push_back(note.text());
  if (found_["engine_wisdom"].text().empty()) return;
  try {
    comm.agree([&] {  // the others plan from rank 0's
      if (comm.rank() == 0) engine(engine_).import_wisdom(found_["engine_wisdom"].text());
    });
  } catch (const Error& e) {
    notes_.push_back(std::string("the engine's wisdom is not used: ") + e.what());
  }
}

Machine Recollection::machine() const { return machine_of(machine_); }

std::optional<MachineProfile> Recollection::profile() const {
  if (profile_.is_null()) return std::nullopt;
  try {
    return profile_of(profile_.dump(), "wisdom");
  } catch (const Error&) {  // of another version of weft
    return std::nullopt;
  }
}

std::string Recollection::kept(Json entry) {
  entry.set("date", now());
  entry.set("version", WEFT_VERSION);
  entry.set("hash", hash_without_hash(entry));
  Wisdom wisdom;
  wisdom.entries_[hash_of(entry["key"].dump())] = entry.dump();
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  memory.own.merge(wisdom);
  const std::vector<std::string> files = wisdom_files();
  if (files.empty() || files.front().empty()) return "kept in this process alone: WEFT_WISDOM names no file to write";
  std::vector<std::string> notes;
  try {
    Wisdom::update(
        files.front(), [&](Wisdom& known) { known.merge(wisdom); }, &notes);
    notes.push_back("kept in " + shown_path(files.front()));
  } catch (const Error& e) {
    notes.push_back(std::string(e.what()) + "; what was found is kept in this process alone");
  }
  std::string said;
  for (const std::string& note : notes) said += (said.empty() ? "" : "\n") + note;
  return said;
}

std::string Recollection::keep(const Tuning& tuning) {
  std::string said;
  if (comm_.rank() == 0) {
    Json all = Json::parse(tuning.json), entry = Json::Members{{"key", key_}};
    for (const char* name : {"problem", "choice", "reason", "seconds", "machine"}) entry.set(name, all[name]);
    Json::List candidates = all["candidates"].list();
    candidates.resize(std::min(candidates.size(), losers));
    entry.set("candidates", std::move(candidates));
    entry.set("engine_wisdom", engine(engine_).export_wisdom());
    said = kept(std::move(entry));
  }
  comm_.bcast(said);
  return said;
}

std::string Recollection::keep(const mpi::Communicator& comm, const std::vector<int>& nodes,
                               const MachineProfile& profile) {
  const std::vector<int> node_of = comm.nodes(nodes);
  std::string said;
  if (comm.rank() == 0) {
    const Json::Members place = place_of(node_of);
    Json machine{Json::Members()};
    for (const MachineRow& row : machine_rows()) machine.set(std::string(row.name), profile.machine.*row.value);
    Json entry = Json::Members{{"key", key_of(profile_key, place)}};
    entry.set("problem", Json::Members{{"summary", "the machine"}, {"ranks", comm.size()}});
    entry.set("choice", Json::Members{{"name", "its profile, for forecasts"}});
    entry.set("reason", "measured");
    entry.set("machine", std::move(machine));
    entry.set("profile", Json::parse(text_of(profile)));
    said = kept(std::move(entry));
  }
  comm.bcast(said);
  return said;
}

std::string remember(MPI_Comm user, const AnyProblem& problem, const Options& options, const Tuning& found) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] {
    check_alike(comm, problem, options);
    Options kept = options;
    kept.wisdom = true;  // of which keys say nothing
    return Recollection(comm, problem, kept, comm.nodes(options.nodes)).keep(found);
  });
}

std::string remember(MPI_Comm user, const MachineProfile& profile, const std::vector<int>& nodes) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] { return Recollection::keep(comm, nodes, profile); });
}

}  // namespace weft
