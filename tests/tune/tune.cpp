// The search: all ranks decide alike, and nothing wins that is wrong or slow.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include <weft/weft.hpp>

#include "support/changing.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"
#include "tune/everyone.hpp"
#include "tune/json.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

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
  for (const AnyProblem& p : {small, AnyProblem(r2c<float>({7, 9, 10})), AnyProblem(r2r<double>({6, 7}, {Kind::dct2})),
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
  const Tuning found = tune(world, small, options, {.seconds = 0.2});
  EXPECT_EQ(found.choice.strategy, "isend");
  EXPECT_EQ(found.choice.schedule, options.schedule);
  EXPECT_EQ(found.candidates.size(), 1u);
}

TEST(Tune, GridsThreadsAndSkew) {
  const Tuning found =
      tune(world, small, {.effort = "auto", .threads = 0, .grid = {0}}, {.seconds = 0.6, .skew_seconds = 1e-4});
  same_everywhere(found.json);
  EXPECT_GE(found.choice.threads, 1);
  EXPECT_NE(found.choice.effort, "auto");
  bool pencils = false;
  for (const Candidate& c : found.candidates) pencils = pencils || c.options.grid.size() == 2;
  EXPECT_EQ(pencils, ranks_of_world() == 4);
  Plan fft(world, Problem<Complex, Complex>{small}, found.choice);
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
  EXPECT_EQ(AnyPlan(world, small, options).effective().groups, 1);  // there are none to share a batch of these
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
    const Tuning found = tune(world, small, {.effort = "estimate"}, {.seconds = seconds});
    EXPECT_EQ(found.choice.strategy,
              AnyPlan(world, small, {.wisdom = false, .effort = "estimate"}).effective().strategy);
    // One rank has one candidate
    EXPECT_EQ(found.reason.find("no time") != std::string::npos, seconds == 0 || ranks_of_world() > 1) << found.reason;
  }
}

TEST(Tune, TinyBadRequestsFailAlike) {
  const auto tunes = [&](Options options, double seconds) {
    return [=] { static_cast<void>(tune(world, small, options, {.seconds = seconds})); };
  };
  fails(everyone(), tunes({}, -1), {"seconds", "0 to"});
  fails(everyone(), tunes({}, std::numeric_limits<double>::quiet_NaN()), {"seconds"});
  fails(everyone(), tunes({.strategy = "isent"}, 1), {"isent", "isend"});
  fails(everyone(), tunes({.effort = "some"}, 1), {"some"});
  fails(everyone(), tunes({.threads = -1}, 1), {"threads is -1"});
  fails(everyone(), [] { AnyPlan(world, small, {.strategy = "tune", .tune_seconds = -2}); }, {"tune_seconds is -2"});
  fails(everyone(), [] { AnyPlan(world, small, {.strategy = "tune+isend"}); }, {"strategy is \"tune+isend\""});
  if (ranks_of_world() == 1) return;
  const bool last = rank_of_world() == ranks_of_world() - 1;
  fails(everyone(), tunes({}, last ? 1 : 2), {"ranks disagree", "seconds"});
  fails(everyone(), tunes({.strategy = last ? "auto" : "tune"}, 1), {"ranks disagree", "strategy"});
  fails(everyone(), [&] { AnyPlan(world, small, {.threads = last ? 0 : 1}); }, {"ranks disagree", "threads"});
}

TEST(Tune, WhatIsWrongNeverWins) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  Wrong::join(Wrong::How::lost);
  const Tuning found = tune(world, small, {.effort = "estimate"}, {.seconds = 0.3});
  // The model believes what it is told
  EXPECT_EQ(AnyPlan(world, small, {.wisdom = false, .effort = "estimate"}).effective().strategy, "wrong");
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
    for (const AnyProblem& p : {small, AnyProblem(r2c<float>({8, 9, 10})), ball}) {
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
  // A machine busy with other work may need longer until it has measured others, too.
  for (const double seconds : {1., 4., 16.}) {
    Wrong::join(Wrong::How::late);
    const Tuning found = tune(world, small, {.effort = "estimate"}, {.seconds = seconds});
    Wrong::takes_part = false;
    const auto others = std::count_if(found.candidates.begin(), found.candidates.end(), [](const Candidate& c) {
      return c.options.strategy != "wrong" && c.measurements > 0;
    });
    if (others < 3 && seconds < 16) continue;
    EXPECT_NE(found.choice.strategy, "wrong") << found.text;
    EXPECT_EQ(found.reason, "the fastest of those measured");
    return;
  }
}

TEST(Explain, TinyTellsOfAllStrategies) {
  const AnyPlan plan(world, small, {.wisdom = false, .effort = "estimate"});
  const Json told = Json::parse(plan.explain(true));
  EXPECT_EQ(told["problem"]["ranks"].number(), ranks_of_world());
  EXPECT_GE(told["imbalance"].number(), 1);
  if (ranks_of_world() == 1) return;
  EXPECT_EQ(told["candidates"].list().size(), plan.considered().at(0).size());
  EXPECT_EQ(plan.considered().at(0).size(), strategies().size());
  EXPECT_EQ(told["candidates"].list().front()["strategy"].text(), plan.effective().strategy);
  const AnyPlan named(world, small, {.strategy = "isend", .effort = "estimate"});
  EXPECT_EQ(Json::parse(named.explain(true))["reason"].text(), "as requested");
}

}  // namespace
}  // namespace weft
