// Tuning, wisdom and the machine, in the C interface.
#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

const Tuning& tuning_of(const weft_tuning* tuning) { return given(tuning, "tuning").value; }
const AnyProblem& problem_of(const weft_problem* problem) { return given(problem, "problem").value; }

weft_candidate candidate_of(const Candidate& c) {
  return {c.name.c_str(),    c.verdict.c_str(),  c.predicted_seconds, c.measured_seconds,
          c.forward_seconds, c.backward_seconds, c.measurements,      c.round};
}
std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

}  // namespace

extern "C" {

int weft_tune(weft_tuning** tuning, MPI_Comm comm, const weft_problem* problem, const weft_options* options,
              double seconds, double skew_seconds, int exhaustive, weft_trace* trace, weft_progress progress,
              void* context) {
  return made(tuning, [&] {
    TuneOptions how{.seconds = seconds,
                    .skew_seconds = skew_seconds,
                    .exhaustive = exhaustive != 0,
                    .trace = trace == nullptr ? nullptr : &given(trace, "trace").value};
    if (progress != nullptr)
      how.progress = [=](const std::string& phase, int measured, const Candidate& best) {
        const weft_candidate leader = candidate_of(best);
        progress(phase.c_str(), measured, &leader, context);
      };
    return tune(comm, problem_of(problem), options_or_default(options), how);
  });
}
int weft_tune_f(weft_tuning** tuning, MPI_Fint comm, const weft_problem* problem, const weft_options* options,
                double seconds, double skew_seconds, int exhaustive, weft_trace* trace, weft_progress progress,
                void* context) {
  return weft_tune(tuning, comm_of(comm), problem, options, seconds, skew_seconds, exhaustive, trace, progress,
                   context);
}
void weft_tuning_destroy(weft_tuning** tuning) { destroyed(tuning); }
int weft_tuning_choice(const weft_tuning* tuning, weft_options** options) {
  return made(options, [&] { return tuning_of(tuning).choice; });
}
int weft_tuning_reason(const weft_tuning* tuning, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(tuning_of(tuning).reason, to, room, length); });
}
int weft_tuning_describe(const weft_tuning* tuning, int json, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(json != 0 ? tuning_of(tuning).json : tuning_of(tuning).text, to, room, length); });
}
int weft_tuning_seconds(const weft_tuning* tuning, double* seconds) {
  return guarded([&] { given(seconds, "seconds") = tuning_of(tuning).seconds; });
}
int weft_tuning_machine(const weft_tuning* tuning, weft_machine* machine) {
  return guarded([&] { given(machine, "machine") = machine_of(tuning_of(tuning).machine); });
}
int weft_tuning_count(const weft_tuning* tuning, int64_t* candidates) {
  return guarded([&] { given(candidates, "candidates") = static_cast<Index>(tuning_of(tuning).candidates.size()); });
}
int weft_tuning_candidate(const weft_tuning* tuning, int64_t entry, weft_candidate* candidate) {
  return guarded([&] {
    given(candidate, "candidate") = candidate_of(entry_of(tuning_of(tuning).candidates, entry, "candidate"));
  });
}
int weft_tuning_candidate_options(const weft_tuning* tuning, int64_t entry, weft_options** options) {
  return made(options, [&] { return entry_of(tuning_of(tuning).candidates, entry, "candidate").options; });
}

int weft_measure_machine(MPI_Comm comm, int64_t ranks, const int* asked, weft_machine* machine) {
  return guarded(
      [&] { given(machine, "machine") = machine_of(measure_machine(comm, numbers(ranks, asked, "ranks"))); });
}
int weft_measure_machine_f(MPI_Fint comm, int64_t ranks, const int* asked, weft_machine* machine) {
  return weft_measure_machine(comm_of(comm), ranks, asked, machine);
}
int weft_nodes(MPI_Comm comm, int64_t ranks, const int* asked, int* found, int64_t room, int64_t* count) {
  return guarded([&] {
    list_out(nodes(comm, numbers(ranks, asked, "ranks")), found, room, count,
             [&](int node, std::size_t i) { found[i] = node; });
  });
}
int weft_nodes_f(MPI_Fint comm, int64_t ranks, const int* asked, int* found, int64_t room, int64_t* count) {
  return weft_nodes(comm_of(comm), ranks, asked, found, room, count);
}

