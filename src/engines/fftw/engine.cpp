// The engine "fftw": FFTW 3, single and double. Lengths with a large prime factor are also tried as
// convolutions (convolved.hpp) over FFTW's transforms of smooth lengths, which are much faster for
// prime lengths with a smooth predecessor.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "engines/engines.hpp"
#include "engines/wisdom.hpp"
#include "lines.hpp"
#include "search.hpp"

namespace weft {
namespace {

using namespace fftw;

constexpr std::string_view engine_name = "fftw";
constexpr std::string_view unfinished = "/unfinished";  // behind the manner, in wisdom
// In wisdom from when this engine had weft's own kernels, too.
constexpr std::string_view not_ours = "lanes";

class FftwEngine final : public Engine {
 public:
  FftwEngine() { planner(); }  // which outlives the lines that the engine holds
  std::string_view name() const override { return engine_name; }
  std::string_view summary() const override { return "FFTW 3; GPL"; }

  bool knows(const LineSpec& spec, const std::string& effort) const override {
    const std::lock_guard lock(planning_);
    return choices_.contains({spec, effort});
  }

  std::string export_wisdom() const override {
    const std::lock_guard lock(planning_);
    std::string text = wisdom_header(engine_name);
    for (const auto& [key, choice] : choices_) text += row(key, choice).text();
    return text;
  }
  std::string export_wisdom(const std::vector<LineSpec>& specs, std::string_view effort) const override {
    const std::lock_guard lock(planning_);
    std::string text = wisdom_header(engine_name);
    std::set<LineSpec> planned;
    for (const LineSpec& spec : specs) planned.insert(spec.both_parts ? spec.one_part() : spec);
    for (const LineSpec& spec : planned)
      if (const auto known = choices_.find({spec, std::string(effort)}); known != choices_.end())
        text += row(known->first, known->second).text();
    return text;
  }

  // Entries that this FFTW or processor refuses (another version or another processor wrote them),
  // or this engine, are left out.
  void import_wisdom(const std::string& wisdom) const override {
    if (wisdom.empty()) return;
    auto imported = parse(wisdom);
    const std::lock_guard lock(planning_);
    Planner<float> single;
    Planner<double> twice;
    for (auto& [key, choice] : imported) {
      if (const auto known = choices_.find(key); known != choices_.end() && known->second == choice) continue;
      if (!choice.wisdom.empty() &&
          !(key.first.precision == Precision::single_ ? single.know(choice.wisdom) : twice.know(choice.wisdom)))
        continue;
      forget(key);
      choices_[key] = std::move(choice);
    }
  }

 private:
  using Choices = std::map<Key, Choice>;

  // FFTW 3.3.10's single-precision codelets for columns store whole registers of two lines, and
  // fault where those are not aligned.
  std::string limits(const LineSpec& spec) const override {
    const bool odd =
        spec.precision == Precision::single_ && spec.in_stride > 1 && spec.out_stride == 1 && spec.out_step() % 2 != 0;
    return odd ? "strided lines in single precision must be written an even number of elements apart" : "";
  }

  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string& effort) const override {
    return make_all({spec}, effort).front();
  }
  std::vector<std::shared_ptr<const Lines>> make_all(const std::vector<LineSpec>& specs,
                                                     const std::string& effort) const override {
    using Clock = std::chrono::steady_clock;
    Planner<float> single;
    Planner<double> twice;
    const auto limited = [&](const LineSpec& spec) {
      return effort == "measure" && spec.length > long_line && !choices_.contains({spec, effort});
    };
    auto searches = std::count_if(specs.begin(), specs.end(), limited);
    const auto start = Clock::now();
    std::vector<std::shared_ptr<const Lines>> lines;
    for (const LineSpec& spec : specs) {
      double limit = std::numeric_limits<double>::infinity();
      if (limited(spec)) {
        const std::chrono::duration<double> elapsed = Clock::now() - start;
        limit = std::max(0.0, search_seconds - elapsed.count()) / static_cast<double>(searches--);
      }
      lines.push_back(spec.precision == Precision::single_ ? make(single, spec, effort, limit)
                                                           : make(twice, spec, effort, limit));
    }
    return lines;
  }

  template <class Real>
  std::shared_ptr<const Lines> make(Planner<Real>& planner, const LineSpec& spec, const std::string& effort,
                                    double limit) const {
    if (effort == "estimate") {
      Choice choice{manners_of(spec).front(), ""};
      return plan_lines<Real>(planner, spec, effort, choice, false);
    }
    const auto known = choices_.find({spec, effort});
    auto choice = known == choices_.end()
                      ? search<Real>(planner, spec, effort, manners_to_search(spec, effort), inner_[effort], limit)
                      : known->second;
    choices_[{spec, effort}] = choice;
    return plan_lines<Real>(planner, spec, effort, choice, false);
  }

  // Long lines go back in the manner in which they came.
  std::vector<Manner> manners_to_search(const LineSpec& spec, const std::string& effort) const {
    std::vector<Manner> manners = candidates(spec);
    if (spec.kind != Kind::c2c || spec.length <= long_line) return manners;
    const auto known = choices_.find({spec.opposite(), effort});
    if (known != choices_.end() && std::find(manners.begin(), manners.end(), known->second.manner) != manners.end())
      return {known->second.manner};
    return manners;
  }

  static WisdomRow row(const Key& key, const Choice& choice) {
    std::string manner(manner_names[static_cast<std::size_t>(choice.manner)]);
    if (choice.unfinished) manner += unfinished;
    return {key.first, key.second, manner, choice.wisdom};
  }
  static Choices parse(const std::string& wisdom) {
    Choices choices;
    for (WisdomRow& row : wisdom_rows(engine_name, wisdom)) {
      if (row.manner.starts_with(not_ours)) continue;
      const bool cut_short = row.manner.ends_with(unfinished);
      if (cut_short) row.manner.resize(row.manner.size() - unfinished.size());
      const auto found = std::find(manner_names.begin(), manner_names.end(), row.manner);
      const auto chosen = static_cast<Manner>(found - manner_names.begin());
      const auto allowed = manners_of(row.spec);
      if (found == manner_names.end() || std::find(allowed.begin(), allowed.end(), chosen) == allowed.end())
        throw Error("this is not wisdom of engine fftw: " + to_string(row.spec) + " cannot be done in manner \"" +
                    row.manner + "\"");
      choices[{row.spec, row.effort}] = {chosen, row.details, cut_short};
    }
    return choices;
  }

  // of every line planned with more effort than "estimate", guarded by `planning_`
  mutable Choices choices_;
  // likewise, by effort: of transforms inside convolutions
  mutable std::map<std::string, std::map<LineSpec, Choice>> inner_;
};

}  // namespace

std::unique_ptr<const Engine> fftw_engine() { return std::make_unique<FftwEngine>(); }

}  // namespace weft
