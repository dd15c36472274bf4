// Files that all ranks of a communicator read and write together: opened and closed collectively,
// every call checked. Always true: whatever fails on one rank fails on all, with the file's name in
// the message.
#pragma once

#include <string>

#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"

namespace weft::mpi {

class File {
 public:
  /// Collective over `all`, which must outlive it; `mode` is one of MPI's: MPI_MODE_RDONLY,
  /// MPI_MODE_RDWR.
  File(const Communicator& all, const std::string& path, int mode);
  /// The destructor is collective.

  /// What this rank sees of the file: from byte `begin` on, the places of `places`, again and
  /// again. Collective.
  void view(Index begin, const Datatype& places) const;
  /// Moves one element of `array` between memory and the places seen; collective. Throws when less
  /// is moved.
  void read(void* memory, const Datatype& array) const;
  void write(const void* memory, const Datatype& array) const;
  /// What is written is on the device. Collective.
  void sync() const;
  /// Collective. The destructor does it as well, but cannot say what went wrong.
  void close();

 private:
  void check(int code, const char* call) const;
  template <class Call>
  void move(const Datatype& array, Call call, const char* name) const;

  const Communicator& all_;
  std::string path_;
  JointHandle own_;
};

}  // namespace weft::mpi
