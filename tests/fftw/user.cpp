// A program that knows FFTW alone, as many do it: MPI plans through the entries of serial ones,
// serial plans beside them, plans made and destroyed around every execution. It compares everything
// with a serial transform.
//
//     user [N [REPEAT]]     N^3 points; REPEAT > 0: times instead
//
// USER_EXPECTS=weft in the environment: its plans must be weft's; else FFTW's.
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

int rank_here, ranks, failures;

void check(bool good, const char* what) {
  int all = good ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all) return;
  ++failures;
  if (rank_here == 0) std::printf("wrong: %s\n", what);
}

double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

void fill(fftw_complex* a, ptrdiff_t first, ptrdiff_t count) {
  for (ptrdiff_t k = 0; k < count; ++k) {
    const double x = static_cast<double>((first + k) * 7919 % 1000);
    a[k][0] = x / 500 - 1;
    a[k][1] = std::sin(x);
  }
}

bool same(const fftw_complex* a, const fftw_complex* b, ptrdiff_t count, double of) {
  for (ptrdiff_t k = 0; k < count; ++k)
    if (!(std::hypot(a[k][0] - b[k][0], a[k][1] - b[k][1]) < 1e-13 * of)) return false;
  return true;
}

bool weft_expected() {
  const char* const wanted = std::getenv("USER_EXPECTS");
  return wanted && std::strcmp(wanted, "weft") == 0;
}

void whose(fftw_plan plan) {
  char* const text = fftw_sprint_plan(plan);
  check((std::strncmp(text, "(weft ", 6) == 0) == weft_expected(), "whose plan it is");
  std::free(text);
}

