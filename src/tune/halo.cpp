// Constructors of halos, for which "auto" chooses by what tuning has measured of this machine.
#include "plan/halo.hpp"
#include "tune/recollection.hpp"

namespace weft {
namespace {

/// Collective: a body of the problem that `problem` makes.
template <class Body, class MakeProblem>
std::unique_ptr<Body> made(MPI_Comm user, const HaloOptions& options, MakeProblem problem) {
  const mpi::Entry entry("planning a halo", options.strategy);
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] {
    const bool looks = comm.max(options.wisdom && options.strategy == "auto" ? 1 : 0);
    const Machine machine = looks ? Recollection::machine_at(comm, options.nodes) : Machine();
    return std::make_unique<Body>(comm.again(), problem(comm), machine);
  });
}

}  // namespace

Halo::Halo(MPI_Comm user, const Layout& layout, Index element_bytes, const HaloOptions& options)
    : body_(made<Body>(user, options, [&](const mpi::Communicator& comm) {
        return Body::of_boxes(comm, layout, element_bytes, options);
      })) {}

Halo::Halo(MPI_Comm user, const Layout& layout, const Layout& ghosts, Index element_bytes, const HaloOptions& options)
    : body_(made<Body>(user, options, [&](const mpi::Communicator& comm) {
        return Body::of_lists(comm, layout, ghosts, element_bytes, options);
      })) {}

}  // namespace weft
