#include "check/order.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace weft::check {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// ---- the order ----

constexpr int phases = 3;  // of an event: begun, through what it waits for, done
constexpr int never = -1;

struct Instance {
  int rank, execution;
  const Event* event;
  int lane, place;                         // in its lane
  int cross = -1;                          // what it needs of the other lane
  std::vector<std::pair<int, int>> waits;  // instances and their phases
};

class Order {
 public:
  Order(const std::vector<Program>& ranks, const std::vector<int>& kinds, bool lent, bool joint)
      : ranks_(ranks), kinds_(kinds), lent_(lent), joint_(joint), lanes_(ranks.size() * 2) {
    for (std::size_t r = 0; r < ranks.size(); ++r) line_up(static_cast<int>(r));
    for (int i = 0; i < static_cast<int>(instances_.size()); ++i) resolve(i);
  }

  Finding check() {
    starts_in_order();
    if (run()) compare();
    return std::move(finding_);
  }

 private:
  using Point = std::tuple<int, int, Kind, int>;  // rank, exchange, verb, tile

  const Execution& execution(const Instance& i) const { return ranks_[at(i.rank)].kinds[at(kinds_[at(i.execution)])]; }
  const Exchange& exchange(const Instance& i) const { return execution(i).exchanges[at(i.event->of)]; }

  void line_up(int rank) {
    const Program& program = ranks_[at(rank)];
    std::vector<int>* lane[] = {&lanes_[at(2 * rank)], &lanes_[at(2 * rank + 1)]};
    for (int e = 0; e < static_cast<int>(kinds_.size()); ++e) {
      const Execution& x = program.kinds[at(kinds_[at(e)])];
      const int base[] = {static_cast<int>(lane[0]->size()), static_cast<int>(lane[1]->size())};
      std::vector<std::pair<int, int>> crossing;
      const auto add = [&](const Event* event, int needs) {
        const int number = static_cast<int>(instances_.size()), side = event->lane;
        instances_.push_back({rank, e, event, 2 * rank + side, static_cast<int>(lane[side]->size()), -1, {}});
        lane[side]->push_back(number);
        crossing.push_back({number, needs});
        if (event->kind < Kind::work)
          points_[{rank, exchange(instances_.back()).key, event->kind, event->tile}].push_back(number);
      };
      for (const Event& event : x.events) add(&event, event.needs);
      add(&caller_, static_cast<int>(lane[1]->size()) - base[1]);
      for (const auto& [number, needs] : crossing) {
        Instance& i = instances_[at(number)];
        const int other = 1 - i.event->lane, last = base[other] + needs - 1;
        if (last >= 0 && last < static_cast<int>(lane[other]->size())) i.cross = (*lane[other])[at(last)];
      }
    }
  }

  // What an instance waits for at other ranks.
  void resolve(int number) {
    Instance& i = instances_[at(number)];
    if (i.event->kind >= Kind::work) return;
    const Exchange& x = exchange(i);
    int& started = started_[{i.rank, x.key, Kind::start, i.event->tile}];
    const int round = started + (i.event->kind == Kind::open || i.event->kind == Kind::start ? 1 : 0);
    started += i.event->kind == Kind::start;
    for (const Wait& w : x.waits) {
      if (w.verb != i.event->kind || w.tile != i.event->tile) continue;
      const int count = round - w.rounds;
      if (count <= 0) continue;
      const std::vector<int>& there = points_[{w.rank, x.key, w.of, w.of_tile}];
      i.waits.push_back({count <= static_cast<int>(there.size()) ? there[at(count - 1)] : never, w.begun ? 0 : 2});
    }
  }

  // Members start the tiles of what they have in common in the same order: collectives pair up by
  // it.
  void starts_in_order() {
    const auto starts = [&](int rank, int kind, int with) {
      std::vector<std::pair<int, int>> all;  // exchange and tile
      const Execution& x = ranks_[at(rank)].kinds[at(kind)];
      for (const Event& event : x.events)
        if (event.kind == Kind::start)
          if (const Exchange& e = x.exchanges[at(event.of)]; std::count(e.members.begin(), e.members.end(), with) > 0)
            all.push_back({event.of, event.tile});
      return all;
    };
    for (const int kind : std::set<int>(kinds_.begin(), kinds_.end()))
      for (int a = 0; a < static_cast<int>(ranks_.size()); ++a)
        for (int b = 0; b < a; ++b) {
          if (starts(a, kind, b) == starts(b, kind, a)) continue;
          finding_.hangs = true;
          say("ranks " + std::to_string(b) + " and " + std::to_string(a) + " start tiles in different orders in " +
              ranks_[at(a)].kinds[at(kind)].name);
        }
  }

  int node(int instance, int phase) const { return instance * phases + phase; }
  std::int32_t* clock(int node) { return clocks_.data() + at(node) * lanes_.size(); }

