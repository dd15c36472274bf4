// The one list of kernels. Tile, window and test interval of those that leave them to be tuned are
// only where tuning may begin.
#include <weft/kernel.hpp>
#include <weft/quote.hpp>

namespace weft {
namespace {

constexpr std::string_view dubey = "Dubey & Tessera, Redistribution strategies for portable parallel FFT",
                           zerah = "Hoefler & Zerah, 3-D FFT in ABINIT with non-blocking collectives",
                           gottlieb = "Hoefler & Gottlieb, EuroMPI 2010, doi:10.1007/978-3-642-15646-5_14",
                           bethune = "Bethune, HECToR dCSE report on Quantum ESPRESSO and GWW, 2010",
                           bigdft = "BigDFT: one thread of a rank communicates, the others compute (talk, 2012)";

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all{
      {"replace",
       "sendrecv_replace",
       {"gathered", 1},
       "plane by plane, MPI_Sendrecv_replace with one peer after the other",
       dubey},
      {"standard", "sendrecv", {"gathered", 1}, "plane by plane, MPI_Send and MPI_Recv in pairwise order", dubey},
      {"overlap", "isend", {"gathered", 1, 0}, "plane by plane, MPI_Isend and MPI_Irecv, waited for at the end", dubey},
      {"oneplane", "alltoall", {"gathered", 1}, "MPI_Alltoall plane by plane", dubey},
      {"allplanes", "alltoall", {}, "one MPI_Alltoall of all planes", dubey},
      {"max_overlap",
       "ialltoall",
       {"kept", 8, 2, 1},
       "tiles of an axis that stays local, MPI_Ialltoall between two stages; tune tile, window, test",
       zerah},
      {"pipelined",
       "ialltoall",
       {"gathered", 8, 2},
       "groups of planes, each sent from cache by MPI_Ialltoall; tune tile and window",
       zerah},
      {"zero_copy", "datatype", {}, "MPI_Alltoallw whose datatypes pack, unpack and transpose", gottlieb},
      {"alltoallv", "alltoallv", {}, "one MPI_Alltoallv", bethune},
      {"p2p", "isend", {}, "MPI_Isend and MPI_Irecv of everything at once", bethune},
      {"padded", "padded", {}, "one MPI_Alltoall of blocks as large as the largest", bethune},
      {"node", "node", {}, "the ranks of a node pack into one buffer, and only leaders exchange", bethune},
      {"leader", "leader", {}, "MPI_Gatherv to the node's leader, an exchange of leaders, MPI_Scatterv", bethune},
      {"thread",
       "alltoallv",
       {"gathered", 1, 1, 0, "thread"},
       "MPI_Alltoallv plane by plane on a thread of its own; at least 2 threads",
       bigdft},
  };
  return all;
}

const Kernel& kernel(std::string_view name) {
  std::string names;
  for (const Kernel& known : kernels()) {
    if (known.name == name) return known;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw Error("there is no kernel '" + shown(name) + "'; there are " + names);
}

Options Kernel::of(Options options) const {
  options.strategy = strategy;
  options.schedule = schedule;
  return options;
}

}  // namespace weft
