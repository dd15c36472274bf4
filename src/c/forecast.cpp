// Forecasts and fits of the C interface.
#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

const Fit& fit_of(const weft_fit* fit) { return given(fit, "fit").value; }
const MachineProfile& profile_of(const weft_profile* profile) { return given(profile, "profile").value; }

}  // namespace

extern "C" {

int weft_profile_measure(weft_profile** profile, MPI_Comm comm, int64_t ranks, const int* asked, double seconds) {
  return made(profile, [&] { return measure_profile(comm, numbers(ranks, asked, "ranks"), seconds); });
}
int weft_profile_measure_f(weft_profile** profile, MPI_Fint comm, int64_t ranks, const int* asked, double seconds) {
  return weft_profile_measure(profile, comm_of(comm), ranks, asked, seconds);
}
int weft_profile_parse(weft_profile** profile, const char* given_text) {
  return made(profile, [&] { return weft::profile_of(text(given_text, "the profile")); });
}
void weft_profile_destroy(weft_profile** profile) { destroyed(profile); }
int weft_profile_text(const weft_profile* profile, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(text_of(profile_of(profile)), to, room, length); });
}
int weft_profile_machine(const weft_profile* profile, weft_machine* machine) {
  return guarded([&] { given(machine, "machine") = machine_of(profile_of(profile).machine); });
}

int weft_forecast_create(weft_forecast** forecast, const weft_problem* problem, const weft_options* options,
                         int64_t ranks, const int* nodes, const weft_profile* profile) {
  return made(forecast, [&] {
    return weft::forecast(given(problem, "problem").value, options_or_default(options), numbers(ranks, nodes, "ranks"),
                          profile_of(profile));
  });
}
void weft_forecast_destroy(weft_forecast** forecast) { destroyed(forecast); }
int weft_forecast_count(const weft_forecast* forecast, int64_t* entries) {
  return guarded([&] { given(entries, "entries") = static_cast<Index>(given(forecast, "forecast").value.size()); });
}
int weft_forecast_at(const weft_forecast* forecast, int64_t entry, weft_forecast_entry* of) {
  return guarded([&] {
    const Forecast& f = entry_of(given(forecast, "forecast").value, entry, "forecast");
    given(of, "the place for a forecast") = {.strategy = f.strategy.c_str(),
                                             .declined = f.declined.c_str(),
                                             .warning = f.warning.c_str(),
                                             .seconds = f.seconds,
                                             .forward_seconds = f.forward_seconds,
                                             .backward_seconds = f.backward_seconds,
                                             .least_seconds = f.least_seconds,
                                             .most_seconds = f.most_seconds,
                                             .work_seconds = f.work_seconds,
                                             .exchange_seconds = f.exchange_seconds,
                                             .overlapped_seconds = f.overlapped_seconds,
                                             .calls = f.cost.calls,
                                             .messages = f.cost.messages,
                                             .bytes = f.cost.bytes,
                                             .copied = f.cost.copied,
                                             .depth = f.cost.depth,
                                             .node_messages = f.cost.node_messages,
                                             .node_bytes = f.cost.node_bytes};
  });
}

int weft_fit_create(weft_fit** fit, const char* form, int64_t count, const double* ranks, const double* values) {
  return made(fit, [&] {
    list(ranks, count, "samples");
    list(values, count, "samples");
    std::vector<Sample> samples;
    for (Index i = 0; i < count; ++i) samples.push_back({ranks[i], values[i]});
    return weft::fit(text(form, "the form"), samples);
  });
}
int weft_fit_create_given(weft_fit** fit, const char* form, int64_t count, const double* coefficients,
                          double least_ranks, double most_ranks, double relative_error) {
  return made(fit, [&] {
    list(coefficients, count, "coefficients");
    return given_fit(text(form, "the form"), {coefficients, coefficients + count}, least_ranks, most_ranks,
                     relative_error);
  });
}
void weft_fit_destroy(weft_fit** fit) { destroyed(fit); }
int weft_fit_coefficients(const weft_fit* fit, double* coefficients, double* errors, int64_t room, int64_t* count) {
  return guarded([&] {
    const Fit& of = fit_of(fit);
    list_out(of.coefficients, coefficients == nullptr ? errors : coefficients, room, count,
             [&](double coefficient, std::size_t i) {
               if (coefficients != nullptr) coefficients[i] = coefficient;
               if (errors != nullptr) errors[i] = i < of.errors.size() ? of.errors[i] : 0;
             });
  });
}
int weft_fit_residuals(const weft_fit* fit, double* residuals, int64_t room, int64_t* count) {
  return guarded([&] {
    list_out(fit_of(fit).residuals, residuals, room, count, [&](double r, std::size_t i) { residuals[i] = r; });
  });
}
int weft_fit_quality(const weft_fit* fit, int* freedom, double* deviation, double* zero, double* limit) {
  return guarded([&] {
    const Fit& of = fit_of(fit);
    tell(freedom, of.freedom);
    tell(deviation, of.deviation);
    tell(zero, of.zero());
    tell(limit, of.limit());
  });
}
int weft_fit_at(const weft_fit* fit, double ranks, double work, double* value, double* error, char* to, int64_t room,
                int64_t* length) {
  return guarded([&] {
    const Prediction found = fit_of(fit).at(ranks, work);
    tell(value, found.value);
    tell(error, found.error);
    copy_out(found.warning, to, room, length);
  });
}

}  // extern "C"
