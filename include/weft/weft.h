/* The C interface: all that the C++ headers have, with opaque handles and a status. C11 and C++.
 *
 *     weft_problem *problem = NULL;
 *     weft_options *options = NULL;
 *     weft_plan *plan = NULL;
 *     const int64_t shape[] = {256, 256, 256};
 *     void *u, *u_hat;
 *     if (weft_problem_create(&problem, "double", 3, shape, "c2c", 0, NULL) || weft_options_create(&options) ||
 *         weft_options_set(options, "strategy", "alltoallv") ||
 *         weft_plan_create(&plan, MPI_COMM_WORLD, problem, options) || weft_plan_input(plan, &u) ||
 *         weft_plan_output(plan, &u_hat) || weft_plan_forward(plan, u, u_hat))
 *       fprintf(stderr, "%s\n", weft_error());
 *     weft_plan_destroy(&plan);
 *     weft_options_destroy(&options);
 *     weft_problem_destroy(&problem);
 *
 * Conventions, which hold for every function below:
 *
 * Status. A function returns WEFT_OK, which is 0, or why it failed; weft_error() then has the
 *   message. What a failed call was to return is left as it was, but for handles, which are NULL.
 *   No C++ exception leaves a function. docs/errors.md says which errors are alike on all ranks.
 * Handles. What *_create and functions that say "a new handle" return belongs to the caller and
 *   ends with *_destroy, which sets the handle to NULL; of NULL it does nothing. A handle may end
 *   before others that were made with it. End plans, redistributions and traces before
 *   MPI_Finalize. NULL where a handle is wanted is an error, but for options, where it means the
 *   defaults. So are handles of another type, those that were destroyed, and addresses of anything
 *   else: they are recognised, not followed. (An address is taken for a new handle again after 64
 *   others at the least have been destroyed.)
 * Numbers. Counts, extents, indices, strides and numbers of axes are int64_t. Ranks, flags (0 or 1)
 *   and the status are int. Strides and offsets count elements, not bytes.
 * Indices are global and start at 0, axes too. Boxes are half-open: `lo` is inside, `hi` is not.
 * Axes. Axis 0 is the slowest of C order. Lists of extents, points and strides have an entry for
 *   each axis, in the order of axes and not of memory; strides say what memory is like. A memory
 *   order lists axes, the slowest first. With a batch or components, arrays have one axis more in
 *   front or at the end.
 * Elements are float, double, or two of them as a complex number: real part, imaginary part. Types
 *   of elements are named as NumPy does: f4, f8, c8, c16.
 * Text is UTF-8 and ends with a zero. Functions that return text take `text`, where it is copied
 *   to; `room`, the bytes there; and `length`, which becomes the length of the whole text without
 *   the zero. A longer text is cut at room - 1. `text` may be NULL if `room` is 0, and `length` may
 *   be NULL. A `const char *` inside a struct belongs to the handle that it came from.
 * Lists. Functions that return a list take `room`, the entries that there are places for, and
 *   `count`, which becomes the length of the whole list. No more than `room` entries are written.
 * Communicators. Functions ending in _f take Fortran's form of a communicator. All that take a
 *   communicator are collective over it, and duplicate it if they keep it.
 * Threads. weft_error() is of the calling thread. A handle may be used by one thread at a time.
 */
#pragma once

#include <mpi.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- status, version, lists ---- */

enum {
  WEFT_OK = 0,
  WEFT_ERROR = 1,   /* weft_error() says what was given, what is allowed and what to do */
  WEFT_DECLINED = 2 /* a strategy or schedule that was named cannot do this; another one, or "auto", may */
};

/* The most axes an array can have, batch and components included: the length of lists inside
 * structs. */
enum { WEFT_MAX_AXES = 8 };

/* The message of this thread's last call that failed; empty if none has. Valid until the next call
 * that fails. */
const char* weft_error(void);
/* The version of the library: "0.1.0". */
const char* weft_version(void);

/* What there is to choose from: of `list` "strategies", "engines", "kinds", "kernels", "options" and
 * "fit_forms" the number of entries, and name and one line of an entry. */
int weft_list_count(const char* list, int64_t* count);
int weft_list_name(const char* list, int64_t entry, char* text, int64_t room, int64_t* length);
int weft_list_summary(const char* list, int64_t entry, char* text, int64_t room, int64_t* length);

typedef struct weft_options weft_options;
typedef struct weft_problem weft_problem;
typedef struct weft_layout weft_layout;
typedef struct weft_plan weft_plan;
typedef struct weft_redistribution weft_redistribution;
typedef struct weft_halo weft_halo;
typedef struct weft_trace weft_trace;
typedef struct weft_timeline weft_timeline;
typedef struct weft_tuning weft_tuning;
typedef struct weft_wisdom weft_wisdom;
typedef struct weft_profile weft_profile;
typedef struct weft_forecast weft_forecast;
typedef struct weft_fit weft_fit;

/* ---- options: docs/options.md has the table of all of them ---- */

int weft_options_create(weft_options** options);
int weft_options_copy(weft_options** copy, const weft_options* options);
void weft_options_destroy(weft_options** options);
/* Sets an option by name; the text is read as the option's type says: "8", "true", "2,3", "auto".
 * Backward's schedule begins as forward's is at that moment, so set forward's first. */
int weft_options_set(weft_options* options, const char* name, const char* value);
int weft_options_set_integer(weft_options* options, const char* name, int64_t value);
int weft_options_set_number(weft_options* options, const char* name, double value);
int weft_options_set_flag(weft_options* options, const char* name, int value);
int weft_options_set_integers(weft_options* options, const char* name, int64_t count, const int64_t* values);
/* Of "input" and "output". The layout is copied; NULL: the default. */
int weft_options_set_layout(weft_options* options, const char* name, const weft_layout* layout);
/* Strategy and schedule of a kernel: a name of the list "kernels". */
int weft_options_set_kernel(weft_options* options, const char* kernel);
/* An option as text. */
int weft_options_get(const weft_options* options, const char* name, char* text, int64_t room, int64_t* length);
/* What differs from the defaults: "strategy isend, threads 2". */
int weft_options_describe(const weft_options* options, char* text, int64_t room, int64_t* length);

