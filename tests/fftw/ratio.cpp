// The time of the drop-in's transforms over FFTW-MPI's own, with the program's arrays, in the same
// processes. Both are executed in turn, so that what else the machine does meets both.
//
//     ratio FFTW3_MPI [N0[xN1[xN2]] [HOWMANY [EFFORT [REPEAT]]]]     128x128x128, 1, measure (or estimate, patient), 30
//
// For each kind, in and out of place, transposed after or not (of one axis scrambled or not): medians
// of the slowest rank's times, and their ratio.
#include <fftw3-mpi.h>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Size = std::ptrdiff_t;

int rank_here;
void* library;

template <class F>
F* theirs(F*, const char* name) {
  void* const found = dlsym(library, name);
  if (!found) {
    std::fprintf(stderr, "%s is not there: %s\n", name, dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return reinterpret_cast<F*>(found);
}
#define THEIRS(name) theirs(name, #name)

enum class Kind { c2c, r2c, c2r };

struct Case {
  Kind kind;
  bool in_place, transposed;
};

void fill(double* a, Size count) {
  for (Size k = 0; k < count; ++k) a[k] = static_cast<double>(k * 7919 % 1000) / 1000 - 0.5;
}

double seconds_of(fftw_plan plan) {
  MPI_Barrier(MPI_COMM_WORLD);
  double took = -MPI_Wtime();
  fftw_execute(plan);
  took += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return took;
}

double median(std::vector<double> a) {
  std::nth_element(a.begin(), a.begin() + static_cast<Size>(a.size() / 2), a.end());
  return a[a.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_here);
  if (argc < 2) {
    std::fprintf(stderr, "ratio FFTW3_MPI [N0[xN1[xN2]] [HOWMANY [EFFORT [REPEAT]]]]\n");
    return MPI_Abort(MPI_COMM_WORLD, 2);
  }
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::fprintf(stderr, "%s\n", dlerror()), MPI_Abort(MPI_COMM_WORLD, 2);
  fftw_mpi_init();
  THEIRS(fftw_mpi_init)();

  std::vector<Size> n;
  for (const char* at = argc > 2 ? argv[2] : "128x128x128"; at;) {
    n.push_back(std::atoll(at));
    at = std::strchr(at, 'x');
    if (at) ++at;
  }
  const Size howmany = argc > 3 ? std::atoll(argv[3]) : 1;
  const std::string effort = argc > 4 ? argv[4] : "measure";
  const int repeat = argc > 5 ? std::atoi(argv[5]) : 30, rank = static_cast<int>(n.size());
  const unsigned how = effort == "estimate" ? FFTW_ESTIMATE : effort == "patient" ? FFTW_PATIENT : FFTW_MEASURE;

  std::vector<Size> half = n;
  half.back() = n.back() / 2 + 1;
  Size n0, start0, n1, start1, room = 0;
  for (const unsigned flags : {0u, FFTW_MPI_SCRAMBLED_OUT})
    if (rank == 1)
      room =
          std::max(room, fftw_mpi_local_size_1d(n[0], MPI_COMM_WORLD, FFTW_FORWARD, flags, &n0, &start0, &n1, &start1));
  for (const std::vector<Size>& shape : {n, half})
    if (rank > 1)
      room = std::max(room, fftw_mpi_local_size_many_transposed(rank, shape.data(), howmany, 0, 0, MPI_COMM_WORLD, &n0,
                                                                &start0, &n1, &start1));
  fftw_complex* const a = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const b = fftw_alloc_complex(static_cast<std::size_t>(room));

  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const bool in_place : {false, true})
      for (const bool transposed : {false, true}) {
        if (rank == 1 && kind != Kind::c2c) continue;
        fftw_complex* const to = in_place ? a : b;
        double *const real_a = &a[0][0], *const real_to = &to[0][0];
        const unsigned other_order = rank == 1           ? FFTW_MPI_SCRAMBLED_OUT
                                     : kind == Kind::c2r ? FFTW_MPI_TRANSPOSED_IN
                                                         : FFTW_MPI_TRANSPOSED_OUT;
        const unsigned flags = how | (transposed ? other_order : 0);
        const auto made = [&](auto dft, auto r2c, auto c2r) {
          return kind == Kind::c2c   ? dft(rank, n.data(), howmany, 0, 0, a, to, MPI_COMM_WORLD, FFTW_FORWARD, flags)
                 : kind == Kind::r2c ? r2c(rank, n.data(), howmany, 0, 0, real_a, to, MPI_COMM_WORLD, flags)
                                     : c2r(rank, n.data(), howmany, 0, 0, a, real_to, MPI_COMM_WORLD, flags);
        };
        const fftw_plan plans[] = {made(fftw_mpi_plan_many_dft, fftw_mpi_plan_many_dft_r2c, fftw_mpi_plan_many_dft_c2r),
                                   made(THEIRS(fftw_mpi_plan_many_dft), THEIRS(fftw_mpi_plan_many_dft_r2c),
                                        THEIRS(fftw_mpi_plan_many_dft_c2r))};
        if (!plans[0] || !plans[1]) {  // FFTW has none of some shapes
          if (rank_here == 0) std::printf("no plan of %s\n", plans[0] ? "FFTW-MPI's" : "weft's");
          for (const fftw_plan plan : plans) fftw_destroy_plan(plan);
          continue;
        }
        std::vector<double> times[2];
        for (int r = 0; r < repeat + 60; ++r)
          for (const int whose : {r % 2, 1 - r % 2}) {
            fill(real_a, 2 * room);  // executed again and again in place numbers would grow out of bounds
            const double took = seconds_of(plans[whose]);
            if (r >= 60) times[whose].push_back(took);  // before that weft may still be trying its ways
          }
        const double ours = median(times[0]), other = median(times[1]);
        if (rank_here == 0) {
          std::printf("%s %-12s %-10s %9.3f ms, FFTW-MPI %9.3f ms, ratio %.2f\n",
                      kind == Kind::c2c   ? "c2c"
                      : kind == Kind::r2c ? "r2c"
                                          : "c2r",
                      in_place ? "in place" : "out of place",
                      !transposed ? "natural"
                      : rank == 1 ? "scrambled"
                                  : "transposed",
                      1e3 * ours, 1e3 * other, ours / other);
          std::fflush(stdout);
        }
        for (const fftw_plan plan : plans) fftw_destroy_plan(plan);
      }
  fftw_free(a), fftw_free(b);
  MPI_Finalize();
  return 0;
}
