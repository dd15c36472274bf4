#include "check/order.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace weft::check {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Bytes from the first one of a region to its last, without the first `level` loops.
Index span(const Region& r, std::size_t level) {
  Index bytes = r.run;
  for (std::size_t k = level; k < r.loops.size(); ++k) bytes += (r.loops[k].first - 1) * r.loops[k].second;
  return bytes;
}

Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// What is left of a, from loop i on, begins `apart` bytes behind what is left of b, from loop j on.
bool meet(const Region& a, std::size_t i, const Region& b, std::size_t j, Index apart) {
  const Index a_span = span(a, i), b_span = span(b, j);
  if (apart >= b_span || apart + a_span <= 0) return false;
  const Index a_step = i < a.loops.size() ? a.loops[i].second : 0, b_step = j < b.loops.size() ? b.loops[j].second : 0, step = std::max(a_step, b_step);
  if (step == 0) return true;
  const bool in_a = a_step == step, in_b = b_step == step;
  const Index a_most = in_a ? a.loops[i].first - 1 : 0, b_most = in_b ? b.loops[j].first - 1 : 0;
  const Index a_inner = a_span - a_most * step, b_inner = b_span - b_most * step;
  // a goes k steps further than b, where that brings them together
  const Index low = std::max(-b_most, floor_div(-a_inner - apart, step) + 1), high = std::min(a_most, floor_div(b_inner - 1 - apart, step));
  for (Index k = low; k <= high; ++k)
    if (meet(a, i + (in_a ? 1 : 0), b, j + (in_b ? 1 : 0), apart + k * step)) return true;
  return false;
}

// ---- programs as numbers ----

template <class F>
void fields(Memory& x, F&& f) { f(x.rank), f(x.number); }
template <class A, class B, class F>
void fields(std::pair<A, B>& x, F&& f) { f(x.first), f(x.second); }
template <class F>
void fields(Region& x, F&& f) { f(x.memory), f(x.first), f(x.run), f(x.loops); }
template <class F>
void fields(Access& x, F&& f) { f(x.region), f(x.writes), f(x.part); }
template <class F>
void fields(Event& x, F&& f) { f(x.kind), f(x.of), f(x.tile), f(x.lane), f(x.needs), f(x.accesses); }
template <class F>
void fields(Wait& x, F&& f) { f(x.verb), f(x.tile), f(x.rank), f(x.of), f(x.of_tile), f(x.rounds), f(x.begun); }
template <class F>
void fields(Touch& x, F&& f) { f(x.tile), f(x.from), f(x.to), f(x.access), f(x.until_begun); }
template <class F>
void fields(Exchange& x, F&& f) { f(x.key), f(x.waits), f(x.touches); }
template <class F>
void fields(Execution& x, F&& f) { f(x.name), f(x.events), f(x.exchanges); }
template <class F>
void fields(Program& x, F&& f) { f(x.kinds), f(x.arrays), f(x.lent), f(x.joint); }

// Most numbers are small: seven bits a byte, the sign in the lowest bit.
struct Pack {
  std::string& to;
  void number(Index x) {
    std::uint64_t rest = static_cast<std::uint64_t>(x) << 1 ^ static_cast<std::uint64_t>(x >> 63);
    for (; rest > 127; rest >>= 7) to.push_back(static_cast<char>(rest | 128));
    to.push_back(static_cast<char>(rest));
  }
  template <class T>
  void operator()(T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) number(static_cast<Index>(x));
    else if constexpr (requires { x.resize(1); }) {
      number(static_cast<Index>(x.size()));
      for (auto& item : x) (*this)(item);
    } else fields(x, *this);
  }
};
struct Unpack {
  const char* from;
  Index number() {
    std::uint64_t all = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*from++);
      all |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return static_cast<Index>(all >> 1 ^ (0 - (all & 1)));
    }
  }
  template <class T>
  void operator()(T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) x = static_cast<T>(number());
    else if constexpr (requires { x.resize(1); }) {
      x.resize(at(number()));
      for (auto& item : x) (*this)(item);
    } else fields(x, *this);
  }
};