/* The options that most programs set, as members that are named after them. A text that is NULL is
 * the default. */
typedef struct weft_common_options {
  int64_t size; /* sizeof(weft_common_options) of the program: later versions may have more members */
  const char *strategy, *engine, *effort, *wire, *placement, *scale;
  const char* grid; /* "2,3" */
  int64_t batch, components;
  int natural_output, wisdom; /* flags */
  int threads;                /* 0: "auto" */
  int reserved;               /* 0 */
} weft_common_options;
/* The defaults; give sizeof *common. */
int weft_common_options_init(weft_common_options* common, int64_t size);
/* New options, with the defaults for all that is no member. */
int weft_options_create_common(weft_options** options, const weft_common_options* common);

/* Of an option by name: its type ("text", "integer", "number", "boolean", "integers" or "layout"),
 * what it changes ("speed" or "results"), and what may be given. */
int weft_option_type(const char* name, char* text, int64_t room, int64_t* length);
int weft_option_group(const char* name, char* text, int64_t room, int64_t* length);
int weft_option_allowed(const char* name, char* text, int64_t room, int64_t* length);

/* ---- layouts: which part of a global array each rank owns, and how it lies in its memory ---- */

/* A rank's part as a box in memory: its global point p is at data[sum of (p[a] - lo[a]) *
 * strides[a]]. */
typedef struct weft_view {
  int64_t axes;
  int64_t lo[WEFT_MAX_AXES], hi[WEFT_MAX_AXES];
  int64_t strides[WEFT_MAX_AXES];
  int64_t elements; /* that the array has room for, padding behind the last point included */
  int64_t reach;    /* from the first point to one past the last: what an array must have at least */
} weft_view;

/* Consecutive global indices [first, first + count) in C order of the global shape. */
typedef struct weft_run {
  int64_t first, count;
} weft_run;

/* One box a rank: `lo` and `hi` have `axes` entries for rank 0, then for rank 1, and so on. `order`
 * is the memory order (NULL: C order); `padding` is added to the length that memory has of each
 * axis (NULL: none). Local, as all here. */
int weft_layout_boxes(weft_layout** layout, int64_t axes, const int64_t* shape, int ranks, const int64_t* lo,
                      const int64_t* hi, const int64_t* order, const int64_t* padding);
/* Lists of runs: `counts[rank]` of them each, one rank's behind the other's. Memory holds them in
 * that order. */
int weft_layout_runs(weft_layout** layout, int64_t axes, const int64_t* shape, int ranks, const int64_t* counts,
                     const weft_run* runs);
/* Ragged sticks along the last axis: `counts[rank]` of them each; of every stick `at` has its index
 * on all other axes, and `lo` and `hi` its range. */
int weft_layout_sticks(weft_layout** layout, int64_t axes, const int64_t* shape, int ranks, const int64_t* counts,
                       const int64_t* at, const int64_t* lo, const int64_t* hi);
/* Cut along one axis. `split`: "even", "blocks", "blocks:8", or bounds as "0,3,8" (NULL: even). */
int weft_layout_slab(weft_layout** layout, int64_t axes, const int64_t* shape, int64_t axis, int ranks,
                     const char* split, const int64_t* order);
/* Cut by a process grid of `grid[a]` parts along each axis, an entry for every axis; ranks in C
 * order of the grid. `splits`: one for each axis with ; between them, or one for all (NULL:
 * "even"). */
int weft_layout_grid(weft_layout** layout, int64_t axes, const int64_t* shape, const int64_t* grid, const char* splits,
                     const int64_t* order);
/* Everything on every rank. */
int weft_layout_replicated(weft_layout** layout, int64_t axes, const int64_t* shape, int ranks);
/* Of each box the points whose global index sum is even, then those whose sum is odd, each in C
 * order. */
int weft_layout_checkerboard(weft_layout** layout, int64_t axes, const int64_t* shape, int ranks, const int64_t* lo,
                             const int64_t* hi);
/* The boxes of `of` grown by width[a] points at both ends of every axis, also beyond the global
 * shape. */
int weft_layout_grown(weft_layout** layout, const weft_layout* of, const int64_t* width);
/* The boxes of `of` in another memory order and padding. */
int weft_layout_ordered(weft_layout** layout, const weft_layout* of, const int64_t* order, const int64_t* padding);
int weft_layout_copy(weft_layout** copy, const weft_layout* layout);
void weft_layout_destroy(weft_layout** layout);

/* Any of what is returned may be NULL. `shape` has WEFT_MAX_AXES places. */
int weft_layout_shape(const weft_layout* layout, int64_t* axes, int64_t* shape, int* ranks, int* has_boxes);
/* Memory order and padding, WEFT_MAX_AXES places each; either may be NULL. */
int weft_layout_order(const weft_layout* layout, int64_t* order, int64_t* padding);
/* A rank's part, of layouts of boxes. */
int weft_layout_view(const weft_layout* layout, int rank, weft_view* view);
/* A rank's runs, of layouts of runs. */
int weft_layout_list(const weft_layout* layout, int rank, weft_run* runs, int64_t room, int64_t* count);
/* Elements that a rank's array must have room for, and points that the rank owns; either may be
 * NULL. */
int weft_layout_elements(const weft_layout* layout, int rank, int64_t* elements, int64_t* points);
/* One line; `every_part`: with the part of every rank. */
int weft_layout_describe(const weft_layout* layout, int every_part, char* text, int64_t room, int64_t* length);
int weft_layout_equal(const weft_layout* a, const weft_layout* b, int* equal);
/* Fails, naming ranks and region, if parts overlap or lie outside the shape; `all_points`: also if
 * some point belongs to no rank. */
