/* Calls the C interface from a program that is C11 and C++ alike, on any number of ranks. Here: lists, options,
   handles, and what holds before MPI begins and after it ends. */
#include "expect.h"

int wrong = 0, rank = 0, ranks = 1;

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
  common.engine = "naive";
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
  OK(weft_options_set(plain, "engine", "naive"));
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
