// Redistribution, files and traces of the C interface.
#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

RedistributionOptions of_redistribution(const weft_options* options, const int* periodic, int axes) {
  RedistributionOptions of = exchange_options(options, "a redistribution");
  if (periodic != nullptr) of.periodic = Few<int>(periodic, periodic + axes);
  return of;
}

Redistribution& redistribution_of(weft_redistribution* r) { return given(r, "redistribution").value; }
const Redistribution& redistribution_of(const weft_redistribution* r) { return given(r, "redistribution").value; }
std::string type_of(const char* type) { return type == nullptr ? "" : type; }

}  // namespace

namespace weft::c {

RedistributionOptions exchange_options(const weft_options* given_options, const char* what) {
  const Options options = options_or_default(given_options), defaults;
  for (const Option& row : weft::options())
    if (row.name != "strategy" && row.name != "nodes" && row.name != "wisdom" &&
        row.text(options) != row.text(defaults))
      throw Error(std::string(what) + " has no option '" + std::string(row.name) + "'; it has strategy, nodes, wisdom");
  return {.strategy = options.strategy, .nodes = options.nodes, .wisdom = options.wisdom};
}

}  // namespace weft::c

extern "C" {

int weft_redistribution_create(weft_redistribution** redistribution, MPI_Comm comm, const weft_layout* from,
                               const weft_layout* to, int64_t element_bytes, const int* periodic,
                               const weft_options* options) {
  return made(redistribution, [&] {
    const Layout& source = layout_of(from);
    return Redistribution(comm, source, layout_of(to), element_bytes,
                          of_redistribution(options, periodic, source.axes()));
  });
}
int weft_redistribution_create_f(weft_redistribution** redistribution, MPI_Fint comm, const weft_layout* from,
                                 const weft_layout* to, int64_t element_bytes, const int* periodic,
                                 const weft_options* options) {
  return weft_redistribution_create(redistribution, comm_of(comm), from, to, element_bytes, periodic, options);
}
void weft_redistribution_destroy(weft_redistribution** redistribution) { destroyed(redistribution); }
int weft_redistribution_execute(weft_redistribution* redistribution, const void* in, void* out) {
  return guarded([&] {
    Redistribution& move = redistribution_of(redistribution);
    need_mpi("execute a redistribution");
    move(in, out);
  });
}
int weft_redistribution_record(weft_redistribution* redistribution, weft_trace* trace) {
  return guarded([&] { redistribution_of(redistribution).record(given(trace, "trace").value); });
}
int weft_redistribution_strategy(const weft_redistribution* redistribution, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(redistribution_of(redistribution).strategy(), to, room, length); });
}
int weft_redistribution_describe(const weft_redistribution* redistribution, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(redistribution_of(redistribution).describe(), to, room, length); });
}

int weft_file_inspect(MPI_Comm comm, const char* path, int64_t* axes, int64_t* extents, char* to, int64_t room,
                      int64_t* length) {
  return guarded([&] {
    const FileType file = inspect(comm, text(path, "path"));
    tell<int64_t>(axes, file.shape.size());
    if (extents != nullptr) fill_axes(file.shape, extents);
    copy_out(file.type, to, room, length);
  });
}
int weft_file_inspect_f(MPI_Fint comm, const char* path, int64_t* axes, int64_t* extents, char* to, int64_t room,
                        int64_t* length) {
  return weft_file_inspect(comm_of(comm), path, axes, extents, to, room, length);
}
int weft_file_read(MPI_Comm comm, const char* path, const weft_layout* layout, const char* type, void* data,
                   const char* array_type, int64_t elements) {
  return guarded([&] {
    read(comm, text(path, "path"), layout_of(layout), text(type, "type"), data, type_of(array_type), elements);
  });
}
int weft_file_read_f(MPI_Fint comm, const char* path, const weft_layout* layout, const char* type, void* data,
                     const char* array_type, int64_t elements) {
  return weft_file_read(comm_of(comm), path, layout, type, data, array_type, elements);
}
int weft_file_write(MPI_Comm comm, const char* path, const weft_layout* layout, const char* type, const void* data,
                    const char* array_type, int64_t elements) {
  return guarded([&] {
    write(comm, text(path, "path"), layout_of(layout), text(type, "type"), data, type_of(array_type), elements);
  });
}
int weft_file_write_f(MPI_Fint comm, const char* path, const weft_layout* layout, const char* type, const void* data,
                      const char* array_type, int64_t elements) {
  return weft_file_write(comm_of(comm), path, layout, type, data, array_type, elements);
}

