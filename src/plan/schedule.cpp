#include "plan/schedule.hpp"

#include <algorithm>

namespace weft {
namespace {

class Maker {
 public:
  Maker(const std::vector<const Stage*>& stages, const std::vector<const Exchange*>& exchanges,
        const Schedule& schedule)
      : stages_(stages), exchanges_(exchanges), schedule_(schedule), ran_(stages.size()), progress_(exchanges.size()) {
    for (std::size_t s = 0; s < exchanges.size(); ++s) exchanges[s] ? relate(s) : connect(s);
  }

  std::vector<Step> make() {
    if (schedule_.in_step) start_in_step();
    run_all(stages_.size() - 1);
    for (std::size_t s = 0; s < exchanges_.size(); ++s)  // whoever owns nothing takes part all the same
      if (exchanges_[s]) finish_to(s, exchanges_[s]->tiles());
    return std::move(steps_);
  }

 private:
  // Blocks and tiles of one exchange: which need which.
  struct Progress {
    std::vector<int> written_by;    // by tile: one past the last block that writes it
    std::vector<int> first_writer;  // by tile: the first block that does
    // by block of the reading stage: one past the last tile it reads, or without an exchange the
    // last block of the writer
    std::vector<int> needs;
    std::vector<int> last_reader;  // by tile: the last block that reads it, -1: none
    int opened = 0, started = 0, finished = 0;
  };

  static bool meets(const Stage& stage, const Box& block, const Box& piece) {
    // where a stage looks up in a table, pieces have other axes after those that both have
    for (int a = 0; a < std::min(block.axes(), piece.axes()); ++a)
      if (!stage.transforms(a) && std::max(block.lo[a], piece.lo[a]) >= std::min(block.hi[a], piece.hi[a]))
        return false;
    return !piece.empty();
  }

  void relate(std::size_t s) {
    const Exchange& exchange = *exchanges_[s];
    const Stage &writer = *stages_[s], &reader = *stages_[s + 1];
    Progress& p = progress_[s];
    const auto tiles = static_cast<std::size_t>(exchange.tiles());
    p.written_by.assign(tiles, 0);
    p.first_writer.assign(tiles, writer.blocks());
    p.last_reader.assign(tiles, -1);
    p.needs.assign(static_cast<std::size_t>(reader.blocks()), 0);
    for (std::size_t t = 0; t < tiles; ++t) {
      const Exchange::Tile& tile = exchange.tile(static_cast<int>(t));
      for (int b = 0; b < writer.blocks(); ++b)
        for (const Piece& piece : tile.out)
          if (meets(writer, writer.block(b), piece.at.box)) {
            p.written_by[t] = b + 1;
            p.first_writer[t] = std::min(p.first_writer[t], b);
            break;
          }
      for (int b = 0; b < reader.blocks(); ++b)
        for (const Piece& piece : tile.in)
          if (meets(reader, reader.block(b), piece.at.box)) {
            p.needs[static_cast<std::size_t>(b)] = static_cast<int>(t) + 1;
            p.last_reader[t] = b;
            break;
          }
    }
  }

  // Without an exchange between: a block may follow as soon as those that it has points in common
  // with are done, unless its stage writes, laid out otherwise, where blocks to come will read.
  void connect(std::size_t s) {
    const Stage &writer = *stages_[s], &reader = *stages_[s + 1];
    std::vector<int>& needs = progress_[s].needs;
    needs.assign(static_cast<std::size_t>(reader.blocks()), writer.blocks());
    if (writer.spec().to.table || reader.spec().from.table) return;
    const Side& to = reader.spec().to;
    const auto disturbs = [&](const Side& side) {
      return std::any_of(side.views.begin(), side.views.end(), [&](const View& read) {
        return std::any_of(to.views.begin(), to.views.end(), [&](const View& written) {
          return read.slot == written.slot && !(side.bytes == to.bytes && same_memory(read, written));
        });
      });
    };
    for (std::size_t k = s;; --k) {
      if (disturbs(stages_[k]->spec().from) || disturbs(stages_[k]->spec().to)) return;
      if (k == 0 || exchanges_[k - 1]) break;
    }
    for (int a = 0; a < reader.spec().from.box.axes(); ++a) {
      const Index low = reader.spec().from.box.lo[a], extent = reader.spec().from.box.extent(a);
      if (writer.transforms(a) || reader.transforms(a) || writer.blocks() == 0 || writer.block(0).extent(a) == extent)
        continue;
      // by place on the axis: one past the last block that has it
      std::vector<int> last(static_cast<std::size_t>(extent));
      for (int w = 0; w < writer.blocks(); ++w)
        std::fill(last.begin() + (writer.block(w).lo[a] - low), last.begin() + (writer.block(w).hi[a] - low), w + 1);
      for (int b = 0; b < reader.blocks(); ++b) {
        int& need = needs[static_cast<std::size_t>(b)];
        need = std::min(need, *std::max_element(last.begin() + (reader.block(b).lo[a] - low),
                                                last.begin() + (reader.block(b).hi[a] - low)));
      }
    }
  }

