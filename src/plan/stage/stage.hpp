// Stages: gather -> line transforms (or a pointwise map) -> scatter, over blocks of a box. A stage
// reads where the last exchange landed (or the user's array) and writes where the next one leaves;
// packing is the first and last touch of a block that is in cache for its transform anyway. With
// movers and engines, the only code that touches values.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "plan/stage/program.hpp"

namespace weft {

class Stage {
 public:
  Stage(const StageSpec& spec, const Variants& variants);
  /// As specified or, where that would write what is still to be read, in another order of blocks
  /// or by blocks, if that would not.
  static std::unique_ptr<Stage> undisturbed(const StageSpec& spec, const Variants& variants);
  /// True when it writes what it has still to read: its results are wrong unless an array lies
  /// between.
  bool disturbs() const;
  /// True when the source may begin where the destination's array in that slot does, blocks being
  /// run one after the other: every block is read into the workspace before it is written, where no
  /// block that follows is read.
  bool overlays(int slot) const;

  const StageSpec& spec() const { return spec_; }
  const Variants& variants() const { return variants_; }
  /// From now on it works like this. What `variants()` does not have is without effect.
  void choose(const Choice& choice);
  const Choice& chosen() const { return choice_; }

  /// The same in all variants. A block is in the coordinates of `from`, whole along transformed
  /// axes.
  int blocks() const { return planned_ ? planned_->blocks() : 0; }
  Box block(int b) const { return planned_->block(b); }
  int passes() const { return passes_; }
  bool transforms(int axis) const { return spec_.transforms(axis); }
  /// After block b comes not the next one here but a block of another stage, and its memory is what
  /// b had better ask for.
  void follow(int b, const Stage& next, int block);
  /// Lines that a pass transforms in all blocks together; those filled up to a whole batch do not
  /// count.
  Index lines(int pass) const { return planned_ && pass < planned_->passes() ? planned_->lines(pass) : 0; }

  /// What a workspace has room for: the bytes of a block and of one of its two line buffers,
  /// segments, and rows.
  Index block_bytes() const;
  Index line_bytes() const;
  std::size_t segments() const;
  std::size_t rows() const;
  std::size_t ahead_rows() const;

  /// What runs now, as chosen; only of a stage that has blocks. Passes behind its own do nothing.
  const StageProgram& program() const { return *program_; }

 private:
  std::array<StageProgram*, 3> programs() const { return {planned_.get(), streaming_.get(), in_runs_.get()}; }
  template <class Of>
  auto most(Of of) const {
    decltype(of(*planned_)) all{};
    for (const StageProgram* program : programs())
      if (program) all = std::max(all, of(*program));
    return all;
  }
  PlacedArea wanted(int block) const;

  const StageSpec spec_;
  const Variants variants_;
  std::unique_ptr<StageProgram> planned_, streaming_, in_runs_;  // null: there is no such variant, or nothing to do
  int passes_ = 0;                                               // the most of any variant
  Choice choice_;
  StageProgram* program_ = nullptr;
};

}  // namespace weft
