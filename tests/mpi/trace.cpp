// Traces: what is recorded nests and covers, clocks agree, n(t) is right, files are whole, and
// nothing is allocated or lost in silence.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

#include <weft/redistribute.hpp>

#include "mpi/clock.hpp"
#include "support/allocations.hpp"
#include "support/environment.hpp"
#include "support/fails.hpp"
#include "support/plans.hpp"
#include "trace/record.hpp"

namespace weft {
namespace {

mpi::Communicator duplicate() { return mpi::Communicator::duplicate(world); }

/// A plan's arrays, all zero.
template <class P>
void there_and_back(P& fft, int rounds = 1) {
  auto u = fft.input();
  auto u_hat = fft.output();
  u.fill([](const Shape&) { return 0; });
  for (int k = 0; k < rounds; ++k) fft.forward(u, u_hat), fft.backward(u_hat, u);
}

std::vector<ScheduleOptions> schedules() { return {{}, {"gathered", 1, 2, 1}, {"kept", 1, 2, 1}}; }

// Executions hold all spans; those of a thread follow one another; and where nobody waits for
// another thread nothing lies between them.
void check_spans(const Timeline& timeline, int threads, bool conducted, int rounds) {
  const int ranks = ranks_of_world();
  ASSERT_EQ(timeline.ranks.size(), static_cast<std::size_t>(ranks));
  std::map<std::pair<int, int>, std::vector<Span>> rows;
  std::map<int, std::vector<Span>> executions;
  for (const Span& span : timeline.spans)
    (span.phase == "execution" ? executions[span.rank] : rows[{span.rank, span.thread}]).push_back(span);
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_EQ(executions[rank].size(), static_cast<std::size_t>(2 * rounds));
    for (int thread = 0; thread < threads; ++thread) {
      const auto& row = rows[{rank, thread}];
      std::size_t at = 0;
      for (const Span& execution : executions[rank]) {
        double end = execution.begin_seconds, covered = 0;
        std::size_t count = 0;
        for (; at < row.size() && row[at].begin_seconds < execution.end_seconds; ++at, ++count) {
          EXPECT_GE(row[at].begin_seconds, end - 1e-9);
          EXPECT_GE(row[at].end_seconds, row[at].begin_seconds);
          end = row[at].end_seconds;
          covered += end - row[at].begin_seconds;
          EXPECT_TRUE(thread == 0 || row[at].phase == "work" || row[at].phase == "wait") << row[at].phase;
          EXPECT_TRUE(conducted || row[at].phase != "wait");
          EXPECT_TRUE(!conducted || thread > 0 || row[at].phase != "work");
        }
        EXPECT_LE(end, execution.end_seconds + 1e-9);
        EXPECT_TRUE(count > 0 || (conducted && thread == 0 && ranks == 1)) << "rank " << rank << " thread " << thread;
        EXPECT_TRUE(thread > 0 || conducted || covered > execution.end_seconds - execution.begin_seconds - 2e-4)
            << "of " << execution.name;
      }
      EXPECT_EQ(at, row.size());
    }
    EXPECT_EQ(rows.count({rank, threads}), 0u);
  }
}

TEST(TraceTiny, SpansNestAndCover) {
  for (const int threads : {1, 2, 3})
    for (const ScheduleOptions& schedule : schedules()) {
      Options o{.strategy = "isend", .effort = "estimate", .schedule = schedule, .threads = threads == 3 ? 2 : threads};
      if (threads == 3) o.schedule.communicate = "thread";
      SCOPED_TRACE(std::to_string(threads) + schedule.tiles);
      Trace trace(world);
      Plan fft(world, c2c<double>({6, 6, 4}), o);
      fft.record(trace);
      there_and_back(fft, 2);
      const Timeline timeline = trace.timeline();
      if (rank_of_world() == 0) {
        check_spans(timeline, o.threads, threads == 3, 2);
        EXPECT_NEAR(timeline.integral_seconds, timeline.communication_seconds,
                    1e-9 * static_cast<double>(timeline.spans.size() + 1));
        int most = 0;
        for (const auto& [at, ranks] : timeline.communicating) most = std::max(most, ranks);
        EXPECT_LE(most, ranks_of_world());
        EXPECT_EQ(most > 0, ranks_of_world() > 1);
        EXPECT_TRUE(timeline.communicating.empty() || timeline.communicating.back().second == 0);
      } else {
        EXPECT_TRUE(timeline.spans.empty() && timeline.ranks.empty());
      }
      // what a start is said to send is what is counted
      std::map<std::pair<int, double>, Index> started;
      for (const Span& e : timeline.spans)
        if (e.phase == "execution") {
          Index bytes = 0;
          for (const Span& s : timeline.spans)
            if (s.rank == e.rank && s.phase == "start" && s.begin_seconds >= e.begin_seconds &&
                s.end_seconds <= e.end_seconds)
              bytes += s.bytes;
          EXPECT_EQ(bytes, e.bytes);
        }
    }
}

TEST(TraceTiny, EveryStepOfTheSchedule) {
  Trace trace(world);
  Plan fft(world, r2c<double>({6, 5, 4}),
           {.strategy = "ialltoall", .effort = "estimate", .schedule = {"gathered", 1, 2, 0}});
  fft.record(trace);
  auto u = fft.input();
  auto u_hat = fft.output();
  u.fill([](const Shape&) { return 0; });
  fft.forward(u, u_hat);
  std::string steps;
  const Timeline timeline = trace.timeline();
  for (const Span& s : timeline.spans)
    if (s.rank == 0 && s.phase != "execution")
      steps += s.phase + (s.phase == "work" ? " stage " : " exchange ") + std::to_string(s.of) +
               (s.phase == "work" ? "" : " tile " + std::to_string(s.tile)) + "\n";
  std::string planned;
  std::istringstream lines(fft.steps());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_NE(line.find(" us "), std::string::npos) << line;
    line.erase(0, line.find_first_not_of(" ", line.find(" us ") + 4));
    line.erase(0, line.find_first_not_of("+-.0123456789 "));
    planned += line.substr(0, line.find(" blocks")) + "\n";
  }
  EXPECT_EQ(steps, rank_of_world() == 0 ? planned : "");
}