// ---- the order ----

constexpr int phases = 3;  // of an event: begun, through what it waits for, done
constexpr int never = -1;

struct Instance {
  int rank, execution;
  const Event* event;
  int lane, place;  // in its lane
  int cross = -1;   // what it needs of the other lane
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
        if (event->kind < Kind::work) points_[{rank, exchange(instances_.back()).key, event->kind, event->tile}].push_back(number);
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
          if (phase == 1 && !std::all_of(i.waits.begin(), i.waits.end(), [&](const auto& w) { return w.first != never && done(w.first, w.second); })) break;
          std::int32_t* const mine = clock(node(number, phase));
          const auto after = [&](int instance, int of) {
            const std::int32_t* const theirs = clock(node(instance, of));
            for (std::size_t k = 0; k < lanes_.size(); ++k) mine[k] = std::max(mine[k], theirs[k]);
          };
          if (phase > 0) after(number, phase - 1);
          else if (i.place > 0) after(lanes_[l][at(i.place - 1)], 2);
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
      say("never goes on: " + name(lanes_[l][at(next[l] / phases)]));
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
      for (const Access& access : i.event->kind == Kind::caller ? callers_[at(i.rank)] : i.event->accesses) add(access, number, node(number, 0), node(number, 2));
      if (i.event->kind >= Kind::work) continue;
      const Exchange& x = exchange(i);
      const int count = seen[{i.rank, x.key, i.event->kind, i.event->tile}]++;
      for (const Touch& touch : x.touches) {
        if (touch.from != i.event->kind || touch.tile != i.event->tile) continue;
        const std::vector<int>& ends = points_[{i.rank, x.key, touch.to, touch.tile}];
        const int end = count < static_cast<int>(ends.size()) ? node(ends[at(count)], touch.until_begun ? 0 : 2) : never;
        add(touch.access, number, node(number, 1), end);
      }
    }
    return all;
  }

  // Parts of one step run at once; what an exchange does with one tile is its own affair.
  bool together(const Use& a, const Use& b) const {
    const Instance &i = instances_[at(a.instance)], &j = instances_[at(b.instance)];
    if (i.event->kind == Kind::work || j.event->kind == Kind::work || i.event->kind == Kind::caller || j.event->kind == Kind::caller)
      return a.instance == b.instance && a.access->part == b.access->part;
    return i.rank == j.rank && i.execution == j.execution && exchange(i).key == exchange(j).key && i.event->tile == j.event->tile;
  }

  void compare() {
    auto all = uses();
    for (auto& [memory, list] : all) {
      std::sort(list.begin(), list.end(), [](const Use& a, const Use& b) { return a.access->region.first < b.access->region.first; });
      std::vector<std::size_t> open;  // whose last byte is not behind
      for (std::size_t k = 0; k < list.size(); ++k) {
        const Use& b = list[k];
        std::erase_if(open, [&](std::size_t j) { return list[j].last <= b.access->region.first; });
        for (const std::size_t j : open) {
          const Use& a = list[j];
          if ((!a.access->writes && !b.access->writes) || together(a, b)) continue;
          ++finding_.compared;
          if ((a.end != never && before(a.end, b.begin)) || (b.end != never && before(b.end, a.begin))) continue;
          if (!meet(a.access->region, 0, b.access->region, 0, a.access->region.first - b.access->region.first)) continue;
          ++finding_.unordered;
          const std::string first = what(a), second = what(b);
          if (said_.insert(first + second).second) say(first + "\n    and " + second + "\n    in " + name(memory));
        }
        open.push_back(k);
      }
    }
  }

  std::string name(int number) const {
    static constexpr const char* verbs[] = {"open", "start", "finish", "close", "work", "the caller"};
    const Instance& i = instances_[at(number)];
    const std::string verb = verbs[static_cast<int>(i.event->kind)], where = "rank " + std::to_string(i.rank) + ", execution " + std::to_string(i.execution) + " (" + execution(i).name + "), ";
    if (i.event->kind == Kind::caller) return where + "the caller after it";
    if (i.event->kind == Kind::work) return where + "stage " + std::to_string(i.event->of) + " from block " + std::to_string(i.event->tile);
    return where + verb + " of exchange " + std::to_string(i.event->of) + " tile " + std::to_string(i.event->tile);
  }
  std::string what(const Use& use) const {
    const std::string does = use.access->writes ? " writes" : " reads";
    const bool moves = instances_[at(use.instance)].event->kind < Kind::work;
    return name(use.instance) + (moves ? ", what it moves:" : ":") + does + " bytes " + std::to_string(use.access->region.first) + " to " + std::to_string(use.last - 1);
  }
  static std::string name(const Memory& memory) {
    return "memory " + std::to_string(memory.number) + " of rank " + std::to_string(memory.rank) + (memory.number < 0 ? " (an array of the caller)" : "");
  }
  void say(const std::string& line) {
    constexpr int most = 12;
    if (++lines_ <= most) finding_.text += line + "\n";
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
  std::set<std::string> said_;
  int lines_ = 0;
  Finding finding_;
};

}  // namespace

