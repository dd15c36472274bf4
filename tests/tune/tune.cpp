#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

#include <weft/weft.hpp>

#include "plan/route/problem.hpp"
#include "support/changing.hpp"
#include "support/environment.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"
#include "support/plans.hpp"
#include "tune/choice.hpp"
#include "tune/json.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

const mpi::Communicator& everyone() {
  // Lives until MPI ends
  static const mpi::Communicator* const all = new mpi::Communicator(mpi::Communicator::duplicate(world));
  return *all;
}

void same_everywhere(const std::string& text) {
  for (const std::string& other : everyone().gather_all(text)) EXPECT_EQ(other, text);
}

// A file for wisdom, the same on all ranks, that is not there yet.
std::string new_file() {
  static int count = 0;
  std::string name = "/tmp/weft_wisdom_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".json";
  everyone().bcast(name);
  return name;
}

struct File {
  const std::string name = new_file();
  Environment variable{"WEFT_WISDOM", name};
  ~File() {
    everyone().barrier();
    if (rank_of_world() == 0)
      for (const char* ending : {"", ".lock", ".next", ".broken"}) std::remove((name + ending).c_str());
  }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(name).rdbuf();
    return all.str();
  }
  void write(const std::string& text) const {
    everyone().barrier();
    if (rank_of_world() == 0) std::ofstream(name) << text;
    everyone().barrier();
  }
};

const AnyProblem problem = c2c<double>({12, 8, 6});
const Options quick{.strategy = "tune", .tune_seconds = 0.3, .effort = "estimate"};

// The cheapest of all by what it says; it declines unless asked for.
class Wrong : public Strategy {
 public:
  enum class How {
    lost,   ///< one element of what arrives is lost
    late,   ///< all is right, but it takes time
    stale,  ///< gives what the last round brought
    hasty   ///< writes without waiting for readers, and rank 0 reads late
  };
  static inline bool takes_part = false;
  static inline How how = How::lost;
  static void join(How asked) {
    static const bool added = (weft::add(std::make_unique<Wrong>()), true);
    takes_part = added, how = asked;
  }
  std::string_view name() const override { return "wrong"; }
  std::string_view summary() const override { return "for tests"; }
  std::string declines(const Demand&) const override { return takes_part ? "" : "it is wrong"; }
  Cost cost(const Demand&) const override { return {}; }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<Crooked>(demand, strategy(how == How::hasty ? "direct" : "isend").bind(demand, group));
  }

 private:
  class Crooked : public Exchange {
   public:
    Crooked(const Demand& demand, std::unique_ptr<Exchange> inner)
        : inner_(std::move(inner)),
          slots_(demand.slots),
          bytes_(demand.element_bytes),
          last_(static_cast<std::size_t>(inner_->tiles())) {
      for (int t = 0; t < inner_->tiles(); ++t) tiles_.push_back(inner_->tile(t));
    }
    void open(int t) override {
      if (how != How::hasty) inner_->open(t);
    }
    void start(int t) override { inner_->start(t); }
    bool test() override { return inner_->test(); }
    void finish(int t) override {
      inner_->finish(t);
      if (how == How::late || (how == How::hasty && rank_of_world() == 0)) usleep(2000);
      if (how == How::stale) exchange_with_last(t);
      if (how != How::lost || tiles_[0].in.empty()) return;
      const View& at = tiles_[0].in.back().at;
      std::fill_n((*slots_)[static_cast<std::size_t>(at.slot)] + at.offset * bytes_, bytes_, std::byte{0});
    }
    void close(int t) override { inner_->close(t); }

   private:
    void exchange_with_last(int t) {
      std::vector<std::byte> here;
      auto& last = last_[static_cast<std::size_t>(t)];
      for (const Piece& piece : tile(t).in)
        oracle::each_point(piece.at.box, [&](const Shape& p) {
          std::byte* const at = (*slots_)[static_cast<std::size_t>(piece.at.slot)] + piece.at.at(p) * bytes_;
          const std::size_t place = here.size();
          here.insert(here.end(), at, at + bytes_);
          if (!last.empty()) std::copy_n(last.begin() + static_cast<std::ptrdiff_t>(place), bytes_, at);
        });
      last = here;
    }

    std::unique_ptr<Exchange> inner_;
    Slots* slots_;
    Index bytes_;
    std::vector<std::vector<std::byte>> last_;
  };
};

