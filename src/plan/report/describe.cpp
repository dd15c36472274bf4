// How a plan tells what it is.
#include <algorithm>
#include <sstream>

#include "plan/plan.hpp"

namespace weft {
namespace {

std::string bytes_string(Index bytes) {
  std::ostringstream s;
  s.precision(3);
  if (bytes < 1024)
    s << bytes << " B";
  else if (bytes < (Index{1} << 20))
    s << static_cast<double>(bytes) / 1024 << " KiB";
  else if (bytes < (Index{1} << 30))
    s << static_cast<double>(bytes) / 1048576 << " MiB";
  else
    s << static_cast<double>(bytes) / 1073741824 << " GiB";
  return s.str();
}

std::string order_string(const Order& order) {
  std::ostringstream s;
  for (int k = 0; k < order.size(); ++k) s << (k ? "," : "(") << order[k];
  s << ")";
  return s.str();
}

// "7x8x9, slabs: axis 0 cut, memory order (0,1,2)"
std::string layout_string(const Layout& layout) {
  std::string cut;
  int count = 0;
  for (int a = 0; a < layout.axes(); ++a)
    for (int r = 0; r < layout.ranks(); ++r)
      if (!layout.box(r).empty() && layout.box(r).extent(a) != layout.shape()[a]) {
        cut += (count++ ? ", " : "") + std::to_string(a);
        break;
      }
  const char* names[] = {"not cut", "slabs", "pencils", "bricks"};
  std::string text = to_string(layout.shape()) + ", " + names[std::min(count, 3)];
  if (count) text += (count > 1 ? ": axes " : ": axis ") + cut + " cut";
  return text + ", memory order " + order_string(layout.order());
}

void describe_transform(std::ostringstream& out, const Transform& transform, const std::vector<Kind>& kinds,
                        bool chosen) {
  for (std::size_t s = 0; s < transform.stages.size(); ++s) {
    const Stage& stage = *transform.stages[s];
    out << "  stage " << s << ": ";
    if (stage.spec().operations.empty()) out << "copy";
    for (const Operation& o : stage.spec().operations) {
      out << (&o == &stage.spec().operations.front() ? "" : ", then ") << "axis " << o.axis << " "
          << to_string(kinds[static_cast<std::size_t>(o.axis)]) << " of " << o.first->spec().length;
      if (stage.passes() > 0)
        out << " (" << stage.lines(static_cast<int>(&o - &stage.spec().operations.front())) << " lines)";
      if (o.scale != 1) out << " times " << o.scale;
    }
    out << "; " << stage.blocks() << " blocks here\n";
    if (s == transform.transitions.size()) continue;
    const Transition& transition = transform.transitions[s];
    if (!transition.exchanges) {
      out << "    stays on the rank, in an array\n";
      continue;
    }
    const Exchange& exchange = *transform.exchanges[s];
    Index sent = 0, kept = 0, messages = 0;
    for (int t = 0; t < exchange.tiles(); ++t) {
      int last = -1;
      for (const Piece& piece : exchange.tile(t).out) {
        const Index bytes = piece.at.box.volume() * transform.bytes[s + 1];
        if (piece.peer == transform.selves[s])
          kept += bytes;
        else
          sent += bytes, messages += piece.peer != last;
        last = piece.peer;
      }
    }
    std::string reason = transform.reasons[s];
    // what is chosen is explained above
    if (chosen && reason.starts_with("as requested")) reason.erase(0, std::string_view("as requested, but ").size());
    out << "    exchange: " << transform.strategies[s] << (reason.empty() ? "" : " (" + reason + ")") << "\n      "
        << layout_string(transition.from) << "\n      -> " << layout_string(transition.to) << "\n      "
        << exchange.tiles() << (exchange.tiles() == 1 ? " tile" : " tiles");
    if (transition.cut.axis >= 0)
      out << " of up to " << transition.cut.size << (transition.cut.size == 1 ? " plane" : " planes") << " of axis "
          << transition.cut.axis;
    out << "; sends " << bytes_string(sent) << " to others in " << messages << (messages == 1 ? " piece" : " pieces")
        << ", keeps " << bytes_string(kept) << "; owns " << bytes_string(exchange.bytes_owned()) << "\n";
    if (const std::string note = exchange.note(); !note.empty()) out << "      note: " << note << "\n";
  }
}

// The exchanges of backward that another strategy carries than forward's in their place.
void describe_backward(std::ostringstream& out, const Transform& forward, const Transform& backward) {
  const auto exchanges = [](const Transform& transform) {
    std::vector<std::size_t> all;
    for (std::size_t h = 0; h < transform.transitions.size(); ++h)
      if (transform.transitions[h].exchanges) all.push_back(h);
    return all;
  };
  const std::vector<std::size_t> there = exchanges(forward), back = exchanges(backward);
  for (std::size_t k = 0; k < back.size(); ++k) {
    const std::string& strategy = backward.strategies[back[k]];
    if (there.size() == back.size() && strategy == forward.strategies[there[there.size() - 1 - k]]) continue;
    out << "backward, exchange " << k << ": " << strategy << " (" << backward.reasons[back[k]] << ")\n";
  }
}

}  // namespace

std::string AnyPlan::describe() const {
  const Body& b = *body_;
  std::ostringstream out;
  const Options& o = b.requested;
  const int node_count = 1 + *std::max_element(b.nodes.begin(), b.nodes.end());
  out << "weft plan: ";
  for (std::size_t k = 0; k < b.problem.kinds.size(); ++k) out << (k ? " x " : "") << to_string(b.problem.kinds[k]);
  out << ", " << to_string(b.problem.precision) << ", shape " << to_string(b.problem.shape) << ", " << b.comm.size()
      << (b.comm.size() == 1 ? " rank" : " ranks")
      << (node_count > 1 ? " on " + std::to_string(node_count) + " nodes" : "") << " x " << b.effective.threads
      << (b.effective.threads == 1 ? " thread" : " threads");
  if (o.batch > 1) out << ", batch " << o.batch;
  if (o.components > 1) out << ", " << o.components << " components";
  out << (o.in_place()           ? ", in place"
          : o.overwrites_input() ? ", may overwrite its input"
                                 : ", preserves its input")
      << "\n";
  out << "engine " << o.engine << " (" << b.effective.effort << "); strategy " << b.effective.strategy
      << (o.strategy == b.effective.strategy ? "" : " (requested: " + o.strategy + ")")
      << (o.wire == "single" ? ", single precision on the wire" : "") << "; schedule: tiles "
      << b.effective.schedule.tiles;
  const ScheduleOptions &effective = b.effective.schedule, &requested = o.schedule;
  if (effective.tiles != "one")
    out << " of " << effective.tile << ", window " << effective.window << ", test " << effective.test;
  if (effective.communicate == "thread") out << ", exchanges on a thread of their own";
  if (b.chosen_by.empty() && requested.tiles != "auto" &&
      (effective.tiles != requested.tiles || effective.tile != requested.tile ||
       (requested.window && effective.window != requested.window) || effective.test != requested.test))
    out << " (requested: " << requested.tiles << " of " << requested.tile << ", window " << requested.window
        << ", test " << requested.test << ")";
  if (const auto& back = b.effective.backward_schedule) {
    out << "; backward: tiles " << back->tiles;
    if (back->tiles != "one") out << " of " << back->tile << ", window " << back->window << ", test " << back->test;
  }
  out << "\n";
  if (const std::string asked = to_string(o); !asked.empty()) out << "asked for: " << asked << "\n";
  if (!b.chosen_by.empty()) out << "chosen by " << b.chosen_by << "\n";
  if (b.waves) out << b.describe_waves();
  out << "input  " << layout_string(b.route.input) << "\noutput " << layout_string(b.route.output) << "\n";
  for (const std::string& note : idle_notes(b.route)) out << "note: " << note << "\n";
  out << "forward, on rank " << b.comm.rank() << ":\n";
  describe_transform(out, b.forward, b.route.kinds, o.strategy == "auto" || o.strategy == "tune");
  describe_backward(out, b.forward, b.backward);
  out << "memory of the plan's own on rank " << b.comm.rank() << ": " << bytes_string(b.owned_bytes) << " ("
      << b.owned_bytes << " bytes)\n";
  if (b.works_in == Memory::callers)
    out << "workspace of the caller's on rank " << b.comm.rank() << ": " << bytes_string(b.workspace_bytes()) << " ("
        << b.workspace_bytes() << " bytes)\n";
  return out.str();
}

std::vector<Index> AnyPlan::lines() const {
  std::vector<Index> count(static_cast<std::size_t>(body_->route.shape.size()), 0);
  for (const auto& stage : body_->forward.stages)
    for (int p = 0; stage->passes() > 0 && p < static_cast<int>(stage->spec().operations.size()); ++p)
      count[static_cast<std::size_t>(stage->spec().operations[static_cast<std::size_t>(p)].axis)] += stage->lines(p);
  return count;
}

AnyPlan::Datatypes AnyPlan::datatypes() const {
  Datatypes all;
  for (const Transform* transform : {&body_->forward, &body_->backward})
    for (std::size_t h = 0; h < transform->exchanges.size(); ++h) {
      if (!transform->exchanges[h]) continue;
      for (const Exchange::Type& type : transform->exchanges[h]->datatypes()) {
        ++all.made;
        all.different += !type.difference.empty();
        all.text += std::string(transform == &body_->forward ? "forward" : "backward") + ", exchange " +
                    std::to_string(h) + ", tile " + std::to_string(type.tile) + ", " + (type.out ? "to" : "from") +
                    " member " + std::to_string(type.peer) + (type.peer == transform->selves[h] ? " (this rank)" : "") +
                    ": " +
                    (type.difference.empty() ? "matches its pattern" : "DIFFERS from its pattern: " + type.difference) +
                    "\n  " + type.text;
      }
    }
  return all;
}

std::ostream& operator<<(std::ostream& out, const AnyPlan& plan) { return out << plan.describe(); }

}  // namespace weft
