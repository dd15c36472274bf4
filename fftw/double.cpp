// The names of double precision.
#define NAME(f) fftw_##f
#define FORTRAN(f) dfftw_##f
#define REAL double
#define SINGLE false
#include "entries.inc"
