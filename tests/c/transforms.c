/* Transforms, layouts, files, spheres and long lines: data that comes back and lies where it should. */
#include "expect.h"

typedef struct filled {
  double* data;
  int64_t axes;
  int round;
  double factor, worst;
} filled;
static void fill_real(const int64_t* at, int64_t place, void* context) {
  filled* f = (filled*)context;
  f->data[place] = number(at, f->axes, f->round);
}
static void compare_real(const int64_t* at, int64_t place, void* context) {
  filled* f = (filled*)context;
  const double off = fabs(f->data[place] * f->factor - number(at, f->axes, f->round));
  if (!(off <= f->worst)) f->worst = off;
}

static int halve(const weft_line* line, void* context) {
  double* values = (double*)line->values;
  int64_t i;
  for (i = 0; i < 2 * line->count; ++i) values[i] *= 0.5 * *(const double*)context;
  return 0;
}

typedef struct sums {
  double energy;
  int64_t visited;
} sums;
static int add_up(const weft_mode* mode, const int64_t* point, void* value, void* context) {
  const double* z = (const double*)value;
  sums* s = (sums*)context;
  (void)point;
  s->energy += mode->weight * (z[0] * z[0] + z[1] * z[1]);
  s->visited += 1;
  return 0;
}

/* A real transform there and back, maps, modes, arrays, and what a plan tells of itself. */
void plans(void) {
  weft_problem* problem = NULL;
  weft_options *options = NULL, *effective = NULL;
  weft_plan* plan = NULL;
  weft_layout* layout = NULL;
  weft_view in, out;
  weft_mode mode;
  weft_spent spent;
  weft_ordering ordering;
  const int64_t shape[3] = {12, 10, 8};
  int64_t axes = 0, read_shape[WEFT_MAX_AXES], count = 0, lines[WEFT_MAX_AXES];
  int found_ranks = 0, boxes = 0, round;
  double scale = 0, factor = 0, k = 0, energy = 0;
  void *u = NULL, *u_hat = NULL, *v = NULL, *again = NULL;
  char text[8], many[200];
  sums all;

  OK(weft_problem_create(&problem, "double", 3, shape, "r2c", 0, NULL));
  OK(weft_plan_create_f(&plan, MPI_Comm_c2f(MPI_COMM_WORLD), problem, NULL));
  weft_problem_destroy(&problem); /* the plan has its own */
  if (plan == NULL) return;
  OK(weft_plan_input_type(plan, text, sizeof text, NULL));
  EXPECT(strcmp(text, "f8") == 0);
  OK(weft_plan_output_type(plan, text, sizeof text, NULL));
  EXPECT(strcmp(text, "c16") == 0);
  OK(weft_plan_input_view(plan, &in));
  OK(weft_plan_output_view(plan, &out));
  OK(weft_plan_scale(plan, &scale));
  EXPECT(fabs(scale * 960 - 1) < 1e-15);
  OK(weft_plan_input_layout(plan, &layout));
  OK(weft_layout_shape(layout, &axes, read_shape, &found_ranks, &boxes));
  EXPECT(axes == 3 && read_shape[0] == 12 && read_shape[2] == 8 && found_ranks == ranks && boxes == 1);
  OK(weft_layout_check(layout, 1));

  OK(weft_plan_input(plan, &u));
  OK(weft_plan_input(plan, &again));
  EXPECT(u == again);
  OK(weft_plan_output(plan, &u_hat));
  OK(weft_plan_make_input(plan, &v));
  OK(weft_plan_make_input(plan, &again));
  EXPECT(v != again && v != u);
  OK(weft_free(again));
  FAILS(weft_free(again), "no longer");
  OK(weft_free(NULL));

  OK(weft_plan_measure(plan, 1));
  for (round = 1; round <= 3; ++round) {
    filled f;
    f.data = (double*)u, f.axes = 3, f.round = round, f.factor = 1, f.worst = 0;
    for_each(&in, fill_real, &f);
    OK(weft_plan_forward(plan, u, u_hat));
    OK(weft_plan_backward(plan, u_hat, v));
    f.data = (double*)v, f.factor = scale;
    for_each(&in, compare_real, &f);
    EXPECT(f.worst < 1e-13);

    factor = 2 * scale; /* times one half on every line */
    OK(weft_plan_forward_map_backward(plan, u, v, halve, &factor));
    f.factor = 1, f.worst = 0;
    for_each(&in, compare_real, &f);
    EXPECT(f.worst < 1e-13);
  }
  OK(weft_plan_spent(plan, &spent));
  EXPECT(spent.work_seconds > 0 && (ranks == 1 || spent.bytes > 0));

  /* Parseval: the weights count what the half spectrum leaves out. */
  all.energy = 0, all.visited = 0;
  OK(weft_plan_for_each_mode(plan, u_hat, add_up, &all));
  all.energy *= scale;
  {
    filled f;
    int64_t i;
    f.data = (double*)u, f.axes = 3, f.round = 3, f.factor = 1, f.worst = 0;
    for (i = 0; i < in.reach; ++i) energy += f.data[i] * f.data[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, &all.energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &all.visited, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all.visited == 12 * 10 * 5);
  EXPECT(fabs(all.energy - energy) < 1e-10);
  OK(weft_plan_wavenumber(plan, 0, 11, &k));
  EXPECT(k == -1);
  FAILS(weft_plan_wavenumber(plan, 3, 0, &k), "allowed: 0 to 2");
  read_shape[0] = 11, read_shape[1] = 1, read_shape[2] = 2;
  OK(weft_plan_mode(plan, read_shape, &mode));
  EXPECT(mode.axes == 3 && mode.k[0] == -1 && mode.k[1] == 1 && mode.k[2] == 2 && mode.weight == 2);
  EXPECT(mode.odd[0] == -1 && mode.odd[1] == 1 && mode.odd[2] == 2);
  read_shape[0] = 6, read_shape[1] = 5, read_shape[2] = 0; /* without a mode -k beside it */
  OK(weft_plan_mode(plan, read_shape, &mode));
  EXPECT(fabs(mode.k[0]) == 6 && fabs(mode.k[1]) == 5 && mode.odd[0] == 0 && mode.odd[1] == 0);

  /* A map that fails on every rank; then the plan is as good as before. */
  if (in.reach > 0 && out.reach > 0)
    FAILS(weft_plan_forward_map_backward(plan, u, v, refuse, NULL), "returned 7");
  else
    (void)weft_plan_forward_map_backward(plan, u, v, refuse, NULL);
  OK(weft_plan_forward(plan, u, u_hat));

  OK(weft_plan_describe(plan, many, sizeof many, &count));
  EXPECT(count > 100 && strlen(many) == sizeof many - 1);
  OK(weft_plan_explain(plan, 1, many, sizeof many, NULL));
  EXPECT(many[0] == '{');
  OK(weft_plan_steps(plan, many, sizeof many, NULL));
  OK(weft_plan_lines(plan, lines, WEFT_MAX_AXES, &count));
  EXPECT(count == 3);
  OK(weft_plan_ordering(plan, &ordering, many, sizeof many, NULL));
  EXPECT(ordering.unordered == 0 && ordering.hangs == 0);
  OK(weft_plan_effective(plan, &effective));
  OK(weft_options_get(effective, "strategy", many, sizeof many, NULL));
  weft_options_destroy(&effective);
  weft_options_destroy(&options);
  weft_layout_destroy(&layout);
  weft_plan_destroy(&plan);
  {
    filled f; /* what make_input gave outlives the plan */
    f.data = (double*)v, f.axes = 3, f.round = 9, f.factor = 1, f.worst = 0;
    for_each(&in, fill_real, &f);
    for_each(&in, compare_real, &f);
    EXPECT(f.worst == 0);
  }
  OK(weft_free(v));
}

/* Beyond the ends of the second axis, which is periodic, lie copies of the other end. */
static void beyond_the_ends(const weft_layout* rows, const double* u, const int64_t* shape) {
  weft_layout* grown = NULL;
  weft_redistribution* wrap = NULL;
  weft_view view;
  const int64_t width[2] = {0, 2};
  const int periodic[2] = {0, 1};
  int64_t i, j;
  double* v;
  OK(weft_layout_grown(&grown, rows, width));
  OK(weft_layout_view(grown, rank, &view));
  OK(weft_redistribution_create(&wrap, MPI_COMM_WORLD, rows, grown, sizeof(double), periodic, NULL));
  v = (double*)calloc((size_t)view.elements + 1, sizeof(double));
  OK(weft_redistribution_execute(wrap, u, v));
  for (i = view.lo[0]; i < view.hi[0]; ++i)
    for (j = view.lo[1]; j < view.hi[1]; ++j) {
      const int64_t at = (i - view.lo[0]) * view.strides[0] + (j - view.lo[1]) * view.strides[1];
      EXPECT(v[at] == u[(i - view.lo[0]) * shape[1] + (j + shape[1]) % shape[1]]);
    }
  weft_redistribution_destroy(&wrap);
  weft_layout_destroy(&grown);
  free(v);
}

/* Slabs to columns by redistribution and through a file. */
void layouts_and_data(void) {
  weft_layout *rows = NULL, *columns = NULL, *padded = NULL, *runs = NULL, *same = NULL;
  weft_redistribution* turn = NULL;
  weft_options* options = NULL;
  weft_view from, to;
  weft_run list[4];
  const int64_t shape[2] = {9, 7}, order[2] = {1, 0}, padding[2] = {0, 2};
  int64_t *counts = (int64_t*)calloc((size_t)ranks, sizeof(int64_t)), count = 0, elements = 0, points = 0, axes = 0;
  int64_t found[WEFT_MAX_AXES], *apart = (int64_t*)calloc((size_t)ranks, sizeof(int64_t));
  int equal = 0, r;
  const char* const path = "weft_c_interface.npy";
  char text[100];
  double *a, *b;
  filled f;

  OK(weft_layout_slab(&rows, 2, shape, 0, ranks, NULL, NULL));
  OK(weft_layout_slab(&columns, 2, shape, 1, ranks, "blocks", order));
  OK(weft_layout_ordered(&padded, rows, order, padding));
  OK(weft_layout_copy(&same, rows));
  OK(weft_layout_equal(rows, same, &equal));
  EXPECT(equal == 1);
  OK(weft_layout_equal(rows, columns, &equal));
  EXPECT(equal == 0);
  OK(weft_layout_view(rows, rank, &from));
  OK(weft_layout_view(columns, rank, &to));
  OK(weft_layout_elements(rows, rank, &elements, &points));
  EXPECT(elements == from.elements && points == (from.hi[0] - from.lo[0]) * 7 && from.strides[1] == 1);
  FAILS(weft_layout_view(rows, ranks, &to), "allowed: 0 to");
  FAILS(weft_layout_slab(&columns, 2, shape, 2, ranks, NULL, NULL), "allowed: 0 to 1");
  EXPECT(columns == NULL);
  OK(weft_layout_slab(&columns, 2, shape, 1, ranks, "blocks", order));
  OK(weft_layout_view(columns, rank, &to));

  a = (double*)calloc((size_t)from.elements + 1, sizeof(double));
  b = (double*)calloc((size_t)to.elements + 1, sizeof(double));
  f.data = a, f.axes = 2, f.round = 4, f.factor = 1, f.worst = 0;
  for_each(&from, fill_real, &f);
  OK(weft_options_create(&options));
  OK(weft_options_set_layout(options, "output", rows));
  OK(weft_options_describe(options, text, sizeof text, NULL));
  EXPECT(strstr(text, "output") != NULL);
  OK(weft_options_set_layout(options, "output", NULL));
  OK(weft_options_describe(options, text, sizeof text, NULL));
  EXPECT(strstr(text, "output") == NULL);
  OK(weft_options_set(options, "strategy", "alltoallv"));
  OK(weft_redistribution_create(&turn, MPI_COMM_WORLD, rows, columns, sizeof(double), NULL, options));
  OK(weft_redistribution_execute(turn, a, b));
  f.data = b;
  for_each(&to, compare_real, &f);
  EXPECT(f.worst == 0);
  OK(weft_redistribution_strategy(turn, text, sizeof text, NULL));
  EXPECT(strcmp(text, "alltoallv") == 0);
  weft_redistribution_destroy(&turn);
  beyond_the_ends(rows, a, shape);
  for (r = 0; r < ranks; ++r) apart[r] = r;
  OK(weft_options_set(options, "strategy", "direct"));
  OK(weft_options_set_integers(options, "nodes", ranks, apart)); /* they share no memory then */
  EXPECT(weft_redistribution_create(&turn, MPI_COMM_WORLD, rows, columns, sizeof(double), NULL, options) ==
         (ranks > 1 ? WEFT_DECLINED : WEFT_OK));
  weft_redistribution_destroy(&turn);
  OK(weft_options_set(options, "threads", "2"));
  FAILS(weft_redistribution_create(&turn, MPI_COMM_WORLD, rows, columns, sizeof(double), NULL, options),
        "a redistribution has no option 'threads'");
  weft_options_destroy(&options);

  OK(weft_file_write(MPI_COMM_WORLD, path, rows, "f8", a, NULL, from.elements));
  OK(weft_file_inspect(MPI_COMM_WORLD, path, &axes, found, text, sizeof text, NULL));
  EXPECT(axes == 2 && found[0] == 9 && found[1] == 7 && strcmp(text, "f8") == 0);
  memset(b, 0, (size_t)to.elements * sizeof(double));
  OK(weft_file_read_f(MPI_Comm_c2f(MPI_COMM_WORLD), path, columns, "f8", b, NULL, to.elements));
  f.worst = 0;
  for_each(&to, compare_real, &f);
  EXPECT(f.worst == 0);
  FAILS(weft_file_read(MPI_COMM_WORLD, path, columns, "f4", b, NULL, to.elements), "f4");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) remove(path);

  /* Runs: all to rank 0, in two pieces. */
  counts[0] = 3;
  list[0].first = 40, list[0].count = 23, list[1].first = 0, list[1].count = 10, list[2].first = 10, list[2].count = 30;
  OK(weft_layout_runs(&runs, 2, shape, ranks, counts, list));
  OK(weft_layout_list(runs, 0, NULL, 0, &count));
  EXPECT(count == 2);
  OK(weft_layout_list(runs, 0, list, 1, &count));
  EXPECT(count == 2 && list[0].first == 40 && list[0].count == 23 && list[1].first == 0);
  FAILS(weft_layout_view(runs, 0, &to), "weft_layout_list");
  OK(weft_layout_check(runs, 1));
  weft_layout_destroy(&runs);
  counts[0] = 1;
  OK(weft_layout_runs(&runs, 2, shape, ranks, counts, list));
  OK(weft_layout_check(runs, 0));
  FAILS(weft_layout_check(runs, 1), "no rank");
  weft_layout_destroy(&runs);
  weft_layout_destroy(&same);
  weft_layout_destroy(&padded);
  weft_layout_destroy(&columns);
  weft_layout_destroy(&rows);
  free(a), free(b), free(counts), free(apart);
}

