#include "idle.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bands {

void Busy::add(const Hamiltonian& h, long columns) {
  kpoint_ = true;
  plane_waves_ = plane_waves_ || !h.basis().mine.empty();
  space_ = space_ || h.plan().map_view().box.volume() > 0;
  whole_bands_ = whole_bands_ || h.has_bands(columns);
}

Idle Busy::idle(MPI_Comm all) const {
  const bool transforms = space_ && whole_bands_;
  int lacks[] = {!kpoint_, kpoint_ && !plane_waves_, kpoint_ && !space_, kpoint_ && !whole_bands_,
                 !plane_waves_ && !transforms};
  MPI_Allreduce(MPI_IN_PLACE, lacks, 5, MPI_INT, MPI_SUM, all);
  return {lacks[0], lacks[1], lacks[2], lacks[3], lacks[4]};
}

std::string idle_text(const Idle& idle, int ranks) {
  std::vector<std::string> lacks;
  const auto add = [&](int count, const char* what) {
    if (count > 0) lacks.push_back(fmt::format("{} {} no {}", count, count == 1 ? "has" : "have", what));
  };
  add(idle.kpoints, "k-point");
  add(idle.plane_waves, "plane waves");
  add(idle.space, "planes of real space");
  add(idle.whole_bands, "whole bands to transform");
  if (lacks.empty()) return "";
  const std::string spare = idle.nothing > 0 ? fmt::format("; {} could be left out", idle.nothing) : "";
  const char* const advice = idle.kpoints > 0
                                 ? "as many pools as k-points at most (--pools) keep all busy"
                                 : "smaller pools (--pools), task groups (--set groups) or fewer ranks keep all busy";
  return fmt::format("note: of {} ranks {}{}\n      {}\n", ranks, fmt::join(lacks, ", "), spare, advice);
}

}  // namespace bands
