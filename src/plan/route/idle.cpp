// What a route says of ranks that have nothing to do.
#include "plan/route/route.hpp"

namespace weft {

std::vector<std::string> idle_notes(const Route& route) {
  std::vector<std::string> notes;
  for (std::size_t s = 0; s < route.work.size(); ++s) {
    const Layout& layout = s < route.transitions.size() ? route.transitions[s].from : route.output;
    if (!layout.has_boxes()) continue;
    int idle = 0;
    for (int r = 0; r < layout.ranks(); ++r) idle += layout.box(r).empty();
    if (2 * idle <= layout.ranks()) continue;
    std::string axes;
    for (const int a : route.work[s]) axes += (axes.empty() ? " " : ", ") + std::to_string(a);
    notes.push_back(
        std::to_string(idle) + " of " + std::to_string(layout.ranks()) + " ranks are idle in stage " +
        std::to_string(s) + ", which " +
        (axes.empty() ? "copies" : (route.work[s].size() == 1 ? "transforms axis" : "transforms axes") + axes + " of") +
        " " + to_string(layout.shape()) +
        ": the shape, or the layouts given, keep no more busy there; another grid, a batch or fewer ranks may");
  }
  return notes;
}

}  // namespace weft
