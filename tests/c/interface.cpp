// The same program as C++.
#include "interface.c"   // NOLINT
#include "halos.c"       // NOLINT
#include "measured.c"    // NOLINT
#include "transforms.c"  // NOLINT