int weft_layout_check(const weft_layout* layout, int all_points);

/* ---- problems: what is transformed ---- */

/* `precision`: "single" or "double". `shape`: the extents before forward. `kinds`: one for all
 * axes, or one for each with commas between ("c2c,dst2,r2c"): c2c, r2c, dct1 to dct4, dst1 to dst4,
 * r2hc, hc2r, dht. r2c alone is that of the last axis, and c2c that of the others. `transformed`:
 * the `count` axes that are transformed, in the order of kinds (0: all). */
int weft_problem_create(weft_problem** problem, const char* precision, int64_t axes, const int64_t* shape,
                        const char* kinds, int64_t count, const int64_t* transformed);

/* All G with (k+G)^T metric (k+G) <= squared; weft_cutoff_init has the unit metric and k = 0. */
typedef struct weft_cutoff {
  double squared;      /* in the units of the metric */
  double metric[3][3]; /* b_i . b_j of the reciprocal cell: symmetric, positive definite */
  double k[3];         /* in units of the b_i */
  int half;            /* one of every pair +-G only, for real functions; with k = 0 */
} weft_cutoff;
void weft_cutoff_init(weft_cutoff* cutoff);

/* Plane waves on a grid of three axes, with this rank's G-vectors: `g` has three integers for each,
 * in the order of the coefficients. All vectors of one (g1, g2) belong to one rank. `real`: real
 * functions, one of every pair +-G. */
int weft_problem_sphere(weft_problem** problem, const char* precision, const int64_t* grid, int64_t count,
                        const int64_t* g, int real);
/* The same of a cutoff, shared among ranks by the rule `balance`: "coefficients" (also NULL) or
 * "columns". weft_plan_vectors tells which vectors are this rank's. */
int weft_problem_cutoff(weft_problem** problem, const char* precision, const int64_t* grid, const weft_cutoff* cutoff,
                        const char* balance, int real);
/* A part of the spectrum of a grid: that of a smaller grid `kept`, or, with `low`, `kept` indices
 * an axis from low on, which may be negative. The rest is zero backward and dropped forward.
 * `real`: real functions. */
int weft_problem_kept_box(weft_problem** problem, const char* precision, const int64_t* grid, const int64_t* kept,
                          const int64_t* low, int real);
int weft_problem_copy(weft_problem** copy, const weft_problem* problem);
void weft_problem_destroy(weft_problem** problem);

/* ---- sticks of plane waves ---- */

/* The G-vectors [lo, hi) of axis 0 at one (g1, g2). None is wrapped. */
typedef struct weft_stick {
  int64_t g1, g2, lo, hi;
} weft_stick;

/* By ascending g2, then g1. */
int weft_sphere_sticks(const weft_cutoff* cutoff, weft_stick* sticks, int64_t room, int64_t* count);
/* Of a box of kept[a] vectors an axis, from -kept[a]/2 on. */
int weft_box_sticks(const int64_t* kept, weft_stick* sticks, int64_t room, int64_t* count);
/* Shares sticks among ranks by a rule ("coefficients", also NULL, or "columns"): `shared` becomes
 * all of them ordered by rank, and those of rank r are shared[begin[r]] to shared[begin[r + 1] -
 * 1]. `begin` has ranks + 1 places. */
int weft_share_sticks(int64_t count, const weft_stick* sticks, int ranks, const char* rule, weft_stick* shared,
                      int64_t* begin);
/* The same for real space in pencils, on a process grid of planes x rows ranks. */
int weft_share_sticks_in_pencils(int64_t count, const weft_stick* sticks, int planes, int rows, const char* rule,
                                 weft_stick* shared, int64_t* begin);
/* The G-vectors of sticks, three integers each; room and `vectors` count vectors. */
int weft_stick_vectors(int64_t count, const weft_stick* sticks, int64_t* g, int64_t room, int64_t* vectors);
/* A rank's part of the spectrum that weft_problem_kept_box keeps, in the order of its coefficients. */
int weft_box_vectors(const int64_t* kept, const int64_t* low, int real, int ranks, int rank, int64_t* g, int64_t room,
                     int64_t* vectors);
/* The least grid on which the product of so many `fields` of a sphere is not folded back. `grid`
 * has three places. */
int weft_smallest_grid(int64_t count, const int64_t* g, int64_t fields, int64_t* grid);

/* ---- plans ---- */

/* A line of the transformed array between forward and backward, of real space between backward and
 * forward: `values` has `count` elements of the plan's output (input) type at the global points
 * `first`, `first` + 1 along `axis`, ... */
typedef struct weft_line {
  int64_t axes;
  int64_t first[WEFT_MAX_AXES];
  int64_t axis, count;
  void* values;
} weft_line;

/* Works on a line. May run on several threads at once (option "threads"). Other than 0 is a
 * failure: then the call that runs it fails when the execution has ended, on this rank alone, and
 * its results are of no use on any rank. */
typedef int (*weft_map)(const weft_line* line, void* context);

/* The signed wavenumbers of a value of the transformed array, an entry for each axis of the
 * problem; include/weft/modes.hpp says what they are for each kind. */
typedef struct weft_mode {
  int64_t axes;
  double k[WEFT_MAX_AXES];
  double odd[WEFT_MAX_AXES]; /* k, but 0 where the array has no mode -k beside it: what odd derivatives multiply by */
  double weight;             /* how many modes of the whole spectrum the value stands for */
} weft_mode;

/* What a rank did since measuring began: seconds in local work and in exchanges, MPI calls that
 * move data, messages to other ranks, and their bytes. */
