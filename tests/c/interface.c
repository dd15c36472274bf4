/* Calls the C interface from a program that is C11 and C++ alike, on any number of ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static int wrong = 0, rank = 0, ranks = 1;

/* A failed expectation is told and counted; the program goes on. */
#define EXPECT(condition)                                                                               \
  do {                                                                                                  \
    if (!(condition)) {                                                                                 \
      ++wrong;                                                                                          \
      fprintf(stderr, "rank %d, line %d: not so: %s (%s)\n", rank, __LINE__, #condition, weft_error()); \
    }                                                                                                   \
  } while (0)
#define OK(call) EXPECT((call) == WEFT_OK)
/* The call fails, and the message contains the text. */
#define FAILS(call, text)                       \
  do {                                          \
    EXPECT((call) == WEFT_ERROR);               \
    EXPECT(strstr(weft_error(), text) != NULL); \
  } while (0)

/* A number that tells where an element comes from. `round` makes every execution different. */
static double number(const int64_t* at, int64_t axes, int round) {
  double value = round;
  int64_t a;
  for (a = 0; a < axes; ++a) value = value * 31 + (double)at[a];
  return sin(value);
}

/* Calls f for each point of a view: its global indices, and where it lies. */
typedef void (*visit)(const int64_t* at, int64_t place, void* context);
static void for_each(const weft_view* view, visit f, void* context) {
  int64_t at[WEFT_MAX_AXES], a;
  for (a = 0; a < view->axes; ++a) {
    if (view->hi[a] <= view->lo[a]) return;
    at[a] = view->lo[a];
  }
  for (;;) {
    int64_t place = 0;
    for (a = 0; a < view->axes; ++a) place += (at[a] - view->lo[a]) * view->strides[a];
    f(at, place, context);
    a = view->axes - 1;
    while (a >= 0 && ++at[a] == view->hi[a]) {
      at[a] = view->lo[a];
      --a;
    }
    if (a < 0) return;
  }
}

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
static int refuse(const weft_line* line, void* context) {
  (void)context;
  return line->axes == 3 ? 7 : 8;
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

static void errors_and_lists(void) {
  weft_options* options = NULL;
  weft_problem* problem = NULL;
  weft_plan* plan = NULL;
  const int64_t shape[3] = {8, 6, 4}, none = 0;
  char text[16], all[400];
  int64_t length = 0, count = 0, i, direct = 0;

  OK(weft_list_count("strategies", &count));
  for (i = 0; i < count; ++i) {
    OK(weft_list_name("strategies", i, text, sizeof text, &length));
    direct += strcmp(text, "direct") == 0;
  }
  EXPECT(count > 3 && direct == 1);
  FAILS(weft_list_name("strategies", count, text, sizeof text, NULL), "counted from 0");
  FAILS(weft_list_count("planets", &count), "strategies, engines");
  EXPECT(strlen(weft_version()) > 2);

  OK(weft_options_create(&options));
  OK(weft_options_set(options, "strategy", "alltoallv"));
  OK(weft_options_set_integer(options, "batch", 3));
  OK(weft_options_set_flag(options, "natural_output", 1));
  OK(weft_options_set_number(options, "tune_seconds", 2.5));
  OK(weft_options_get(options, "strategy", text, 5, &length));
  EXPECT(strcmp(text, "allt") == 0 && length == 9);
  OK(weft_options_get(options, "strategy", NULL, 0, &length));
  OK(weft_options_get(options, "batch", text, sizeof text, NULL));
  EXPECT(strcmp(text, "3") == 0);
  OK(weft_options_get(options, "tune_seconds", text, sizeof text, NULL));
  EXPECT(strcmp(text, "2.5") == 0);
  OK(weft_options_describe(options, all, sizeof all, NULL));
  EXPECT(strstr(all, "strategy alltoallv") != NULL);
  OK(weft_option_type("batch", text, sizeof text, NULL));
  EXPECT(strcmp(text, "integer") == 0);
  OK(weft_option_allowed("placement", all, sizeof all, NULL));
  EXPECT(strstr(all, "in_place") != NULL);
  FAILS(weft_options_set(options, "strategy", "pigeon"), "pigeon");
  FAILS(weft_options_set(options, "speed", "high"), "no option 'speed'");
  FAILS(weft_options_set(NULL, "strategy", "direct"), "options is NULL");
  FAILS(weft_options_set(options, "strategy", NULL), "is NULL");
  FAILS(weft_options_get(options, "strategy", text, -1, NULL), "room");
  FAILS(weft_options_set_layout(options, "batch", NULL), "is no layout");
  weft_options_destroy(&options);
  EXPECT(options == NULL);
  weft_options_destroy(&options);
  weft_options_destroy(NULL);

  FAILS(weft_problem_create(&problem, "double", 3, shape, "c2d", 0, NULL), "c2d");
  EXPECT(problem == NULL);
  FAILS(weft_problem_create(&problem, "treble", 3, shape, "c2c", 0, NULL), "treble");
  FAILS(weft_problem_create(&problem, "double", 9, shape, "c2c", 0, NULL), "allowed: 1 to 8");
  FAILS(weft_problem_create(&problem, "double", 3, NULL, "c2c", 0, NULL), "shape is NULL");
  FAILS(weft_problem_create(NULL, "double", 3, shape, "c2c", 0, NULL), "handle");
  FAILS(weft_plan_create(&plan, MPI_COMM_WORLD, NULL, NULL), "problem is NULL");
  FAILS(weft_plan_forward(NULL, text, text), "plan is NULL");
  OK(weft_problem_create(&problem, "double", 3, shape, "c2c", none, NULL));
  FAILS(weft_plan_create(&plan, MPI_COMM_NULL, problem, NULL), "MPI_COMM_NULL");
  EXPECT(plan == NULL);
  weft_problem_destroy(&problem);
  EXPECT(problem == NULL);
}

/* A real transform there and back, maps, modes, arrays, and what a plan tells of itself. */
static void plans(void) {
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

/* Slabs to columns by redistribution and through a file. */
static void layouts_and_data(void) {
  weft_layout *rows = NULL, *columns = NULL, *padded = NULL, *runs = NULL, *same = NULL;
  weft_redistribution* turn = NULL;
  weft_options* options = NULL;
  weft_view from, to;
  weft_run list[4];
  const int64_t shape[2] = {9, 7}, order[2] = {1, 0}, padding[2] = {0, 2};
  int64_t *counts = (int64_t*)calloc((size_t)ranks, sizeof(int64_t)), count = 0, elements = 0, points = 0, axes = 0;
  int64_t found[WEFT_MAX_AXES];
  int equal = 0;
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
  OK(weft_options_set(options, "strategy", "alltoallv"));
  OK(weft_redistribution_create(&turn, MPI_COMM_WORLD, rows, columns, sizeof(double), NULL, options));
  OK(weft_redistribution_execute(turn, a, b));
  f.data = b;
  for_each(&to, compare_real, &f);
  EXPECT(f.worst == 0);
  OK(weft_redistribution_strategy(turn, text, sizeof text, NULL));
  EXPECT(strcmp(text, "alltoallv") == 0);
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
  weft_layout_destroy(&runs);
  weft_layout_destroy(&same);
  weft_layout_destroy(&padded);
  weft_layout_destroy(&columns);
  weft_layout_destroy(&rows);
  free(a), free(b), free(counts);
}

/* A sphere shared by the library and one shared by the caller have the same vectors. */
static void spheres(void) {
  weft_cutoff cutoff;
  weft_problem* problem = NULL;
  weft_plan *plan = NULL, *listed = NULL;
  weft_stick *sticks, *shared;
  const int64_t grid[3] = {12, 12, 12}, kept[3] = {8, 8, 8};
  int64_t count = 0, mine = 0, there = 0, least[3], *begin, *g, *h;
  weft_view map;
  double *c, *d, *potential;
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

static void progress(const char* phase, int64_t measured, const weft_candidate* best, void* context) {
  (void)measured;
  if (phase != NULL && best != NULL && best->name != NULL) *(int*)context += 1;
}

static void traces_tuning_wisdom(void) {
  weft_trace* trace = NULL;
  weft_timeline* timeline = NULL;
  weft_problem* problem = NULL;
  weft_options* choice = NULL;
  weft_plan* plan = NULL;
  weft_tuning* tuning = NULL;
  weft_wisdom* wisdom = NULL;
  weft_candidate best;
  weft_span span;
  weft_timeline_rank at;
  weft_wisdom_entry entry;
  const int64_t shape[3] = {8, 8, 8};
  const int zeros[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  int64_t count = 0, spans = 0, changes = 0, length = 0;
  int called = 0, *nodes = (int*)calloc((size_t)ranks, sizeof(int));
  void *u = NULL, *u_hat = NULL;
  char *text, one[100];

  OK(weft_problem_create(&problem, "single", 3, shape, "c2c", 0, NULL));
  OK(weft_trace_create(&trace, MPI_COMM_WORLD, 0));
  OK(weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL));
  OK(weft_plan_input(plan, &u));
  OK(weft_plan_output(plan, &u_hat));
  OK(weft_plan_record(plan, trace));
  OK(weft_plan_forward(plan, u, u_hat));
  OK(weft_trace_timeline(trace, &timeline));
  OK(weft_timeline_counts(timeline, &count, &spans, &changes));
  if (rank == 0) {
    EXPECT(count == ranks && spans > ranks);
    OK(weft_timeline_at_rank(timeline, ranks - 1, &at));
    EXPECT(strlen(at.host) > 0 && at.left_out == 0);
    OK(weft_timeline_span(timeline, 0, &span));
    EXPECT(strlen(span.phase) > 0 && span.end_seconds >= span.begin_seconds);
  } else {
    EXPECT(count == 0 && spans == 0);
  }
  FAILS(weft_timeline_span(timeline, spans, &span), "counted from 0");
  weft_timeline_destroy(&timeline);
  weft_trace_destroy(&trace);
  OK(weft_plan_forward(plan, u, u_hat)); /* recording outlives the trace */
  weft_plan_destroy(&plan);

  OK(weft_tune(&tuning, MPI_COMM_WORLD, problem, NULL, 0.5, 0, 0, NULL, progress, &called));
  EXPECT(rank != 0 || called > 0);
  OK(weft_tuning_count(tuning, &count));
  EXPECT(count > 0);
  OK(weft_tuning_candidate(tuning, 0, &best));
  EXPECT(best.measured_seconds > 0 && strlen(best.name) > 0);
  OK(weft_tuning_choice(tuning, &choice));
  OK(weft_plan_create(&plan, MPI_COMM_WORLD, problem, choice));
  weft_plan_destroy(&plan);
  OK(weft_remember(MPI_COMM_WORLD, problem, NULL, tuning, one, sizeof one, NULL));
  OK(weft_export_wisdom(NULL, 0, &length));
  text = (char*)malloc((size_t)length + 1);
  OK(weft_export_wisdom(text, length + 1, NULL));
  OK(weft_forget_wisdom());
  OK(weft_wisdom_parse(&wisdom, text));
  OK(weft_wisdom_count(wisdom, &count));
  EXPECT(count == (rank == 0)); /* rank 0 keeps it */
  FAILS(weft_wisdom_at(wisdom, count, &entry), "counted from 0");
  if (count == 1) {
    OK(weft_wisdom_at(wisdom, 0, &entry));
    EXPECT(entry.ranks == ranks && strlen(entry.id) == 16);
    OK(weft_wisdom_forget(wisdom, entry.id, &count));
    EXPECT(count == 1);
  }
  OK(weft_wisdom_count(wisdom, &count));
  EXPECT(count == 0);
  OK(weft_import_wisdom(text));
  FAILS(weft_import_wisdom("nonsense"), "JSON");
  OK(weft_forget_wisdom());
  OK(weft_nodes(MPI_COMM_WORLD, 0, NULL, nodes, ranks, &count));
  EXPECT(count == ranks && nodes[0] == 0);
  if (ranks < 8) FAILS(weft_nodes(MPI_COMM_WORLD, ranks + 1, zeros, nodes, ranks, &count), "nodes");
  weft_wisdom_destroy(&wisdom);
  weft_options_destroy(&choice);
  weft_tuning_destroy(&tuning);
  weft_problem_destroy(&problem);
  free(text), free(nodes);
}

/* Where a point of a halo's array lies on a periodic array of this shape. */
static void wrapped(const int64_t* at, const int64_t* shape, int64_t axes, int64_t* inside) {
  int64_t a;
  for (a = 0; a < axes; ++a) inside[a] = ((at[a] % shape[a]) + shape[a]) % shape[a];
}

typedef struct around {
  double* data;
  const weft_view* own;
  const int64_t* shape;
  int round;
  int64_t wrong, ghosts, corners;
} around;
static int outside(const around* s, const int64_t* at) {
  int64_t a, axes = 0;
  for (a = 0; a < s->own->axes; ++a) axes += at[a] < s->own->lo[a] || at[a] >= s->own->hi[a];
  return (int)axes;
}
/* Own points have their number, ghost points none yet. */
static void fill_own(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  s->data[place] = outside(s, at) ? -7 : number(at, s->own->axes, s->round);
}
/* Ghost points have the number of the point that they are copies of; those in corners none. */
static void compare_ghost(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  const int beyond = outside(s, at);
  int64_t inside[WEFT_MAX_AXES];
  wrapped(at, s->shape, s->own->axes, inside);
  s->ghosts += beyond > 0;
  s->corners += beyond > 1;
  s->wrong += s->data[place] != (beyond > 1 ? -7 : number(inside, s->own->axes, s->round));
}
static void compare_all(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  int64_t inside[WEFT_MAX_AXES];
  wrapped(at, s->shape, s->own->axes, inside);
  s->wrong += s->data[place] != number(inside, s->own->axes, s->round);
}
/* To be added: every ghost point holds 1, own points hold nothing. */
static void fill_ones(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  s->data[place] = outside(s, at) > 0;
  s->ghosts += outside(s, at) > 0;
}
static void sum_own(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  if (!outside(s, at)) s->wrong += (int64_t)s->data[place];
}

/* A rank's array with its ghost points: the own view, grown. */
static weft_view grown(const weft_view* own, const int64_t* width, const int64_t* behind) {
  weft_view all = *own;
  int64_t a;
  for (a = 0; a < own->axes; ++a) all.lo[a] -= width[a], all.hi[a] += behind[a];
  return all;
}

static void halos(void) {
  weft_layout *parts = NULL, *lattice = NULL, *ghosts = NULL;
  weft_halo* halo = NULL;
  weft_options* options = NULL;
  weft_halo_options how;
  weft_view own, all;
  weft_trace* trace = NULL;
  const int64_t shape[2] = {8, 6}, order[2] = {1, 0};
  int64_t elements = 0, offset = 0, count = 0, points = 0, total[2] = {0, 0}, k, i;
  int64_t *lo = (int64_t*)calloc((size_t)(2 * ranks), sizeof *lo),
          *hi = (int64_t*)calloc((size_t)(2 * ranks), sizeof *hi);
  int done = 0, r;
  double* arrays[2];
  void* fields[2];
  char text[200];
  around s;
  memset(&s, 0, sizeof s);

  OK(weft_layout_slab(&parts, 2, shape, 0, ranks, NULL, order));
  weft_halo_options_init(NULL);
  weft_halo_options_init(&how);
  EXPECT(how.corners == 1 && how.fields == 1 && how.behind[1] == -1 && how.width[0] == 0);
  how.width[0] = 1, how.width[1] = 2, how.behind[1] = 1;
  how.periodic[0] = how.periodic[1] = 1;
  how.fields = 2, how.adds = 1, how.corners = 0;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "strategy", "alltoallv"));
  OK(weft_halo_create(&halo, MPI_COMM_WORLD, parts, sizeof(double), &how, options));
  OK(weft_halo_strategy(halo, text, sizeof text, NULL));
  EXPECT(strcmp(text, "alltoallv") == 0);
  OK(weft_halo_describe(halo, text, sizeof text, &count));
  EXPECT(count > 50 && strstr(text, "fields 2") != NULL);
  OK(weft_halo_elements(halo, &elements));
  OK(weft_halo_inside(halo, &own, &offset));
  EXPECT(own.axes == 2 && own.strides[0] == 1);
  if (own.reach > 0) {
    EXPECT(offset == 1 + 2 * own.strides[1] && own.strides[1] == own.hi[0] - own.lo[0] + 2);
    EXPECT(offset + own.elements == elements && own.reach == (own.hi[0] - own.lo[0]) + own.strides[1] * 5);
    how.behind[0] = 1;
    all = grown(&own, how.width, how.behind);
  } else {
    all = own;
  }
  OK(weft_trace_create(&trace, MPI_COMM_WORLD, 0));
  OK(weft_halo_record(halo, trace));
  s.own = &own, s.shape = shape;
  for (i = 0; i < 2; ++i) fields[i] = arrays[i] = (double*)malloc((size_t)(elements + 1) * sizeof(double));
  for (k = 1; k <= 2; ++k) {
    for (i = 0; i < 2; ++i) s.data = arrays[i], s.round = (int)(10 * k + i), for_each(&all, fill_own, &s);
    if (k == 1) {
      OK(weft_halo_execute(halo, 2, fields));
    } else {
      OK(weft_halo_start(halo, 2, fields));
      FAILS(weft_halo_start(halo, 2, fields), "call finish between");
      OK(weft_halo_test(halo, &done));
      OK(weft_halo_finish(halo));
      FAILS(weft_halo_finish(halo), "call start before");
    }
    s.wrong = s.ghosts = s.corners = 0;
    for (i = 0; i < 2; ++i) s.data = arrays[i], s.round = (int)(10 * k + i), for_each(&all, compare_ghost, &s);
    EXPECT(s.wrong == 0);
    EXPECT(own.reach == 0 || (s.corners == 2 * 6 && s.ghosts > s.corners));
  }
  FAILS(weft_halo_execute(halo, 1, fields), "give one for each field");
  FAILS(weft_halo_execute(halo, 2, NULL), "arrays is NULL");
  FAILS(weft_halo_execute(halo, -1, fields), "allowed: 0 or more");
  FAILS(weft_halo_start_add(halo, "f2", 2, fields), "allowed: i4, i8");
  for (k = 0; k < 2; ++k) { /* what ghost points hold goes to own points: no more and no less */
    s.ghosts = s.wrong = 0;
    for (i = 0; i < 2; ++i) s.data = arrays[i], for_each(&all, fill_ones, &s);
    if (own.reach > 0) s.ghosts -= 2 * 6; /* but for the corners */
    if (k == 0) {
      OK(weft_halo_add(halo, "f8", 2, fields));
    } else {
      OK(weft_halo_start_add(halo, "c8", 2, fields)); /* two numbers of half the size: 1 is the upper of them */
      OK(weft_halo_finish(halo));
    }
    for (i = 0; i < 2 && k == 0; ++i) s.data = arrays[i], for_each(&all, sum_own, &s);
    total[0] = s.ghosts, total[1] = s.wrong;
    MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(k == 1 || (total[0] > 0 && total[0] == total[1]));
  }
  weft_halo_destroy(&halo);
  EXPECT(halo == NULL);
  weft_trace_destroy(&trace);

  /* With corners, and one field, which cannot add. */
  how.corners = 1, how.fields = 1, how.adds = 0;
  OK(weft_halo_create_f(&halo, MPI_Comm_c2f(MPI_COMM_WORLD), parts, sizeof(double), &how, NULL));
  s.data = arrays[0], s.round = 40, s.wrong = 0;
  for_each(&all, fill_own, &s);
  OK(weft_halo_execute(halo, 1, fields));
  for_each(&all, compare_all, &s);
  EXPECT(s.wrong == 0);
  FAILS(weft_halo_add(halo, "f8", 1, fields), "say adds in its options");
  weft_halo_destroy(&halo);
  how.corners = 2;
  FAILS(weft_halo_create(&halo, MPI_COMM_WORLD, parts, sizeof(double), &how, NULL), "corners is 2");
  how.corners = 1, how.width[0] = -1;
  FAILS(weft_halo_create(&halo, MPI_COMM_WORLD, parts, sizeof(double), &how, NULL), "0 or more");
  FAILS(weft_halo_create(&halo, MPI_COMM_WORLD, parts, sizeof(double), NULL, NULL), "how is NULL");
  OK(weft_options_set(options, "threads", "2"));
  how.width[0] = 1;
  FAILS(weft_halo_create(&halo, MPI_COMM_WORLD, parts, sizeof(double), &how, options),
        "a halo has no option 'threads'");

  /* Lists: even and odd points around the parts of a lattice. */
  for (r = 0; r < ranks; ++r) {
    weft_view part;
    OK(weft_layout_view(parts, r, &part));
    for (i = 0; i < 2; ++i) lo[2 * r + i] = part.lo[i], hi[2 * r + i] = part.hi[i];
  }
  how.behind[0] = how.behind[1] = -1, how.width[1] = 1;
  OK(weft_layout_checkerboard(&lattice, 2, shape, ranks, lo, hi));
  OK(weft_layout_checkerboard_ghosts(&ghosts, parts, &how, -1));
  FAILS(weft_halo_create_lists(&halo, MPI_COMM_WORLD, lattice, ghosts, sizeof(double), &how, NULL), "halo of lists");
  for (k = 0; k < 2; ++k) {
    weft_run* runs;
    double* u;
    int64_t at[2], place = 0;
    if (k == 0)
      OK(weft_halo_create_lists(&halo, MPI_COMM_WORLD, lattice, ghosts, sizeof(double), NULL, NULL));
    else
      OK(weft_halo_create_lists_f(&halo, MPI_Comm_c2f(MPI_COMM_WORLD), lattice, ghosts, sizeof(double), NULL, NULL));
    OK(weft_halo_elements(halo, &elements));
    FAILS(weft_halo_inside(halo, &own, NULL), "given its ghost points as a layout");
    u = (double*)malloc((size_t)(elements + 1) * sizeof(double));
    for (points = 0; points < elements; ++points) u[points] = -7;
    fields[0] = u;
    /* Own points first, then ghosts; both lists say which they are. */
    for (i = 0; i < 4; ++i) {
      if (i % 2 == 0) OK(weft_layout_list(i < 2 ? lattice : ghosts, rank, NULL, 0, &count));
      if (i % 2 == 0) continue;
      runs = (weft_run*)malloc((size_t)(count + 1) * sizeof *runs);
      OK(weft_layout_list(i < 2 ? lattice : ghosts, rank, runs, count, NULL));
      if (i == 3) OK(weft_halo_execute(halo, 1, fields));
      for (r = 0; r < count; ++r)
        for (points = runs[r].first; points < runs[r].first + runs[r].count; ++points, ++place) {
          at[0] = points / 6, at[1] = points % 6;
          if (i == 1)
            u[place] = number(at, 2, (int)(50 + k));
          else
            EXPECT(u[place] == number(at, 2, (int)(50 + k)));
        }
      free(runs);
    }
    EXPECT(place == elements);
    weft_halo_destroy(&halo);
    free(u);
  }
  for (i = 0; i < 2; ++i) free(arrays[i]);
  weft_options_destroy(&options);
  weft_layout_destroy(&ghosts);
  weft_layout_destroy(&lattice);
  weft_layout_destroy(&parts);
  free(lo), free(hi);
}

/* Handles that are none, of other types, or ended: errors, whatever memory they point to. */
static void wrong_handles(void) {
  weft_options *options = NULL, *copy = NULL, *more[200];
  weft_problem* problem = NULL;
  weft_plan *plan = NULL, *ended = NULL;
  weft_layout* layout = NULL;
  weft_halo* halo = NULL;
  weft_redistribution* move = NULL;
  weft_halo_options how;
  const int64_t shape[2] = {4, 4};
  double numbers[32];
  char text[20];
  int i;
  memset(numbers, 1, sizeof numbers);
  weft_halo_options_init(&how);

  OK(weft_problem_create(&problem, "double", 2, shape, "c2c", 0, NULL));
  OK(weft_options_create(&options));
  copy = options;
  weft_options_destroy(&options);
  FAILS(weft_options_set(copy, "batch", "2"), "options is no handle, or one that has been destroyed");
  FAILS(weft_plan_create(&plan, MPI_COMM_WORLD, problem, copy), "one that has been destroyed");
  weft_options_destroy(&copy); /* for the second time */
  EXPECT(copy == NULL);
  OK(weft_options_create(&options));
  for (i = 0; i < 200; ++i) OK(weft_options_create(&more[i]));
  for (i = 0; i < 200; ++i) {
    copy = more[i];
    weft_options_destroy(&more[i]);
    FAILS(weft_options_set(copy, "batch", "2"), "destroyed");
  }
  for (i = 0; i < 200; ++i) OK(weft_options_create(&more[i])); /* places are taken again */
  OK(weft_options_set(more[199], "batch", "2"));
  OK(weft_options_get(more[0], "batch", text, sizeof text, NULL));
  EXPECT(strcmp(text, "1") == 0);
  for (i = 0; i < 200; ++i) weft_options_destroy(&more[i]);

  OK(weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL));
  ended = plan;
  weft_plan_destroy(&plan);
  FAILS(weft_plan_forward(ended, numbers, numbers), "plan is no handle, or one that has been destroyed");
  FAILS(weft_plan_forward((weft_plan*)(void*)options, numbers, numbers), "plan is a handle of another type, 'options'");
  FAILS(weft_plan_forward((weft_plan*)(void*)numbers, numbers, numbers), "plan is no handle");
  FAILS(weft_plan_forward((weft_plan*)(void*)((char*)options + 1), numbers, numbers), "plan is no handle");
  FAILS(weft_plan_create(&plan, MPI_COMM_WORLD, (weft_problem*)(void*)options, NULL), "problem is a handle of another");
  FAILS(weft_halo_execute((weft_halo*)(void*)options, 0, NULL), "halo is a handle of another type");
  FAILS(weft_halo_create(&halo, MPI_COMM_WORLD, (weft_layout*)(void*)numbers, 8, &how, NULL), "layout is no handle");
  FAILS(weft_redistribution_create(&move, MPI_COMM_WORLD, NULL, layout, 8, NULL, NULL), "layout is NULL");
  FAILS(weft_plan_record((weft_plan*)(void*)options, NULL), "another type");
  FAILS(weft_plan_create_f(&plan, MPI_Comm_c2f(MPI_COMM_NULL), problem, NULL), "MPI_COMM_NULL");
  FAILS(weft_plan_create_f(&plan, 123456789, problem, NULL), "the communicator is");
  FAILS(weft_plan_create_in_f(&plan, 123456789, problem, NULL, "callers"), "the communicator is");
  weft_options_destroy(&options);
  weft_problem_destroy(&problem);
}

/* What is left when MPI has ended can be asked and destroyed, but not executed. */
static weft_plan* late_plan = NULL;
static weft_halo* late_halo = NULL;
static weft_redistribution* late_move = NULL;
static weft_trace* late_trace = NULL;
static weft_problem* late_problem = NULL;
static weft_layout* late_layout = NULL;
static weft_halo_options late_how;

static void before_the_end(void) {
  const int64_t shape[2] = {6, 4};
  OK(weft_problem_create(&late_problem, "double", 2, shape, "c2c", 0, NULL));
  OK(weft_plan_create(&late_plan, MPI_COMM_WORLD, late_problem, NULL));
  OK(weft_layout_slab(&late_layout, 2, shape, 0, ranks, NULL, NULL));
  OK(weft_redistribution_create(&late_move, MPI_COMM_WORLD, late_layout, late_layout, 8, NULL, NULL));
  weft_halo_options_init(&late_how);
  OK(weft_halo_create(&late_halo, MPI_COMM_WORLD, late_layout, 8, &late_how, NULL));
  OK(weft_trace_create(&late_trace, MPI_COMM_WORLD, 0));
}
static void after_the_end(int world) {
  static double numbers[200];
  void *u = numbers, *v = numbers + 100;
  weft_plan* plan = NULL;
  weft_trace* trace = NULL;
  weft_timeline* timeline = NULL;
  weft_halo* halo = NULL;
  weft_redistribution* move = NULL;
  double scale = 0;
  int done;
  OK(weft_plan_scale(late_plan, &scale));
  EXPECT(fabs(scale * 24 - 1) < 1e-15);
  FAILS(weft_plan_forward(late_plan, u, v), "cannot execute a plan: MPI is already finalised");
  FAILS(weft_plan_backward(late_plan, v, u), "already finalised");
  FAILS(weft_plan_forward_map_backward(late_plan, u, v, refuse, NULL), "already finalised");
  FAILS(weft_redistribution_execute(late_move, u, v), "already finalised");
  FAILS(weft_halo_execute(late_halo, 1, &u), "already finalised");
  FAILS(weft_halo_start(late_halo, 1, &u), "already finalised");
  FAILS(weft_halo_add(late_halo, "f8", 1, &u), "already finalised");
  FAILS(weft_halo_test(late_halo, &done), "already finalised");
  FAILS(weft_halo_finish(late_halo), "already finalised");
  FAILS(weft_trace_write(late_trace, "nowhere.json"), "already finalised");
  FAILS(weft_trace_timeline(late_trace, &timeline), "already finalised");
  FAILS(weft_plan_create(&plan, MPI_COMM_WORLD, late_problem, NULL), "already finalised");
  FAILS(weft_plan_create_f(&plan, world, late_problem, NULL), "already finalised");
  FAILS(weft_halo_create_f(&halo, world, late_layout, 8, &late_how, NULL), "already finalised");
  FAILS(weft_redistribution_create_f(&move, world, late_layout, late_layout, 8, NULL, NULL), "already finalised");
  FAILS(weft_trace_create_f(&trace, world, 0), "already finalised");
  FAILS(weft_file_write_f(world, "nowhere.npy", late_layout, "f8", u, NULL, 100), "already finalised");
  weft_plan_destroy(&late_plan);
  weft_halo_destroy(&late_halo);
  weft_redistribution_destroy(&late_move);
  weft_trace_destroy(&late_trace);
  weft_problem_destroy(&late_problem);
  weft_layout_destroy(&late_layout);
}

/* A constant line, and one wave, in both orders. */
static void long_lines(void) {
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

/* The struct of common options gives what options that are set one by one have. */
static void common_options(void) {
  weft_common_options common;
  weft_options *options = NULL, *plain = NULL;
  union {
    weft_common_options common;
    char bytes[sizeof(weft_common_options) + 16];
  } newer;
  char text[200], wanted[200];
  OK(weft_common_options_init(&common, sizeof common));
  OK(weft_options_create_common(&options, &common));
  OK(weft_options_describe(options, text, sizeof text, NULL));
  OK(weft_options_create(&plain));
  OK(weft_options_describe(plain, wanted, sizeof wanted, NULL));
  EXPECT(strcmp(text, wanted) == 0);
  weft_options_destroy(&options);
  common.strategy = "isend";
  common.effort = "estimate";
  common.wire = "single";
  common.placement = "overwrite";
  common.scale = "full";
  common.grid = "1,1,1";
  common.batch = 3;
  common.components = 2;
  common.natural_output = 1;
  common.wisdom = 0;
  common.threads = 2;
  OK(weft_options_create_common(&options, &common));
  OK(weft_options_set(plain, "strategy", "isend"));
  OK(weft_options_set(plain, "effort", "estimate"));
  OK(weft_options_set(plain, "wire", "single"));
  OK(weft_options_set(plain, "placement", "overwrite"));
  OK(weft_options_set(plain, "scale", "full"));
  OK(weft_options_set(plain, "grid", "1,1,1"));
  OK(weft_options_set(plain, "batch", "3"));
  OK(weft_options_set(plain, "components", "2"));
  OK(weft_options_set(plain, "natural_output", "true"));
  OK(weft_options_set(plain, "wisdom", "false"));
  OK(weft_options_set(plain, "threads", "2"));
  OK(weft_options_describe(options, text, sizeof text, NULL));
  OK(weft_options_describe(plain, wanted, sizeof wanted, NULL));
  EXPECT(strcmp(text, wanted) == 0 && strstr(text, "components 2") != NULL);
  weft_options_destroy(&options);

  memset(&newer, 0, sizeof newer); /* a program that knows more members than the library */
  OK(weft_common_options_init(&newer.common, sizeof newer));
  EXPECT(newer.common.size == (int64_t)sizeof newer && newer.bytes[sizeof newer - 1] == 0);
  OK(weft_options_create_common(&options, &newer.common));
  weft_options_destroy(&options);
  newer.bytes[sizeof newer - 1] = 1;
  FAILS(weft_options_create_common(&options, &newer.common), "members that this library");
  OK(weft_common_options_init(&common, sizeof(int64_t) + sizeof(char*))); /* and one that knows less: a strategy */
  common.strategy = "isend";
  common.batch = 7; /* is not read */
  OK(weft_options_create_common(&options, &common));
  OK(weft_options_describe(options, text, sizeof text, NULL));
  EXPECT(strstr(text, "isend") != NULL && strstr(text, "batch") == NULL);
  weft_options_destroy(&options);
  common.size = 0;
  FAILS(weft_options_create_common(&options, &common), "weft_common_options_init");
  FAILS(weft_common_options_init(&common, 3), "give sizeof");
  OK(weft_common_options_init(&common, sizeof common));
  common.strategy = "by hand";
  FAILS(weft_options_create_common(&options, &common), "by hand");
  weft_options_destroy(&plain);
}

/* Forecasts of a machine that is written by hand, and fits of what a form gives. */
static void forecasts_and_fits(void) {
  const int64_t shape[3] = {64, 64, 64};
  const int nodes[4] = {0, 0, 1, 1};
  const double on[4] = {1, 2, 4, 8}, times[4] = {13, 8, 5.5, 4.25}, coefficients[2] = {3, 10};
  weft_problem* problem = NULL;
  weft_profile *profile = NULL, *measured = NULL;
  weft_forecast *forecast = NULL, *one = NULL;
  weft_forecast_entry entry, best;
  weft_machine machine;
  weft_options* options = NULL;
  weft_fit* fit = NULL;
  char text[2000];
  double found[2], errors[2], residuals[4], value, error, zero, limit, deviation;
  int64_t count, i, length;
  int freedom;
  OK(weft_problem_create(&problem, "double", 3, shape, "c2c", 0, NULL));
  OK(weft_profile_parse(&profile, "{\"message_seconds\": 1e-5, \"flops_per_second\": 1e9}"));
  OK(weft_profile_machine(profile, &machine));
  EXPECT(fabs(machine.message_seconds - 1e-5) < 1e-15 && fabs(machine.flops_per_second - 1e9) < 1);
  OK(weft_profile_text(profile, text, sizeof text, &length));
  EXPECT(strstr(text, "flops_per_second") != NULL && length > 20);
  FAILS(weft_profile_parse(&measured, "{\"speed\": 1}"), "speed");
  OK(weft_forecast_create(&forecast, problem, NULL, 4, nodes, profile));
  OK(weft_forecast_count(forecast, &count));
  EXPECT(count > 3);
  OK(weft_forecast_at(forecast, 0, &best));
  for (i = 1; i < count; ++i) {
    OK(weft_forecast_at(forecast, i, &entry));
    EXPECT(entry.declined[0] != 0 || entry.seconds >= best.seconds);
  }
  /* Of every rank's quarter of the points, 16 bytes each, three quarters leave it, forward and backward. */
  EXPECT(best.declined[0] == 0 && best.bytes == 2 * 3 * 64 * 64 * 64 * 16 / 16);
  EXPECT(best.least_seconds <= best.seconds && best.seconds <= best.most_seconds);
  EXPECT(fabs(best.forward_seconds + best.backward_seconds - best.seconds) < 1e-9 * best.seconds);
  EXPECT(best.work_seconds > 0 && best.exchange_seconds > 0 && best.overlapped_seconds >= 0);
  FAILS(weft_forecast_at(forecast, count, &entry), "counted from 0");
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "strategy", best.strategy));
  OK(weft_forecast_create(&one, problem, options, 4, nodes, profile));
  OK(weft_forecast_count(one, &count));
  OK(weft_forecast_at(one, 0, &entry));
  EXPECT(count == 1 && strcmp(entry.strategy, best.strategy) == 0 && fabs(entry.seconds / best.seconds - 1) < 1e-12);
  FAILS(weft_forecast_create(&one, problem, NULL, -1, nodes, profile), "number of ranks is -1");
  OK(weft_profile_measure(&measured, MPI_COMM_WORLD, 0, NULL, 1));
  OK(weft_profile_machine(measured, &machine));
  EXPECT(machine.flops_per_second > 1e6 && machine.copied_per_second > 1e6);
  weft_profile_destroy(&measured);
  FAILS(weft_profile_measure_f(&measured, MPI_Comm_c2f(MPI_COMM_WORLD), -1, nodes, 1), "number of ranks is -1");

  OK(weft_list_count("fit_forms", &count));
  OK(weft_list_name("fit_forms", 1, text, sizeof text, NULL));
  EXPECT(count == 3 && strcmp(text, "comp") == 0);
  OK(weft_list_summary("fit_forms", 1, text, sizeof text, NULL));
  EXPECT(strstr(text, "a0 + a1/P") != NULL);
  OK(weft_fit_create(&fit, "comp", 4, on, times)); /* 3 + 10/P */
  OK(weft_fit_coefficients(fit, found, errors, 2, &count));
  EXPECT(count == 2 && fabs(found[0] - 3) < 1e-9 && fabs(found[1] - 10) < 1e-9 && errors[0] < 1e-6);
  OK(weft_fit_residuals(fit, residuals, 4, &count));
  EXPECT(count == 4 && fabs(residuals[2]) < 1e-9);
  OK(weft_fit_quality(fit, &freedom, &deviation, &zero, &limit));
  EXPECT(freedom == 2 && deviation < 1e-9 && isinf(zero) && isinf(limit));
  OK(weft_fit_at(fit, 16, 2, &value, &error, text, sizeof text, &length));
  EXPECT(fabs(value - 2 * 3.625) < 1e-9 && length > 0 && strlen(text) == (size_t)length); /* nobody measured 16 */
  OK(weft_fit_at(fit, 3, 1, &value, &error, text, sizeof text, &length));
  EXPECT(fabs(value - 19 / 3.) < 1e-9 && length == 0);
  weft_fit_destroy(&fit);
  OK(weft_fit_create_given(&fit, "comp", 2, coefficients, 1, 8, 0.25));
  OK(weft_fit_at(fit, 2, 1, &value, &error, NULL, 0, NULL));
  EXPECT(fabs(value - 8) < 1e-12 && fabs(error - 2) < 1e-12);
  OK(weft_fit_coefficients(fit, NULL, errors, 2, NULL));
  EXPECT(errors[0] == 0 && errors[1] == 0);
  FAILS(weft_fit_at(fit, 0, 1, &value, &error, NULL, 0, NULL), "ranks");
  weft_fit_destroy(&fit);
  FAILS(weft_fit_create(&fit, "comp", 2, on, times), "samples");
  FAILS(weft_fit_create(&fit, "log", 4, on, times), "comp");
  weft_forecast_destroy(&forecast);
  weft_forecast_destroy(&one);
  weft_profile_destroy(&profile);
  weft_options_destroy(&options);
  weft_problem_destroy(&problem);
}

int main(int argc, char** argv) {
  int world;
  weft_problem* early = NULL;
  weft_plan* plan = NULL;
  const int64_t extent = 4;
  OK(weft_problem_create(&early, "double", 1, &extent, "c2c", 0, NULL));
  FAILS(weft_plan_create(&plan, MPI_COMM_WORLD, early, NULL), "MPI is not initialised");
  FAILS(weft_plan_create_f(&plan, 0, early, NULL), "MPI is not initialised");
  weft_problem_destroy(&early);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  errors_and_lists();
  plans();
  layouts_and_data();
  spheres();
  long_lines();
  common_options();
  forecasts_and_fits();
  traces_tuning_wisdom();
  halos();
  wrong_handles();
  before_the_end();
  world = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d failures on %d ranks\n", wrong, ranks);
  MPI_Finalize();
  after_the_end(world);
  return wrong == 0 ? 0 : 1;
}
