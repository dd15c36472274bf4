/* What the files of this program share: expectations, and numbers that tell where an element comes from. */
#ifndef WEFT_TESTS_C_EXPECT_H
#define WEFT_TESTS_C_EXPECT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

extern int wrong, rank, ranks;

/* A failed expectation is told and counted; the program goes on. */
#define EXPECT(condition)                                                                                       \
  do {                                                                                                          \
    if (!(condition)) {                                                                                         \
      ++wrong;                                                                                                  \
      fprintf(stderr, "rank %d, %s:%d: not so: %s (%s)\n", rank, __FILE__, __LINE__, #condition, weft_error()); \
    }                                                                                                           \
  } while (0)
#define OK(call) EXPECT((call) == WEFT_OK)
/* The call fails, and the message contains the text. */
#define FAILS(call, text)                       \
  do {                                          \
    EXPECT((call) == WEFT_ERROR);               \
    EXPECT(strstr(weft_error(), text) != NULL); \
  } while (0)

/* A number that tells where an element comes from. `round` makes every execution different. */
static inline double number(const int64_t* at, int64_t axes, int round) {
  double value = round;
  int64_t a;
  for (a = 0; a < axes; ++a) value = value * 31 + (double)at[a];
  return sin(value);
}

/* Calls f for each point of a view: its global indices, and where it lies. */
typedef void (*visit)(const int64_t* at, int64_t place, void* context);
static inline void for_each(const weft_view* view, visit f, void* context) {
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

static inline int refuse(const weft_line* line, void* context) {
  (void)context;
  return line->axes == 3 ? 7 : 8;
}

/* Of transforms.c */
void plans(void);
void layouts_and_data(void);
void spheres(void);
void long_lines(void);
/* Of halos.c */
void halos(void);
/* Of measured.c */
void traces_tuning_wisdom(void);
void forecasts_and_fits(void);

#endif
