// What rank 1 does otherwise than the others, while nobody checks: alone WHAT. Without a time limit
// it hangs, as it must.
#include <weft/weft.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using Complex = std::complex<double>;
const weft::Options plain{.strategy = "alltoallv", .effort = "estimate"};

// Returns what was thrown on this rank, or that nothing was.
std::string run(const std::string& what, bool other) {
  const weft::Layout rows = weft::Layout::slab({8, 8}, 0, 2), columns = weft::Layout::slab({8, 8}, 1, 2);
  std::vector<Complex> a(512), b(512);
  try {
    if (what == "plan") {
      if (other) pause();
      weft::AnyPlan fft(MPI_COMM_WORLD, weft::c2c<double>({8, 8, 8}), plain);
    } else if (what == "file") {
      if (other) pause();
      weft::inspect(MPI_COMM_WORLD, "nothing.npy");
    } else if (what == "tune") {
      if (other) pause();
      weft::tune(MPI_COMM_WORLD, weft::c2c<double>({8, 8, 8}), plain, {.seconds = 0.1});
    } else if (what == "redistribute") {
      weft::Redistribution move(MPI_COMM_WORLD, rows, columns, 16, {.strategy = "isend"});
      if (other)
        move(nullptr, b.data());
      else
        move(a.data(), b.data());
    } else {
      weft::Options options = plain;
      if (what.ends_with(".direct")) options.strategy = "direct";
      if (what.ends_with(".thread")) options.threads = 2, options.schedule.communicate = "thread";
      weft::AnyPlan fft(MPI_COMM_WORLD, weft::c2c<double>({8, 8, 8}), options),
          same(MPI_COMM_WORLD, weft::c2c<double>({8, 8, 4}), options);
      if (what.starts_with("null"))
        fft.forward(other ? nullptr : a.data(), b.data());
      else if (what.starts_with("direction"))
        other ? fft.backward(a.data(), b.data()) : fft.forward(a.data(), b.data());
      else if (what.starts_with("which"))
        (other ? same : fft).forward(a.data(), b.data());
      else if (what.starts_with("absent"))
        other ? static_cast<void>(pause()) : fft.forward(a.data(), b.data());
      else if (what.starts_with("right"))
        fft.forward(a.data(), b.data()), same.backward(b.data(), a.data());
      else
        return "no such fault: " + what;
    }
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 2) return 2;
  const std::string said = "rank " + std::to_string(rank) + " says: " + run(argv[1], rank == 1) + "\n";
  if (write(STDOUT_FILENO, said.data(), said.size()) < 0) return 3;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
