// Which variants a stage has on a machine, and which of them are tried while plans run. Pure
// functions: of a stage, what is known of its place in a plan, and what the machine is.
#pragma once

#include "plan/policy/hardware.hpp"
#include "plan/stage/spec.hpp"
#include "plan/stage/variant.hpp"

namespace weft {

/// A stage's place in a plan.
struct StageFacts {
  bool first = false;        ///< it reads what callers give
  bool last = false;         ///< no stage follows
  bool returns = false;      ///< it writes what callers get
  bool sends = false;        ///< an exchange follows
  bool overwrites = false;   ///< callers let it write where it reads
  bool paired_rows = false;  ///< the plan transforms rows and the columns across them in one block
  Index ranks = 1;           ///< of this node
  Index bytes_at_once = 0;   ///< that all of them have written and nobody has read yet, at most
};

Blocking blocking(const Hardware& hardware);

Variants variants(const StageSpec& spec, const StageFacts& facts, const Hardware& hardware);

/// Whether it is found out while plans run which is faster, and the guess to begin with.
struct Trials {
  bool in_runs = false;
  bool streams = false, retains = false;
  bool streams_guess = false;
};
Trials trials(const StageSpec& spec, const Variants& variants, const StageFacts& facts, const Hardware& hardware);

}  // namespace weft