typedef struct weft_spent {
  double work_seconds, exchange_seconds;
  int64_t calls, messages, bytes;
} weft_spent;

/* Whether all that ranks read and write is ordered. */
typedef struct weft_ordering {
  int64_t compared;  /* pairs of accesses that may meet, one of them a write */
  int64_t unordered; /* of these, those that do and have no order */
  int hangs;         /* some step waits for what never comes */
} weft_ordering;

int weft_plan_create(weft_plan** plan, MPI_Comm comm, const weft_problem* problem, const weft_options* options);
int weft_plan_create_f(weft_plan** plan, MPI_Fint comm, const weft_problem* problem, const weft_options* options);
/* The same; `memory` says whose the memory is that the plan works in: "own" as above, "callers" (give a
 * workspace before the first execution) or "none" (it says how much it would take, and cannot execute). */
int weft_plan_create_in(weft_plan** plan, MPI_Comm comm, const weft_problem* problem, const weft_options* options,
                        const char* memory);
int weft_plan_create_in_f(weft_plan** plan, MPI_Fint comm, const weft_problem* problem, const weft_options* options,
                          const char* memory);
/* Bytes of the plan's workspace on this rank, which holds nothing between executions. */
int weft_plan_workspace_bytes(const weft_plan* plan, int64_t* bytes);
/* From now on the plan, made in memory of the caller's, works in `memory`. Plans that do not execute at
 * the same time may share it; it stays the caller's to free, after the last execution. */
int weft_plan_use_workspace(weft_plan* plan, void* memory, int64_t bytes);
void weft_plan_destroy(weft_plan** plan);

/* Collective. Arrays are this rank's, of the input and the output type, and do not overlap; in
 * place they are the same pointer. The input is preserved unless options allow otherwise.
 * Unnormalised: see weft_plan_scale. */
int weft_plan_forward(weft_plan* plan, const void* in, void* out);
int weft_plan_backward(weft_plan* plan, const void* in, void* out);
/* Collective: forward, `map` on every line of the transformed array, backward, without storing the
 * transformed array. in and out are both input arrays, and may be the same. */
int weft_plan_forward_map_backward(weft_plan* plan, const void* in, void* out, weft_map map, void* context);
/* Collective, plane waves only: backward, `map` on every line of real space, forward. in and out
 * are coefficients. */
int weft_plan_backward_map_forward(weft_plan* plan, const void* in, void* out, weft_map map, void* context);
/* Collective, plane waves only: a local potential: out = forward(potential * backward(in)) * scale.
 * `potential` has a real number of the plan's precision for each point of weft_plan_map_view, of
 * which there are `points`; a batch shares it. */
int weft_plan_apply(weft_plan* plan, const void* potential, int64_t points, const void* in, void* out);

/* Arrays of the plan's own, as fast as memory can be for it: the same at every call, and valid
 * until the plan is destroyed. In place both are the same. */
int weft_plan_input(weft_plan* plan, void** data);
int weft_plan_output(weft_plan* plan, void** data);
/* Another array at every call, zeroed, to be given to weft_free. It may outlive the plan. */
int weft_plan_make_input(const weft_plan* plan, void** data);
int weft_plan_make_output(const weft_plan* plan, void** data);
/* Frees what weft_plan_make_input and weft_plan_make_output gave; of NULL it does nothing. */
int weft_free(void* data);

/* What backward(forward(u)) is to be multiplied by to give u. */
int weft_plan_scale(const weft_plan* plan, double* scale);
/* The type of elements: "f4", "f8", "c8" or "c16". */
int weft_plan_input_type(const weft_plan* plan, char* text, int64_t room, int64_t* length);
int weft_plan_output_type(const weft_plan* plan, char* text, int64_t room, int64_t* length);
/* New handles. Batch and component axes are included. */
int weft_plan_input_layout(const weft_plan* plan, weft_layout** layout);
int weft_plan_output_layout(const weft_plan* plan, weft_layout** layout);
/* This rank's parts. Of the coefficients of plane waves the box has their numbers. */
int weft_plan_input_view(const weft_plan* plan, weft_view* view);
int weft_plan_output_view(const weft_plan* plan, weft_view* view);
/* Plane waves only: the part of real space that this rank's backward_map_forward maps, without the
 * batch, in C order. */
int weft_plan_map_view(const weft_plan* plan, weft_view* view);
/* Where this rank's part begins in a larger array of `elements` elements, which has these
 * `extents`, and the part's first point at `first`. Fails if the plan's strides are others, or the
 * part or the array is too large for what holds it. */
int weft_plan_input_offset(const weft_plan* plan, const int64_t* extents, const int64_t* first, int64_t elements,
                           int64_t* offset);
int weft_plan_output_offset(const weft_plan* plan, const int64_t* extents, const int64_t* first, int64_t elements,
                            int64_t* offset);
/* New handles: what was asked for, and what is done. */
int weft_plan_requested(const weft_plan* plan, weft_options** options);
int weft_plan_effective(const weft_plan* plan, weft_options** options);
/* A new handle. */
int weft_plan_problem(const weft_plan* plan, weft_problem** problem);
/* Plane waves only: this rank's G-vectors in the order of its coefficients, three integers each. */
int weft_plan_vectors(const weft_plan* plan, int64_t* g, int64_t room, int64_t* count);
/* The signed wavenumber of a global index of the transformed array along an axis of the problem. */
int weft_plan_wavenumber(const weft_plan* plan, int64_t axis, int64_t index, double* wavenumber);
/* Of a global point of the transformed array, which has an entry for each of its axes. */
int weft_plan_mode(const weft_plan* plan, const int64_t* point, weft_mode* mode);
/* Calls visit(mode, global point, value, context) for each value of this rank's transformed array,
 * in the order of its memory, until that returns other than 0, which is then a failure. */
