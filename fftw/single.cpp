// The names of single precision.
#define NAME(f) fftwf_##f
#define FORTRAN(f) sfftw_##f
#define REAL float
#define SINGLE true
#include "entries.inc"