TEST(Tune, AllRanksDecideAlikeAndInTime) {
  for (const AnyProblem& p :
       {problem, AnyProblem(r2c<float>({7, 9, 10})), AnyProblem(r2r<double>({6, 7}, {Kind::dct2})),
        AnyProblem(sphere<double>({12, 12, 12}, Cutoff{.squared = 9}))}) {
    Options options{.effort = "estimate", .batch = p.waves ? 3 : 1};
    const double begin = clock_seconds();
    const Tuning found = tune(world, p, options, {.seconds = 0.4});
    EXPECT_LT(clock_seconds() - begin, 5);
    same_everywhere(found.json);
    same_everywhere(found.choice.strategy + to_string(found.choice.schedule));
    ASSERT_FALSE(found.candidates.empty());
    EXPECT_EQ(found.candidates.front().verdict, "the best");
    EXPECT_GT(found.candidates.front().measured_seconds, 0);
    EXPECT_EQ(AnyPlan(world, p, found.choice).effective().strategy,
              ranks_of_world() > 1 ? found.choice.strategy : "auto");
    for (const Candidate& c : found.candidates)
      EXPECT_EQ(c.verdict.find("wrong"), std::string::npos) << c.name << ": " << c.verdict;
    EXPECT_EQ(Json::parse(found.json)["candidates"].list().size(), found.candidates.size());
  }
}

TEST(Tune, WhatIsFixedStays) {
  Options options{
      .strategy = "isend", .effort = "estimate", .schedule = {"gathered", 2, 2, 0}, .grid = {ranks_of_world()}};
  const Tuning found = tune(world, problem, options, {.seconds = 0.2});
  EXPECT_EQ(found.choice.strategy, "isend");
  EXPECT_EQ(found.choice.schedule, options.schedule);
  EXPECT_EQ(found.candidates.size(), 1u);
}

TEST(Tune, GridsThreadsAndSkew) {
  const Tuning found =
      tune(world, problem, {.effort = "auto", .threads = 0, .grid = {0}}, {.seconds = 0.6, .skew_seconds = 1e-4});
  same_everywhere(found.json);
  EXPECT_GE(found.choice.threads, 1);
  EXPECT_NE(found.choice.effort, "auto");
  bool pencils = false;
  for (const Candidate& c : found.candidates) pencils = pencils || c.options.grid.size() == 2;
  EXPECT_EQ(pencils, ranks_of_world() == 4);
  Plan fft(world, Problem<Complex, Complex>{problem}, found.choice);
  back_to_back(fft, every_three);
}

TEST(Tune, GroupsOfPlaneWavesAndWhatATraceShows) {
  Trace trace(world, 40000);
  const auto ball = sphere<double>({12, 12, 12}, Cutoff{.squared = 9});
  const Options options{.wisdom = false, .effort = "estimate", .batch = 2, .groups = 0};
  const Tuning found = tune(world, ball, options, {.seconds = 0.3, .trace = &trace});
  same_everywhere(found.json);
  int measured = 0, groups = 1;
  for (const Candidate& c : found.candidates)
    measured += c.measurements > 0, groups = std::max(groups, c.options.groups);
  EXPECT_EQ(groups, ranks_of_world());
  Plan chosen(world, ball, found.choice);
  EXPECT_EQ(chosen.effective().groups, found.choice.groups);
  back_to_back(chosen, every_three);
  EXPECT_EQ(AnyPlan(world, ball, options).effective().groups, 1);
  EXPECT_EQ(AnyPlan(world, problem, options).effective().groups, 1);  // there are none to share a batch of these
  const Timeline timeline = trace.timeline();
  if (rank_of_world() > 0) return;
  const auto seen = std::count_if(timeline.spans.begin(), timeline.spans.end(), [](const Span& s) {
    return s.rank == 0 && s.phase == "execution" && s.name == "forward";
  });
  EXPECT_GE(seen + timeline.ranks[0].left_out, measured);
  EXPECT_GT(measured, 0);
}

