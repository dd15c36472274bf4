// The order of what all ranks read and write, as it follows from their steps and from what exchanges promise, and nothing else: no clock, no luck.
//
// A rank describes its plan as data (Program). Events of all ranks, over several executions in a row, are put in the order that is certain:
// on each rank that of its steps, between ranks what a wait says. Two accesses to the same bytes, one of them a write, must be ordered.
#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

#include <weft/box.hpp>
#include <weft/view.hpp>

namespace weft::check {

/// What one memory is called on all ranks: the rank whose it is, and a number there.
struct Memory {
  int rank = 0, number = 0;
  auto operator<=>(const Memory&) const = default;
};

/// Bytes of a memory: runs of `run` bytes, repeated `first` times at a distance of `second` bytes along every loop.
struct Region {
  Memory memory;
  Index first = 0, run = 0;
  std::vector<std::pair<Index, Index>> loops;  ///< largest distance first; no loop of one
  Index end() const;                           ///< one past the last byte
};

/// The part of a view that is in a box, which reaches over at least the view's axes; without bytes where they do not meet.
Region region(const View& view, const Box& part, Index element_bytes, const Memory& memory);
/// Whether two regions have a byte in common, exactly.
bool overlap(const Region& a, const Region& b);

struct Access {
  Region region;
  bool writes = false;
  int part = 0;  ///< of a step, whose parts run at once
};

enum class Kind { open, start, finish, close, work, caller };

/// A step of one execution. `lane`: 0, or 1 for work beside a thread that exchanges; `needs`: so many events of the other lane are done before.
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
  int key = -1;  ///< the same wherever executions share it; -1: none
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
  std::vector<Region> arrays;                    ///< the caller's: he may read and write them whenever no execution runs
  std::vector<std::pair<Memory, Memory>> lent;   ///< arrays that are an exchange's memory, where the caller works in what the plan hands out
  std::vector<std::pair<Memory, Memory>> joint;  ///< arrays that may be one
};

/// As bytes, to be sent, and back.
std::string packed(Program program);
Program unpacked(const std::string& bytes);

struct Finding {
  Index compared = 0;   ///< pairs of accesses that may meet, one of them a write
  Index unordered = 0;  ///< of these, those that do and have no order
  bool hangs = false;   ///< some step waits for what never comes
  std::string text;     ///< the first of them, one a line
  bool clean() const { return unordered == 0 && !hangs; }
};

/// Executions of these kinds in a row, by all ranks. `lent`: the caller works in what the plan hands out; `joint`: in one array where he may.
Finding check(const std::vector<Program>& ranks, const std::vector<int>& kinds, bool lent, bool joint);
/// Every kind three times in a row and all of them mixed, with every choice of arrays.
Finding check(const std::vector<Program>& ranks);

}  // namespace weft::check