TEST(TraceTiny, SpentAndTraceAreOneMechanism) {
  Trace trace(world);
  Plan fft(world, c2c<double>({6, 5, 4}), {.strategy = "alltoallv", .effort = "estimate"});
  fft.record(trace);
  there_and_back(fft, 3);
  const AnyPlan::Spent spent = fft.spent();
  const Timeline timeline = trace.timeline();
  double work = 0, exchange = 0;
  Index bytes = 0;
  for (const Span& s : timeline.spans) {
    if (s.rank != 0) continue;
    if (s.phase == "execution") bytes += s.bytes;
    if (s.phase != "execution") (s.phase == "work" ? work : exchange) += s.end_seconds - s.begin_seconds;
  }
  if (rank_of_world() > 0) return;
  EXPECT_NEAR(work, spent.work_seconds, 1e-7);
  EXPECT_NEAR(exchange, spent.exchange_seconds, 1e-7);
  EXPECT_EQ(bytes, spent.bytes);
}

TEST(TraceTiny, ClocksOfOneHostAreOne) {
  const mpi::Communicator comm = duplicate();
  const trace::Reading reading = mpi::compare_clocks(comm);
  EXPECT_EQ(reading.offset, 0);
  EXPECT_GE(reading.accuracy, 0);
  EXPECT_EQ(reading.accuracy == 0, comm.rank() == 0);
  EXPECT_LT(reading.accuracy, 100'000'000) << "nanoseconds";
  // events that follow one another through a message do so on the common clock
  Trace trace(world);
  Plan fft(world, c2c<double>({6, 6, 4}), {.strategy = "alltoallv", .effort = "estimate"});
  fft.record(trace);
  auto u = fft.input();
  auto u_hat = fft.output();
  u.fill([](const Shape&) { return 0; });
  fft.forward(u, u_hat);
  const Timeline timeline = trace.timeline();
  double last_start = 0, first_finish = 1e9;
  for (const Span& s : timeline.spans) {
    if (s.phase == "start") last_start = std::max(last_start, s.begin_seconds);
    if (s.phase == "finish") first_finish = std::min(first_finish, s.end_seconds);
  }
  EXPECT_TRUE(rank_of_world() > 0 || ranks_of_world() == 1 || last_start <= first_finish)
      << "nobody has what was not sent";
}

