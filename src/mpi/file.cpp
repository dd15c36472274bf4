#include "mpi/file.hpp"

#include <weft/quote.hpp>

namespace weft::mpi {

File::File(const Communicator& all, const std::string& path, int mode) : all_(all), path_(path), own_(new Joint) {
  all_.agree([&] {
    all_.hear();
    const Wait wait("MPI_File_open");
    check(MPI_File_open(all_.raw(), path_.c_str(), mode, MPI_INFO_NULL, &own_->file), "MPI_File_open");
  });
}

void File::check(int code, const char* call) const {
  try {
    mpi::check(code, call);
  } catch (const Error& error) {
    throw Error(shown_path(path_) + ": " + error.what());
  }
}

void File::view(Index begin, const Datatype& places) const {
  all_.agree([&] {
    all_.hear();
    const Wait wait("MPI_File_set_view");
    check(MPI_File_set_view(own_->file, begin, MPI_BYTE, places.raw(), "native", MPI_INFO_NULL), "MPI_File_set_view");
  });
}

template <class Call>
void File::move(const Datatype& array, Call call, const char* name) const {
  all_.agree([&] {
    all_.hear();
    const Wait wait(name);
    MPI_Status status;
    check(call(array.size() > 0 ? 1 : 0, &status), name);
    MPI_Count moved = 0;
    check(MPI_Get_elements_x(&status, MPI_BYTE, &moved), "MPI_Get_elements_x");
    if (moved != array.size())
      throw Error(shown_path(path_) + ": " + name + " moved " + std::to_string(moved) + " of " +
                  std::to_string(array.size()) + " bytes");
  });
}

void File::read(void* memory, const Datatype& array) const {
  move(
      array,
      [&](int count, MPI_Status* status) {
        return MPI_File_read_at_all(own_->file, 0, memory, count, array.raw(), status);
      },
      "MPI_File_read_at_all");
}

void File::write(const void* memory, const Datatype& array) const {
  move(
      array,
      [&](int count, MPI_Status* status) {
        return MPI_File_write_at_all(own_->file, 0, memory, count, array.raw(), status);
      },
      "MPI_File_write_at_all");
}

void File::sync() const {
  all_.agree([&] {
    all_.hear();
    const Wait wait("MPI_File_sync");
    check(MPI_File_sync(own_->file), "MPI_File_sync");
  });
}

void File::close() {
  all_.agree([&] {
    all_.hear();
    const Wait wait("MPI_File_close");
    check(MPI_File_close(&own_->file), "MPI_File_close");
  });
}

}  // namespace weft::mpi