Index Region::end() const { return first + span(*this, 0); }

Region region(const View& view, const Box& part, Index element_bytes, const Memory& memory) {
  Box box = view.box;
  for (int a = 0; a < box.axes() && a < part.axes(); ++a) box.lo[a] = std::max(box.lo[a], part.lo[a]), box.hi[a] = std::min(box.hi[a], part.hi[a]);
  Region r{memory, 0, 0, {}};
  for (int a = 0; a < box.axes(); ++a)
    if (box.hi[a] <= box.lo[a]) return r;
  r.first = view.at(box.lo) * element_bytes;
  r.run = element_bytes;
  for (int a = 0; a < box.axes(); ++a)
    if (box.extent(a) > 1) r.loops.push_back({box.extent(a), view.strides[a] * element_bytes});
  std::sort(r.loops.begin(), r.loops.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
  while (!r.loops.empty() && r.loops.back().second == r.run) r.run *= r.loops.back().first, r.loops.pop_back();
  return r;
}

bool overlap(const Region& a, const Region& b) { return a.memory == b.memory && a.run > 0 && b.run > 0 && meet(a, 0, b, 0, a.first - b.first); }

std::string packed(Program program) {
  std::string bytes;
  Pack{bytes}(program);
  return bytes;
}

Program unpacked(const std::string& bytes) {
  Program program;
  Unpack{bytes.data()}(program);
  return program;
}

Finding check(const std::vector<Program>& ranks, const std::vector<int>& kinds, bool lent, bool joint) { return Order(ranks, kinds, lent, joint).check(); }

Finding check(const std::vector<Program>& ranks) {
  const int kinds = static_cast<int>(ranks.front().kinds.size());
  std::vector<std::vector<int>> rows;
  for (int k = 0; k < kinds; ++k) rows.push_back({k, k, k});
  if (kinds == 3) rows.push_back({0, 1, 2, 0, 2, 1, 0});
  bool lent = false, joint = false;
  for (const Program& program : ranks) lent = lent || !program.lent.empty(), joint = joint || !program.joint.empty();
  Finding all;
  for (const std::vector<int>& row : rows)
    for (const bool other : {false, true}) {
      if (other && !lent && !joint) continue;
      const Finding one = check(ranks, row, other && lent, other && joint);
      all.compared += one.compared, all.unordered += one.unordered, all.hangs = all.hangs || one.hangs;
      if (all.text.empty()) all.text = one.text;
    }
  return all;
}

}  // namespace weft::check