/* A sphere shared by the library and one shared by the caller have the same vectors. */
void spheres(void) {
  weft_cutoff cutoff;
  weft_problem* problem = NULL;
  weft_plan *plan = NULL, *listed = NULL;
  weft_stick *sticks, *shared;
  const int64_t grid[3] = {12, 12, 12}, kept[3] = {8, 8, 8};
  int64_t count = 0, mine = 0, there = 0, least[3], *begin, *g, *h;
  weft_view map;
  double *c, *d, *potential;
  char type[8];
  int64_t i;

  weft_cutoff_init(&cutoff);
  cutoff.squared = 12;
  OK(weft_sphere_sticks(&cutoff, NULL, 0, &count));
  EXPECT(count > 20);
  sticks = (weft_stick*)malloc((size_t)count * sizeof *sticks);
  shared = (weft_stick*)malloc((size_t)count * sizeof *shared);
  begin = (int64_t*)malloc((size_t)(ranks + 1) * sizeof *begin);
  OK(weft_sphere_sticks(&cutoff, sticks, count, &count));
  OK(weft_share_sticks(count, sticks, ranks, NULL, shared, begin));
  EXPECT(begin[0] == 0 && begin[ranks] == count);
  OK(weft_stick_vectors(begin[rank + 1] - begin[rank], shared + begin[rank], NULL, 0, &mine));
  g = (int64_t*)malloc((size_t)(3 * mine + 3) * sizeof *g);
  h = (int64_t*)malloc((size_t)(3 * mine + 3) * sizeof *h);
  OK(weft_stick_vectors(begin[rank + 1] - begin[rank], shared + begin[rank], g, mine, &mine));
  OK(weft_smallest_grid(mine, g, 1, least));
  EXPECT(least[0] <= 7 && least[1] <= 7);

  OK(weft_problem_cutoff(&problem, "double", grid, &cutoff, NULL, 0));
  OK(weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL));
  OK(weft_plan_vectors(plan, h, mine, &there));
  EXPECT(there == mine && memcmp(g, h, (size_t)(3 * mine) * sizeof *g) == 0);
  weft_problem_destroy(&problem);
  OK(weft_problem_sphere(&problem, "double", grid, mine, g, 0));
  OK(weft_plan_create(&listed, MPI_COMM_WORLD, problem, NULL));
  weft_problem_destroy(&problem);

  /* A potential that is 3 everywhere multiplies by 3. */
  OK(weft_plan_map_view(listed, &map));
  potential = (double*)malloc((size_t)(map.elements + 1) * sizeof *potential);
  for (i = 0; i < map.elements; ++i) potential[i] = 3;
  c = (double*)malloc((size_t)(2 * mine + 2) * sizeof *c);
  d = (double*)malloc((size_t)(2 * mine + 2) * sizeof *d);
  for (i = 0; i < 2 * mine; ++i) c[i] = number(g + 3 * (i / 2), 3, (int)(i % 2));
  OK(weft_plan_apply(listed, potential, map.elements, c, d));
  for (i = 0; i < 2 * mine; ++i) EXPECT(fabs(d[i] - 3 * c[i]) < 1e-12);
  FAILS(weft_plan_apply(listed, potential, -1, c, d), "points; this plan needs");
  weft_plan_destroy(&listed);
  weft_plan_destroy(&plan);

  memset(h, 0, sizeof *h * 3);
  OK(weft_problem_sphere(&problem, "double", grid, rank == 0, h, 1)); /* real functions, of which G = 0 is given */
  OK(weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL));
  OK(weft_plan_input_type(plan, type, sizeof type, NULL));
  EXPECT(strcmp(type, "f8") == 0);
  weft_plan_destroy(&plan);
  weft_problem_destroy(&problem);

  OK(weft_problem_kept_box(&problem, "double", grid, kept, NULL, 1));
  OK(weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL));
  OK(weft_plan_output_view(plan, &map));
  EXPECT(map.axes == 3 && map.hi[0] == 8 && map.hi[2] == 5);
  OK(weft_plan_vectors(plan, NULL, 0, &there));
  OK(weft_box_vectors(kept, NULL, 1, ranks, rank, NULL, 0, &mine));
  EXPECT(mine == there);
  free(g), free(h);
  g = (int64_t*)malloc((size_t)(3 * mine + 3) * sizeof *g);
  h = (int64_t*)malloc((size_t)(3 * mine + 3) * sizeof *h);
  OK(weft_plan_vectors(plan, g, mine, &there));
  OK(weft_box_vectors(kept, NULL, 1, ranks, rank, h, mine, &there));
  EXPECT(there == mine && memcmp(g, h, (size_t)(3 * mine) * sizeof *g) == 0);
  FAILS(weft_box_vectors(kept, NULL, 1, ranks, ranks, h, mine, &there), "a rank from 0 on");
  weft_plan_destroy(&plan);
  weft_problem_destroy(&problem);
  free(sticks), free(shared), free(begin), free(g), free(h), free(c), free(d), free(potential);
}

