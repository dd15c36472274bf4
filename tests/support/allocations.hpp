// Counts what weft itself allocates: executing must not.
#pragma once

/// Calls of operator new by this thread so far.
long allocations();
