#include "trace/record.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace weft::trace {
namespace {

class Packer {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    for (const T& value : list) (*this)(value);
  }
  void operator()(const List& list) { visit(list, *this); }

  std::string bytes;

  template <class L, class F>
  static void visit(L& list, F& f) {
    f(list.name), f(list.plan), f(list.stages), f(list.exchanges), f(list.steps);
  }
  template <class R, class F>
  static void visit_record(R& r, F& f) {
    f(r.rank), f(r.world_rank), f(r.host), f(r.first), f(r.last), f(r.lists), f(r.executions), f(r.rows), f(r.totals),
        f(r.room), f(r.bytes), f(r.left_out);
  }
};

class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : at_(bytes.data()) {}
  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
  }
  void operator()(std::string& text) {
    const std::size_t length = size();
    text.assign(at_, length);
    at_ += length;
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(size());
    for (T& value : list) (*this)(value);
  }
  void operator()(List& list) { Packer::visit(list, *this); }

 private:
  std::size_t size() {
    std::size_t count = 0;
    (*this)(count);
    return count;
  }
  const char* at_;
};

}  // namespace

Record record(const Recorder& recorder, const Reading& first, const Reading& last) {
  Record r{.first = first,
           .last = last,
           .lists = recorder.lists(),
           .executions = recorder.executions(),
           .room = recorder.room(),
           .bytes = recorder.bytes(),
           .left_out = recorder.left_out()};
  const double slope = last.at > first.at
                           ? static_cast<double>(last.offset - first.offset) / static_cast<double>(last.at - first.at)
                           : 0;
  const auto adjust = [&](std::int64_t& time) {
    time += first.offset + static_cast<std::int64_t>(slope * static_cast<double>(time - first.at));
  };
  for (Execution& e : r.executions) adjust(e.begin), adjust(e.end);
  for (int t = 0; t < recorder.threads(); ++t) {
    r.rows.push_back(recorder.spans(t));
    for (Span& s : r.rows.back()) adjust(s.begin), adjust(s.end);
  }
  for (std::size_t l = 0; l < r.lists.size(); ++l) {
    r.totals.emplace_back();
    for (int t = 0; t < recorder.threads(static_cast<int>(l)); ++t)
      r.totals.back().push_back(recorder.totals(static_cast<int>(l), t));
  }
  return r;
}

std::string packed(const Record& record) {
  Packer pack;
  Packer::visit_record(record, pack);
  return std::move(pack.bytes);
}

Record unpacked(const std::string& bytes) {
  Record record;
  Unpacker unpack(bytes);
  Packer::visit_record(record, unpack);
  return record;
}

std::string name(const Record& record, const Span& span) {
  if (span.step < 0) return phase_names[static_cast<std::size_t>(Phase::wait)];
  const List& list = record.lists[static_cast<std::size_t>(span.list)];
  const Step& step = list.steps[static_cast<std::size_t>(span.step)];
  return step.phase == Phase::work ? list.stages[static_cast<std::size_t>(step.of)]
                                   : phase_names[static_cast<std::size_t>(step.phase)];
}

Profile profile(const std::vector<Record>& records) {
  Profile result;
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const Record& record : records)
    for (const auto& row : record.rows)
      for (const Span& span : row)
        if (span.step >= 0 &&
            communicates(
                record.lists[static_cast<std::size_t>(span.list)].steps[static_cast<std::size_t>(span.step)].phase)) {
          result.communication += span.end - span.begin;
          changes.emplace_back(span.begin, 1);
          changes.emplace_back(span.end, -1);
        }
  std::sort(changes.begin(), changes.end());
  int ranks = 0;
  for (auto change = changes.begin(); change != changes.end();) {
    const std::int64_t at = change->first;
    int after = ranks;
    for (; change != changes.end() && change->first == at; ++change) after += change->second;
    if (after == ranks) continue;
    if (!result.points.empty()) result.integral += ranks * (at - result.points.back().at);
    result.points.push_back({at, ranks = after});
  }
  return result;
}

}  // namespace weft::trace
