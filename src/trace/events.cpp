// The trace event format of Chrome:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#include <algorithm>
#include <cstdio>

#include "trace/record.hpp"

namespace weft::trace {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class... Numbers>
void print(std::string& out, const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  out += text;
}

double microseconds(std::int64_t nanoseconds) { return 1e-3 * static_cast<double>(nanoseconds); }
double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

class Writer {
 public:
  Writer(const std::vector<Record>& records, std::int64_t zero) : records_(records), zero_(zero) {}

  std::string events() {
    for (const Record& record : records_) {
      describe(record);
      for (const Execution& execution : record.executions) event(record, execution);
      for (std::size_t thread = 0; thread < record.rows.size(); ++thread)
        for (const Span& span : record.rows[thread]) event(record, thread, span);
    }
    return std::move(out_);
  }

  void counter(const std::vector<Point>& points) {
    begin("M", "process_name", static_cast<int>(records_.size()), 0);
    out_ += R"(,"args":{"name":"all ranks"}})";
    for (const Point& point : points) {
      begin("C", "ranks communicating", static_cast<int>(records_.size()), 0);
      print(out_, R"(,"ts":%.3f,"args":{"ranks":%d}})", microseconds(point.at - zero_), point.ranks);
    }
  }

 private:
  void begin(const char* kind, const std::string& name, int process, std::size_t thread) {
    out_ += out_.empty() ? "\n" : ",\n";
    out_ += R"({"ph":")" + std::string(kind) + R"(","name":)" + quoted(name);
    print(out_, R"(,"pid":%d,"tid":%zu)", process, thread);
  }

  void describe(const Record& record) {
    begin("M", "process_name", record.rank, 0);
    out_ +=
        R"(,"args":{"name":)" +
        quoted("rank " + std::to_string(record.rank) +
               (record.world_rank == record.rank ? "" : " (" + std::to_string(record.world_rank) + " of the world)") +
               " on " + record.host) +
        "}}";
    begin("M", "process_sort_index", record.rank, 0);
    print(out_, R"(,"args":{"sort_index":%d}})", record.rank);
    for (std::size_t thread = 0; thread < record.rows.size(); ++thread) {
      begin("M", "thread_name", record.rank, thread);
      out_ += R"(,"args":{"name":)" +
              quoted("thread " + std::to_string(thread) + (thread == 0 ? " (the caller's)" : "")) + "}}";
    }
  }

  void times(std::int64_t begins, std::int64_t ends, const char* category) {
    print(out_, R"(,"cat":"%s","ts":%.3f,"dur":%.3f,"args":{)", category, microseconds(begins - zero_),
          microseconds(ends - begins));
  }

  void event(const Record& record, const Execution& e) {
    const List& list = record.lists[static_cast<std::size_t>(e.list)];
    begin("X", list.name, record.rank, 0);
    times(e.begin, e.end, "execution");
    print(out_, R"("list":%d,"calls":%lld,"messages":%lld,"bytes":%lld}})", e.list,
          static_cast<long long>(e.sent.calls), static_cast<long long>(e.sent.messages),
          static_cast<long long>(e.sent.bytes));
  }

  void event(const Record& record, std::size_t thread, const Span& span) {
    const List& list = record.lists[static_cast<std::size_t>(span.list)];
    const Step& step = list.steps[static_cast<std::size_t>(span.step < 0 ? -1 - span.step : span.step)];
    begin("X", name(record, span), record.rank, thread);
    if (span.step < 0) {
      times(span.begin, span.end, "wait");
      out_ += R"("for":)" + quoted(phase_names[static_cast<std::size_t>(step.phase)]);
    } else if (step.phase == Phase::work) {
      times(span.begin, span.end, "work");
      print(out_, R"("stage":%d,"blocks":[%d,%d])", step.of, step.first, step.last);
    } else {
      times(span.begin, span.end, "exchange");
      print(out_, R"("exchange":%d,"tile":%d,"strategy":)", step.of, step.first);
      out_ += quoted(list.exchanges[static_cast<std::size_t>(step.of)]);
      if (step.phase == Phase::start)
        print(out_, R"(,"bytes":%lld,"peers":%d)", static_cast<long long>(step.bytes), step.peers);
    }
    print(out_, R"(,"list":%d}})", span.list);
  }

  const std::vector<Record>& records_;
  const std::int64_t zero_;
  std::string out_;
};

// Lists that are the same everywhere but for what each rank has of them: by number.
void write_lists(std::string& out, const std::vector<Record>& records) {
  std::size_t count = 0;
  for (const Record& record : records) count = std::max(count, record.lists.size());
  for (std::size_t l = 0; l < count; ++l) {
    const auto known =
        std::find_if(records.begin(), records.end(), [&](const Record& r) { return l < r.lists.size(); });
    const List& list = known->lists[l];
    out += (l ? ",\n" : "\n") + std::string(R"({"name":)") + quoted(list.name) + R"(,"plan":)" + quoted(list.plan) +
           R"(,"seconds":[)";
    bool first = true;
    for (const Record& record : records) {
      if (l >= record.totals.size()) continue;
      for (std::size_t thread = 0; thread < record.totals[l].size(); ++thread) {
        print(out, R"(%s{"rank":%d,"thread":%zu)", first ? "" : ",", record.rank, thread);
        first = false;
        for (std::size_t p = 0; p < phase_names.size(); ++p)
          if (const std::int64_t spent = record.totals[l][thread].nanoseconds[p])
            print(out, R"(,"%s":%.9f)", phase_names[p], seconds(spent));
        out += "}";
      }
    }
    out += "]}";
  }
}

}  // namespace

std::string trace_events(const std::vector<Record>& records) {
  std::int64_t zero = 0;
  bool any = false;
  for (const Record& record : records)
    for (const Execution& e : record.executions)
      if (!any || e.begin < zero) zero = e.begin, any = true;
  const Profile communicating = profile(records);
  Writer writer(records, zero);
  writer.counter(communicating.points);
  std::string out = R"({"displayTimeUnit":"ms","traceEvents":[)" + writer.events() + "\n],\n\"weft\":{\"ranks\":[";
  for (const Record& r : records) {
    out += (&r == &records.front() ? "\n" : ",\n") + std::string(R"({"host":)") + quoted(r.host);
    print(out, R"(,"threads":%zu,"executions":%zu,"left_out":%lld,"room_spans":%lld,"bytes":%lld)", r.rows.size(),
          r.executions.size(), static_cast<long long>(r.left_out), static_cast<long long>(r.room),
          static_cast<long long>(r.bytes));
    print(out, R"(,"clock_offset_seconds":%.9f,"clock_accuracy_seconds":%.9f,"clock_drift_seconds":%.9f})",
          seconds(r.first.offset), seconds(std::max(r.first.accuracy, r.last.accuracy)),
          seconds(r.last.offset - r.first.offset));
  }
  out += "],\n\"lists\":[";
  write_lists(out, records);
  print(out, R"(],"communication":{"integral_rank_seconds":%.9f,"sum_rank_seconds":%.9f}}})",
        seconds(communicating.integral), seconds(communicating.communication));
  return out + "\n";
}

}  // namespace weft::trace