int weft_plan_for_each_mode(const weft_plan* plan, void* data,
                            int (*visit)(const weft_mode* mode, const int64_t* point, void* value, void* context),
                            void* context);
/* Bytes that the plan owns on this rank. */
int weft_plan_bytes_owned(const weft_plan* plan, int64_t* bytes);
/* Whether coming executions try ways to write, so that some take longer. */
int weft_plan_trying(const weft_plan* plan, int* trying);
/* Lines of each axis of the input layout that one forward transforms on this rank. */
int weft_plan_lines(const weft_plan* plan, int64_t* lines, int64_t room, int64_t* count);
/* Measuring, on or off: off ends also weft_plan_record. */
int weft_plan_measure(weft_plan* plan, int on);
int weft_plan_spent(const weft_plan* plan, weft_spent* spent);
/* Records every execution from now on. The trace may end before the plan. */
int weft_plan_record(weft_plan* plan, weft_trace* trace);
/* Stages, exchanges, strategies, schedules, bytes, messages and memory: many lines. */
int weft_plan_describe(const weft_plan* plan, char* text, int64_t room, int64_t* length);
/* How what was left open was chosen: many lines, or one JSON object. */
int weft_plan_explain(const weft_plan* plan, int json, char* text, int64_t room, int64_t* length);
/* What "auto" looked at for exchange `exchange` of forward, the cheapest first; empty if a strategy
 * was named. */
typedef struct weft_considered {
  const char *strategy, *declined; /* declined: why it declines; empty: it does not. Valid while the plan is */
  double seconds;                  /* by the model */
  int64_t calls, messages, bytes, copied, depth; /* include/weft/model.hpp has the members of a cost */
  int64_t node_messages, node_bytes;
} weft_considered;
int weft_plan_exchanges(const weft_plan* plan, int64_t* exchanges);
int weft_plan_considered(weft_plan* plan, int64_t exchange, weft_considered* considered, int64_t room, int64_t* count);
/* Every step of forward's schedule, one a line. */
int weft_plan_steps(const weft_plan* plan, char* text, int64_t room, int64_t* length);
/* The derived datatypes by which this rank sends and receives; `made` of them, and `different` are
 * not what they should be (both may be NULL). */
int weft_plan_datatypes(const weft_plan* plan, int64_t* made, int64_t* different, char* text, int64_t room,
                        int64_t* length);
/* Collective: checks the order of all reads and writes. The text has the first that have none. */
int weft_plan_ordering(const weft_plan* plan, weft_ordering* ordering, char* text, int64_t room, int64_t* length);

/* ---- long lines: one line that is cut over all ranks ---- */

typedef struct weft_long_line weft_long_line;
/* Who has what, and how the line is cut: n points as `rows` rows of `columns`. Parts lie one behind
 * the other from their first point on. */
typedef struct weft_long_line_parts {
  int64_t rows, columns;
  int64_t input_first, input_elements;   /* this rank's, before forward */
  int64_t output_first, output_elements; /* after it */
  double scale;                          /* backward of forward, times this, is what was given */
} weft_long_line_parts;

/* n complex points of "double" or "single". Of the options input, output, grid, batch, components
 * and placement must have their defaults; without "natural_output" modes come in another order. */
int weft_long_line_create(weft_long_line** line, MPI_Comm comm, const char* precision, int64_t n,
                          const weft_options* options);
int weft_long_line_create_f(weft_long_line** line, MPI_Fint comm, const char* precision, int64_t n,
                            const weft_options* options);
/* The same, cut into so many rows, a divisor of n (0: the largest that is not above its square root). */
int weft_long_line_create_rows(weft_long_line** line, MPI_Comm comm, const char* precision, int64_t n, int64_t rows,
                               const weft_options* options);
int weft_long_line_create_rows_f(weft_long_line** line, MPI_Fint comm, const char* precision, int64_t n, int64_t rows,
                                 const weft_options* options);
void weft_long_line_destroy(weft_long_line** line);
/* Collective. Both arrays may be one that has room for either part. */
int weft_long_line_forward(weft_long_line* line, const void* in, void* out);
int weft_long_line_backward(weft_long_line* line, const void* in, void* out);
int weft_long_line_tell(const weft_long_line* line, weft_long_line_parts* parts);
/* The mode, 0 to n - 1, that element `element` of the whole output is. */
int weft_long_line_mode(const weft_long_line* line, int64_t element, int64_t* mode);
int weft_long_line_describe(const weft_long_line* line, char* text, int64_t room, int64_t* length);

/* ---- redistribution ---- */

/* From any layout to any other. Of the options only "strategy", "nodes" and "wisdom" may differ
 * from the defaults. periodic[a] = 1: a destination may reach beyond the global shape on axis a,
 * and wraps (NULL: none). */
int weft_redistribution_create(weft_redistribution** redistribution, MPI_Comm comm, const weft_layout* from,
                               const weft_layout* to, int64_t element_bytes, const int* periodic,
                               const weft_options* options);
int weft_redistribution_create_f(weft_redistribution** redistribution, MPI_Fint comm, const weft_layout* from,
                                 const weft_layout* to, int64_t element_bytes, const int* periodic,
                                 const weft_options* options);
void weft_redistribution_destroy(weft_redistribution** redistribution);
/* Collective. The arrays may overlap only where nothing is written that is also read, as
 * include/weft/redistribute.hpp has it. */
int weft_redistribution_execute(weft_redistribution* redistribution, const void* in, void* out);
int weft_redistribution_record(weft_redistribution* redistribution, weft_trace* trace);
int weft_redistribution_strategy(const weft_redistribution* redistribution, char* text, int64_t room, int64_t* length);
int weft_redistribution_describe(const weft_redistribution* redistribution, char* text, int64_t room, int64_t* length);

/* ---- halo exchange: ghost points are filled from those who own them, or added to these ---- */

