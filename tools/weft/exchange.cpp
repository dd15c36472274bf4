// weft exchange: strategies against each other without any transform, and nothing is packed: every
// rank sends as much to every other, or what the transposition of a matrix makes it send.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>

#include <weft/exchange.hpp>
#include <weft/quote.hpp>

#include "in_a_row.hpp"
#include "median.hpp"
#include "progress.hpp"
#include "request.hpp"
#include "table.hpp"

namespace {

using Json = nlohmann::ordered_json;
using weft::Index;

struct ExchangeRequest {
  std::string bytes = "256:65536", matrices, strategy = "all", json;
  int repeats = 20, calls = 10;
  NodesAsked nodes;
};

constexpr Index element_bytes = sizeof(Index), complex_bytes = 16;

/// A matrix whose rows are distributed before and whose columns are afterwards.
struct Size {
  std::string text;
  weft::Shape shape;  ///< rows, columns, and elements each
};

/// "256:65536" doubles from one to the other; "256,4096" are these.
std::vector<Index> message_bytes(const std::string& text) {
  const bool range = text.find(':') != text.npos;
  std::vector<Index> all;
  for (const std::string& word : split(text, range ? ':' : ',')) {
    Index bytes = 0;
    if (!CLI::detail::lexical_cast(word, bytes) || bytes < element_bytes || bytes % element_bytes != 0 ||
        bytes > Index{1} << 30)
      throw Usage(fmt::format("--bytes {}: '{}' is no multiple of {} up to 1 GiB", weft::shown(text), weft::shown(word),
                              element_bytes));
    all.push_back(bytes);
  }
  if (!range) return all;
  if (all.size() != 2 || all[0] > all[1])
    throw Usage(fmt::format("--bytes {}: give the least and the most, as 256:65536", weft::shown(text)));
  const Index last = all[1];
  all.pop_back();
  while (2 * all.back() <= last) all.push_back(2 * all.back());
  return all;
}

/// Blocks of `--bytes` between any two ranks, or the matrices of `--transpose`, whose entries are
/// complex numbers.
std::vector<Size> sizes_of(const ExchangeRequest& asked, int ranks) {
  std::vector<Size> all;
  if (asked.matrices.empty()) {
    for (const Index bytes : message_bytes(asked.bytes))
      all.push_back({fmt::format("{} B", bytes), {ranks, ranks, bytes / element_bytes}});
    return all;
  }
  for (const std::string& text : split(asked.matrices, ',')) {
    weft::Shape shape;
    for (const std::string& word : split(text, 'x')) shape.push_back(whole_number("--transpose", word));
    if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 || shape[0] > (Index{1} << 40) / shape[1])
      throw Usage(fmt::format("--transpose {}: a matrix is rows x columns, as 657x30", weft::shown(text)));
    shape.push_back(complex_bytes / element_bytes);
    all.push_back({text, shape});
  }
  return all;
}

std::vector<const weft::Strategy*> named(const std::string& text) {
  if (text == "all") return weft::strategies();
  return planning([&] {
    std::vector<const weft::Strategy*> all;
    for (const std::string& name : split(text, ',')) all.push_back(&weft::strategy(name));
    return all;
  });
}

Index most(const World& world, Index here) {
  MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT64_T, MPI_MAX, world.comm);
  return here;
}

/// One strategy at one size.
class Contender {
 public:
  /// Throws weft::Error alike on all ranks when the strategy declines.
  Contender(const World& world, const weft::Strategy& strategy, const Size& size, const std::vector<int>& nodes)
      : world_(world), strategy_(strategy), size_(size), node_count_(node_count(nodes)), late_(world.comm) {
    const weft::Shape& shape = size.shape;
    weft::Demand demand{
        .pattern = {weft::Layout::slab(shape, 0, world.ranks), weft::Layout::slab(shape, 1, world.ranks), world.rank},
        .element_bytes = element_bytes,
        .slots = &slots_,
        .nodes = nodes};
    for (int r = 0; r < world.ranks; ++r)
      if (r != world.rank) largest_ = std::max(largest_, demand.pattern.count(0, world.rank, r) * element_bytes);
    largest_ = most(world, largest_);
    if (const std::string reason = strategy.declines(demand); !reason.empty()) throw weft::Declined(reason);
    cost_ = strategy.cost(demand);
    exchange_ = strategy.bind(demand, world.comm);
  }

  /// Rounds behind one another, one rank late now and then, in which every element is its global
  /// index and the round's number; collective, throws on all ranks where one is not.
  void verify() {
    constexpr Index rounds = 4;
    Index round = 0;
    const auto each = [&](const std::vector<weft::Piece>& pieces, auto f) {
      for (const weft::Piece& piece : pieces) {
        weft::Shape p = piece.at.box.lo;
        for (p[0] = piece.at.box.lo[0]; p[0] < piece.at.box.hi[0]; ++p[0])
          for (p[1] = piece.at.box.lo[1]; p[1] < piece.at.box.hi[1]; ++p[1])
            for (p[2] = piece.at.box.lo[2]; p[2] < piece.at.box.hi[2]; ++p[2])
              f(reinterpret_cast<Index*>(slots_[static_cast<std::size_t>(piece.at.slot)])[piece.at.at(p)],
                ((p[0] * size_.shape[1] + p[1]) * size_.shape[2] + p[2]) * rounds + round);
      }
    };
    Index wrong = 0;
    for (; round < rounds; ++round) {
      late_();
      exchange_->open(0);
      each(exchange_->tile(0).out, [](Index& element, Index expected) { element = expected; });
      exchange_->start(0);
      exchange_->finish(0);
      each(exchange_->tile(0).in, [&](const Index& element, Index expected) { wrong += element != expected; });
      exchange_->close(0);
    }
    if (most(world_, wrong) > 0)
      throw weft::Error(fmt::format("{} gave wrong data of {}", strategy_.name(), size_.text));
  }

