/* What is measured, tuned and remembered, and forecasts of what was not. */
#include "expect.h"

static void progress(const char* phase, int64_t measured, const weft_candidate* best, void* context) {
  (void)measured;
  if (phase != NULL && best != NULL && best->name != NULL) *(int*)context += 1;
}

void traces_tuning_wisdom(void) {
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
  int64_t count = 0, spans = 0, changes = 0, length = 0, i;
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
    EXPECT(fabs(at.clock_offset_seconds) <= at.clock_accuracy_seconds); /* ranks of one host have one clock */
    for (i = 0; i < spans; ++i) {
      OK(weft_timeline_span(timeline, i, &span));
      EXPECT(strlen(span.phase) > 0 && span.end_seconds >= span.begin_seconds);
      EXPECT(span.rank >= 0 && span.rank < ranks && span.thread == 0);
      EXPECT((span.of == -1) == (strcmp(span.phase, "execution") == 0));
    }
  } else {
    EXPECT(count == 0 && spans == 0);
  }
  FAILS(weft_timeline_span(timeline, spans, &span), "counted from 0");
  weft_timeline_destroy(&timeline);
  weft_trace_destroy(&trace);
  OK(weft_plan_forward(plan, u, u_hat)); /* recording outlives the trace */
  weft_plan_destroy(&plan);

  OK(weft_trace_create(&trace, MPI_COMM_WORLD, 0));
  OK(weft_tune(&tuning, MPI_COMM_WORLD, problem, NULL, 0.5, 0, 0, trace, progress, &called));
  EXPECT(rank != 0 || called > 0);
  OK(weft_trace_timeline(trace, &timeline));
  OK(weft_timeline_counts(timeline, NULL, &spans, NULL));
  EXPECT(rank != 0 || spans > 0); /* of candidates */
  weft_timeline_destroy(&timeline);
  weft_trace_destroy(&trace);
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

/* Forecasts of a machine that is written by hand, and fits of what a form gives. */
void forecasts_and_fits(void) {
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
