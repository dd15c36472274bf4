// What a race says: the ratios that matter, a table, and JSON.
#pragma once

#include <map>

#include <nlohmann/json.hpp>

#include "race.hpp"

/// Bounds on the quantities of a summary.
struct Targets {
  std::map<std::string, double> at_most, at_least;
};

class Report {
 public:
  Report(const World& world, const Case& what, std::vector<Result> results, const Nearness& nearness,
         const Targets& targets);

  /// False when a result is wrong.
  bool right() const;
  std::string text() const;
  nlohmann::ordered_json json() const;

 private:
  /// A ratio of two rows' medians, under the name that targets use.
  struct Ratio {
    std::string name, meaning;
    double value = 0;
    std::string of, over;
  };
  struct Verdict {
    std::string name;
    bool at_most = true;
    double bound = 0;
    const Ratio* ratio = nullptr;
    bool met() const { return ratio && (at_most ? ratio->value <= bound : ratio->value >= bound); }
  };
  using Groups = std::vector<std::string>;
  const Result* best(bool peer, const Groups& groups) const;
  void compare(const std::string& name, const std::string& meaning, const Result* of, const Result* over,
               double factor = 1);
  double speedup_per_rank(const Result& result) const;
  bool mixed() const { return near_.turns_apart > 0 && !near_.left_out; }
  bool is_void() const { return serial_variation_ > 0.15 || mixed() || near_.moved; }

  World world_;
  Case what_;
  std::vector<Result> results_;
  Nearness near_;
  std::vector<Ratio> ratios_;
  std::vector<Verdict> verdicts_;
  double serial_variation_ = 0;
};

std::string machine();
