/* The cases that FFTW-MPI's interface can say, over the drop-in: see README.md. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fftw3-mpi.h>

enum { MOST = 8 };
static uint64_t sums[4];

static uint64_t rotated(uint64_t word, int by) { return by == 0 ? word : word << by | word >> (64 - by); }

/* The rows [first, first + count) of an array with rows of `row` numbers of which `used` belong to it. */
typedef struct rows {
  ptrdiff_t first, count, extents[MOST], row;
  int axes, parts;
} rows;

/* Fills them (sum < 0), or adds their bits to the sums from `sum` on. */
static void walk(const rows* r, int bytes, char* data, int sum) {
  ptrdiff_t middle = 1, last = r->extents[r->axes - 1], i, k;
  int a, p;
  for (a = 1; a < r->axes - 1; ++a) middle *= r->extents[a];
  for (i = 0; i < r->count * middle; ++i)
    for (k = 0; k < last; ++k)
      for (p = 0; p < r->parts; ++p) {
        const int64_t index = (r->first * middle + i) * last + k;
        char* const here = data + (i * r->row + k * r->parts + p) * bytes;
        if (sum < 0) {
          const double value = (double)(p == 0 ? (37 * index + 11) % 101 - 50 : (53 * index + 29) % 97 - 48) / 64;
          const float rounded = (float)value;
          memcpy(here, bytes == 4 ? (const void*)&rounded : (const void*)&value, (size_t)bytes);
        } else {
          uint64_t word = 0;
          memcpy(&word, here, (size_t)bytes);
          sums[sum] ^= rotated(word, (int)((index * r->parts + p) % 61));
          sums[sum + 1] ^= rotated(word, (int)((index * r->parts + p) / 61 % 59));
        }
      }
}

static fftw_r2r_kind kind_of(const char* name, int backward) {
  const char* const names[] = {"r2hc", "hc2r", "dht", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"};
  const fftw_r2r_kind there[] = {FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01,
                                 FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  const int back[] = {1, 0, 2, 3, 5, 4, 6, 7, 9, 8, 10};
  int i;
  for (i = 0; i < 11; ++i)
    if (strcmp(names[i], name) == 0) return there[backward ? back[i] : i];
  return FFTW_DHT;
}

/* Both directions in one precision. */
#define RUN(P, R)                                                                                                     \
  static int run_##P(const char* kinds, int axes, const ptrdiff_t* n) {                                               \
    const int is_c2c = strcmp(kinds, "c2c") == 0, is_r2c = strcmp(kinds, "r2c") == 0;                                 \
    rows in, out;                                                                                                     \
    ptrdiff_t halved[MOST], room;                                                                                     \
    P##_plan there, back;                                                                                             \
    R *u, *u_hat;                                                                                                     \
    int a;                                                                                                            \
    memcpy(halved, n, sizeof halved);                                                                                 \
    if (is_r2c) halved[axes - 1] = n[axes - 1] / 2 + 1;                                                               \
    room = P##_mpi_local_size(axes, halved, MPI_COMM_WORLD, &in.count, &in.first);                                    \
    memcpy(in.extents, n, sizeof in.extents);                                                                         \
    in.axes = axes, in.parts = is_c2c ? 2 : 1;                                                                        \
    in.row = is_r2c ? 2 * halved[axes - 1] : in.parts * n[axes - 1];                                                  \
    out = in;                                                                                                         \
    memcpy(out.extents, halved, sizeof out.extents);                                                                  \
    if (is_r2c) out.parts = 2;                                                                                        \
    u = (R*)P##_malloc((size_t)(2 * room + 1) * sizeof(R));                                                           \
    u_hat = (R*)P##_malloc((size_t)(2 * room + 1) * sizeof(R));                                                       \
    if (is_c2c) {                                                                                                     \
      there = P##_mpi_plan_dft(axes, n, (P##_complex*)u, (P##_complex*)u_hat, MPI_COMM_WORLD, FFTW_FORWARD,           \
                               FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);                                                  \
      back = P##_mpi_plan_dft(axes, n, (P##_complex*)u_hat, (P##_complex*)u, MPI_COMM_WORLD, FFTW_BACKWARD,           \
                              FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);                                                   \
    } else if (is_r2c) {                                                                                              \
      there =                                                                                                         \
          P##_mpi_plan_dft_r2c(axes, n, u, (P##_complex*)u_hat, MPI_COMM_WORLD, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT); \
      back = P##_mpi_plan_dft_c2r(axes, n, (P##_complex*)u_hat, u, MPI_COMM_WORLD, FFTW_ESTIMATE);                    \
    } else {                                                                                                          \
      P##_r2r_kind forward[MOST], backward[MOST];                                                                     \
      char words[50], *word;                                                                                          \
      strcpy(words, kinds);                                                                                           \
      for (a = 0, word = strtok(words, ","); word; word = strtok(NULL, ","), ++a)                                     \
        forward[a] = (P##_r2r_kind)kind_of(word, 0), backward[a] = (P##_r2r_kind)kind_of(word, 1);                    \
      there = P##_mpi_plan_r2r(axes, n, u, u_hat, MPI_COMM_WORLD, forward, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);      \
      back = P##_mpi_plan_r2r(axes, n, u_hat, u, MPI_COMM_WORLD, backward, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);      \
    }                                                                                                                 \
    if (!there || !back) return 1;                                                                                    \
    memset(sums, 0, sizeof sums);                                                                                     \
    walk(&in, sizeof(R), (char*)u, -1);                                                                               \
    P##_execute(there);                                                                                               \
    walk(&out, sizeof(R), (char*)u_hat, 0);                                                                           \
    P##_execute(back);                                                                                                \
    walk(&in, sizeof(R), (char*)u, 2);                                                                                \
    P##_destroy_plan(there), P##_destroy_plan(back);                                                                  \
    P##_free(u), P##_free(u_hat);                                                                                     \
    return 0;                                                                                                         \
  }
RUN(fftw, double)
RUN(fftwf, float)

int main(int argc, char** argv) {
  char line[300], name[50], precision[20], kinds[50], extents[50], settings[100], can[10], *word;
  int rank;
  FILE *file = NULL, *to = NULL;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  fftwf_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3 || (file = fopen(argv[1], "r")) == NULL || (rank == 0 && (to = fopen(argv[2], "w")) == NULL))
    MPI_Abort(MPI_COMM_WORLD, 2);
  while (fgets(line, sizeof line, file)) {
    ptrdiff_t n[MOST];
    int axes = 0;
    if (line[0] == '#' ||
        sscanf(line, "%49s%19s%49s%49s%99s%9s", name, precision, kinds, extents, settings, can) != 6 ||
        strcmp(can, "no") == 0)
      continue;
    for (word = strtok(extents, "x"); word; word = strtok(NULL, "x")) n[axes++] = atol(word);
    if (strcmp(precision, "single") == 0 ? run_fftwf(kinds, axes, n) : run_fftw(kinds, axes, n)) {
      if (rank == 0) fprintf(to, "%s declined\n", name);
      continue;
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    if (rank == 0)
      fprintf(to, "%s %016llx%016llx %016llx%016llx\n", name, (unsigned long long)sums[0], (unsigned long long)sums[1],
              (unsigned long long)sums[2], (unsigned long long)sums[3]);
  }
  fclose(file);
  if (to) fclose(to);
  MPI_Finalize();
  return 0;
}
