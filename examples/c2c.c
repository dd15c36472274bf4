/* A complex transform on any number of ranks, in C: a plane wave has one coefficient. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

/* Ends the job with the message of a call that failed. */
static void check(int status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "%s\n", weft_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t n[3] = {64, 48, 40}, k[3] = {3, 46, 5}; /* 46 is -2 */
  weft_problem* problem = NULL;
  weft_plan* plan = NULL;
  check(weft_problem_create(&problem, "double", 3, n, "c2c", 0, NULL));
  check(weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL));

  /* This rank's parts, with global indices from lo to hi - 1; strides say where each element is. */
  void *input = NULL, *output = NULL;
  weft_view in, out;
  check(weft_plan_input(plan, &input));
  check(weft_plan_output(plan, &output));
  check(weft_plan_input_view(plan, &in));
  check(weft_plan_output_view(plan, &out));
  double complex *u = input, *u_hat = output;

  const double two_pi = 2 * acos(-1.0);
  for (int64_t x = in.lo[0]; x < in.hi[0]; ++x)
    for (int64_t y = in.lo[1]; y < in.hi[1]; ++y)
      for (int64_t z = in.lo[2]; z < in.hi[2]; ++z) {
        const double phase = two_pi * ((double)(k[0] * x) / (double)n[0] + (double)(k[1] * y) / (double)n[1] +
                                       (double)(k[2] * z) / (double)n[2]);
        u[(x - in.lo[0]) * in.strides[0] + (y - in.lo[1]) * in.strides[1] + (z - in.lo[2]) * in.strides[2]] =
            cos(phase) + I * sin(phase);
      }
  check(weft_plan_forward(plan, u, u_hat));

  double scale = 0, error = 0; /* sum of squares: a NaN shows */
  check(weft_plan_scale(plan, &scale));
  for (int64_t x = out.lo[0]; x < out.hi[0]; ++x)
    for (int64_t y = out.lo[1]; y < out.hi[1]; ++y)
      for (int64_t z = out.lo[2]; z < out.hi[2]; ++z) {
        const double complex value = scale * u_hat[(x - out.lo[0]) * out.strides[0] + (y - out.lo[1]) * out.strides[1] +
                                                   (z - out.lo[2]) * out.strides[2]];
        const int here = x == k[0] && y == k[1] && z == k[2];
        const double off = cabs(value - here);
        error += off * off;
        if (here) printf("coefficient of mode (3, -2, 5): %g%+gi\n", creal(value), cimag(value));
      }
  weft_plan_destroy(&plan);
  weft_problem_destroy(&problem);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sqrt(error) < 1e-11 ? EXIT_SUCCESS : EXIT_FAILURE;
}
