// What the command line says about a transform: the problem, and how it is to be solved.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/plan.hpp>

#include "command.hpp"

namespace CLI {
class Validator;
}

/// Who shares memory with whom, where the command line says so.
struct NodesAsked {
  std::string of;
  int each = 0;

  /// Declares --nodes and --ranks-per-node.
  void add(CLI::App& app);
  /// As the options of a plan have them; empty where nothing is asked. Throws Usage for what is no
  /// number.
  std::vector<int> numbers_of(int ranks) const;
};

/// Of weft::nodes, how many there are.
int node_count(const std::vector<int>& nodes);
/// "4 ranks on 2 nodes", "1 rank".
std::string ranks_on_nodes(int ranks, int nodes);

class Request {
 public:
  /// Declares --kind, --shape, ...
  void add_problem(CLI::App& app);
  /// Declares every option of weft's table by its name, with - for _, but for some; and --layout,
  /// --ranks-per-node and short forms.
  void add_options(CLI::App& app, const std::set<std::string_view>& without = {});
  /// Sets an option by its name. Throws Usage for what is not allowed.
  void give(const std::string& option, const std::string& value);

  /// Throw Usage for what cannot be.
  weft::AnyProblem problem() const;
  weft::Options options(int ranks) const;

  std::string kind = "c2c", shape = "128x128x128", axes, precision = "double";
  std::string layout = "slab", strategy = "auto";
  NodesAsked nodes;
  double radius = 0;           ///< of a sphere of plane waves; 0: none
  std::string metric, kpoint;  ///< of the sphere
  bool boxcut = false;         ///< or of a box of half the grid
  std::string kept;            ///< or of this box
  std::string kept_from;       ///< and where it begins
  bool plane_waves() const { return radius > 0 || boxcut || !kept.empty(); }

 private:
  weft::Cutoff cutoff() const;
  std::map<std::string, std::string, std::less<>> given_;  ///< options and their values
};

/// What an option's number must be; CLI::Range lets what is no number pass.
CLI::Validator number_between(double least, double most);

/// Sets an option that the command line has as `flag`. Throws Usage for what is not allowed.
void set_option(weft::Options& options, const std::string& flag, std::string_view option, const std::string& value);

/// As the command line has the name of an option: with - for _.
std::string dashed(std::string_view name);

/// The words between separators.
std::vector<std::string> split(const std::string& text, char separator);

/// What the file holds. Throws Usage for what cannot be read, and for what is no regular file: a
/// pipe might never end.
std::string text_of_file(const std::string& path);

/// Throws Usage when the word that an option was given is none.
weft::Index whole_number(const std::string& option, const std::string& word);

/// Collective: nobody likes to hear at the end of a long run that its results have no place.
void check_writable(const World& world, const std::string& path);

/// Room for a thread's spans: every step of many strategies.
inline constexpr weft::Index trace_spans = 1 << 18;
inline constexpr const char* trace_help =
    "write what every rank did when to this file, for https://ui.perfetto.dev and weft report";

/// Planning fails alike on all ranks, and because of what was asked for.
template <class Work>
auto planning(Work work) {
  try {
    return work();
  } catch (const weft::Error& e) {
    throw Usage(e.what());
  }
}

/// Schedules of both directions, where they differ.
std::string schedule_text(const weft::Options& options);