TEST(Tune, WithoutTimeTheModelChooses) {
  for (const double seconds : {0.0, 1e-9}) {
    const Tuning found = tune(world, problem, {.effort = "estimate"}, {.seconds = seconds});
    EXPECT_EQ(found.choice.strategy,
              AnyPlan(world, problem, {.wisdom = false, .effort = "estimate"}).effective().strategy);
    // One rank has one candidate
    EXPECT_EQ(found.reason.find("no time") != std::string::npos, seconds == 0 || ranks_of_world() > 1) << found.reason;
  }
}

TEST(Tune, TinyBadRequestsFailAlike) {
  const auto tunes = [&](Options options, double seconds) {
    return [=] { static_cast<void>(tune(world, problem, options, {.seconds = seconds})); };
  };
  fails(everyone(), tunes({}, -1), {"seconds", "0 to"});
  fails(everyone(), tunes({}, std::numeric_limits<double>::quiet_NaN()), {"seconds"});
  fails(everyone(), tunes({.strategy = "isent"}, 1), {"isent", "isend"});
  fails(everyone(), tunes({.effort = "some"}, 1), {"some"});
  fails(everyone(), tunes({.threads = -1}, 1), {"threads is -1"});
  fails(everyone(), [] { AnyPlan(world, problem, {.strategy = "tune", .tune_seconds = -2}); }, {"tune_seconds is -2"});
  fails(everyone(), [] { AnyPlan(world, problem, {.strategy = "tune+isend"}); }, {"strategy is \"tune+isend\""});
  if (ranks_of_world() == 1) return;
  const bool last = rank_of_world() == ranks_of_world() - 1;
  fails(everyone(), tunes({}, last ? 1 : 2), {"ranks disagree", "seconds"});
  fails(everyone(), tunes({.strategy = last ? "auto" : "tune"}, 1), {"ranks disagree", "strategy"});
  fails(everyone(), [&] { AnyPlan(world, problem, {.threads = last ? 0 : 1}); }, {"ranks disagree", "threads"});
}

TEST(Tune, WhatIsWrongNeverWins) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  Wrong::join(Wrong::How::lost);
  const Tuning found = tune(world, problem, {.effort = "estimate"}, {.seconds = 0.3});
  // The model believes what it is told
  EXPECT_EQ(AnyPlan(world, problem, {.wisdom = false, .effort = "estimate"}).effective().strategy, "wrong");
  Wrong::takes_part = false;
  EXPECT_NE(found.choice.strategy, "wrong");
  const auto wrong = std::find_if(found.candidates.begin(), found.candidates.end(),
                                  [](const Candidate& c) { return c.options.strategy == "wrong"; });
  ASSERT_NE(wrong, found.candidates.end());
  EXPECT_NE(wrong->verdict.find("gives wrong results"), std::string::npos) << wrong->verdict;
  EXPECT_EQ(wrong->measurements, 0);
}

// Right as long as all executions have the same data, or pause between.
TEST(Tune, WhatHandsOverOtherDataNeverWins) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const AnyProblem ball = sphere<double>({12, 12, 12}, Cutoff{.squared = 9});
  for (const Wrong::How how : {Wrong::How::stale, Wrong::How::hasty})
    for (const AnyProblem& p : {problem, AnyProblem(r2c<float>({8, 9, 10})), ball}) {
      Wrong::join(how);
      const Tuning found = tune(world, p, {.effort = "estimate"}, {.seconds = 0.3});
      Wrong::takes_part = false;
      EXPECT_NE(found.choice.strategy, "wrong");
      int refused = 0;
      for (const Candidate& c : found.candidates) {
        if (c.options.strategy != "wrong" || c.verdict.find("gives wrong results") == std::string::npos) continue;
        ++refused;
        if (!p.waves) {  // which are proved by two forwards that differ
          EXPECT_NE(c.verdict.find("one execution gets what belongs to another"), std::string::npos) << c.verdict;
        }
        EXPECT_EQ(c.measurements, 0);
      }
      EXPECT_GT(refused, 0) << found.text;
    }
}

TEST(Tune, WhatIsSlowDoesNotWin) {
  if (ranks_of_world() == 1 || crowded()) GTEST_SKIP() << "for ranks that exchange something, and do so in time";
  Wrong::join(Wrong::How::late);
  const Tuning found = tune(world, problem, {.effort = "estimate"}, {.seconds = 1});
  Wrong::takes_part = false;
  EXPECT_NE(found.choice.strategy, "wrong") << found.text;
  EXPECT_EQ(found.reason, "the fastest of those measured");
}

