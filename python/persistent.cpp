// Persistent collectives under the names that Open MPI 4 has for them, where Open MPI 5 is loaded,
// which has MPI's own names alone. What the loaded library defines comes first, so these are called
// with Open MPI 5 only.
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#if MPI_VERSION < 4 && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)

// Not in this version's header.
extern "C" {
[[gnu::weak]] decltype(MPIX_Alltoall_init) MPI_Alltoall_init;
[[gnu::weak]] decltype(MPIX_Alltoallv_init) MPI_Alltoallv_init;
[[gnu::weak]] decltype(MPIX_Alltoallw_init) MPI_Alltoallw_init;

[[gnu::weak]] int MPIX_Alltoall_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                     int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info,
                                     MPI_Request* request) {
  return MPI_Alltoall_init(send, send_count, send_type, receive, receive_count, receive_type, comm, info, request);
}

[[gnu::weak]] int MPIX_Alltoallv_init(const void* send, const int send_counts[], const int send_offsets[],
                                      MPI_Datatype send_type, void* receive, const int receive_counts[],
                                      const int receive_offsets[], MPI_Datatype receive_type, MPI_Comm comm,
                                      MPI_Info info, MPI_Request* request) {
  return MPI_Alltoallv_init(send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
                            receive_type, comm, info, request);
}

[[gnu::weak]] int MPIX_Alltoallw_init(const void* send, const int send_counts[], const int send_offsets[],
                                      const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                                      const int receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm,
                                      MPI_Info info, MPI_Request* request) {
  return MPI_Alltoallw_init(send, send_counts, send_offsets, send_types, receive, receive_counts, receive_offsets,
                            receive_types, comm, info, request);
}
}

#endif
