// Which variants stages have on machines that are made up.
#include "plan/policy/variants.hpp"

#include <gtest/gtest.h>

#include "plan/policy/limits.hpp"

namespace weft {
namespace {

constexpr Index mib = limits::mib;

Hardware machine(Index last_level, Index cores = 2, Index cache_line = 64, Index page = 4096) {
  Hardware made_up;
  made_up.first = {32 << 10, 1}, made_up.second = {mib, 1}, made_up.third = {last_level, cores};
  made_up.cache_line = cache_line, made_up.cores = cores, made_up.page = page;
  return made_up;
}
const Hardware usual = machine(32 * mib);

/// Planes from one array to another, whose lines along the last axis are transformed.
StageSpec planes(Index bytes, int from_slot = 0, int to_slot = 2) {
  const Box box{{0, 0, 0}, {bytes / (64 * 64 * 16), 64, 64}};
  StageSpec spec;
  spec.from = {box, {dense_view(box, c_order(3), {}, from_slot)}, 16};
  spec.to = {box, {dense_view(box, c_order(3), {}, to_slot)}, 16};
  spec.operations = {{.axis = 2}};
  return spec;
}

TEST(Variants, SmallStagesHaveOne) {
  const StageSpec spec = planes(mib);
  const Variants all = variants(spec, {.first = true, .sends = true}, usual);
  EXPECT_EQ(all.planned.store, Store::cached);
  EXPECT_EQ(all.planned.load, Load::direct);
  EXPECT_EQ(all.planned.between, Between::anywhere);
  EXPECT_FALSE(all.streaming || all.in_runs);
  const Trials tries = trials(spec, all, {.first = true, .sends = true}, usual);
  EXPECT_FALSE(tries.in_runs || tries.streams);
}

TEST(Variants, LargeResultsOfAFirstStageStream) {
  const StageSpec spec = planes(16 * mib);
  const StageFacts facts{.first = true, .sends = true, .bytes_at_once = 16 * mib};
  const Variants all = variants(spec, facts, usual);
  EXPECT_EQ(all.planned.store, Store::streaming_elsewhere);
  EXPECT_EQ(all.planned.between, Between::workspace);
  EXPECT_EQ(all.planned.load, Load::staged) << "no rows are paired with columns";
  EXPECT_TRUE(trials(spec, all, facts, usual).streams) << "the last level might hold it";
  EXPECT_TRUE(trials(spec, all, facts, usual).streams_guess);
  EXPECT_FALSE(trials(spec, all, facts, machine(512 * mib)).streams_guess) << "a small part of the last level";
  EXPECT_FALSE(trials(spec, all, facts, machine(8 * mib)).streams) << "no cache holds it: nothing to try";
}

TEST(Variants, WhatIsWrittenWhereItWasReadStaysInCache) {
  const StageSpec spec = planes(16 * mib, 0, 0);
  EXPECT_EQ(variants(spec, {.first = true, .sends = true}, usual).planned.store, Store::cached);
}

TEST(Variants, RanksOfANodeTryBothStores) {
  const StageSpec spec = planes(mib);
  const StageFacts facts{.first = true, .sends = true, .ranks = 2, .bytes_at_once = 2 * mib};
  const Variants all = variants(spec, facts, usual);
  ASSERT_TRUE(all.streaming);
  EXPECT_EQ(all.planned.store, Store::cached);
  EXPECT_FALSE(all.planned.prefetches_target);
  EXPECT_EQ(all.streaming->store, Store::streaming);
  EXPECT_TRUE(trials(spec, all, facts, usual).streams);
  EXPECT_FALSE(trials(spec, all, facts, usual).streams_guess) << "begins in cache";
  EXPECT_FALSE(variants(planes(mib), {.first = true, .sends = true, .ranks = 64}, usual).streaming)
      << "too much for any cache";
}

// A machine whose caches nobody knows, or that has no third level, or lines of 128 or 256 bytes, or
// larger pages.
TEST(Variants, AnyMachineGetsASanePlan) {
  Hardware unknown;
  Hardware no_third = machine(0, 4);
  no_third.third = {};
  EXPECT_EQ(no_third.last_level(4), 4 * mib);
  EXPECT_EQ(unknown.last_level(4), 0);
  Hardware tiny_pages;
  tiny_pages.page = 1024;
  for (const Hardware& made_up :
       {unknown, no_third, usual, tiny_pages, machine(32 * mib, 2, 128), machine(32 * mib, 2, 256),
        machine(32 * mib, 2, 64, 16 << 10), machine(32 * mib, 2, 128, 64 << 10)})
    for (const Index bytes : {64 * limits::kib, mib, 16 * mib})
      for (const Index ranks : {1, 2, 4}) {
        const StageSpec spec = planes(bytes);
        const StageFacts facts{.first = true, .sends = true, .ranks = ranks, .bytes_at_once = ranks * bytes};
        const Variants all = variants(spec, facts, made_up);
        const Blocking& by = all.planned.blocking;
        EXPECT_EQ(by.cache_line, made_up.cache_line);
        EXPECT_EQ(by.longest_run, made_up.page == 1024 ? 512 : 2048) << "no run reaches into another page";
        EXPECT_GE(by.longest_run, by.shortest_row);
        EXPECT_GE(by.batch_width(16, 64), std::max<Index>(8, 2 * made_up.cache_line / 16));
        EXPECT_LE(by.block, by.batch);
        EXPECT_EQ(all.streaming.has_value(), ranks > 1 && ranks * bytes <= made_up.last_level(ranks) &&
                                                 bytes >= limits::may_stream && !(bytes >= limits::streaming));
      }
}

}  // namespace
}  // namespace weft