std::string with_right_hash(Json entry) {
  Json::Members rest;
  for (const auto& member : entry.members())
    if (member.first != "hash") rest.push_back(member);
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : Json(rest).dump()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(h));
  entry.set("hash", digits);
  return Json(Json::Members{{"weft_wisdom", 1}, {"entries", Json::List{entry}}}).dump();
}

TEST(Wisdom, RememberedAndUsedAtOnce) {
  const File file;
  const AnyPlan tuned(world, problem, quick);
  EXPECT_EQ(tuned.requested().strategy, "tune");
  Options later = quick;
  later.strategy = "auto";
  forget_wisdom();
  const auto seconds = [](const Options& options) {
    const double begin = clock_seconds();
    const AnyPlan planned(world, problem, options);
    return clock_seconds() - begin;
  };
  const AnyPlan plan(world, problem, later);
  EXPECT_EQ(plan.effective().strategy, tuned.effective().strategy);
  EXPECT_EQ(plan.effective().schedule, tuned.effective().schedule);
  Options named = tuned.effective();
  const AnyPlan known(world, problem, named);
  if (!crowded()) {
    double least = 1;  // of several: others may want the cores meanwhile
    for (int turn = 0; turn < 3; ++turn) {
      forget_wisdom();
      least = std::min(least, seconds(later) - seconds(named));
    }
    EXPECT_LT(least, 0.05) << "looking wisdom up takes too long";
  }
  const Json told = Json::parse(plan.explain(true));
  EXPECT_NE(told["reason"].text().find(file.name), std::string::npos) << told["reason"].text();
  EXPECT_FALSE(told["candidates"].list().empty());
  EXPECT_NE(plan.explain().find("measured ms"), std::string::npos);
  EXPECT_NE(plan.describe().find("chosen by wisdom of"), std::string::npos) << plan.describe();
  EXPECT_NE(tuned.describe().find("chosen by tuning"), std::string::npos) << tuned.describe();
  EXPECT_EQ(tuned.describe().find("as requested"), std::string::npos) << tuned.describe();
  EXPECT_EQ(known.describe().find("(as requested)") != std::string::npos, ranks_of_world() > 1) << known.describe();
  same_everywhere(told["reason"].text());

  if (ranks_of_world() > 1) {  // the machine that was measured is known to who has not tuned
    const Layout from = Layout::slab(problem.shape, 0, ranks_of_world()),
                 to = Layout::slab(problem.shape, 1, ranks_of_world());
    const std::string right = file.text();
    Json entry = Json::parse(right)["entries"].list().front(), slower = entry["machine"];
    for (const char* pace : {"bytes_per_second", "copied_per_second"}) {
      EXPECT_GT(slower[pace].number(), 0) << slower.dump();
      slower.set(pace, 1e6);  // as nobody guesses
    }
    entry.set("machine", slower);
    file.write(with_right_hash(entry));
    forget_wisdom();
    const std::string informed = Redistribution(world, from, to, 16).describe();
    EXPECT_NE(informed.find("cheapest by cost"), std::string::npos) << informed;
    EXPECT_NE(informed, Redistribution(world, from, to, 16, {.wisdom = false}).describe());
    file.write(right);
    forget_wisdom();
    same_everywhere(informed.substr(0, informed.find("\n  rank ")));
  }

  later.wisdom = false;
  EXPECT_EQ(Json::parse(AnyPlan(world, problem, later).explain(true))["reason"].text().find("wisdom"),
            std::string::npos);
  later.wisdom = true;
  later.batch = 2;  // another problem
  EXPECT_EQ(Json::parse(AnyPlan(world, problem, later).explain(true))["reason"].text().find("wisdom"),
            std::string::npos);
}

