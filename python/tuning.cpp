// Options by name, traces, tuning and wisdom.
#include "arrays.hpp"

weft::Options options_of(const nb::dict& given) {
  weft::Options options;
  std::size_t known = 0;
  for (const weft::Option& row : weft::options()) {  // in this order backward's schedule follows forward's
    const nb::str name(row.name.data(), row.name.size());
    if (!given.contains(name)) continue;
    ++known;
    const nb::object value = given[name];
    if (row.type == weft::OptionType::layout) {
      auto& place = row.name == "input" ? options.input : options.output;
      if (value.is_none()) continue;
      if (!nb::isinstance<weft::Layout>(value))
        throw nb::type_error(("option " + std::string(row.name) + " is to be a weft.Layout or None").c_str());
      place = nb::cast<weft::Layout>(value);
    } else if (PyBool_Check(value.ptr()) != 0) {
      weft::set(options, row.name, nb::cast<bool>(value));
    } else if (PyLong_Check(value.ptr()) != 0) {
      weft::set(options, row.name, nb::cast<Index>(value));
    } else if (PyFloat_Check(value.ptr()) != 0) {
      weft::set(options, row.name, nb::cast<double>(value));
    } else if (nb::isinstance<nb::str>(value)) {
      weft::set(options, row.name, nb::cast<std::string>(value));
    } else if (Numbers numbers; nb::try_cast(value, numbers)) {
      weft::set(options, row.name, numbers);
    } else {
      throw nb::type_error(
          ("option " + std::string(row.name) + " is " + nb::repr(value).c_str() + "; allowed: " + row.allowed(true))
              .c_str());
    }
  }
  if (known < given.size())
    for (const auto& [name, value] : given)
      (void)weft::option(nb::cast<std::string>(name));  // throws for what it does not know
  return options;
}
nb::dict dict_of(const weft::Options& options) {
  nb::dict all;
  for (const weft::Option& row : weft::options()) {
    const nb::str name(row.name.data(), row.name.size());
    if (row.type != weft::OptionType::layout) {
      all[name] = row.text(options);
    } else {
      const auto& layout = row.name == "input" ? options.input : options.output;
      all[name] = layout.has_value() ? nb::cast(*layout) : nb::none();
    }
  }
  return all;
}

void bind_tuning(nb::module_& m) {
  nb::class_<weft::Trace>(m, "Trace")
      .def("__init__",
           [](weft::Trace* self, int comm, Index spans) {
             const nb::gil_scoped_release unlocked;
             new (self) weft::Trace(communicator_of(comm), spans);
           })
      .def(
          "write", [](weft::Trace& trace, const std::string& path) { trace.write(path); }, nb::arg("path"), Unlocked(),
          "Collective: all that was recorded until now, as a file of trace events in JSON.")
      .def("timeline", &weft::Trace::timeline, Unlocked(),
           "Collective: all that was recorded until now, at rank 0; nothing elsewhere.")
      .def_prop_ro("left_out", &weft::Trace::left_out, "Executions of this rank that were not recorded.")
      .def_prop_ro("bytes_owned", &weft::Trace::bytes_owned);
  nb::class_<weft::Span>(m, "Span")
      .def_ro("rank", &weft::Span::rank)
      .def_ro("thread", &weft::Span::thread)
      .def_ro("begin_seconds", &weft::Span::begin_seconds)
      .def_ro("end_seconds", &weft::Span::end_seconds)
      .def_ro("phase", &weft::Span::phase)
      .def_ro("name", &weft::Span::name)
      .def_ro("plan", &weft::Span::plan)
      .def_ro("of", &weft::Span::of)
      .def_ro("tile", &weft::Span::tile)
      .def_ro("bytes", &weft::Span::bytes);
  nb::class_<weft::Timeline>(m, "Timeline")
      .def_ro("spans", &weft::Timeline::spans)
      .def_ro("communicating", &weft::Timeline::communicating)
      .def_ro("integral_seconds", &weft::Timeline::integral_seconds)
      .def_ro("communication_seconds", &weft::Timeline::communication_seconds)
      .def_prop_ro("hosts", [](const weft::Timeline& t) {
        std::vector<std::string> all;
        for (const weft::Timeline::Rank& rank : t.ranks) all.push_back(rank.host);
        return all;
      });

  nb::class_<weft::Candidate>(m, "Candidate")
      .def_ro("name", &weft::Candidate::name)
      .def_ro("verdict", &weft::Candidate::verdict)
      .def_ro("predicted_seconds", &weft::Candidate::predicted_seconds)
      .def_ro("measured_seconds", &weft::Candidate::measured_seconds)
      .def_ro("forward_seconds", &weft::Candidate::forward_seconds)
      .def_ro("backward_seconds", &weft::Candidate::backward_seconds)
      .def_prop_ro("options", [](const weft::Candidate& c) { return dict_of(c.options); });
  nb::class_<weft::Tuning>(m, "Tuning")
      .def_ro("reason", &weft::Tuning::reason)
      .def_ro("candidates", &weft::Tuning::candidates)
      .def_ro("seconds", &weft::Tuning::seconds)
      .def_ro("json", &weft::Tuning::json)
      .def_prop_ro(
          "options", [](const weft::Tuning& t) { return dict_of(t.choice); },
          "What to plan with: nothing is left open.")
      .def("__str__", [](const weft::Tuning& t) { return t.text; });
  m.def("check_options", [](const nb::dict& given) { (void)options_of(given); });
  m.def("tune", [](int comm, const weft::AnyProblem& problem, const nb::dict& given, double seconds, bool exhaustive) {
    const weft::Options options = options_of(given);
    const nb::gil_scoped_release unlocked;
    return weft::tune(communicator_of(comm), problem, options, {.seconds = seconds, .exhaustive = exhaustive});
  });
  m.def("remember", [](int comm, const weft::AnyProblem& problem, const nb::dict& given, const weft::Tuning& found) {
    const weft::Options options = options_of(given);
    const nb::gil_scoped_release unlocked;
    return weft::remember(communicator_of(comm), problem, options, found);
  });
  m.def("export_wisdom", &weft::export_wisdom, "What this process has tuned and imported, as the text of a file.");
  m.def("import_wisdom", &weft::import_wisdom, nb::arg("text"), "Takes over what export_wisdom or a file has.");
  m.def("forget_wisdom", &weft::forget_wisdom, "Forgets what this process has tuned and imported.");
  m.def("wisdom_files", &weft::wisdom_files, "The user's own file of wisdom, then those that are only read.");
}