int weft_trace_create(weft_trace** trace, MPI_Comm comm, int64_t spans) {
  return made(trace, [&] { return spans == 0 ? Trace(comm) : Trace(comm, spans); });
}
int weft_trace_create_f(weft_trace** trace, MPI_Fint comm, int64_t spans) {
  return weft_trace_create(trace, comm_of(comm), spans);
}
void weft_trace_destroy(weft_trace** trace) { destroyed(trace); }
int weft_trace_write(weft_trace* trace, const char* path) {
  return guarded([&] {
    Trace& all = given(trace, "trace").value;
    need_mpi("write a trace");
    all.write(text(path, "path"));
  });
}
int weft_trace_left_out(const weft_trace* trace, int64_t* executions) {
  return guarded([&] { given(executions, "executions") = given(trace, "trace").value.left_out(); });
}
int weft_trace_bytes_owned(const weft_trace* trace, int64_t* bytes) {
  return guarded([&] { given(bytes, "bytes") = given(trace, "trace").value.bytes_owned(); });
}

int weft_trace_timeline(weft_trace* trace, weft_timeline** timeline) {
  return made(timeline, [&] {
    Trace& all = given(trace, "trace").value;
    need_mpi("gather a trace");
    return all.timeline();
  });
}
void weft_timeline_destroy(weft_timeline** timeline) { destroyed(timeline); }
int weft_timeline_counts(const weft_timeline* timeline, int64_t* ranks, int64_t* spans, int64_t* communicating) {
  return guarded([&] {
    const Timeline& all = given(timeline, "timeline").value;
    tell(ranks, static_cast<int64_t>(all.ranks.size()));
    tell(spans, static_cast<int64_t>(all.spans.size()));
    tell(communicating, static_cast<int64_t>(all.communicating.size()));
  });
}
int weft_timeline_at_rank(const weft_timeline* timeline, int64_t rank, weft_timeline_rank* of) {
  return guarded([&] {
    const Timeline::Rank& r = entry_of(given(timeline, "timeline").value.ranks, rank, "rank");
    given(of, "of") = {r.host.c_str(), r.clock_offset_seconds, r.clock_accuracy_seconds, r.clock_drift_seconds,
                       r.left_out};
  });
}
int weft_timeline_span(const weft_timeline* timeline, int64_t entry, weft_span* span) {
  return guarded([&] {
    const Span& s = entry_of(given(timeline, "timeline").value.spans, entry, "span");
    given(span, "span") = {s.rank,         s.thread, s.begin_seconds, s.end_seconds, s.phase.c_str(), s.name.c_str(),
                           s.plan.c_str(), s.of,     s.tile,          s.bytes};
  });
}
int weft_timeline_communicating(const weft_timeline* timeline, int64_t entry, double* seconds, int64_t* ranks) {
  return guarded([&] {
    const auto& change = entry_of(given(timeline, "timeline").value.communicating, entry, "change");
    tell(seconds, change.first);
    tell<int64_t>(ranks, change.second);
  });
}
int weft_timeline_sums(const weft_timeline* timeline, double* integral_seconds, double* communication_seconds) {
  return guarded([&] {
    const Timeline& all = given(timeline, "timeline").value;
    tell(integral_seconds, all.integral_seconds);
    tell(communication_seconds, all.communication_seconds);
  });
}

}  // extern "C"
