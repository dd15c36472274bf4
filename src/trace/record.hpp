// Records: what a recorder holds, of one rank, on one clock for all ranks, in a form that can be
// sent; and what follows from those of all ranks.
#pragma once

#include <utility>

#include "trace/recorder.hpp"

namespace weft::trace {

/// The difference to the clock of all at some moment, and how much it may be off.
struct Reading {
  std::int64_t at = 0, offset = 0, accuracy = 0;
};

struct Record {
  int rank = 0, world_rank = 0;
  std::string host;
  Reading first, last;  ///< by which spans were put on one clock; between them the difference is taken to change evenly
  std::vector<List> lists;
  std::vector<Execution> executions;
  std::vector<std::vector<Span>> rows;      ///< by thread
  std::vector<std::vector<Totals>> totals;  ///< by list and thread
  std::int64_t room = 0, bytes = 0, left_out = 0;
};

/// What a recorder holds, its times put on the clock of all; whose it is remains to be said.
Record record(const Recorder& recorder, const Reading& first, const Reading& last);

std::string packed(const Record& record);
Record unpacked(const std::string& bytes);

/// How many ranks are inside a communication call, from each moment on: n(t) of Dubey and Tessera.
struct Point {
  std::int64_t at = 0;
  int ranks = 0;
};
struct Profile {
  std::vector<Point> points;
  /// Rank-nanoseconds: the area below n(t), and the sum over ranks of their communication time.
  /// These are the same unless a rank communicated twice at once.
  std::int64_t integral = 0, communication = 0;
};
Profile profile(const std::vector<Record>& records);

/// What a span is called: "FFT axis 2", "start", "wait".
std::string name(const Record& record, const Span& span);

/// A file of trace events as Chrome and Perfetto read it: a process for each rank, a row for each
/// thread, a counter n(t); and, beside the events, how clocks compare, what was left out, and
/// totals.
std::string trace_events(const std::vector<Record>& records);

}  // namespace weft::trace
