/* Halos: ghost points are copies of their owners' points, and what they hold is added there. */
#include "expect.h"

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
/* Likewise with pairs of integers that are -1. */
static void fill_pairs(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  memset(s->data + place, outside(s, at) ? 0xff : 0, sizeof(double));
}
static void sum_pairs(const int64_t* at, int64_t place, void* context) {
  around* s = (around*)context;
  int32_t pair[2];
  memcpy(pair, s->data + place, sizeof pair);
  if (!outside(s, at)) s->wrong -= pair[0] + pair[1];
}

/* A rank's array with its ghost points: the own view, grown. */
static weft_view grown(const weft_view* own, const int64_t* width, const int64_t* behind) {
  weft_view all = *own;
  int64_t a;
  for (a = 0; a < own->axes; ++a) all.lo[a] -= width[a], all.hi[a] += behind[a];
  return all;
}

void halos(void) {
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
  s.wrong = 0; /* numbers of a pair are added each by itself: nothing is carried */
  for (i = 0; i < 2; ++i) s.data = arrays[i], for_each(&all, fill_pairs, &s);
  OK(weft_halo_add(halo, "i4", 2, fields));
  for (i = 0; i < 2; ++i) s.data = arrays[i], for_each(&all, sum_pairs, &s);
  total[1] = s.wrong;
  MPI_Allreduce(MPI_IN_PLACE, total + 1, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(total[1] == 2 * total[0]);
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
