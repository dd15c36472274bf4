// Messages: checked, counted calls that move data. Whatever a call needs beyond its buffers (int
// counts, displacements, datatypes) is made beforehand, by Amount and Alltoall, so that running it
// any number of times allocates nothing. Always true: counts and displacements are 64-bit; the
// plain MPI call is used where they fit in an int (`count_limit`).
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "mpi/prepared.hpp"
#include "mpi/request.hpp"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace weft::mpi {

/// Set by tests: every `send` and `isend` is synchronous, so that code which counts on buffering
/// hangs.
inline bool synchronous_sends = false;

/// Whether MPI has persistent collectives: from version 4, and before as an extension of Open MPI.
/// Tests clear it.
#if MPI_VERSION >= 4 || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
inline bool persistent_collectives = true;
#else
inline bool persistent_collectives = false;
#endif

/// `count` elements of a datatype in the form that calls take: an int and a type. Dense elements
/// are given as bytes where an int holds their number; counts beyond an int are one element of a
/// type made of them. Refers to `element`, which must outlive it.
///
/// Bytes, because MPICH 4.0 loses the end of a message of a dense derived type where it packs it
/// (MPI_Sendrecv_replace, shared memory) and more than 256 types are alive: it takes bits of the
/// type's handle for the size of its basic type (typerep_do_pack; mended in 4.1).
class Amount {
 public:
  Amount() = default;
  Amount(Index count, const Datatype& element);

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }
  Index bytes() const { return bytes_; }

 private:
  Datatype all_;
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
  Index bytes_ = 0;
};

void send(const Communicator&, const void* data, const Amount&, int to, int tag);
void receive(const Communicator&, void* data, const Amount&, int from, int tag);
void isend(const Communicator&, const void* data, const Amount&, int to, int tag, Requests&);
void ireceive(const Communicator&, void* data, const Amount&, int from, int tag, Requests&);
void prepare_send(const Communicator&, const void* data, const Amount&, int to, int tag, Prepared&);
void prepare_receive(const Communicator&, void* data, const Amount&, int from, int tag, Prepared&);
/// Sends to one rank while it receives from another, or the same.
void sendrecv(const Communicator&, const void* data, const Amount&, int to, void* into, const Amount& arrives, int from,
              int tag);
/// Swaps the data with the peer, who calls it with the same amount, of dense elements: beyond an
/// int piece by piece.
void sendrecv_replace(const Communicator&, void* data, const Amount&, int peer, int tag);

/// What one rank sends to every rank, or receives from them: elements, and where they begin in its
/// buffer (in elements).
struct Parts {
  std::vector<Index> counts, offsets;

  /// Those of some ranks.
  Parts of(const std::vector<int>& ranks) const;
};

/// A collective exchange with every rank, ready to run: MPI_Alltoall, MPI_Alltoallv or
/// MPI_Alltoallw.
class Alltoall {
 public:
  Alltoall() = default;
  /// MPI_Alltoall: blocks of `count` elements lie back to back by rank in both buffers. The element
  /// must outlive it.
  static Alltoall even(const Communicator&, Index count, const Datatype& element);
  /// MPI_Alltoallv, one call for each of several tiles; the element must outlive them. Collective:
  /// where a number of any rank is beyond an int, all make MPI_Alltoallv_c of it where MPI has that
  /// (4.0), and MPI_Alltoallw elsewhere.
  static std::vector<Alltoall> uneven(const Communicator&, const std::vector<Parts>& send,
                                      const std::vector<Parts>& receive, const Datatype& element);
  static Alltoall uneven(const Communicator&, const Parts& send, const Parts& receive, const Datatype& element);
  /// MPI_Alltoallw: one datatype a rank, relative to the buffers.
  static Alltoall typed(const Communicator&, std::vector<Datatype> send, std::vector<Datatype> receive);

  /// By rank; empty unless made by `typed`.
  const std::vector<Datatype>& send_types() const { return send_.types; }
  const std::vector<Datatype>& receive_types() const { return receive_.types; }

  void operator()(const Communicator&, const void* send, void* receive) const;
  void start(const Communicator&, const void* send, void* receive, Requests&) const;
  /// Collective; throws where there are no `persistent_collectives`. The call must outlive the
  /// request.
  void prepare(const Communicator&, const void* send, void* receive, Prepared&) const;

 private:
  enum class Call { alltoall, alltoallv, alltoallv_large, alltoallw };
  struct Side {
    std::vector<int> counts, offsets;
    std::vector<MPI_Count> large_counts;
    std::vector<MPI_Aint> large_offsets;
    std::vector<Datatype> types;
    std::vector<MPI_Datatype> raw_types;
  };
  static Side typed_side(std::vector<Datatype> types);

  Call call_ = Call::alltoall;
  Amount block_;
  MPI_Datatype element_ = MPI_BYTE;
  Side send_, receive_;
  Index messages_ = 0, bytes_ = 0;
};

/// MPI_Gatherv to rank 0 and MPI_Scatterv from it, ready to run.
class Rooted {
 public:
  Rooted() = default;
  /// Collective: so many elements of each rank, and where rank 0 has everybody's (read there
  /// alone). The element must outlive it. Where a number of any rank is beyond an int, all make the
  /// large call where MPI has that (4.0), and elsewhere send to rank 0 or receive from it.
  Rooted(const Communicator&, Index own, const Parts& all, const Datatype& element);

  void gather(const Communicator&, const void* own, void* all) const;
  void scatter(const Communicator&, const void* all, void* own) const;

 private:
  enum class Call { plain, large, apart };
  Call call_ = Call::plain;
  MPI_Datatype element_ = MPI_BYTE;
  Amount own_;
  Index own_count_ = 0;
  std::vector<int> counts_, offsets_;  // at rank 0
  std::vector<MPI_Count> large_counts_;
  std::vector<MPI_Aint> large_offsets_;
  std::vector<Amount> amounts_;
  std::vector<Index> places_;       // bytes
  Index messages_ = 0, bytes_ = 0;  // of scattering
};

/// A collective exchange with the neighbours in a communicator's graph, ready to run:
/// MPI_Ineighbor_alltoallv.
class NeighborAlltoall {
 public:
  /// Collective over the graph: the parts for its targets and from its sources. The element must
  /// outlive it. Where a number of any rank is beyond an int, all make MPI_Ineighbor_alltoallv_c of
  /// it where MPI has that (4.0), and MPI_Ineighbor_alltoallw elsewhere. (MPICH 4.0.2 delivers that
  /// one wrongly where a rank has not as many sources as targets.)
  NeighborAlltoall(const Communicator& graph, const Parts& send, const Parts& receive, const Datatype& element);

  void start(const Communicator& graph, const void* send, void* receive, Requests&) const;

 private:
  struct Side {
    Side(const Parts&, const Datatype& element, bool large);
    std::vector<int> counts, offsets;
    std::vector<MPI_Count> large_counts;
    std::vector<MPI_Aint> large_offsets;  // in `type` for MPI_Ineighbor_alltoallv_c, bytes for MPI_Ineighbor_alltoallw
    MPI_Datatype type;
    std::vector<Amount> amounts;
    std::vector<MPI_Datatype> types;
  };

  bool large_;
  Side send_, receive_;
  Index messages_ = 0, bytes_ = 0;
};

}  // namespace weft::mpi