// As weft 0.1.0 wrote keys when options had no table.
TEST(Wisdom, OldKeysAreFound) {
  const File file;
  const std::string before =
                        "the shape 12x8x6; the precision double; the kinds of the axes  0:c2c 1:c2c 2:c2c; the "
                        "strategy open; the precision on the wire same; the engine fftw, effort estimate; the schedule "
                        "tiles one of 1, window 1, test 0, communicate caller; ",
                    after =
                        "the groups 1; WEFT_CHECK 0; wisdom and tuning wisdom, 0.000000 s; batch, components, threads ";
  Options other = quick;
  other.batch = 3, other.grid = {0}, other.threads = 0, other.placement = "in_place";
  for (const auto& [options, key] :
       {std::pair(quick, before + after + "1, 1, 1; the options scale none"),
        std::pair(other, before + "the process grid 0; " + after + "3, 1, 0; the options in place, scale none")}) {
    if (rank_of_world() == 0) std::remove(file.name.c_str());
    forget_wisdom();
    const AnyPlan tuned(world, problem, options);
    everyone().barrier();
    Json entry = Json::parse(file.text())["entries"].list().front(), old = entry["key"];
    EXPECT_NE(old["problem"].text(), key);
    old.set("problem", key);
    entry.set("key", old);
    file.write(with_right_hash(entry));
    forget_wisdom();
    Options later = options;
    later.strategy = "auto";
    const AnyPlan plan(world, problem, later);
    EXPECT_NE(plan.explain().find("wisdom of"), std::string::npos) << plan.explain();
    EXPECT_EQ(plan.effective().strategy, tuned.effective().strategy);
    later.threads = 2;
    EXPECT_EQ(AnyPlan(world, problem, later).explain().find("wisdom of"), std::string::npos);
  }
}

TEST(Wisdom, ExportedAndImported) {
  const Environment none("WEFT_WISDOM", "none");
  forget_wisdom();
  const AnyPlan tuned(world, problem, quick);
  const std::string text = export_wisdom();
  forget_wisdom();
  const auto reason = [] {
    Options later = quick;
    later.strategy = "auto";
    return Json::parse(AnyPlan(world, problem, later).explain(true))["reason"].text();
  };
  EXPECT_EQ(reason().find("wisdom"), std::string::npos);
  if (rank_of_world() == 0) import_wisdom(text);  // rank 0's is everyone's
  EXPECT_NE(reason().find("this process"), std::string::npos);
  forget_wisdom();
  EXPECT_THROW(import_wisdom("{}"), Error);
  EXPECT_THROW(import_wisdom("{\"weft_wisdom\": 99}"), Error);
}

TEST(Wisdom, WhatCannotBeUsedIsSaidAndNotUsed) {
  const File file;
  const AnyPlan tuned(world, problem, quick);
  everyone().barrier();
  const std::string right = file.text();
  const auto plan_with = [&](const std::string& text) {
    file.write(text);
    forget_wisdom();
    Options later = quick;
    later.strategy = "auto";
    const AnyPlan plan(world, problem, later);
    const std::string told = plan.explain(true);
    same_everywhere(Json::parse(told)["reason"].text() + Json::parse(told)["notes"].dump());
    return told;
  };
  EXPECT_NE(plan_with(right).find("wisdom of"), std::string::npos);
  Json entry = Json::parse(right)["entries"].list().front();
  const auto choice = [&](const char* name, const Json& value) {
    Json changed = entry, inner = entry["choice"];
    inner.set(name, value);
    changed.set("choice", inner);
    return changed;
  };
  EXPECT_NE(plan_with(with_right_hash(entry)).find("wisdom of"), std::string::npos);
  // changed by hand
  Json forged = choice("threads", 1);
  forged.set("date", "2000-01-01T00:00:00Z");
  EXPECT_NE(plan_with(Json(Json::Members{{"weft_wisdom", 1}, {"entries", Json::List{forged}}}).dump())
                .find("1 entry is skipped"),
            std::string::npos);
  // a strategy that is gone, schedules and words that mean nothing
  for (const auto& wrong :
       {choice("strategy", "teleport"), choice("strategy", 3), choice("strategy", "tune"), choice("schedule", Json()),
        choice("schedule",
               Json::Members{{"tiles", "some"}, {"tile", 1}, {"window", 1}, {"test", 0}, {"communicate", "caller"}}),
        choice("schedule",
               Json::Members{{"tiles", "one"}, {"tile", 1e300}, {"window", 1}, {"test", 0}, {"communicate", "caller"}}),
        choice("schedule",
               Json::Members{{"tiles", "one"}, {"tile", -1}, {"window", 1}, {"test", 0}, {"communicate", "caller"}}),
        choice("schedule",
               Json::Members{
                   {"tiles", "one"}, {"tile", std::nan("")}, {"window", 1}, {"test", 0}, {"communicate", "caller"}}),
        choice("strategy", std::string(1 << 20, 'x')), choice("strategy", "\x1b[31misend")})
    EXPECT_NE(plan_with(with_right_hash(wrong)).find("so the model chooses"), std::string::npos);
  // what people are shown is short, and no terminal obeys it
  const std::string told = AnyPlan(world, problem,
                                   [] {
                                     Options later = quick;
                                     later.strategy = "auto";
                                     return later;
                                   }())
                               .explain();
  EXPECT_EQ(told.find('\x1b'), std::string::npos);
  const Wisdom long_name = Wisdom::parse(with_right_hash(choice("name", std::string(1 << 20, 'x'))));
  EXPECT_LT(long_name.entries().front().choice.size() + long_name.entries().front().text.size(), 20000u);
  // threads, groups and a grid that no machine has
  Options open = quick;
  open.threads = open.groups = 0;
  open.grid = {0};
  for (const auto& wrong : {choice("threads", 1e9), choice("threads", -1), choice("threads", 0), choice("groups", 1e11),
                            choice("grid", Json::List{1e11}), choice("grid", Json::List{-1})})
    EXPECT_THROW(check_problem(problem, with_choice(open, wrong["choice"])), Error) << wrong["choice"].dump();
  Json engine = entry;
  engine.set("engine_wisdom", "nonsense");
  EXPECT_NE(plan_with(with_right_hash(engine)).find("the engine's wisdom is not used"), std::string::npos);
  for (const char* text :
       {"garbage", "", "[]", "{\"weft_wisdom\": 7}", "{\"weft_wisdom\": 1, \"entries\": [3, {}, null]}"})
    EXPECT_NE(plan_with(text).find("wisdom"), std::string::npos) << text;
  // cut short anywhere: no wisdom, and no harm
  for (std::size_t end = 0; end + 1 < right.find_last_of('}'); end += 1 + right.size() / 200)
    EXPECT_THROW(Wisdom::parse(right.substr(0, end)), Error) << end;
}

