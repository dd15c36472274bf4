// A counter of allocations. MPI libraries are C and allocate as they please: they are not counted.
#include "support/allocations.hpp"

static thread_local long count = 0;

long allocations() { return count; }

static bool refused() { return ++count, false; }

#include "support/operators.hpp"
