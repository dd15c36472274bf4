
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto run = [&](const char* name, void (*fragment)(MPI_Comm, int, int)) {
    try {
      fragment(MPI_COMM_WORLD, rank, ranks);
    } catch (const weft::Error& error) {
      std::cerr << name << ": " << error.what() << "\n";
      ++wrong;
    }
  };
  {
    // calls
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
