// What trials find, where executions take what is said here.
#include "plan/policy/selector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft {
namespace {

constexpr Index each = Selector::each;

/// A plan whose executions take `seconds(transform, settings)`, of `transforms` in turn.
struct Pretended {
  Selector trial;
  std::vector<bool> now;
  int executions = 0, changes = 0;

  explicit Pretended(const std::vector<bool>& guesses, int of = 0) : now(guesses.size()) {
    for (std::size_t s = 0; s < guesses.size(); ++s)
      trial.add(
          of, [this, s](bool value) { changes += now[s] != value, now[s] = value; }, guesses[s]);
    changes = 0;
  }
  template <class Seconds>
  void run(Index times, const std::vector<int>& transforms, Seconds seconds) {
    for (Index k = 0; k < times; ++k, ++executions) {
      const int transform = transforms[static_cast<std::size_t>(executions) % transforms.size()];
      trial.took(transform, seconds(transform, now));
    }
  }
};

TEST(Selector, KeepsTheFasterWay) {
  for (const bool guess : {false, true})
    for (const bool faster : {false, true}) {
      Pretended plan({guess, !guess});
      EXPECT_EQ(plan.now, (std::vector<bool>{guess, !guess}));
      plan.run(Selector::calm + 2 * each, {0},
               [&](int, const auto& s) { return (s[0] == faster ? 1 : 1.2) + (s[1] == faster ? 0.5 : 0.6); });
      EXPECT_EQ(plan.now, (std::vector<bool>{faster, faster}));
      plan.changes = 0;
      plan.run(1000, {0}, [](int, const auto&) { return 1.5; });
      EXPECT_EQ(plan.changes, 0) << "settled";
    }
}

TEST(Selector, StaysWhereNothingIsGained) {
  Pretended plan({true, false});
  int k = 0;
  plan.run(Selector::calm + 2 * each, {0, 1},
           [&](int, const auto& s) { return 1 + 0.01 * (s[0] + s[1]) + 0.02 * std::sin(++k); });
  EXPECT_EQ(plan.now, (std::vector<bool>{true, false}));
}

// Callers that do other things between rows of executions find the first ones of each row slow. (Of
// 9 and 10 the two ways still seem 5 % apart.)
TEST(Selector, StaysWhereExecutionsComeInRows) {
  constexpr double first[] = {1.3, 1.2, 1.1, 1.05};
  for (const int row : {2, 3, 4, 5, 6, 7, 8, 12, 16, 24})
    for (const bool guess : {false, true}) {
      Pretended plan({guess, guess, guess});
      int k = 0;
      plan.run(Selector::calm + 3 * each, {0},
               [&](int, const auto&) { return k % row < 4 ? first[k++ % row] : (++k, 1.0); });
      EXPECT_EQ(plan.now, std::vector<bool>(3, guess)) << row;
    }
}

// One direction may pay for what the other gains; a few executions that something disturbs do not
// count.
TEST(Selector, WeighsTransformsAsOftenAsTheyRun) {
  const auto seconds = [](int transform, const auto& s) {
    return transform == 0 ? (s[0] ? 0.9 : 1) : (s[0] ? 1.3 : 1);
  };
  Pretended both({false}), mostly_forward({false});
  both.run(Selector::calm + each, {0, 1}, seconds);
  EXPECT_FALSE(both.now[0]);
  int k = 0;
  mostly_forward.run(Selector::calm + each, {0, 0, 0, 0, 0, 0, 0, 1},
                     [&](int transform, const auto& s) { return seconds(transform, s) + (++k % 11 == 0 ? 50 : 0); });
  EXPECT_TRUE(mostly_forward.now[0]);
}

// Though what is kept takes as long as it did, another way may have become faster.
TEST(Selector, TriesAgainLater) {
  Pretended plan({true});
  plan.run(Selector::look, {0}, [](int, const auto& s) { return s[0] ? 1 : 1.5; });
  EXPECT_TRUE(plan.now[0]);
  const auto otherwise = [](int, const auto& s) { return s[0] ? 1 : 0.7; };
  plan.changes = 0;
  plan.run((Selector::looks - 1) * Selector::look, {0}, otherwise);
  EXPECT_EQ(plan.changes, 0);
  plan.run(Selector::look, {0}, otherwise);
  EXPECT_FALSE(plan.now[0]);
}

TEST(Selector, TriesAgainAtOnceWhereTimesHaveChanged) {
  for (const double factor : {0.5, 1.0, 2.0}) {
    Pretended plan({true});
    plan.run(Selector::look + 50, {0}, [](int, const auto& s) { return s[0] ? 1 : 1.5; });
    const auto otherwise = [&](int, const auto& s) { return factor * (s[0] ? 1.0 : 0.7); };
    plan.changes = 0;
    plan.run(2 * Selector::look - 50, {0}, otherwise);
    EXPECT_EQ(plan.now[0], factor == 1);
    plan.changes = 0;
    plan.run(Selector::look, {0}, otherwise);
    EXPECT_EQ(plan.changes, 0) << "these are what is usual now";
  }
}

TEST(Selector, RanksStayInStepWhereSomeTryAndOthersDoNot) {
  Pretended here({true}), there({true});
  const auto usual = [](int, const auto& s) { return s[0] ? 1 : 1.05; };
  for (Pretended* plan : {&here, &there}) plan->run(Selector::look, {0}, usual), plan->changes = 0;
  here.run(Selector::look, {0}, [&](int transform, const auto& s) { return 2 * usual(transform, s); });
  there.run(Selector::look, {0}, usual);
  EXPECT_GT(here.changes, 0);
  EXPECT_EQ(there.changes, 0);
  for (Pretended* plan : {&here, &there}) {
    plan->run((Selector::looks - 2) * Selector::look + Selector::calm + Selector::stretch - 1, {0}, usual);
    EXPECT_TRUE(plan->now[0]);
    plan->run(1, {0}, usual);
    EXPECT_FALSE(plan->now[0]) << "what is tried at the same execution everywhere";
  }
}

TEST(Selector, TriesWhatBeginsToRunLater) {
  Pretended plan({false}, 1);
  const auto seconds = [](int, const auto& s) { return s[0] ? 1.0 : 2.0; };
  plan.run(Selector::look, {0}, seconds);
  EXPECT_FALSE(plan.now[0]);
  plan.run(Selector::look, {0, 1}, seconds);
  EXPECT_TRUE(plan.now[0]);
}

// With so many settings that trying them takes longer than from one look to the next.
TEST(Selector, TriesAllBeforeItLooksAgain) {
  const std::size_t many = Selector::look / each + 2;
  Pretended plan(std::vector<bool>(many, false));
  plan.run(Selector::calm + static_cast<Index>(many) * each, {0},
           [](int, const auto& s) { return 100.0 - 5 * std::count(s.begin(), s.end(), true); });
  EXPECT_EQ(plan.now, std::vector<bool>(many, true));
}

TEST(Selector, TriesNotWhatDoesNotRunAndNotLongWhatIsHopeless) {
  Pretended idle({true}, 2), hopeless({true});
  const auto seconds = [](int, const auto& s) { return s[0] ? 1.0 : 1.2; };
  idle.run(Selector::look, {0, 1}, seconds);
  EXPECT_EQ(idle.changes, 0);
  hopeless.run(Selector::look, {0}, seconds);
  EXPECT_EQ(hopeless.changes, 2);
  EXPECT_TRUE(hopeless.now[0]);
}

}  // namespace
}  // namespace weft
