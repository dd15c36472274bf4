// A client that hides its own symbols, as plugins do, catches what a shared library of weft throws.
#include <weft/weft.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int caught = 0;
  try {
    weft::Plan fft(MPI_COMM_WORLD, weft::c2c<double>({4, 4, 4}), {.strategy = "no such strategy"});
  } catch (const weft::Error& e) {
    ++caught;
    std::puts(e.what());
  }
  try {
    weft::Plan fft(MPI_COMM_WORLD, weft::c2c<double>({4, 4, 4}), {.grid = {7}});
  } catch (const weft::Error& e) {
    ++caught;
    std::puts(e.what());
  }
  MPI_Finalize();
  return caught == 2 ? 0 : 1;
}
