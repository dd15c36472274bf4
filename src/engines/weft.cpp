// The engine "weft", the default: for each line weft's own kernels (lanes.hpp), where the processor
// has them and they are faster, or else the lines of another engine, which is this one's alone.
// Planning measures both; effort "estimate" guesses.
//
// Wisdom is that of the other engine, with rows for the lines that go to weft's kernels. What the
// other engine found for those stays behind. An engine that keeps no wisdom has rows all the same:
// ranks must agree on who does a line.
#include <set>
#include <utility>

#include "engines.hpp"
#include "lanes.hpp"
#include "timing.hpp"
#include "wisdom.hpp"

namespace weft {
namespace {

// Whether a row of wisdom is of lines that go to weft's kernels, of this set or another one.
bool is_of_lanes(const WisdomRow& row) { return row.manner.starts_with("lanes"); }

// Kernels for AVX-512 are taken where they are hardly slower in cache: they ask memory for the
// lines behind, and read and write where others copy. Other sets have to be as fast (memory policy,
// K1).
double advantage() { return kernel_set() == "avx512" ? 0.9 : 1; }

// Complex lines beyond this many points go back by the same engine as they came: planning them
// takes long.
constexpr Index long_line = 4096;

// What effort "estimate" takes without measuring. FFTW has code of its own for whole lines of up to
// 16 points and of 20, and plans them at once.
bool is_guessed_own(const LineSpec& spec) {
  return kernel_set() == "avx512" && spec.length > 16 && spec.length != 20 && fits_lanes(spec);
}

class WeftEngine final : public Engine {
 public:
  explicit WeftEngine(std::unique_ptr<const Engine> other)
      : other_(std::move(other)),
        summary_("weft's own kernels (AVX-512, AVX2, NEON) where they are faster on this processor, else " +
                 std::string(other_->summary())),
        remembers_(!other_->export_wisdom().empty()) {}
  std::string_view name() const override { return "weft"; }
  std::string_view summary() const override { return summary_; }

  bool knows(const LineSpec& spec, const std::string& effort) const override {
    const std::lock_guard lock(planning_);
    return own_.contains({spec, effort});
  }
  void let_go() const override {
    Engine::let_go();
    other_->let_go();
  }

  std::string export_wisdom() const override {
    const std::lock_guard lock(planning_);
    std::string text = wisdom_header(other_->name());
    if (remembers_)
      for (const WisdomRow& row : wisdom_rows(other_->name(), other_->export_wisdom()))
        if (!is_own({row.spec, row.effort})) text += row.text();
    for (const auto& [key, own] : own_) text += row_of(key);
    return text;
  }
  std::string export_wisdom(const std::vector<LineSpec>& specs, std::string_view effort) const override {
    const std::lock_guard lock(planning_);
    std::set<Key> keys;
    for (const LineSpec& spec : specs) keys.insert({spec.both_parts ? spec.one_part() : spec, std::string(effort)});
    std::vector<LineSpec> others;
    for (const Key& key : keys)
      if (!is_own(key)) others.push_back(key.first);
    std::string text = remembers_ ? other_->export_wisdom(others, effort) : wisdom_header(other_->name());
    for (const Key& key : keys)
      if (own_.contains(key)) text += row_of(key);
    return text;
  }

  void import_wisdom(const std::string& wisdom) const override {
    if (wisdom.empty()) return;
    const std::vector<WisdomRow> rows = wisdom_rows(other_->name(), wisdom);
    const std::lock_guard lock(planning_);
    std::string others = wisdom_header(other_->name());
    for (const WisdomRow& row : rows)
      if (!is_of_lanes(row)) others += row.text();
    if (remembers_) other_->import_wisdom(others);
    for (const WisdomRow& row : rows) {
      const bool own = is_of_lanes(row);
      // what the processor or the other engine refuses is left out
      if (own ? row.manner != lanes_manner() || !fits_lanes(row.spec) : !other_->knows(row.spec, row.effort)) continue;
      const Key key{row.spec, row.effort};
      const auto known = own_.find(key);
      if (!own || known == own_.end() || !known->second) forget(key);
      own_[key] = own;
    }
  }

 private:
  std::string limits(const LineSpec& spec) const override { return other_->declines(spec); }

  std::shared_ptr<const Lines> make(const LineSpec& spec, const std::string& effort) const override {
    return make_all({spec}, effort).front();
  }
  std::vector<std::shared_ptr<const Lines>> make_all(const std::vector<LineSpec>& specs,
                                                     const std::string& effort) const override {
    kernel_set();  // its error is one with every effort
    if (effort != "estimate") choose(specs, effort);
    std::vector<LineSpec> others;
    for (const LineSpec& spec : specs)
      if (!is_own({spec, effort})) others.push_back(spec);
    const auto planned = other_->plan_all(others, effort);
    std::vector<std::shared_ptr<const Lines>> lines;
    std::size_t next = 0;
    for (const LineSpec& spec : specs) lines.push_back(is_own({spec, effort}) ? in_lanes(spec) : planned[next++]);
    return lines;
  }

  // Decides who does each of these lines. Nothing that the other engine plans on the way stays
  // alive: its lines may share tables with those alive, and so bits (`may_be_held`).
  void choose(const std::vector<LineSpec>& specs, const std::string& effort) const {
    std::set<LineSpec> measured;
    std::vector<LineSpec> follow;
    for (const LineSpec& spec : specs) {
      if (own_.contains({spec, effort})) continue;
      const bool pairs = spec.kind == Kind::c2c && spec.length > long_line;
      if (!fits_lanes(spec))
        own_[{spec, effort}] = false;
      else if (pairs && (own_.contains({spec.opposite(), effort}) || measured.contains(spec.opposite())))
        follow.push_back(spec);
      else
        measured.insert(spec);
    }
    for (const auto& lines : other_->plan_all({measured.begin(), measured.end()}, effort))
      own_[{lines->spec(), effort}] =
          seconds_in_cache(*own_lines(lines->spec())) * advantage() < seconds_in_cache(*lines);
    for (const LineSpec& spec : follow) own_[{spec, effort}] = own_.at({spec.opposite(), effort});
  }
  static std::shared_ptr<const Lines> own_lines(const LineSpec& spec) {
    auto lines = in_lanes(spec);
    lines->prepare();
    return lines;
  }

  bool is_own(const Key& key) const {
    if (key.second == "estimate") return is_guessed_own(key.first);
    const auto known = own_.find(key);
    return known != own_.end() && known->second;
  }
  // In wisdom: what the other engine's wisdom does not say.
  std::string row_of(const Key& key) const {
    if (is_own(key)) return WisdomRow{key.first, key.second, std::string(lanes_manner()), ""}.text();
    if (remembers_) return "";
    return WisdomRow{key.first, key.second, std::string(other_->name()), ""}.text();
  }

  std::unique_ptr<const Engine> other_;
  std::string summary_;
  bool remembers_;  // whether the other engine has wisdom
  // Whether kernels do the line: of every line planned with more effort than "estimate", guarded by
  // `planning_`.
  mutable std::map<Key, bool> own_;
};

}  // namespace

std::unique_ptr<const Engine> weft_engine(std::unique_ptr<const Engine> other) {
  return std::make_unique<WeftEngine>(std::move(other));
}

}  // namespace weft
