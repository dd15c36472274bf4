// A program of another project, which has the installed package and nothing else.
#include <weft/weft.hpp>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    weft::Plan fft(MPI_COMM_WORLD, weft::c2c<double>({4, 4, 4}));
    std::cout << fft;
  }
  MPI_Finalize();
}
