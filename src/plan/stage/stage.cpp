#include "plan/stage/stage.hpp"

namespace weft {

Stage::Stage(const StageSpec& spec, const Variants& variants) : spec_(spec), variants_(variants) {
  if (spec_.from.box.empty() || spec_.to.box.empty()) return;
  planned_ = std::make_unique<StageProgram>(spec_, variants.planned);
  if (variants.streaming) streaming_ = std::make_unique<StageProgram>(spec_, *variants.streaming);
  if (variants.in_runs) in_runs_ = std::make_unique<StageProgram>(spec_, *variants.in_runs);
  passes_ = most([](const StageProgram& p) { return p.passes(); });
  choose({.retains = spec_.retained_slot < 0});
}

Index Stage::block_bytes() const {
  return most([](const StageProgram& p) { return p.block_bytes(); });
}
Index Stage::line_bytes() const {
  return most([](const StageProgram& p) { return p.line_bytes(); });
}
std::size_t Stage::segments() const {
  return most([](const StageProgram& p) { return p.segments(); });
}
std::size_t Stage::rows() const {
  return most([](const StageProgram& p) { return p.rows(); });
}
std::size_t Stage::ahead_rows() const {
  return most([](const StageProgram& p) { return p.ahead_rows(); });
}

void Stage::choose(const Choice& choice) {
  choice_ = choice;
  if (!planned_) return;
  const bool streams = choice.streams.value_or(false);
  program_ = streams && streaming_ ? streaming_.get() : choice.in_runs && in_runs_ ? in_runs_.get() : planned_.get();
  const Variant& planned = variants_.planned;
  Store store = planned.store;
  if (program_ == streaming_.get())
    store = Store::streaming;
  else if (choice.streams && store != Store::cached)
    store = streams ? Store::streaming : Store::cached;
  program_->choose({store, choice.retains});
}

void Stage::follow(int b, const Stage& next, int block) {
  for (StageProgram* program : programs())
    if (program && program->prefetches())
      if (const PlacedArea area = next.wanted(block); area.area && area.area->rows > 0) program->prefetch(b, area);
}

// What somebody had better ask for before the block is worked on, in whichever variant.
PlacedArea Stage::wanted(int block) const {
  for (const StageProgram* program : programs())
    if (program && program->prefetches()) return program->wanted(block);
  return {};
}

bool Stage::disturbs() const {
  const auto all = programs();
  return std::any_of(all.begin(), all.end(),
                     [](const StageProgram* program) { return program && program->disturbs(); });
}

bool Stage::overlays(int slot) const {
  const auto all = programs();
  return std::all_of(all.begin(), all.end(),
                     [&](const StageProgram* program) { return !program || program->overlays(slot); });
}

std::unique_ptr<Stage> Stage::undisturbed(const StageSpec& spec, const Variants& variants) {
  auto planned = std::make_unique<Stage>(spec, variants);
  if (!planned->disturbs()) return planned;
  for (const bool by_blocks : {false, !spec.operations.empty()})
    for (const bool turned : {false, true}) {
      if (!(by_blocks || turned) || (turned && spec.threads > 1)) continue;
      StageSpec other = spec;
      other.by_blocks = by_blocks;
      other.descending = spec.descending != turned;
      if (auto stage = std::make_unique<Stage>(other, variants); !stage->disturbs()) return stage;
    }
  return planned;
}

}  // namespace weft