/* How ghost points lie around boxes. weft_halo_options_init has none, and the defaults said here. */
typedef struct weft_halo_options {
  int64_t width[WEFT_MAX_AXES];  /* ghost points at both ends of every axis: 0 or more (0) */
  int64_t behind[WEFT_MAX_AXES]; /* at the upper ends; -1: as `width` (-1) */
  int periodic[WEFT_MAX_AXES];   /* 1: beyond the global shape lies the other end (0) */
  int corners;                   /* 0: points that are ghosts on more than one axis are left as they are (1) */
  int fields;                    /* arrays exchanged at once (1) */
  int adds;                      /* 1: weft_halo_add will be called (0) */
} weft_halo_options;
void weft_halo_options_init(weft_halo_options* how);

/* Collective. A rank's array holds its box of `layout` with the ghost points around it, in the
 * layout's memory order. Of the options only "strategy", "nodes" and "wisdom" may differ from the
 * defaults; two strategies with + between them are of filling and of adding. */
int weft_halo_create(weft_halo** halo, MPI_Comm comm, const weft_layout* layout, int64_t element_bytes,
                     const weft_halo_options* how, const weft_options* options);
int weft_halo_create_f(weft_halo** halo, MPI_Fint comm, const weft_layout* layout, int64_t element_bytes,
                       const weft_halo_options* how, const weft_options* options);
/* Collective. Any points: a rank's array holds its points of `layout`, and behind them those of
 * `ghosts`, which belong to whichever rank. Of `how` only `fields` and `adds` count (NULL: the
 * defaults); what it says else must be as weft_halo_options_init has it. */
int weft_halo_create_lists(weft_halo** halo, MPI_Comm comm, const weft_layout* layout, const weft_layout* ghosts,
                           int64_t element_bytes, const weft_halo_options* how, const weft_options* options);
int weft_halo_create_lists_f(weft_halo** halo, MPI_Fint comm, const weft_layout* layout, const weft_layout* ghosts,
                             int64_t element_bytes, const weft_halo_options* how, const weft_options* options);
void weft_halo_destroy(weft_halo** halo);
/* Ghost points of boxes as lists, for weft_halo_create_lists beside weft_layout_checkerboard of the
 * same boxes: those of even index sum (`parity` 0), of odd (1), or both (-1), as
 * include/weft/halo.hpp tells. A new handle. */
int weft_layout_checkerboard_ghosts(weft_layout** ghosts, const weft_layout* layout, const weft_halo_options* how,
                                    int parity);

/* Elements of this rank's array, ghost points and padding included. */
int weft_halo_elements(const weft_halo* halo, int64_t* elements);
/* Where this rank's own points lie in its array: the first of them `offset` elements from its
 * beginning, which may be NULL. Not of lists. */
int weft_halo_inside(const weft_halo* halo, weft_view* view, int64_t* offset);
/* Collective: fills the ghost points of `fields` arrays, as many as the halo was made for. */
int weft_halo_execute(weft_halo* halo, int64_t fields, void* const* arrays);
/* Collective: begins to fill them. Until weft_halo_finish returns own points may be read, not
 * written, and ghost points neither. */
int weft_halo_start(weft_halo* halo, int64_t fields, void* const* arrays);
/* Collective: adds the value of every ghost point to the point that it is a copy of. `type` of the
 * numbers of an element: "i4", "i8", "f4", "f8", "c8", "c16". */
int weft_halo_add(weft_halo* halo, const char* type, int64_t fields, void* const* arrays);
/* Collective: begins to add. Until weft_halo_finish returns ghost points may be read, not written,
 * and own points neither. */
int weft_halo_start_add(weft_halo* halo, const char* type, int64_t fields, void* const* arrays);
/* Local: lets what was started progress; `done`: all that comes has come. */
int weft_halo_test(weft_halo* halo, int* done);
/* Collective: ends what was started. */
int weft_halo_finish(weft_halo* halo);
int weft_halo_record(weft_halo* halo, weft_trace* trace);
int weft_halo_strategy(const weft_halo* halo, char* text, int64_t room, int64_t* length);
int weft_halo_describe(const weft_halo* halo, char* text, int64_t room, int64_t* length);

/* ---- files: npy, by the name's end, and raw arrays in C order ---- */

/* Type (text) and shape of an npy file. `shape` has WEFT_MAX_AXES places. */
int weft_file_inspect(MPI_Comm comm, const char* path, int64_t* axes, int64_t* shape, char* text, int64_t room,
                      int64_t* length);
int weft_file_inspect_f(MPI_Fint comm, const char* path, int64_t* axes, int64_t* shape, char* text, int64_t room,
                        int64_t* length);
/* This rank's part of the file. `type`: of the file's elements. `array_type`: of the array's; the
 * file's (NULL), or the same in the other precision, which is converted. `elements`: that the array
 * has room for; -1: not known. */
int weft_file_read(MPI_Comm comm, const char* path, const weft_layout* layout, const char* type, void* data,
                   const char* array_type, int64_t elements);
int weft_file_read_f(MPI_Fint comm, const char* path, const weft_layout* layout, const char* type, void* data,
                     const char* array_type, int64_t elements);
int weft_file_write(MPI_Comm comm, const char* path, const weft_layout* layout, const char* type, const void* data,
                    const char* array_type, int64_t elements);
int weft_file_write_f(MPI_Fint comm, const char* path, const weft_layout* layout, const char* type, const void* data,
                      const char* array_type, int64_t elements);

/* ---- traces ---- */

/* `spans`: room for each thread of a rank; 0: 65536. */
int weft_trace_create(weft_trace** trace, MPI_Comm comm, int64_t spans);
int weft_trace_create_f(weft_trace** trace, MPI_Fint comm, int64_t spans);
void weft_trace_destroy(weft_trace** trace);
/* Collective: all that was recorded until now, as a file of trace events in JSON. */
int weft_trace_write(weft_trace* trace, const char* path);
/* Executions of this rank that were not recorded. */
int weft_trace_left_out(const weft_trace* trace, int64_t* executions);
int weft_trace_bytes_owned(const weft_trace* trace, int64_t* bytes);