void transforms(ptrdiff_t n) {
  ptrdiff_t n0, start0, n1, start1;
  const ptrdiff_t room = fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
  const ptrdiff_t plane = n * n, points = n * plane;
  fftw_complex* const a = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const b = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const all = fftw_alloc_complex(static_cast<std::size_t>(points));

  // a serial plan, made first and used in between
  const int m = static_cast<int>(n);
  fftw_plan serial = fftw_plan_dft_3d(m, m, m, all, all, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(all, 0, points);
  fill(a, start0 * plane, n0 * plane);
  fftw_plan plan = fftw_mpi_plan_dft_3d(n, n, n, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  check(plan != nullptr, "a plan");
  whose(plan);
  fftw_execute(serial);
  const double size = static_cast<double>(points);
  fftw_execute(plan);
  check(same(b, all + start0 * plane, n0 * plane, size), "fftw_execute");
  if (weft_expected()) {  // the serial entry, as PETSc calls it; FFTW's own would take a + 1 for the output
    for (ptrdiff_t k = 0; k < room; ++k) b[k][0] = b[k][1] = 0;
    fftw_execute_dft(plan, a, b);
    check(same(b, all + start0 * plane, n0 * plane, size), "fftw_execute_dft on a distributed plan");
  }

  // a copy outlives what it was made from (FFTW 3.3.11; its header may be older)
  const auto copy = reinterpret_cast<fftw_plan (*)(fftw_plan)>(dlsym(RTLD_DEFAULT, "fftw_copy_plan"));
  fftw_plan another = copy ? copy(plan) : nullptr;
  check(another || !weft_expected(), "fftw_copy_plan");
  fftw_destroy_plan(plan);
  if (another) {
    for (ptrdiff_t k = 0; k < room; ++k) b[k][0] = b[k][1] = 0;
    fftw_execute(another);
    check(same(b, all + start0 * plane, n0 * plane, size), "fftw_execute of a copy");
    fftw_destroy_plan(another);
  }

  // back again, in place
  plan = fftw_mpi_plan_dft_3d(n, n, n, b, b, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftw_mpi_execute_dft(plan, b, b);
  for (ptrdiff_t k = 0; k < n0 * plane; ++k) b[k][0] /= size, b[k][1] /= size;
  check(same(b, a, n0 * plane, 10), "there and back");
  double add, mul, fma;
  fftw_flops(plan, &add, &mul, &fma);
  // FFTW alone may have none for a rank that only sends.
  check(!weft_expected() || (add + mul + fma > 0 && fftw_cost(plan) > 0), "flops and cost");
  fftw_destroy_plan(plan);
  fftw_destroy_plan(nullptr);

  // one-dimensional, which on one rank is FFTW's own also where weft does the others
  ptrdiff_t in_count, in_start, out_count, out_start;
  const ptrdiff_t line = fftw_mpi_local_size_1d(n * n, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE, &in_count,
                                                &in_start, &out_count, &out_start);
  fftw_complex* const c = fftw_alloc_complex(static_cast<std::size_t>(std::max<ptrdiff_t>(line, 1)));
  plan = fftw_mpi_plan_dft_1d(n * n, c, c, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  if (plan) {
    if (ranks > 1) whose(plan);
    fill(c, in_start, in_count);
    fftw_execute(plan);
    fftw_plan long_line = fftw_plan_dft_1d(m * m, all, all, FFTW_FORWARD, FFTW_ESTIMATE);
    fill(all, 0, n * n);
    fftw_execute(long_line);
    fftw_destroy_plan(long_line);
    check(same(c, all + out_start, out_count, size), "a one-dimensional transform");
    fftw_destroy_plan(plan);
  }
  if (weft_expected()) {  // one point, on which FFTW-MPI 3.3.10 crashes
    fftw_complex point[1] = {{3, -2}}, result[1] = {{0, 0}};
    plan = fftw_mpi_plan_dft_1d(1, point, result, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
    check(plan != nullptr, "a plan of one point");
    whose(plan);
    fftw_execute(plan);
    check(rank_here > 0 || same(result, point, 1, 1), "one point");
    fftw_destroy_plan(plan);
    const ptrdiff_t one = 1;
    const fftw_r2r_kind kind = FFTW_DHT;
    check(!fftw_mpi_plan_many_r2r(1, &one, 1, 0, 0, point[0], result[0], MPI_COMM_WORLD, &kind, FFTW_ESTIMATE),
          "one real point has no plan");
  }
  // What FFTW's library has and its header does not: plans of FFTW's own, executed as any other.
  using Guru =
      fftw_plan (*)(int, const fftw_mpi_ddim*, ptrdiff_t, fftw_complex*, fftw_complex*, MPI_Comm, int, unsigned);
  if (const auto guru = reinterpret_cast<Guru>(dlsym(RTLD_DEFAULT, "fftw_mpi_plan_guru_dft"))) {
    const fftw_mpi_ddim cube[] = {{n, 0, 0}, {n, n, n}, {n, n, n}};
    plan = guru(3, cube, 1, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan known = fftw_mpi_plan_dft_3d(n, n, n, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    char* const text = fftw_sprint_plan(plan);
    check(std::strncmp(text, "(weft ", 6) != 0, "guru plans are FFTW's own");
    std::free(text);
    fill(a, start0 * plane, n0 * plane);
    fftw_execute(known);
    std::vector<double> kept(reinterpret_cast<double*>(b), reinterpret_cast<double*>(b + n0 * plane));
    fill(a, start0 * plane, n0 * plane);
    fftw_mpi_execute_dft(plan, a, b);
    check(same(b, reinterpret_cast<fftw_complex*>(kept.data()), n0 * plane, size), "a guru plan");
    fftw_destroy_plan(known);
    fftw_destroy_plan(plan);
  }
  using RealGuru =
      fftw_plan (*)(int, const fftw_mpi_ddim*, ptrdiff_t, double*, double*, MPI_Comm, const fftw_r2r_kind*, unsigned);
  if (const auto guru = reinterpret_cast<RealGuru>(dlsym(RTLD_DEFAULT, "fftw_mpi_plan_guru_r2r"))) {
    const fftw_mpi_ddim cube[] = {{n, 0, 0}, {n, n, n}, {n, n, n}};
    const fftw_r2r_kind kinds[] = {FFTW_REDFT10, FFTW_RODFT11, FFTW_R2HC};
    double *const in = a[0], *const out = b[0];
    plan = guru(3, cube, 1, in, out, MPI_COMM_WORLD, kinds, FFTW_ESTIMATE);
    fftw_plan known =
        fftw_mpi_plan_r2r_3d(n, n, n, in, out, MPI_COMM_WORLD, kinds[0], kinds[1], kinds[2], FFTW_ESTIMATE);
    whose(known);
    fill(a, start0 * plane, n0 * plane / 2 + 1);
    fftw_execute(known);
    const std::vector<double> kept(out, out + n0 * plane);
    fill(a, start0 * plane, n0 * plane / 2 + 1);
    fftw_mpi_execute_r2r(plan, in, out);
    check(std::equal(kept.begin(), kept.end(), out, [&](double x, double y) { return std::abs(x - y) < 1e-12 * size; }),
          "a guru plan of real kinds");
    fftw_destroy_plan(known);
    fftw_destroy_plan(plan);
  }
  // Serial guru plans are FFTW's own.
  const fftw_iodim64 square[] = {{n, n, n}, {n, 1, 1}}, planes = {n, plane, plane};
  plan = fftw_plan_guru64_dft(2, square, 1, &planes, all, all, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan last =
      fftw_plan_many_dft(1, &m, m * m, all, nullptr, m * m, 1, all, nullptr, m * m, 1, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(all, 0, points);
  fftw_execute_dft(plan, all, all);
  fftw_execute(last);
  std::vector<double> by_guru(all[0], all[0] + 2 * points);
  fill(all, 0, points);
  fftw_execute(serial);
  check(same(all, reinterpret_cast<fftw_complex*>(by_guru.data()), points, size), "a serial guru plan");
  fftw_destroy_plan(last);
  fftw_destroy_plan(plan);
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  fftw_destroy_plan(serial);
  fftw_free(a), fftw_free(b), fftw_free(c), fftw_free(all);
}

// What planning does to arrays, and that it costs little the second time.
void planning(ptrdiff_t n) {
  ptrdiff_t n0, start0;
  const ptrdiff_t room = fftw_mpi_local_size_3d(n, n + 1, n + 2, MPI_COMM_WORLD, &n0, &start0);
  fftw_complex* const a = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const b = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const before = fftw_alloc_complex(static_cast<std::size_t>(room));
  fill(before, 0, room);
  double first = 0, best = 1e9;
  for (const bool measures : {false, true}) {
    for (int k = 0; k < 20; ++k) {
      fill(a, 0, room), fill(b, 0, room);
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      fftw_plan plan = fftw_mpi_plan_dft_3d(n, n + 1, n + 2, a, b, MPI_COMM_WORLD, FFTW_FORWARD,
                                            measures ? FFTW_MEASURE : FFTW_ESTIMATE);
      const double took = slowest(MPI_Wtime() - begin);
      (k == 0 ? first : best) = k == 0 ? took : std::min(best, took);
      const std::size_t bytes = static_cast<std::size_t>(room) * sizeof(fftw_complex);
      const bool kept = std::memcmp(a, before, bytes) == 0 && std::memcmp(b, before, bytes) == 0;
      check(kept || (measures && !weft_expected()), "arrays are what they were after planning");
      fftw_destroy_plan(plan);
    }
    check(!weft_expected() || best < first / 2, "planning again takes less than half the time");
  }
  fftw_free(a), fftw_free(b), fftw_free(before);
}

bool told_of(fftw_plan plan, const char* word) {
  char* const text = fftw_sprint_plan(plan);
  const bool told = std::strstr(text, word) != nullptr;
  std::free(text);
  return told;
}

// What flags and threads ask for.
void flags(ptrdiff_t n) {
  ptrdiff_t n0, start0;
  const ptrdiff_t room = fftw_mpi_local_size_3d(n, n, n / 2 + 1, MPI_COMM_WORLD, &n0, &start0);
  fftw_complex* const a = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const b = fftw_alloc_complex(static_cast<std::size_t>(room));
  const auto plan = [&](unsigned flags) {
    return fftw_mpi_plan_dft_c2r_3d(n, n, n, a, reinterpret_cast<double*>(b), MPI_COMM_WORLD, flags);
  };
  // Of wisdom alone there is a plan once one was measured.
  check(!plan(FFTW_WISDOM_ONLY), "no wisdom");
  fftw_destroy_plan(plan(FFTW_ESTIMATE));
  check(!plan(FFTW_WISDOM_ONLY), "an estimate is no wisdom");
  fftw_destroy_plan(plan(FFTW_MEASURE));
  fftw_plan known = plan(FFTW_WISDOM_ONLY);
  check(known != nullptr, "a plan of wisdom");
  fftw_destroy_plan(known);
  if (weft_expected()) {
    fftw_destroy_plan(fftw_mpi_plan_dft_2d(n, n, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE));
    check(!fftw_mpi_plan_dft_2d(n, n, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_WISDOM_ONLY | FFTW_ESTIMATE),
          "an estimate is no wisdom for estimates");
    check(!plan(FFTW_WISDOM_ONLY | FFTW_PATIENT), "wisdom of less effort");
    fftw_plan patient = plan(FFTW_PATIENT);
    check(told_of(patient, "effort patient"), "a patient plan");
    fftw_destroy_plan(patient);

    fftw_plan careful = plan(FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);  // FFTW has none for several axes
    fftw_plan careless = plan(FFTW_ESTIMATE);
    check(!told_of(careful, "placement overwrite") && told_of(careless, "placement overwrite"), "what is overwritten");
    fill(a, 0, room);
    const std::vector<double> before(a[0], a[0] + 2 * room);
    fftw_execute(careful);
    check(std::equal(before.begin(), before.end(), a[0]), "an input that is to be preserved");
    fftw_destroy_plan(careful), fftw_destroy_plan(careless);

    const ptrdiff_t square[] = {n, n};
    fftw_plan one = fftw_mpi_plan_many_dft(2, square, 1, 0, 0, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan two = fftw_mpi_plan_many_dft(2, square, 2, 0, 0, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    check(!told_of(one, "components 2") && told_of(two, "components 2"), "two at once after one alone");
    fftw_destroy_plan(one), fftw_destroy_plan(two);

    if (const auto threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "fftw_plan_with_nthreads"))) {
      threads(2);
      two = plan(FFTW_ESTIMATE);
      threads(1);
      one = plan(FFTW_ESTIMATE);
      check(told_of(two, "threads 2") && !told_of(one, "threads 2"), "threads");
      fftw_destroy_plan(one), fftw_destroy_plan(two);
    }
  }
  if (weft_expected() && ranks > 1) {  // ranks that disagree get no plan
    const int sign = rank_here == 0 ? FFTW_FORWARD : FFTW_BACKWARD;
    check(!fftw_mpi_plan_dft_2d(n, n, a, b, MPI_COMM_WORLD, sign, FFTW_ESTIMATE), "two directions");
    fftw_complex* const result = rank_here == 0 ? a : b;
    check(!fftw_mpi_plan_dft_2d(n, n, a, result, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE), "in place on one rank");
  }
  fftw_free(a), fftw_free(b);
}

// What one rank has measured others know, by name of FFTW's own wisdom.
void wisdom() {
  fftw_complex line[35];
  const auto plan = [&](int n, unsigned flags) {
    return fftw_plan_dft_1d(n, line, line, FFTW_FORWARD, FFTW_MEASURE | flags);
  };
  if (rank_here == 0) fftw_destroy_plan(plan(33, 0));
  if (rank_here == ranks - 1) fftw_destroy_plan(plan(35, 0));
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  fftw_plan gathered = rank_here == 0 ? plan(35, FFTW_WISDOM_ONLY) : nullptr;
  check(rank_here > 0 || gathered, "wisdom that was gathered");
  fftw_destroy_plan(gathered);
  fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  fftw_plan sent = plan(33, FFTW_WISDOM_ONLY);
  check(sent != nullptr, "wisdom that was broadcast");
  fftw_destroy_plan(sent);
}

// Medians of forward executions, and of plans that are made and destroyed.
void times(ptrdiff_t n, int repeat) {
  ptrdiff_t n0, start0;
  const ptrdiff_t room = fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &n0, &start0);
  fftw_complex* const a = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const b = fftw_alloc_complex(static_cast<std::size_t>(room));
  for (const bool transposed : {false, true})
    for (const bool in_place : {false, true}) {
      const unsigned flags = FFTW_MEASURE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0);
      std::vector<double> planning, executing;
      for (int k = 0; k < 3; ++k) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        fftw_plan plan = fftw_mpi_plan_dft_3d(n, n, n, a, in_place ? a : b, MPI_COMM_WORLD, FFTW_FORWARD, flags);
        planning.push_back(slowest(MPI_Wtime() - begin));
        fill(a, start0 * n * n, n0 * n * n);
        for (int r = 0; k == 2 && r < repeat + 100; ++r) {
          MPI_Barrier(MPI_COMM_WORLD);
          const double start = MPI_Wtime();
          fftw_execute(plan);
          const double took = slowest(MPI_Wtime() - start);
          if (r >= 100) executing.push_back(took);
          if (in_place) fill(a, start0 * n * n, n0 * n * n);
        }
        fftw_destroy_plan(plan);
      }
      std::sort(executing.begin(), executing.end());
      if (rank_here == 0)
        std::printf("%td^3 %s %s: %.3f ms; planning %.3f, %.3f, %.3f ms\n", n, transposed ? "transposed" : "natural",
                    in_place ? "in place" : "out of place", 1e3 * executing[executing.size() / 2], 1e3 * planning[0],
                    1e3 * planning[1], 1e3 * planning[2]);
    }
  fftw_free(a), fftw_free(b);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);  // threads want it
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_here);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fftw_mpi_init();
  const ptrdiff_t n = argc > 1 ? std::atoi(argv[1]) : 12;
  const int repeat = argc > 2 ? std::atoi(argv[2]) : 0;
  if (repeat > 0)
    times(n, repeat);
  else
    transforms(n), planning(n), flags(n), wisdom();
  fftw_mpi_cleanup();
  MPI_Finalize();
  if (rank_here == 0 && repeat == 0) std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
