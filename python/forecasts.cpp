// Forecasts, profiles of machines, and fits.
#include "arrays.hpp"

void bind_forecasts(nb::module_& m) {
  nb::class_<weft::MachineProfile>(m, "Profile")
      .def("__str__", [](const weft::MachineProfile& p) { return weft::text_of(p); })
      .def_ro("ranks", &weft::MachineProfile::ranks)
      .def_ro("nodes", &weft::MachineProfile::nodes)
      .def_ro("host", &weft::MachineProfile::host)
      .def_ro("processor", &weft::MachineProfile::processor)
      .def_ro("correction", &weft::MachineProfile::correction)
      .def_ro("relative_error", &weft::MachineProfile::relative_error)
      .def_prop_ro(
          "machine",
          [](const weft::MachineProfile& p) {
            nb::dict all;
            for (const weft::MachineRow& row : weft::machine_rows())
              all[nb::str(row.name.data(), row.name.size())] = p.machine.*row.value;
            return all;
          },
          "The constants of the model, by name.");
  nb::class_<weft::Forecast>(m, "Forecast")
      .def_ro("strategy", &weft::Forecast::strategy)
      .def_ro("declined", &weft::Forecast::declined)
      .def_ro("seconds", &weft::Forecast::seconds)
      .def_ro("forward_seconds", &weft::Forecast::forward_seconds)
      .def_ro("backward_seconds", &weft::Forecast::backward_seconds)
      .def_ro("least_seconds", &weft::Forecast::least_seconds)
      .def_ro("most_seconds", &weft::Forecast::most_seconds)
      .def_ro("work_seconds", &weft::Forecast::work_seconds)
      .def_ro("exchange_seconds", &weft::Forecast::exchange_seconds)
      .def_ro("overlapped_seconds", &weft::Forecast::overlapped_seconds)
      .def_ro("warning", &weft::Forecast::warning)
      .def_prop_ro("messages", [](const weft::Forecast& f) { return f.cost.messages; })
      .def_prop_ro("bytes", [](const weft::Forecast& f) { return f.cost.bytes; });
  m.def("profile_of", [](const std::string& text) { return weft::profile_of(text); });
  m.def("measure_profile", [](int comm, const std::vector<int>& nodes, double seconds) {
    const nb::gil_scoped_release unlocked;
    return weft::measure_profile(communicator_of(comm), nodes, seconds);
  });
  m.def("forecast", [](const weft::AnyProblem& problem, const nb::dict& given, const std::vector<int>& nodes,
                       const weft::MachineProfile& profile) {
    const weft::Options options = options_of(given);
    const nb::gil_scoped_release unlocked;
    return weft::forecast(problem, options, nodes, profile);
  });

  nb::class_<weft::Prediction>(m, "Prediction")
      .def_ro("value", &weft::Prediction::value)
      .def_ro("error", &weft::Prediction::error)
      .def_ro("warning", &weft::Prediction::warning);
  nb::class_<weft::Fit>(m, "Fit")
      .def_ro("form", &weft::Fit::form)
      .def_ro("coefficients", &weft::Fit::coefficients)
      .def_ro("errors", &weft::Fit::errors)
      .def_ro("residuals", &weft::Fit::residuals)
      .def_ro("freedom", &weft::Fit::freedom)
      .def_ro("deviation", &weft::Fit::deviation)
      .def("at", &weft::Fit::at, nb::arg("ranks"), nb::arg("work") = 1.0,
           "What it says of so many ranks, for `work` times the work that was measured.")
      .def("zero", &weft::Fit::zero, "From so many ranks on the form is zero or negative; infinite where it never is.")
      .def("limit", &weft::Fit::limit, "The speed-up that no number of ranks exceeds; infinite for other forms.");
  m.def(
      "fit",
      [](const std::string& form, const std::vector<std::pair<double, double>>& samples) {
        std::vector<weft::Sample> all;
        for (const auto& [ranks, value] : samples) all.push_back({ranks, value});
        return weft::fit(form, all);
      },
      nb::arg("form"), nb::arg("samples"),
      "Least squares of (ranks, value) pairs by a form of fit_forms(): times in any unit, or speed-ups.");
  m.def(
      "given_fit",
      [](const std::string& form, const std::vector<double>& coefficients, double least_ranks, double most_ranks,
         double relative_error) {
        return weft::given_fit(form, coefficients, least_ranks, most_ranks, relative_error);
      },
      nb::arg("form"), nb::arg("coefficients"), nb::arg("least_ranks"), nb::arg("most_ranks"),
      nb::arg("relative_error"),
      "A fit that somebody has printed; relative_error: how far off predictions may be, as a share of them.");
  m.def("fit_forms", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const weft::FitForm& f : weft::fit_forms())
      all.emplace_back(f.name, std::string(f.formula) + ": " + std::string(f.summary));
    return all;
  });
}
