#include "mpi/tracing.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <weft/quote.hpp>

#include "mpi/at_finalize.hpp"
#include "mpi/messages.hpp"

namespace weft {
namespace {

constexpr int spans_tag = 0;

std::string host() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  mpi::check(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
  return {name, static_cast<std::size_t>(length)};
}

int world_rank() {
  int rank = 0;
  mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank;
}

double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

}  // namespace

mpi::Tracing::Tracing(Communicator all, Index spans) : comm(std::move(all)) {
  recorder = comm.agree([&] {
    if (spans < 1) throw Error("a trace with room for " + std::to_string(spans) + " spans: give at least 1");
    return std::make_shared<trace::Recorder>(spans);
  });
  first = mpi::compare_clocks(comm);
}

std::vector<trace::Record> mpi::Tracing::gather() const {
  const trace::Reading last = mpi::compare_clocks(comm);
  std::vector<trace::Record> all;
  trace::Record mine = trace::record(*recorder, first, last);
  mine.rank = comm.rank();
  mine.world_rank = world_rank();
  mine.host = host();
  const mpi::Datatype byte = mpi::Datatype::bytes(1);
  const mpi::Amount length(sizeof(Index), byte);
  if (comm.rank() > 0) {
    const std::string bytes = trace::packed(mine);
    const auto count = static_cast<Index>(bytes.size());
    mpi::send(comm, &count, length, 0, spans_tag);
    mpi::send(comm, bytes.data(), mpi::Amount(count, byte), 0, spans_tag);
    return all;
  }
  all.push_back(std::move(mine));
  for (int r = 1; r < comm.size(); ++r) {
    Index count = 0;
    mpi::receive(comm, &count, length, r, spans_tag);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    mpi::receive(comm, bytes.data(), mpi::Amount(count, byte), r, spans_tag);
    all.push_back(trace::unpacked(bytes));
  }
  return all;
}

void mpi::Tracing::write(const std::string& path) const {
  const std::vector<trace::Record> records = gather();
  comm.agree([&] {
    if (comm.rank() > 0) return;
    std::ofstream file(path);
    file << trace::trace_events(records) << std::flush;
    if (!file)
      throw Error("cannot write the trace to " + shown_path(path) +
                  "; name a file in a folder that is there, with room and the right to write");
  });
}

Trace::Trace(MPI_Comm comm, Index spans) {
  const auto all = mpi::Communicator::shared(comm);
  tracing_ =
      all.together([&] { return std::make_unique<mpi::Tracing>(mpi::Communicator::duplicate(all.raw()), spans); });
}
Trace::~Trace() = default;
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;

void Trace::write(const std::string& path) { tracing_->write(path); }
Index Trace::left_out() const { return tracing_->recorder->left_out(); }
Index Trace::bytes_owned() const { return tracing_->recorder->bytes(); }

Timeline Trace::timeline() {
  Timeline timeline;
  const std::vector<trace::Record> records = tracing_->gather();
  bool any = false;
  std::int64_t zero = 0;
  for (const trace::Record& r : records)
    for (const trace::Execution& e : r.executions)
      if (!any || e.begin < zero) zero = e.begin, any = true;
  for (const trace::Record& r : records) {
    timeline.ranks.push_back({r.host, seconds(r.first.offset), seconds(std::max(r.first.accuracy, r.last.accuracy)),
                              seconds(r.last.offset - r.first.offset), r.left_out});
    for (const trace::Execution& e : r.executions) {
      const trace::List& list = r.lists[static_cast<std::size_t>(e.list)];
      timeline.spans.push_back({r.rank, 0, seconds(e.begin - zero), seconds(e.end - zero), "execution", list.name,
                                list.plan, -1, -1, e.sent.bytes});
    }
    for (std::size_t thread = 0; thread < r.rows.size(); ++thread)
      for (const trace::Span& s : r.rows[thread]) {
        const trace::List& list = r.lists[static_cast<std::size_t>(s.list)];
        const trace::Step& step = list.steps[static_cast<std::size_t>(s.step < 0 ? -1 - s.step : s.step)];
        const trace::Phase phase = s.step < 0 ? trace::Phase::wait : step.phase;
        timeline.spans.push_back({r.rank, static_cast<int>(thread), seconds(s.begin - zero), seconds(s.end - zero),
                                  trace::phase_names[static_cast<std::size_t>(phase)], trace::name(r, s), list.plan,
                                  step.of, communicates(phase) ? step.first : -1,
                                  phase == trace::Phase::start ? step.bytes : 0});
      }
  }
  const trace::Profile profile = trace::profile(records);
  for (const trace::Point& point : profile.points)
    timeline.communicating.emplace_back(seconds(point.at - zero), point.ranks);
  timeline.integral_seconds = seconds(profile.integral);
  timeline.communication_seconds = seconds(profile.communication);
  return timeline;
}

namespace mpi {
namespace {

/// Of this process and those that began to trace with it.
struct Session {
  std::string asked, path;  // WEFT_TRACE, and the file that these ranks write
  Tracing trace;
};
std::unique_ptr<Session> session;

/// An empty variable is one that is not set.
std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Index room() {
  const std::string text = environment("WEFT_TRACE_SPANS");
  if (text.empty()) return 65536;
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw Error("WEFT_TRACE_SPANS=" + shown(text) +
                ": give a whole number of at least 1, the room for spans of each thread, or unset it");
  return value;
}

/// The file of those whose first rank is this rank of the world.
std::string path_of(const std::string& asked, int first) {
  if (first == 0) return asked;
  std::filesystem::path path(asked);
  return path.replace_filename(path.stem().string() + "." + std::to_string(first) + path.extension().string()).string();
}

void finish() {
  try {
    session->trace.write(session->path);
  } catch (const std::exception& e) {  // nobody is there to catch it
    if (session->trace.comm.rank() == 0) std::fprintf(stderr, "weft: WEFT_TRACE: %s\n", e.what());
  }
  session.reset();
}

}  // namespace

std::shared_ptr<trace::Recorder> traced(const Communicator& comm) {
  const std::string asked = environment("WEFT_TRACE");
  if (comm.max(Index{!asked.empty()}) == 0) return nullptr;
  comm.same("WEFT_TRACE", asked.empty() ? "it unset" : asked);
  comm.agree([&] {
    if (session && session->asked != asked)
      throw Error("WEFT_TRACE=" + shown_path(asked) + ", but this process is being traced to " +
                  shown_path(session->asked) + " already; a process has one trace");
  });
  const Index spans = comm.agree(room);
  const Communicator others = comm.split(session ? -1 : 0);
  std::string path;
  comm.agree([&] {
    if (session) return;
    if (others.rank() > 0) return;
    path = path_of(asked, world_rank());
    if (!std::ofstream(path, std::ios::app))
      throw Error("WEFT_TRACE=" + shown_path(asked) + ": cannot write " + shown_path(path) +
                  "; name a file in a folder that is there, with the right to write, or unset it");
  });
  std::string failure;
  if (session)
    comm.hear();  // for the others have a `together` of their own
  else
    try {
      session = others.together([&] {
        return std::make_unique<Session>(Session{asked, path, {others.again(), spans}});
      });
      at_finalize(finish);
    } catch (const Error& e) {
      failure = e.what();
    }
  comm.agree([&] {
    if (!failure.empty()) throw Error(failure);
  });
  return session->trace.recorder;
}

}  // namespace mpi
}  // namespace weft