/* A constant line, and one wave, in both orders. */
void long_lines(void) {
  const char* const natural[2] = {"false", "true"};
  int order;
  for (order = 0; order < 2; ++order) {
    weft_options* options = NULL;
    weft_long_line* line = NULL;
    weft_long_line_parts parts;
    char text[200];
    double *a, *b;
    int64_t j, mode, length;
    OK(weft_options_create(&options));
    OK(weft_options_set(options, "natural_output", natural[order]));
    if (order == 0)
      OK(weft_long_line_create(&line, MPI_COMM_WORLD, "double", 60, options));
    else
      OK(weft_long_line_create_f(&line, MPI_Comm_c2f(MPI_COMM_WORLD), "double", 60, options));
    OK(weft_long_line_tell(line, &parts));
    EXPECT(parts.rows == 6 && parts.columns == 10 && fabs(parts.scale * 60 - 1) < 1e-15);
    a = (double*)calloc((size_t)(2 * parts.input_elements + 1), sizeof(double));
    b = (double*)calloc((size_t)(2 * parts.output_elements + 1), sizeof(double));
    for (j = 0; j < parts.input_elements; ++j) { /* 1 + exp(2 pi i 7 j / 60) */
      const double angle = 2 * 3.14159265358979323846 * 7 * (double)(parts.input_first + j) / 60;
      a[2 * j] = 1 + cos(angle), a[2 * j + 1] = sin(angle);
    }
    OK(weft_long_line_forward(line, a, b));
    for (j = 0; j < parts.output_elements; ++j) {
      OK(weft_long_line_mode(line, parts.output_first + j, &mode));
      EXPECT(order == 0 || mode == parts.output_first + j);
      EXPECT(fabs(b[2 * j] - (mode == 0 || mode == 7 ? 60 : 0)) < 1e-12 && fabs(b[2 * j + 1]) < 1e-12);
    }
    memset(a, 0, (size_t)(2 * parts.input_elements) * sizeof(double));
    OK(weft_long_line_backward(line, b, a));
    for (j = 0; j < parts.input_elements; ++j) {
      const double angle = 2 * 3.14159265358979323846 * 7 * (double)(parts.input_first + j) / 60;
      EXPECT(fabs(a[2 * j] * parts.scale - 1 - cos(angle)) < 1e-13);
      EXPECT(fabs(a[2 * j + 1] * parts.scale - sin(angle)) < 1e-13);
    }
    OK(weft_long_line_describe(line, text, sizeof text, &length));
    EXPECT(strncmp(text, "line of 60 points as 6 rows of 10, ", 35) == 0 && length > 100);
    weft_long_line_destroy(&line);
    EXPECT(line == NULL);
    FAILS(weft_long_line_create(&line, MPI_COMM_WORLD, "double", 0, options), "give at least 1");
    FAILS(weft_long_line_tell(NULL, &parts), "NULL");
    OK(weft_long_line_create(&line, MPI_COMM_WORLD, "single", 7, NULL));
    FAILS(weft_long_line_mode(line, 7, &mode), "0 to 6");
    weft_long_line_destroy(&line);
    OK(weft_long_line_create_rows(&line, MPI_COMM_WORLD, "single", 60, 4, options));
    OK(weft_long_line_tell(line, &parts));
    EXPECT(parts.rows == 4 && parts.columns == 15);
    OK(weft_long_line_mode(line, 16, &mode));
    EXPECT(mode == (order == 0 ? 5 : 16)); /* row 1, column 1: mode 1 + 4 * 1 */
    weft_long_line_destroy(&line);
    FAILS(weft_long_line_create_rows_f(&line, MPI_Comm_c2f(MPI_COMM_WORLD), "double", 60, 7, options),
          "in 7 rows; give a divisor");
    free(a), free(b);
    weft_options_destroy(&options);
  }
}
