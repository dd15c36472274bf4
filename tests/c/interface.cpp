// The same program as C++.
#include "interface.c"  // NOLINT