  void step(Step::Kind kind, std::size_t of, int first, int last = 0) {
    if (kind == Step::Kind::work && !steps_.empty()) {
      Step& previous = steps_.back();
      if (previous.kind == kind && previous.of == static_cast<int>(of) && previous.last == first) {
        previous.last = last;
        return;
      }
    }
    steps_.push_back({kind, static_cast<int>(of), first, last});
  }

  // Starts every tile of exchange s, running its writer, and as much of its reader as becomes ready
  // when the window is full.
  void start_all(std::size_t s) {
    for (std::size_t e = 0; e < s; ++e)  // exchange by exchange, also on a rank that has nothing to do in between
      if (exchanges_[e]) start_all(e);
    while (progress_[s].started < exchanges_[s]->tiles()) start_next(s);
  }

  int window(std::size_t s) const {
    const int tiles = exchanges_[s]->tiles();
    return schedule_.window == 0 ? tiles : static_cast<int>(std::min<Index>(schedule_.window, tiles));
  }

  void start_next(std::size_t s) {
    Progress& p = progress_[s];
    // also where this rank has no blocks in between: what arrives may lie where it still sends from
    if (s > 0 && exchanges_[s - 1] && holds(s)) finish_to(s - 1, exchanges_[s - 1]->tiles());
    run(s, p.written_by[static_cast<std::size_t>(p.started)]);
    const bool full = p.started - p.finished >= window(s);
    if (full) finish_to(s, p.finished + 1);
    open_to(s, p.started + 1);
    step(Step::Kind::start, s, p.started++);
    if (full) run_ready(s + 1);  // not before the start: something shall be on its way meanwhile
  }

  // Every exchange as many tiles behind the one before it as that may have on their way.
  void start_in_step() {
    for (int round = 0, left = 1; left > 0; ++round) {
      left = 0;
      int tile = round;
      for (std::size_t s = 0; s < exchanges_.size(); ++s) {
        if (!exchanges_[s]) continue;
        if (tile == progress_[s].started && tile < exchanges_[s]->tiles()) start_next(s);
        left += exchanges_[s]->tiles() - progress_[s].started;
        tile -= window(s);
      }
    }
  }

  void open_to(std::size_t s, int tile) {
    Progress& p = progress_[s];
    while (p.opened < tile) step(Step::Kind::open, s, p.opened++);
  }

  void finish_to(std::size_t s, int tile) {
    Progress& p = progress_[s];
    if (p.finished >= tile) return;
    if (p.started < tile) start_all(s);
    while (p.finished < tile) {
      step(Step::Kind::finish, s, p.finished);
      if (p.last_reader[static_cast<std::size_t>(p.finished)] < 0) step(Step::Kind::close, s, p.finished);
      ++p.finished;
    }
  }

  void run_all(std::size_t s) {
    if (s > 0 && exchanges_[s - 1]) start_all(s - 1);
    run(s, stages_[s]->blocks());
    if (s > 0 && !exchanges_[s - 1]) run_all(s - 1);  // what nobody has asked for
  }