/* What one thread of one rank did from then till then; include/weft/trace.hpp has the words. */
typedef struct weft_span {
  int rank, thread;
  double begin_seconds, end_seconds; /* on rank 0's clock, since the first execution began */
  const char *phase, *name, *plan;
  int of;   /* stage of work, exchange of its verbs; -1: execution */
  int tile; /* -1: none */
  int64_t bytes;
} weft_span;
typedef struct weft_timeline_rank {
  const char* host;
  double clock_offset_seconds, clock_accuracy_seconds, clock_drift_seconds;
  int64_t left_out;
} weft_timeline_rank;

/* Collective: everything that was recorded, at rank 0; nothing elsewhere. A new handle. */
int weft_trace_timeline(weft_trace* trace, weft_timeline** timeline);
void weft_timeline_destroy(weft_timeline** timeline);
/* Any may be NULL. `communicating`: how often the number of ranks that communicate changes. */
int weft_timeline_counts(const weft_timeline* timeline, int64_t* ranks, int64_t* spans, int64_t* communicating);
int weft_timeline_at_rank(const weft_timeline* timeline, int64_t rank, weft_timeline_rank* of);
int weft_timeline_span(const weft_timeline* timeline, int64_t entry, weft_span* span);
/* From `seconds` on so many ranks are inside a communication call. */
int weft_timeline_communicating(const weft_timeline* timeline, int64_t entry, double* seconds, int64_t* ranks);
/* The area below the number of communicating ranks, and the sum of their communication times.
 * Rank-seconds. */
int weft_timeline_sums(const weft_timeline* timeline, double* integral_seconds, double* communication_seconds);

/* ---- tuning ---- */

/* A machine as the model knows it; include/weft/model.hpp has the members. */
typedef struct weft_machine {
  double message_seconds, bytes_per_second, copied_per_second;
  double node_message_seconds, node_bytes_per_second, flops_per_second;
} weft_machine;
/* One way to solve a problem. Seconds are of forward and backward together, of the slowest rank; 0:
 * not known. */
typedef struct weft_candidate {
  const char *name, *verdict;
  double predicted_seconds, measured_seconds, forward_seconds, backward_seconds;
  int64_t measurements;
  int round; /* the last in which it was measured: 1 strategies, 2 schedules, 3 mixtures, 4 final; 0: none */
} weft_candidate;
/* Called on rank 0 when candidates have been measured, at least once: what is going on, how many have
 * been, and the best of them. */
typedef void (*weft_progress)(const char* phase, int64_t measured, const weft_candidate* best, void* context);

/* Looks for the fastest way to do what `options` leave open; include/weft/tune.hpp says what that
 * is. Measures for `seconds` (0: only the model's choice), ranks `skew_seconds` apart;
 * `exhaustive`: all there is. `trace` and `progress` may be NULL. A new handle. */
int weft_tune(weft_tuning** tuning, MPI_Comm comm, const weft_problem* problem, const weft_options* options,
              double seconds, double skew_seconds, int exhaustive, weft_trace* trace, weft_progress progress,
              void* context);
int weft_tune_f(weft_tuning** tuning, MPI_Fint comm, const weft_problem* problem, const weft_options* options,
                double seconds, double skew_seconds, int exhaustive, weft_trace* trace, weft_progress progress,
                void* context);
void weft_tuning_destroy(weft_tuning** tuning);
/* A new handle: options with nothing left open. */
int weft_tuning_choice(const weft_tuning* tuning, weft_options** options);
int weft_tuning_reason(const weft_tuning* tuning, char* text, int64_t room, int64_t* length);
/* Many lines for people, or one JSON object. */
int weft_tuning_describe(const weft_tuning* tuning, int json, char* text, int64_t room, int64_t* length);
/* How long tuning took. */
int weft_tuning_seconds(const weft_tuning* tuning, double* seconds);
int weft_tuning_machine(const weft_tuning* tuning, weft_machine* machine);
/* Candidates, the fastest first. */
int weft_tuning_count(const weft_tuning* tuning, int64_t* candidates);
int weft_tuning_candidate(const weft_tuning* tuning, int64_t entry, weft_candidate* candidate);
int weft_tuning_candidate_options(const weft_tuning* tuning, int64_t entry, weft_options** options);

/* Measures the machine, all ranks at work. `asked`: `ranks` numbers, one for every rank; those with
 * different ones share no memory (0 and NULL: as MPI says). */
int weft_measure_machine(MPI_Comm comm, int64_t ranks, const int* asked, weft_machine* machine);
int weft_measure_machine_f(MPI_Fint comm, int64_t ranks, const int* asked, weft_machine* machine);
/* Which node every rank is on: 0 for rank 0's, counted on. `asked` as above. */
int weft_nodes(MPI_Comm comm, int64_t ranks, const int* asked, int* nodes, int64_t room, int64_t* count);
int weft_nodes_f(MPI_Fint comm, int64_t ranks, const int* asked, int* nodes, int64_t room, int64_t* count);

/* ---- forecasts: how long a plan will take on ranks that need not be there ---- */

/* A machine with its rates by size. Measured, all ranks at work: cubes by every strategy for so many
 * seconds, more or less, and a few seconds of other things; `asked` as of weft_measure_machine. Or
 * of a text, as include/weft/forecast.hpp has it. New handles. */
