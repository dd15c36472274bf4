// Preloaded before MPI: a strided datatype comes out with a stride one byte too long, as from an
// MPI that makes them wrongly.
#include <mpi.h>

extern "C" int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made) {
  return PMPI_Type_create_hvector(count, length, stride + (count > 1 && stride > 1 ? 1 : 0), old, made);
}