  void time(int calls) {
    MPI_Barrier(world_.comm);
    const weft::Traffic before = exchange_->traffic();
    double seconds = -MPI_Wtime();
    for (int call = 0; call < calls; ++call) {
      exchange_->open(0);
      exchange_->start(0);
      exchange_->finish(0);
      exchange_->close(0);
    }
    seconds = (seconds + MPI_Wtime()) / calls;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world_.comm);
    seconds_.push_back(seconds);
    const weft::Traffic after = exchange_->traffic();
    traffic_ = {most(world_, after.calls - before.calls) / calls,
                most(world_, after.messages - before.messages) / calls,
                most(world_, after.bytes - before.bytes) / calls};
  }

  Json row() const {
    const auto [shortest, longest] = std::minmax_element(seconds_.begin(), seconds_.end());
    return {{"strategy", strategy_.name()},
            {"ranks", world_.ranks},
            {"nodes", node_count_},
            {"message_bytes", largest_},
            {"median_seconds", median(seconds_)},
            {"min_seconds", *shortest},
            {"max_seconds", *longest},
            {"calls", traffic_.calls},
            {"messages", traffic_.messages},
            {"bytes_sent", traffic_.bytes},
            {"copied", cost_.copied},
            {"depth", cost_.depth},
            {"node_messages", cost_.node_messages},
            {"node_bytes", cost_.node_bytes},
            {"size", size_.text},
            {"weft", WEFT_VERSION},
            {"mpi", mpi_version()}};
  }

 private:
  World world_;
  const weft::Strategy& strategy_;
  Size size_;
  int node_count_;
  Index largest_ = 0;  // bytes of the largest message
  weft::Slots slots_;
  weft::Cost cost_;
  weft::Traffic traffic_;
  std::unique_ptr<weft::Exchange> exchange_;
  std::vector<double> seconds_;
  Late late_;
};

int exchange(const World& world, const ExchangeRequest& asked) {
  const std::vector<Size> sizes = sizes_of(asked, world.ranks);
  const std::vector<const weft::Strategy*> strategies = named(asked.strategy);
  const std::vector<int> nodes = planning([&] { return weft::nodes(world.comm, asked.nodes.numbers_of(world.ranks)); });
  Progress progress(world.rank == 0);
  Json rows = Json::array();
  std::map<std::string, std::string> declined;
  std::vector<std::string> header{"microseconds"};
  for (const weft::Strategy* strategy : strategies) header.emplace_back(strategy->name());
  Table table(header);
  for (const Size& size : sizes) {
    progress.phase(size.text);
    std::vector<std::unique_ptr<Contender>> running;
    for (const weft::Strategy* strategy : strategies) {
      running.emplace_back();
      try {
        running.back() = std::make_unique<Contender>(world, *strategy, size, nodes);
        running.back()->verify();
      } catch (const weft::Declined& e) {
        declined[std::string(strategy->name())] = e.what();
      }
    }
    for (int repeat = 0; repeat < asked.repeats; ++repeat)
      for (const auto& contender : running)
        if (contender) contender->time(asked.calls);
    std::vector<std::string> cells{size.text};
    for (const auto& contender : running) {
      cells.emplace_back("-");
      if (!contender) continue;
      contender->verify();
      rows.push_back(contender->row());
      cells.back() = fmt::format("{:.1f}", 1e6 * rows.back()["median_seconds"].get<double>());
    }
    table.add(cells);
  }
  progress.clear();
  if (world.rank != 0) return 0;
  fmt::print("{}, {}, medians of {} repeats of {} calls, {}\n\n{}\n", ranks_on_nodes(world.ranks, node_count(nodes)),
             asked.matrices.empty() ? "each to each" : "matrices transposed", asked.repeats, asked.calls, version(),
             table.plain());
  for (const auto& [name, reason] : declined) fmt::print("{} declined: {}\n", name, reason);
  std::fflush(stdout);
  if (!asked.json.empty() && !(std::ofstream(asked.json) << rows.dump(2) << std::endl))
    throw weft::Error("cannot write " + weft::shown_path(asked.json));
  return 0;
}

}  // namespace

Command exchange_command(CLI::App& app) {
  auto asked = std::make_shared<ExchangeRequest>();
  app.add_option("--bytes", asked->bytes, "bytes of every message: LEAST:MOST, doubling, or a list with commas")
      ->capture_default_str();
  app.add_option("--transpose", asked->matrices,
                 "instead, what transposing a matrix of complex numbers makes ranks send, rows distributed: 657x30, or "
                 "a list with commas")
      ->excludes("--bytes");
  app.add_option("--strategy", asked->strategy, "names of 'weft list' with commas between them, or all")
      ->capture_default_str();
  app.add_option("--repeat", asked->repeats, "repetitions to time, all strategies in turn")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--calls", asked->calls, "exchanges behind one another in a repetition")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  asked->nodes.add(app);
  app.add_option("--json", asked->json, "write the results to this file");
  app.footer(R"(Examples:
  weft --ranks 8 exchange --bytes 256:65536 --strategy alltoall,alltoallv,padded,bruck
  weft --ranks 16 exchange --transpose 657x30 --strategy alltoallv,padded
  weft --ranks 8 exchange --ranks-per-node 4 --strategy alltoallv,node,hierarchical
)");
  return [asked](const World& world) { return exchange(world, *asked); };
}