int weft_profile_measure(weft_profile** profile, MPI_Comm comm, int64_t ranks, const int* asked, double seconds);
int weft_profile_measure_f(weft_profile** profile, MPI_Fint comm, int64_t ranks, const int* asked, double seconds);
int weft_profile_parse(weft_profile** profile, const char* text);
void weft_profile_destroy(weft_profile** profile);
int weft_profile_text(const weft_profile* profile, char* text, int64_t room, int64_t* length);
int weft_profile_machine(const weft_profile* profile, weft_machine* machine);

/* What the model says of one strategy, of one execution, of the rank that has most to do. Texts
 * belong to the forecast. */
typedef struct weft_forecast_entry {
  const char *strategy, *declined, *warning;         /* empty: it does not decline, there is no warning */
  double seconds, forward_seconds, backward_seconds; /* seconds: both ways together */
  double least_seconds, most_seconds;                /* 95 of 100 plans lie between these */
  double work_seconds, exchange_seconds, overlapped_seconds;
  int64_t calls, messages, bytes, copied, depth, node_messages, node_bytes; /* as weft_considered */
} weft_forecast_entry;
/* Local. On `ranks` ranks, each on the node that `nodes` has a number of. Of options the strategy
 * "auto" means all, the fastest first; engine, effort and wisdom count for nothing. A new handle. */
int weft_forecast_create(weft_forecast** forecast, const weft_problem* problem, const weft_options* options,
                         int64_t ranks, const int* nodes, const weft_profile* profile);
void weft_forecast_destroy(weft_forecast** forecast);
int weft_forecast_count(const weft_forecast* forecast, int64_t* entries);
int weft_forecast_at(const weft_forecast* forecast, int64_t entry, weft_forecast_entry* of);

/* ---- fits of measurements over numbers of ranks ---- */

/* Least squares of so many `samples`: a time in any unit, or a speed-up, on so many ranks. `form`: a
 * name of the list "fit_forms". include/weft/fit.hpp says when there is none. A new handle. */
int weft_fit_create(weft_fit** fit, const char* form, int64_t samples, const double* ranks, const double* values);
/* A fit that somebody has printed: the coefficients of the form, the ranks they were found on, and
 * how far off predictions may be, as a share of them. A new handle. */
int weft_fit_create_given(weft_fit** fit, const char* form, int64_t count, const double* coefficients,
                          double least_ranks, double most_ranks, double relative_error);
void weft_fit_destroy(weft_fit** fit);
/* Coefficients in the order of the form, and their standard errors, which are 0 where coefficients
 * were given. Either may be NULL. */
int weft_fit_coefficients(const weft_fit* fit, double* coefficients, double* errors, int64_t room, int64_t* count);
/* Measured minus fitted, of every sample. */
int weft_fit_residuals(const weft_fit* fit, double* residuals, int64_t room, int64_t* count);
/* Degrees of freedom, deviation of the residuals, from how many ranks on the form is zero or
 * negative, and the speed-up that no number of ranks exceeds; the last two infinite where there is
 * none. Any may be NULL. */
int weft_fit_quality(const weft_fit* fit, int* freedom, double* deviation, double* zero, double* limit);
/* What the fit says of so many ranks, for `work` times the work that was measured. 95 of 100 further
 * measurements are no farther off than `error`, if the form is right. The text is why not to rely
 * on it; empty where the fit has measurements on both sides. */
int weft_fit_at(const weft_fit* fit, double ranks, double work, double* value, double* error, char* text, int64_t room,
                int64_t* length);

/* ---- wisdom ---- */

/* Keeps what tuning found, in this process and in the user's own file; the text says where, or why
 * not. */
int weft_remember(MPI_Comm comm, const weft_problem* problem, const weft_options* options, const weft_tuning* tuning,
                  char* text, int64_t room, int64_t* length);
int weft_remember_f(MPI_Fint comm, const weft_problem* problem, const weft_options* options, const weft_tuning* tuning,
                    char* text, int64_t room, int64_t* length);
/* What this process has tuned and imported. Local. */
int weft_export_wisdom(char* text, int64_t room, int64_t* length);
int weft_import_wisdom(const char* text);
int weft_forget_wisdom(void);
/* The files of wisdom, with a line feed behind each: the user's own (empty: there is none), then
 * those that are only read. */
int weft_wisdom_files(char* text, int64_t room, int64_t* length);

typedef struct weft_wisdom_entry {
  const char *id, *problem, *choice, *date, *version;
  int ranks;
  double seconds; /* measured, forward and backward; 0: the model's choice */
  const char *json, *text;
} weft_wisdom_entry;

/* Wisdom as text or of a file; entries that are no entries are skipped. Of a file that is not
 * there: none. */
int weft_wisdom_parse(weft_wisdom** wisdom, const char* text);
int weft_wisdom_read(weft_wisdom** wisdom, const char* file);
void weft_wisdom_destroy(weft_wisdom** wisdom);
/* What was skipped when it was read, one a line. */
int weft_wisdom_notes(const weft_wisdom* wisdom, char* text, int64_t room, int64_t* length);
int weft_wisdom_count(const weft_wisdom* wisdom, int64_t* entries);
/* What it points to is valid until the wisdom is changed or destroyed. */
int weft_wisdom_at(weft_wisdom* wisdom, int64_t entry, weft_wisdom_entry* of);
/* Takes the other's entries over; of two with one key the later one stays. */
int weft_wisdom_merge(weft_wisdom* wisdom, const weft_wisdom* other);
/* Forgets the entries whose ids begin so; `forgotten` may be NULL. */
int weft_wisdom_forget(weft_wisdom* wisdom, const char* id, int64_t* forgotten);
int weft_wisdom_text(const weft_wisdom* wisdom, char* text, int64_t room, int64_t* length);
/* Changes a file in one: forgets the entries whose ids begin with `forget` (NULL: none), then takes
 * those of `wisdom` over (NULL: none). Nobody reads a half of it. */
int weft_wisdom_update(const char* file, const weft_wisdom* wisdom, const char* forget);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
