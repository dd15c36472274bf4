// Wisdom: what one plan found out another one knows, and what is wrong with a file is told.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <weft/weft.hpp>

#include "plan/route/problem.hpp"
#include "support/environment.hpp"
#include "tune/choice.hpp"
#include "tune/everyone.hpp"
#include "tune/json.hpp"
#include "tune/sample.hpp"

namespace weft {
namespace {

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
  const AnyPlan tuned(world, small, quick);
  EXPECT_EQ(tuned.requested().strategy, "tune");
  Options later = quick;
  later.strategy = "auto";
  forget_wisdom();
  const auto seconds = [](const Options& options) {
    const double begin = clock_seconds();
    const AnyPlan planned(world, small, options);
    return clock_seconds() - begin;
  };
  const AnyPlan plan(world, small, later);
  EXPECT_EQ(plan.effective().strategy, tuned.effective().strategy);
  EXPECT_EQ(plan.effective().schedule, tuned.effective().schedule);
  Options named = tuned.effective();
  const AnyPlan known(world, small, named);
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
    const Layout from = Layout::slab(small.shape, 0, ranks_of_world()),
                 to = Layout::slab(small.shape, 1, ranks_of_world());
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
  EXPECT_EQ(Json::parse(AnyPlan(world, small, later).explain(true))["reason"].text().find("wisdom"), std::string::npos);
  later.wisdom = true;
  later.batch = 2;  // another problem
  EXPECT_EQ(Json::parse(AnyPlan(world, small, later).explain(true))["reason"].text().find("wisdom"), std::string::npos);
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
    const AnyPlan tuned(world, small, options);
    everyone().barrier();
    Json entry = Json::parse(file.text())["entries"].list().front(), old = entry["key"];
    EXPECT_NE(old["problem"].text(), key);
    old.set("problem", key);
    entry.set("key", old);
    file.write(with_right_hash(entry));
    forget_wisdom();
    Options later = options;
    later.strategy = "auto";
    const AnyPlan plan(world, small, later);
    EXPECT_NE(plan.explain().find("wisdom of"), std::string::npos) << plan.explain();
    EXPECT_EQ(plan.effective().strategy, tuned.effective().strategy);
    later.threads = 2;
    EXPECT_EQ(AnyPlan(world, small, later).explain().find("wisdom of"), std::string::npos);
  }
}

TEST(Wisdom, ExportedAndImported) {
  const Environment none("WEFT_WISDOM", "none");
  forget_wisdom();
  const AnyPlan tuned(world, small, quick);
  const std::string text = export_wisdom();
  forget_wisdom();
  const auto reason = [] {
    Options later = quick;
    later.strategy = "auto";
    return Json::parse(AnyPlan(world, small, later).explain(true))["reason"].text();
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
  const AnyPlan tuned(world, small, quick);
  everyone().barrier();
  const std::string right = file.text();
  const auto plan_with = [&](const std::string& text) {
    file.write(text);
    forget_wisdom();
    Options later = quick;
    later.strategy = "auto";
    const AnyPlan plan(world, small, later);
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
  const std::string told = AnyPlan(world, small,
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
    EXPECT_THROW(check_problem(small, with_choice(open, wrong["choice"])), Error) << wrong["choice"].dump();
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
  const AnyPlan tuned(world, small, quick);
  EXPECT_NE(tuned.explain().find("/proc/nowhere/wisdom.json"), std::string::npos) << tuned.explain();
  EXPECT_NE(tuned.explain().find("in this process alone"), std::string::npos);
}

}  // namespace
}  // namespace weft
