/* The table of cases in C: see README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static uint64_t sums[4]; /* two of what forward gives, two of what backward gives */

static uint64_t rotated(uint64_t word, int by) { return by == 0 ? word : word << by | word >> (64 - by); }

/* Fills a part (sum < 0), or adds its bits to the sums from `sum` on. */
static void walk(const weft_view* view, const int64_t* whole, int bytes, int parts, char* data, int sum) {
  int64_t at[WEFT_MAX_AXES], a, p;
  for (a = 0; a < view->axes; ++a)
    if ((at[a] = view->lo[a]) >= view->hi[a]) return;
  for (;;) {
    int64_t place = 0, index = 0;
    for (a = 0; a < view->axes; ++a) {
      place += (at[a] - view->lo[a]) * view->strides[a];
      index = index * whole[a] + at[a];
    }
    for (p = 0; p < parts; ++p) {
      char* const here = data + (place * parts + p) * bytes;
      if (sum < 0) {
        const double value = (double)(p == 0 ? (37 * index + 11) % 101 - 50 : (53 * index + 29) % 97 - 48) / 64;
        const float rounded = (float)value;
        memcpy(here, bytes == 4 ? (const void*)&rounded : (const void*)&value, (size_t)bytes);
      } else {
        uint64_t word = 0;
        memcpy(&word, here, (size_t)bytes);
        sums[sum] ^= rotated(word, (int)((index * parts + p) % 61));
        sums[sum + 1] ^= rotated(word, (int)((index * parts + p) / 61 % 59));
      }
    }
    for (a = view->axes - 1; a >= 0 && ++at[a] == view->hi[a]; --a) at[a] = view->lo[a];
    if (a < 0) return;
  }
}

static int parts_of(const char* type) { return type[0] == 'c' ? 2 : 1; }

static int run(weft_plan* plan, int bytes) {
  weft_layout *in = NULL, *out = NULL;
  weft_view from, to;
  int64_t whole[WEFT_MAX_AXES], modes[WEFT_MAX_AXES];
  void *u, *u_hat;
  char in_type[4], out_type[4];
  int status = weft_plan_input_layout(plan, &in) || weft_plan_output_layout(plan, &out) ||
               weft_layout_shape(in, NULL, whole, NULL, NULL) || weft_layout_shape(out, NULL, modes, NULL, NULL) ||
               weft_plan_input_view(plan, &from) || weft_plan_output_view(plan, &to) ||
               weft_plan_input_type(plan, in_type, sizeof in_type, NULL) ||
               weft_plan_output_type(plan, out_type, sizeof out_type, NULL) || weft_plan_input(plan, &u) ||
               weft_plan_output(plan, &u_hat);
  weft_layout_destroy(&in);
  weft_layout_destroy(&out);
  if (status) return status;
  memset(sums, 0, sizeof sums);
  walk(&from, whole, bytes, parts_of(in_type), (char*)u, -1);
  if ((status = weft_plan_forward(plan, u, u_hat))) return status;
  walk(&to, modes, bytes, parts_of(out_type), (char*)u_hat, 0);
  if ((status = weft_plan_backward(plan, u_hat, u))) return status;
  walk(&from, whole, bytes, parts_of(in_type), (char*)u, 2);
  return WEFT_OK;
}

static int planned(weft_plan** plan, const char* precision, const char* kinds, char* extents, char* settings) {
  weft_problem* problem = NULL;
  weft_options* options = NULL;
  int64_t shape[WEFT_MAX_AXES], axes = 0;
  char* word;
  int status;
  for (word = strtok(extents, "x"); word; word = strtok(NULL, "x")) shape[axes++] = atoll(word);
  status = weft_options_create(&options) || weft_options_set(options, "effort", "estimate");
  for (word = strcmp(settings, "-") == 0 ? NULL : strtok(settings, ";"); word && !status; word = strtok(NULL, ";")) {
    char* const value = strchr(word, '=');
    *value = '\0';
    status = weft_options_set(options, word, value + 1);
  }
  if (!status) status = weft_problem_create(&problem, precision, axes, shape, kinds, 0, NULL);
  if (!status) status = weft_plan_create(plan, MPI_COMM_WORLD, problem, options);
  weft_problem_destroy(&problem);
  weft_options_destroy(&options);
  return status;
}

int main(int argc, char** argv) {
  char line[300], name[50], precision[20], kinds[50], extents[50], settings[100];
  int rank, given;
  FILE *file = NULL, *to = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3 || (file = fopen(argv[1], "r")) == NULL || (rank == 0 && (to = fopen(argv[2], "w")) == NULL))
    MPI_Abort(MPI_COMM_WORLD, 2);
  while (fgets(line, sizeof line, file)) {
    weft_plan* plan = NULL;
    if (line[0] == '#' || sscanf(line, "%49s%19s%49s%49s%99s", name, precision, kinds, extents, settings) != 5)
      continue;
    if (planned(&plan, precision, kinds, extents, settings) || run(plan, strcmp(precision, "single") == 0 ? 4 : 8)) {
      if (rank == 0) fprintf(to, "%s declined\n", name);
    } else {
      MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
      if (rank == 0)
        fprintf(to, "%s %016llx%016llx %016llx%016llx\n", name, (unsigned long long)sums[0],
                (unsigned long long)sums[1], (unsigned long long)sums[2], (unsigned long long)sums[3]);
    }
    weft_plan_destroy(&plan);
  }
  fclose(file);
  if (to) fclose(to);
  MPI_Finalize();
  return 0;
}
