/* A program in C of another project, which has the installed package and nothing else. */
#include <stdio.h>

#include <weft/weft.h>

int main(int argc, char** argv) {
  const int64_t shape[3] = {4, 4, 4};
  weft_problem* problem = NULL;
  weft_plan* plan = NULL;
  char text[2000];
  int status;
  MPI_Init(&argc, &argv);
  status = weft_problem_create(&problem, "double", 3, shape, "c2c", 0, NULL);
  if (status == WEFT_OK) status = weft_plan_create(&plan, MPI_COMM_WORLD, problem, NULL);
  if (status == WEFT_OK) status = weft_plan_describe(plan, text, sizeof text, NULL);
  puts(status == WEFT_OK ? text : weft_error());
  weft_plan_destroy(&plan);
  weft_problem_destroy(&problem);
  MPI_Finalize();
  return status;
}
