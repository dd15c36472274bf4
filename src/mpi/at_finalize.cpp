#include "mpi/at_finalize.hpp"

#include <memory>

#include "mpi/check.hpp"

namespace weft::mpi {
namespace {

int call(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()>*>(attribute));
  (*f)();
  return MPI_SUCCESS;
}

}  // namespace

void at_finalize(std::function<void()> f) {
  // MPI frees the attributes of MPI_COMM_SELF before it does anything else (MPI 3.1, 8.7.1)
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call, &key, nullptr), "MPI_Comm_create_keyval");
  auto kept = std::make_unique<std::function<void()>>(std::move(f));
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, kept.get()), "MPI_Comm_set_attr");
  kept.release();
  check(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

}  // namespace weft::mpi