  // A stage may leave its result where a later exchange sends it from, with other stages between
  // that work there: peers must be done with it before.
  void open_later(std::size_t s) {
    std::size_t e = s;
    while (e < exchanges_.size() && !exchanges_[e]) ++e;
    if (e == s || e == exchanges_.size()) return;
    const std::vector<View>& left = stages_[s]->spec().to.views;
    if (std::any_of(left.begin(), left.end(),
                    [&](const View& view) { return view.slot == exchanges_[e]->array().slot; }))
      open_to(e, exchanges_[e]->tiles());
  }

  // One past the last block of stage s that is to be done before block `of` of the next: as many as
  // will still be in cache when they are read, but for such as may have to wait for what is on its
  // way. Where caches hold it, what as many of the next one's blocks need as there are threads: small
  // grids are better worked on one a thread than in parts by all, large ones the other way.
  int passed_on(std::size_t s, int of) const {
    constexpr Index held = 8;  // times as much as is handed on at least
    const Stage& stage = *stages_[s];
    const std::vector<int>& needs = progress_[s].needs;
    int end = needs[static_cast<std::size_t>(of)];
    if (ran_[s] >= end || (s > 0 && exchanges_[s - 1])) return end;
    const auto bytes = [&](int last) {
      Index sum = 0;
      for (int b = ran_[s]; b < last; ++b) sum += stage.block(b).volume() * stage.spec().to.bytes;
      return sum;
    };
    int further = end;
    for (int parts = 1; parts < schedule_.threads && ++of < static_cast<int>(needs.size());)
      if (const int need = needs[static_cast<std::size_t>(of)]; need > further) further = need, ++parts;
    if (bytes(further) <= held * schedule_.passed_on) end = further;
    while (end < stage.blocks() && bytes(end) < schedule_.passed_on) ++end;
    return end;
  }

  // Whether the stage writes where all others may still read, and tiles lie that are being sent.
  bool holds(std::size_t s) const { return schedule_.held >= 0 && static_cast<int>(s) >= schedule_.held; }

  // Blocks whose tiles have all arrived, in order, as far as that goes.
  void run_ready(std::size_t s) {
    if (holds(s)) return;
    const Progress& p = progress_[s - 1];
    int end = ran_[s];
    while (end < stages_[s]->blocks() && p.needs[static_cast<std::size_t>(end)] <= p.finished) ++end;
    run(s, end);
  }

  void run(std::size_t s, int end) {
    if (ran_[s] >= end) return;
    const bool reads = s > 0 && exchanges_[s - 1], writes = s + 1 < stages_.size() && exchanges_[s];
    open_later(s);
    while (ran_[s] < end) {
      const int b = ran_[s];
      if (s > 0 && !reads) run(s - 1, holds(s) ? stages_[s - 1]->blocks() : passed_on(s - 1, b));
      if (reads)
        finish_to(s - 1, holds(s) ? exchanges_[s - 1]->tiles() : progress_[s - 1].needs[static_cast<std::size_t>(b)]);
      if (writes)
        for (int t = exchanges_[s]->tiles(); t > progress_[s].opened; --t)
          if (progress_[s].first_writer[static_cast<std::size_t>(t - 1)] <= b) open_to(s, t);
      if (ran_[s] != b) continue;
      step(Step::Kind::work, s, b, b + 1);
      ++ran_[s];
      if (reads)
        for (std::size_t t = 0; t < progress_[s - 1].last_reader.size(); ++t)
          if (progress_[s - 1].last_reader[t] == b) step(Step::Kind::close, s - 1, static_cast<int>(t));
      if (schedule_.test > 0 && ++since_test_ >= schedule_.test) {
        since_test_ = 0;
        for (std::size_t e = 0; e < exchanges_.size(); ++e)
          if (exchanges_[e] && progress_[e].started > progress_[e].finished)
            step(Step::Kind::test, e, progress_[e].finished);
      }
    }
  }

  const std::vector<const Stage*>& stages_;
  const std::vector<const Exchange*>& exchanges_;
  const Schedule schedule_;
  std::vector<int> ran_;  // by stage: blocks done
  std::vector<Progress> progress_;
  std::vector<Step> steps_;
  Index since_test_ = 0;
};

}  // namespace

std::vector<Step> make_steps(const std::vector<const Stage*>& stages, const std::vector<const Exchange*>& exchanges,
                             const Schedule& schedule) {
  return Maker(stages, exchanges, schedule).make();
}

}  // namespace weft