int weft_remember(MPI_Comm comm, const weft_problem* problem, const weft_options* options, const weft_tuning* tuning,
                  char* to, int64_t room, int64_t* length) {
  return guarded([&] {
    copy_out(remember(comm, problem_of(problem), options_or_default(options), tuning_of(tuning)), to, room, length);
  });
}
int weft_remember_f(MPI_Fint comm, const weft_problem* problem, const weft_options* options, const weft_tuning* tuning,
                    char* to, int64_t room, int64_t* length) {
  return weft_remember(comm_of(comm), problem, options, tuning, to, room, length);
}
int weft_export_wisdom(char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(export_wisdom(), to, room, length); });
}
int weft_import_wisdom(const char* from) {
  return guarded([&] { import_wisdom(text(from, "the text of wisdom")); });
}
int weft_forget_wisdom(void) {
  return guarded([] { forget_wisdom(); });
}
int weft_wisdom_files(char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(lines(wisdom_files()), to, room, length); });
}

int weft_wisdom_parse(weft_wisdom** wisdom, const char* from) {
  return guarded([&] {
    given(wisdom, "the place for a handle") = nullptr;
    auto made_wisdom = std::make_unique<weft_wisdom>();
    made_wisdom->value = Wisdom::parse(text(from, "the text of wisdom"), &made_wisdom->notes);
    *wisdom = handed_out(std::move(made_wisdom));
  });
}
int weft_wisdom_read(weft_wisdom** wisdom, const char* file) {
  return guarded([&] {
    given(wisdom, "the place for a handle") = nullptr;
    auto made_wisdom = std::make_unique<weft_wisdom>();
    made_wisdom->value = Wisdom::read(text(file, "file"), &made_wisdom->notes);
    *wisdom = handed_out(std::move(made_wisdom));
  });
}
void weft_wisdom_destroy(weft_wisdom** wisdom) { destroyed(wisdom); }
int weft_wisdom_notes(const weft_wisdom* wisdom, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(lines(given(wisdom, "wisdom").notes), to, room, length); });
}
int weft_wisdom_count(const weft_wisdom* wisdom, int64_t* entries) {
  return guarded(
      [&] { given(entries, "entries") = static_cast<Index>(given(wisdom, "wisdom").value.entries().size()); });
}
int weft_wisdom_at(weft_wisdom* wisdom, int64_t entry, weft_wisdom_entry* of) {
  return guarded([&] {
    weft_wisdom& w = given(wisdom, "wisdom");
    if (w.entries.empty()) w.entries = w.value.entries();
    const Wisdom::Entry& e = entry_of(w.entries, entry, "entry");
    given(of, "of") = {e.id.c_str(), e.problem.c_str(), e.choice.c_str(), e.date.c_str(), e.version.c_str(),
                       e.ranks,      e.seconds,         e.json.c_str(),   e.text.c_str()};
  });
}
int weft_wisdom_merge(weft_wisdom* wisdom, const weft_wisdom* other) {
  return guarded([&] {
    weft_wisdom& w = given(wisdom, "wisdom");
    w.value.merge(given(other, "the other wisdom").value);
    w.entries.clear();
  });
}
int weft_wisdom_forget(weft_wisdom* wisdom, const char* id, int64_t* forgotten) {
  return guarded([&] {
    weft_wisdom& w = given(wisdom, "wisdom");
    tell<int64_t>(forgotten, w.value.forget(text(id, "id")));
    w.entries.clear();
  });
}
int weft_wisdom_text(const weft_wisdom* wisdom, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(given(wisdom, "wisdom").value.text(), to, room, length); });
}
int weft_wisdom_update(const char* file, const weft_wisdom* wisdom, const char* forget) {
  return guarded([&] {
    Wisdom::update(text(file, "file"), [&](Wisdom& known) {
      if (forget != nullptr) known.forget(forget);
      if (wisdom != nullptr) known.merge(given(wisdom, "wisdom").value);
    });
  });
}

}  // extern "C"