// Two hosts whose clocks differ and drift apart: what happened at once is at once.
TEST(TraceTiny, ClocksOfTwoHostsArePutOnOne) {
  trace::Recorder recorder(16);
  const int list = recorder.add({.name = "forward", .stages = {"copy"}, .steps = {{}}}, 1);
  std::int64_t before = 0, after = 0;
  {
    trace::Run run(&recorder, list);
    trace::Laps laps(run, 0);
    before = trace::now();
    laps.did(0);
    after = trace::now();
  }
  trace::Record shifted = trace::record(recorder, {before, 1'000'000, 10}, {before + 1'000'000'000, 3'000'000, 10});
  shifted.host = "b";
  EXPECT_GE(shifted.rows[0][0].end, before + 1'000'000);
  EXPECT_LE(shifted.rows[0][0].end, after + 1'000'000 + (after - before) / 500 + 1);
  const trace::Record again = trace::unpacked(trace::packed(shifted));
  EXPECT_EQ(again.rows[0][0].end, shifted.rows[0][0].end);
  EXPECT_EQ(again.host, "b");
  EXPECT_EQ(again.lists[0].stages, std::vector<std::string>{"copy"});
  EXPECT_EQ(trace::packed(again), trace::packed(shifted));
}

TEST(TraceTiny, ProfileOfKnownSpans) {
  const trace::List list{.name = "forward",
                         .exchanges = {"isend"},
                         .steps = {{trace::Phase::start}, {trace::Phase::work}, {trace::Phase::finish}}};
  trace::Record a{.rank = 0, .lists = {list}, .rows = {{{0, 10, 0, 0}, {10, 20, 0, 1}, {20, 40, 0, 2}}}}, b = a;
  b.rank = 1;
  b.rows = {{{5, 10, 0, 0}, {10, 30, 0, 1}, {30, 40, 0, 2}, {40, 50, 0, -1}}};
  const trace::Profile p = trace::profile({a, b});
  std::vector<std::pair<std::int64_t, int>> points;
  for (const trace::Point& point : p.points) points.emplace_back(point.at, point.ranks);
  const std::vector<std::pair<std::int64_t, int>> expected{{0, 1}, {5, 2}, {10, 0}, {20, 1}, {30, 2}, {40, 0}};
  EXPECT_EQ(points, expected);
  EXPECT_EQ(p.communication, 10 + 20 + 5 + 10);
  EXPECT_EQ(p.integral, p.communication);
}

TEST(TraceTiny, WhatHasNoRoomIsCounted) {
  Plan fft(world, c2c<double>({6, 5, 4}),
           {.strategy = "isend", .effort = "estimate", .schedule = {"gathered", 1, 1, 0}});
  Trace small(world, 1), some(world, 100);
  EXPECT_GT(some.bytes_owned(), small.bytes_owned());
  fft.record(small);
  there_and_back(fft, 3);
  EXPECT_GT(fft.spent().work_seconds, 0) << "totals are of all";
  const Timeline none = small.timeline();
  fft.record(some);
  there_and_back(fft, 40);
  const Timeline first = some.timeline();
  if (rank_of_world() > 0) return;
  EXPECT_TRUE(none.spans.empty());
  for (const Timeline::Rank& rank : none.ranks) EXPECT_EQ(rank.left_out, 6);
  for (int rank = 0; rank < ranks_of_world(); ++rank) {
    Index executions = 0, spans = 0;
    for (const Span& s : first.spans)
      if (s.rank == rank) (s.phase == "execution" ? executions : spans) += 1;
    EXPECT_GT(executions, 0);
    EXPECT_LE(spans, 100);
    EXPECT_EQ(executions + first.ranks[static_cast<std::size_t>(rank)].left_out, 80);
  }
}

TEST(TraceTiny, RecordingAllocatesNothing) {
  for (const ScheduleOptions& schedule : schedules())
    for (const int threads : {1, 2, 3}) {
      Options o{.strategy = "isend", .effort = "estimate", .schedule = schedule, .threads = std::min(threads, 2)};
      if (threads == 3) o.schedule.communicate = "thread";
      Plan fft(world, c2c<double>({6, 6, 5}), o);
      Trace trace(world, 100);
      fft.record(trace);
      auto u = fft.input();
      auto u_hat = fft.output();
      u.fill([](const Shape&) { return Complex(); });
      fft.forward(u, u_hat), fft.backward(u_hat, u);
      const Index owned = trace.bytes_owned();
      const long before = allocations();
      for (int k = 0; k < 4; ++k) fft.forward(u, u_hat), fft.backward(u_hat, u);
      EXPECT_EQ(allocations() - before, 0) << schedule.tiles << threads;
      EXPECT_EQ(trace.bytes_owned(), owned);
    }
}

TEST(TraceTiny, RedistributionsToo) {
  Trace trace(world, 400);
  const int ranks = ranks_of_world();
  const Layout from = Layout::slab({6, 5, 4}, 0, ranks),
               to = Layout::slab({6, 5, 4}, 1, ranks, Split::even(), {1, 0, 2});
  Redistribution move(world, from, to, 8, {"isend"});
  move.record(trace);
  const std::vector<Index> in(static_cast<std::size_t>(from.elements(rank_of_world())));
  std::vector<Index> out(static_cast<std::size_t>(to.elements(rank_of_world())));
  const long before = allocations();
  for (int k = 0; k < 4; ++k) move(in.data(), out.data());
  EXPECT_EQ(allocations() - before, 0);
  const Timeline timeline = trace.timeline();
  if (rank_of_world() > 0) return;
  check_spans(timeline, 1, false, 2);
  EXPECT_NEAR(timeline.integral_seconds, timeline.communication_seconds,
              1e-9 * static_cast<double>(timeline.spans.size() + 1));
  std::map<std::string, Index> bytes;
  for (const Span& s : timeline.spans) bytes[s.phase == "execution" ? s.name : s.phase] += s.bytes;
  EXPECT_EQ(bytes["redistribute"] > 0, ranks > 1);
  EXPECT_EQ(bytes["redistribute"], bytes["start"]);
}

// A map that transforms something else with the same trace on: the inner one is left out, and
// neither is disturbed.
TEST(TraceTiny, ExecutionsInsideExecutions) {
  Trace trace(world);
  Plan outer(world, c2c<double>({4, 4, 4}), {.effort = "estimate"});
  Plan inner(MPI_COMM_SELF, c2c<double>({2, 2}), {.effort = "estimate"});
  outer.record(trace), inner.record(trace);
  auto u = outer.input();
  auto v = inner.input(), v_hat = inner.output();
  u.fill([](const Shape&) { return 0; });
  v.fill([](const Shape&) { return 0; });
  Index calls = 0;
  outer.forward_map_backward(u.span(), u.span(), [&](const Shape&, Complex&) { ++calls, inner.forward(v, v_hat); });
  const Timeline timeline = trace.timeline();
  if (rank_of_world() > 0) return;
  EXPECT_EQ(timeline.ranks[0].left_out, calls);
  EXPECT_EQ(std::count_if(timeline.spans.begin(), timeline.spans.end(),
                          [](const Span& s) { return s.rank == 0 && s.phase == "execution"; }),
            1);
}

TEST(TraceTiny, FilesAndBadInput) {
  const mpi::Communicator comm = duplicate();
  fails(comm, [&] { Trace trace(world, 0); }, {"room for 0 spans", "at least 1"});
  Trace trace(world);
  Plan fft(world, c2c<double>({4, 4, 4}), {.effort = "estimate"});
  fft.record(trace);
  there_and_back(fft);
  fails(comm, [&] { trace.write("/proc/none/trace.json"); }, {"cannot write", "/proc/none/trace.json"});
  std::string path = "/tmp/weft_trace_" + std::to_string(comm.max(Index{getpid()})) + ".json";
  trace.write(path);
  if (comm.rank() == 0) {
    std::ostringstream file;
    file << std::ifstream(path).rdbuf();
    const std::string text = file.str();
    EXPECT_NE(text.find("\"traceEvents\""), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
    std::remove(path.c_str());
  }
  {
    const Environment traced("WEFT_TRACE", "/proc/none/trace.json");
    fails(comm,
          [&] {
            Plan(world, c2c<double>({4, 4}), {.effort = "estimate"});
          },
          {"WEFT_TRACE=/proc/none/trace.json", "cannot write"});
    const Environment spans("WEFT_TRACE_SPANS", "many");
    fails(comm, [&] { Plan(world, c2c<double>({4, 4}), {.effort = "estimate"}); }, {"WEFT_TRACE_SPANS=many"});
  }
  if (comm.size() == 1) return;
  const Environment differs("WEFT_TRACE", comm.rank() == 0 ? "a.json" : "b.json");
  fails(comm, [&] { Plan(world, c2c<double>({4, 4}), {.effort = "estimate"}); }, {"WEFT_TRACE", "a.json", "b.json"});
}

}  // namespace
}  // namespace weft
