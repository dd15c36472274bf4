#include "tune/key.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "plan/route/problem.hpp"
#include "tune/choice.hpp"
#include "tune/old_key.hpp"

namespace weft {
namespace {

// "Model X x 16": the processor and how many of them.
std::string this_machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string name = "a processor";
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      name = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  return name + " x " + std::to_string(std::thread::hardware_concurrency());
}

}  // namespace

// FNV-1a
std::string hash_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(h));
  return digits;
}

std::string hash_without_hash(const Json& entry) {
  Json::Members rest;
  for (const auto& member : entry.members())
    if (member.first != "hash") rest.push_back(member);
  return hash_of(Json(rest).dump());
}

Json::Members place_of(const std::vector<int>& node_of) {
  std::map<int, int> sizes;
  for (const int node : node_of) ++sizes[node];
  std::string nodes;
  for (const auto& [node, size] : sizes) nodes += (nodes.empty() ? "" : "+") + std::to_string(size);
  static const std::string machine_name = this_machine();
  return {{"ranks", node_of.size()}, {"nodes", nodes}, {"mpi", mpi::library()}, {"machine", machine_name}};
}

// Options are named only where they differ from their defaults, so that a new option leaves keys as
// they are; but for the engine, whose default depends on the build, and whose names have changed.
std::string problem_key(const AnyProblem& problem, Options options) {
  const Options initial;
  if (strategy_open(options)) options.strategy = initial.strategy;
  options.tune_seconds = initial.tune_seconds, options.wisdom = initial.wisdom;
  options.nodes.clear();  // the place says how many ranks each has
  std::string text;
  for (const auto& [what, value] : fingerprint(problem))
    if (value != "none") text += (text.empty() ? "" : "; ") + what + " " + value;
  for (const Option& row : weft::options())
    if (row.name == "engine")
      text += "; engine " + engine_in_keys(options.engine);
    else if (const std::string value = row.text(options); value != row.text(initial))
      text += "; " + std::string(row.name) + " " + value;
  return text;
}

std::string lists_key(const mpi::Communicator& comm, const AnyProblem& problem) {
  std::string text;
  if (!problem.waves || problem.waves->cutoff || problem.waves->box) return text;
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const GVector& g : problem.waves->mine)
    for (const Index x : g) h = (h ^ static_cast<std::uint64_t>(x)) * 0x100000001b3u;
  for (const Index each : comm.gather_all(static_cast<Index>(h))) text += " " + hash_of(std::to_string(each));
  return text;
}

Json key_of(const std::string& problem, Json::Members place) {
  place.emplace(place.begin(), "problem", problem);
  return place;
}

bool same_place(const Json& a, const Json& b) {
  for (const char* what : {"ranks", "nodes", "mpi", "machine"})
    if (a[what].dump() != b[what].dump()) return false;
  return true;
}

}  // namespace weft