TEST(Wisdom, FileThatCannotBeWritten) {
  const Environment variable("WEFT_WISDOM", "/proc/nowhere/wisdom.json");
  const AnyPlan tuned(world, problem, quick);
  EXPECT_NE(tuned.explain().find("/proc/nowhere/wisdom.json"), std::string::npos) << tuned.explain();
  EXPECT_NE(tuned.explain().find("in this process alone"), std::string::npos);
}

TEST(Explain, TinyTellsOfAllStrategies) {
  const AnyPlan plan(world, problem, {.wisdom = false, .effort = "estimate"});
  const Json told = Json::parse(plan.explain(true));
  EXPECT_EQ(told["problem"]["ranks"].number(), ranks_of_world());
  EXPECT_GE(told["imbalance"].number(), 1);
  if (ranks_of_world() == 1) return;
  EXPECT_EQ(told["candidates"].list().size(), plan.considered().at(0).size());
  EXPECT_EQ(plan.considered().at(0).size(), strategies().size());
  EXPECT_EQ(told["candidates"].list().front()["strategy"].text(), plan.effective().strategy);
  const AnyPlan named(world, problem, {.strategy = "isend", .effort = "estimate"});
  EXPECT_EQ(Json::parse(named.explain(true))["reason"].text(), "as requested");
}

TEST(Json, TinyReadsWhatItWrites) {
  const Json value = Json::Members{{"a", Json::List{1, -2.5e-7, true, Json(), "tab\tquote\"back\\slash\nline\x01"}},
                                   {"empty", Json::Members{}},
                                   {"long", std::string(200, 'x')}};
  EXPECT_EQ(Json::parse(value.dump()).dump(), value.dump());
  EXPECT_EQ(Json::parse("[\"\\u00e9\\u20ac\"]").list().front().text(), "\u00e9\u20ac");
  for (const char* wrong :
       {"", "{", "[1,", "{\"a\"}", "\"\\", "\"\\u12", "nul", "1 2", "{\"a\":1,}", "[1e999]", "\"open"})
    EXPECT_THROW(Json::parse(wrong), Error) << wrong;
  EXPECT_THROW(Json::parse(std::string(100, '[')), Error);
}

}  // namespace
}  // namespace weft
