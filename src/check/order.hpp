// The order of what all ranks read and write, as it follows from their steps and from what
// exchanges promise, and from nothing else: no clock, no luck.
//
// A rank describes its plan as data (Program). Events of all ranks, over several executions in a
// row, are put in the order that is certain: on each rank that of its steps, between ranks what a
// wait says. Two accesses to the same bytes, one of them a write, must be ordered.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "check/region.hpp"

namespace weft::check {

struct Access {
  Region region;
  bool writes = false;
  int part = 0;  ///< of a step, whose parts run at once
};

enum class Kind { open, start, finish, close, work, caller };

/// A step of one execution. `lane`: 0, or 1 for work beside a thread that exchanges; `needs`: so
/// many events of the other lane are done before.
struct Event {
  Kind kind = Kind::work;
  int of = 0;    ///< the stage of work, or the exchange
  int tile = 0;  ///< or the first block
  int lane = 0, needs = 0;
  std::vector<Access> accesses;
};

/// As Exchange::Promises has them, with ranks and memories known everywhere.
struct Wait {
  Kind verb;
  int tile, rank;
  Kind of;
  int of_tile, rounds;
  bool begun;
};
struct Touch {
  int tile;
  Kind from, to;
  Access access;
  bool until_begun;
};
struct Exchange {
  int key = -1;              ///< the same wherever executions share it; -1: none
  std::vector<int> members;  ///< ranks, this one too
  std::vector<Wait> waits;
  std::vector<Touch> touches;
};

/// One kind of execution on one rank.
struct Execution {
  std::string name;
  std::vector<Event> events;
  std::vector<Exchange> exchanges;  ///< by Event::of
};

/// What one rank does.
struct Program {
  std::vector<Execution> kinds;
  std::vector<Region> arrays;  ///< the caller's: he may read and write them whenever no execution runs
  std::vector<std::pair<Memory, Memory>>
      lent;  ///< where he works in what the plan hands out: arrays that are an exchange's
  std::vector<std::pair<Memory, Memory>> joint;    ///< arrays that may be one
  std::vector<std::pair<int, std::string>> names;  ///< of this rank's memories, by number; others are slots
};

/// As bytes, to be sent, and back.
std::string packed(Program program);
Program unpacked(const std::string& bytes);

struct Finding {
  Index compared = 0;   ///< pairs of accesses that may meet, one of them a write
  Index unordered = 0;  ///< of these, those that do and have no order
  bool hangs = false;   ///< some step waits for what never comes
  std::string text;     ///< the first of them, three lines each
  bool clean() const { return unordered == 0 && !hangs; }
};

/// Executions of these kinds in a row, by all ranks. `lent`: the caller works in what the plan
/// hands out; `joint`: in one array where he may.
Finding check(const std::vector<Program>& ranks, const std::vector<int>& kinds, bool lent, bool joint);
/// Every kind three times in a row, and all of them mixed, each followed by each, with every choice
/// of arrays.
Finding check(const std::vector<Program>& ranks);

}  // namespace weft::check