  // Goes through all lanes as far as waits allow; false where they end before all is done.
  bool run() {
    clocks_.assign(instances_.size() * phases * lanes_.size(), -1);
    std::vector<int> next(lanes_.size(), 0);  // phases done
    const auto done = [&](int instance, int phase) {
      const Instance& i = instances_[at(instance)];
      return next[at(i.lane)] > i.place * phases + phase;
    };
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t l = 0; l < lanes_.size(); ++l)
        while (next[l] < static_cast<int>(lanes_[l].size()) * phases) {
          const int number = lanes_[l][at(next[l] / phases)], phase = next[l] % phases;
          const Instance& i = instances_[at(number)];
          if (phase == 0 && i.cross >= 0 && !done(i.cross, 2)) break;
          if (phase == 1 && !std::all_of(i.waits.begin(), i.waits.end(),
                                         [&](const auto& w) { return w.first != never && done(w.first, w.second); }))
            break;
          std::int32_t* const mine = clock(node(number, phase));
          const auto after = [&](int instance, int of) {
            const std::int32_t* const theirs = clock(node(instance, of));
            for (std::size_t k = 0; k < lanes_.size(); ++k) mine[k] = std::max(mine[k], theirs[k]);
          };
          if (phase > 0)
            after(number, phase - 1);
          else if (i.place > 0)
            after(lanes_[l][at(i.place - 1)], 2);
          if (phase == 0 && i.cross >= 0) after(i.cross, 2);
          if (phase == 1)
            for (const auto& [instance, of] : i.waits) after(instance, of);
          mine[l] = next[l]++;
          moves = true;
        }
    }
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (next[l] == static_cast<int>(lanes_[l].size()) * phases) continue;
      finding_.hangs = true;
      say("rank " + std::to_string(l / 2) + " waits for what never comes: " + name(lanes_[l][at(next[l] / phases)]));
    }
    return !finding_.hangs;
  }

  bool before(int a, int b) {  // nodes
    const Instance& i = instances_[at(a / phases)];
    return clock(b)[at(i.lane)] >= i.place * phases + a % phases;
  }

  struct Use {
    const Access* access;
    Memory memory;
    int begin, end;  // nodes; the end may be never
    int instance;    // whose it is; a move's is its tile's first verb
    Index last;      // one past the last byte
  };

  Memory resolved(Memory memory, int rank) const {
    const Program& program = ranks_[at(rank)];
    const auto replace = [&](const auto& list) {
      for (const auto& [from, to] : list)
        if (from == memory) {
          memory = to;
          return;
        }
    };
    if (joint_) replace(program.joint);
    if (lent_) replace(program.lent);
    return memory;
  }

  std::map<Memory, std::vector<Use>> uses() {
    std::map<Memory, std::vector<Use>> all;
    const auto add = [&](const Access& access, int instance, int begin, int end) {
      if (access.region.run == 0) return;
      const Memory memory = resolved(access.region.memory, instances_[at(instance)].rank);
      all[memory].push_back({&access, memory, begin, end, instance, access.region.end()});
    };
    for (const Program& program : ranks_) {
      std::vector<Access>& caller = callers_.emplace_back();
      for (const Region& array : program.arrays) caller.push_back({array, true, 0});
    }
    std::map<Point, int> seen;
    for (int number = 0; number < static_cast<int>(instances_.size()); ++number) {
      const Instance& i = instances_[at(number)];
      for (const Access& access : i.event->kind == Kind::caller ? callers_[at(i.rank)] : i.event->accesses)
        add(access, number, node(number, 0), node(number, 2));
      if (i.event->kind >= Kind::work) continue;
      const Exchange& x = exchange(i);
      const int count = seen[{i.rank, x.key, i.event->kind, i.event->tile}]++;
      for (const Touch& touch : x.touches) {
        if (touch.from != i.event->kind || touch.tile != i.event->tile) continue;
        const std::vector<int>& ends = points_[{i.rank, x.key, touch.to, touch.tile}];
        const int end =
            count < static_cast<int>(ends.size()) ? node(ends[at(count)], touch.until_begun ? 0 : 2) : never;
        add(touch.access, number, node(number, 1), end);
      }
    }
    return all;
  }

  // Parts of one step run at once; what an exchange does with one tile is its own affair.
  bool together(const Use& a, const Use& b) const {
    const Instance &i = instances_[at(a.instance)], &j = instances_[at(b.instance)];
    if (i.event->kind == Kind::work || j.event->kind == Kind::work || i.event->kind == Kind::caller ||
        j.event->kind == Kind::caller)
      return a.instance == b.instance && a.access->part == b.access->part;
    return i.rank == j.rank && i.execution == j.execution && exchange(i).key == exchange(j).key &&
           i.event->tile == j.event->tile;
  }

  void compare() {
    auto all = uses();
    for (auto& of_one_memory : all) {
      std::vector<Use>& list = of_one_memory.second;
      std::sort(list.begin(), list.end(),
                [](const Use& a, const Use& b) { return a.access->region.first < b.access->region.first; });
      std::vector<std::size_t> open;  // whose last byte is not behind
      for (std::size_t k = 0; k < list.size(); ++k) {
        const Use& b = list[k];
        std::erase_if(open, [&](std::size_t j) { return list[j].last <= b.access->region.first; });
        for (const std::size_t j : open) {
          const Use& a = list[j];
          if ((!a.access->writes && !b.access->writes) || together(a, b)) continue;
          ++finding_.compared;
          if ((a.end != never && before(a.end, b.begin)) || (b.end != never && before(b.end, a.begin))) continue;
          if (!overlap(a.access->region, b.access->region)) continue;
          ++finding_.unordered;
          report(a, b);
        }
        open.push_back(k);
      }
    }
  }

  // Each pair of steps once, not for every execution.
  void report(const Use& a, const Use& b) {
    const Index first = std::max(a.access->region.first, b.access->region.first), last = std::min(a.last, b.last) - 1;
    const auto who = [&](const Use& use) {
      return "rank " + std::to_string(instances_[at(use.instance)].rank) + (use.access->writes ? " writes" : " reads");
    };
    const auto where = [&](const Use& use, bool numbered) {
      const bool moves = instances_[at(use.instance)].event->kind < Kind::work;
      return "rank " + std::to_string(instances_[at(use.instance)].rank) + ": " + name(use.instance, numbered) +
             (moves ? ", which moves them" : "");
    };
    std::string mine = where(a, false) + who(a), other = where(b, false) + who(b);
    if (!said_.insert({std::min(mine, other), std::max(mine, other)}).second) return;
    say(who(a) + " and " + who(b) + " bytes " + std::to_string(first) + " to " + std::to_string(last) + " of " +
        called(a.memory) + ", in no certain order\n    " + where(a, true) + "\n    " + where(b, true));
  }

  std::string name(int number, bool numbered = true) const {
    static constexpr const char* verbs[] = {"open", "start", "finish", "close"};
    const Instance& i = instances_[at(number)];
    const std::string in = numbered ? " execution " + std::to_string(i.execution + 1) + " (" + execution(i).name + ")"
                                    : " " + execution(i).name;
    if (i.event->kind == Kind::caller) return "the caller, after" + in;
    if (i.event->kind == Kind::work)
      return "stage " + std::to_string(i.event->of) + " from block " + std::to_string(i.event->tile) + " on, in" + in;
    return std::string(verbs[static_cast<int>(i.event->kind)]) + " of exchange " + std::to_string(i.event->of) +
           " tile " + std::to_string(i.event->tile) + ", in" + in;
  }
  std::string called(const Memory& memory) const {
    const std::string rank = " on rank " + std::to_string(memory.rank);
    for (const auto& [number, name] : ranks_[at(memory.rank)].names)
      if (number == memory.number) return name + rank;
    return "slot " + std::to_string(memory.number) + rank;
  }
  void say(const std::string& lines) {
    constexpr int most = 12;
    if (++said_lines_ <= most)
      finding_.text += lines + "\n";
    else if (said_lines_ == most + 1)
      finding_.text += "and more\n";
  }

  const std::vector<Program>& ranks_;
  const std::vector<int>& kinds_;
  const bool lent_, joint_;
  const Event caller_{.kind = Kind::caller, .accesses = {}};
  std::vector<Instance> instances_;
  std::vector<std::vector<int>> lanes_;
  std::map<Point, std::vector<int>> points_;
  std::map<Point, int> started_;
  std::vector<std::int32_t> clocks_;  // by node and lane: the last phase there that is before it
  std::vector<std::vector<Access>> callers_;
  std::set<std::pair<std::string, std::string>> said_;
  int said_lines_ = 0;
  Finding finding_;
};

}  // namespace

Finding check(const std::vector<Program>& ranks, const std::vector<int>& kinds, bool lent, bool joint) {
  return Order(ranks, kinds, lent, joint).check();
}

Finding check(const std::vector<Program>& ranks) {
  const int kinds = static_cast<int>(ranks.front().kinds.size());
  std::vector<std::vector<int>> rows;
  for (int k = 0; k < kinds; ++k) rows.push_back({k, k, k});
  // each followed by each
  if (kinds == 2) rows.push_back({0, 1, 0, 0, 1, 1, 0});
  if (kinds == 3) rows.push_back({0, 1, 2, 0, 2, 1, 0});
  bool lent = false, joint = false;
  for (const Program& program : ranks) lent = lent || !program.lent.empty(), joint = joint || !program.joint.empty();
  Finding all;
  for (const std::vector<int>& row : rows)
    for (const bool in_lent : {false, true})
      for (const bool in_joint : {false, true}) {
        if ((in_lent && !lent) || (in_joint && !joint)) continue;
        const Finding one = check(ranks, row, in_lent, in_joint);
        all.compared += one.compared, all.unordered += one.unordered, all.hangs = all.hangs || one.hangs;
        if (all.text.empty()) all.text = one.text;
      }
  return all;
}

}  // namespace weft::check
