#include "request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <weft/quote.hpp>

void set_option(weft::Options& options, const std::string& flag, std::string_view option, const std::string& value) {
  try {
    weft::set(options, option, value);
  } catch (const weft::Error& e) {
    throw Usage(fmt::format("{} {}: {}", flag, weft::shown(value), e.what()));
  }
}

void Request::add_problem(CLI::App& app) {
  app.add_option("--kind", kind,
                 "c2c, r2c, dct1..dct4, dst1..dst4, r2hc, hc2r, dht; or one an axis, in any mixture: c2c,dst2,r2c")
      ->capture_default_str();
  app.add_option("--shape", shape, "extents, slowest axis first")->capture_default_str();
  app.add_option("--axes", axes, "the axes to transform: 0,2 (all)");
  auto* sphere = app.add_option("--sphere", radius,
                                "plane waves: |k+G| up to this, in the metric's units; with --kind r2c half a sphere")
                     ->check(number_between(1e-9, 1e9));
  app.add_option("--metric", metric,
                 "of --sphere: b_i.b_j of the reciprocal cell, as 00,11,22 or 00,11,22,01,02,12 (1,1,1: grid units)")
      ->needs(sphere);
  app.add_option("--kpoint", kpoint, "of --sphere: k in units of the reciprocal cell, as 0.5,0,0")->needs(sphere);
  auto* box = app.add_flag("--boxcut", boxcut, "plane waves: a box of half the grid")->excludes(sphere);
  auto* small =
      app.add_option("--kept", kept, "plane waves: the spectrum of a smaller grid, as 85x85x85: dealiasing, padding")
          ->excludes(sphere)
          ->excludes(box);
  app.add_option("--kept-from", kept_from,
                 "where that many indices begin, as 10x0x-20: any box of the spectrum, pruned input or output")
      ->needs(small);
  app.add_option("--precision", precision, "double or float")->capture_default_str();
}

void Request::give(const std::string& option, const std::string& value) {
  weft::Options read;
  set_option(read, "--" + dashed(option), option, value);
  given_[option] = value;
}

void Request::add_options(CLI::App& app, const std::set<std::string_view>& without) {
  const weft::Options initial;
  for (const weft::Option& row : weft::options()) {
    const std::string name(row.name), flag = "--" + dashed(row.name), help(row.help);
    if (row.type == weft::OptionType::layout || row.name == "nodes" || without.contains(row.name)) continue;
    CLI::Option* option = nullptr;
    if (row.name == "strategy") {
      option = app.add_option(flag, strategy, help)->capture_default_str();
    } else if (row.name == "grid") {
      option = app.add_option("--grid,--layout", layout, help + ": 2x3; slab, pencil")->capture_default_str();
    } else if (row.type == weft::OptionType::boolean) {
      const bool on = std::get<bool>(row.value(initial));
      const auto turn = [this, name, on] { give(name, on ? "false" : "true"); };
      option = app.add_flag_callback(on ? "--no-" + dashed(row.name) : flag, turn, (on ? "without: " : "") + help);
    } else {
      const auto take = [this, name](const std::string& value) { give(name, value); };
      option = app.add_option_function<std::string>(flag, take, fmt::format("{} ({})", help, row.allowed(true)));
      option->default_str(row.text(initial));
    }
    option->group(row.group == weft::OptionGroup::speed ? "Options that change only speed"
                                                        : "Options that change results or layouts");
  }
  struct Short {
    const char *flag, *option, *value;
  };
  for (const Short& s : {Short{"--in-place", "placement", "in_place"}, Short{"--overwrite", "placement", "overwrite"},
                         Short{"--natural", "natural_output", "true"}})
    if (!without.contains(s.option))
      app.add_flag_callback(
             s.flag, [this, s] { give(s.option, s.value); }, fmt::format("{} {}", s.option, s.value))
          ->group("Short forms");
  nodes.add(app);
}

CLI::Validator number_between(double least, double most) {
  return {[least, most](std::string& word) {
            char* end = nullptr;
            const double value = std::strtod(word.c_str(), &end);
            return !word.empty() && *end == 0 && value >= least && value <= most
                       ? ""
                       : fmt::format("{} is no number from {} to {}", weft::shown(word), least, most);
          },
          fmt::format("FLOAT from {} to {}", least, most)};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(separator, begin);
    words.push_back(text.substr(begin, end - begin));
  }
  return words;
}

namespace {

/// The words between separators; each must be a whole number.
template <class Number>
std::vector<Number> numbers(const std::string& option, const std::string& text, char separator) {
  std::vector<Number> values;
  for (const std::string& word : split(text, separator)) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), values.emplace_back());
    if (error != std::errc() || end != word.data() + word.size())
      throw Usage(fmt::format("{} {}: '{}' is no whole number of at most {} bits", option, weft::shown(text),
                              weft::shown(word), 8 * sizeof(Number) - 1));
  }
  return values;
}

/// The same of decimal numbers, as many as `allowed` says.
std::vector<double> decimals(const std::string& option, const std::string& text,
                             std::initializer_list<std::size_t> allowed) {
  std::vector<double> values;
  for (const std::string& word : split(text, ',')) {
    char* end = nullptr;
    values.push_back(std::strtod(word.c_str(), &end));
    if (word.empty() || *end != 0 || !std::isfinite(values.back()))
      throw Usage(fmt::format("{} {}: '{}' is no number", option, weft::shown(text), weft::shown(word)));
  }
  if (std::find(allowed.begin(), allowed.end(), values.size()) == allowed.end())
    throw Usage(fmt::format("{} {}: {} numbers are given; allowed are {}", option, weft::shown(text), values.size(),
                            fmt::join(allowed, " or ")));
  return values;
}

}  // namespace

std::string dashed(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

weft::Index whole_number(const std::string& option, const std::string& word) {
  return numbers<weft::Index>(option, word, '\0').front();
}

void NodesAsked::add(CLI::App& app) {
  app.add_option("--nodes", of, std::string(weft::option("nodes").help));
  app.add_option("--ranks-per-node", each, "so many consecutive ranks share memory, and no others")
      ->check(CLI::Range(1, 1000000))
      ->excludes("--nodes");
}

std::vector<int> NodesAsked::numbers_of(int ranks) const {
  if (weft::Options options; !of.empty()) return set_option(options, "--nodes", "nodes", of), options.nodes;
  std::vector<int> all;
  for (int r = 0; each > 0 && r < ranks; ++r) all.push_back(r / each);
  return all;
}

int node_count(const std::vector<int>& nodes) { return 1 + *std::max_element(nodes.begin(), nodes.end()); }

std::string ranks_on_nodes(int ranks, int nodes) {
  return fmt::format("{} rank{}{}", ranks, ranks == 1 ? "" : "s", nodes > 1 ? fmt::format(" on {} nodes", nodes) : "");
}

weft::AnyProblem Request::problem() const {
  return planning([&] {
    if (plane_waves()) {
      if ((kind != "c2c" && (kind != "r2c" || boxcut)) || !axes.empty())
        throw Usage("--sphere and --kept transform all three axes as --kind c2c or r2c, --boxcut as c2c");
      const weft::Shape grid = numbers<weft::Index>("--shape", shape, 'x');
      weft::PlaneWaves waves;
      if (boxcut && grid.size() == 3)
        waves.box = {std::max<weft::Index>(grid[0] / 2, 1), std::max<weft::Index>(grid[1] / 2, 1),
                     std::max<weft::Index>(grid[2] / 2, 1)};
      else if (!kept.empty())
        waves.box = weft::Shape(numbers<weft::Index>("--kept", kept, 'x')), waves.real = kind == "r2c";
      else
        waves.cutoff = cutoff();
      if (!kept_from.empty()) waves.low = weft::Shape(numbers<weft::Index>("--kept-from", kept_from, 'x'));
      return weft::problem(weft::precision_from_string(precision), grid, waves);
    }
    std::vector<weft::Kind> kinds;
    for (const std::string& name : split(kind, ',')) kinds.push_back(weft::kind_from_string(name));
    const weft::Order order = axes.empty() ? weft::Order() : weft::Order(numbers<int>("--axes", axes, ','));
    return weft::problem(weft::precision_from_string(precision), kinds, numbers<weft::Index>("--shape", shape, 'x'),
                         order);
  });
}

weft::Cutoff Request::cutoff() const {
  weft::Cutoff cutoff{.squared = radius * radius, .half = kind == "r2c"};
  if (!metric.empty()) {
    const std::vector<double> m = decimals("--metric", metric, {3, 6});
    for (std::size_t a = 0; a < 3; ++a) cutoff.metric[a][a] = m[a];
    if (m.size() == 6)
      for (const auto& [a, b, k] : {std::tuple(0u, 1u, 3u), std::tuple(0u, 2u, 4u), std::tuple(1u, 2u, 5u)})
        cutoff.metric[a][b] = cutoff.metric[b][a] = m[k];
  }
  if (!kpoint.empty()) {
    const std::vector<double> k = decimals("--kpoint", kpoint, {3});
    std::copy(k.begin(), k.end(), cutoff.k.begin());
  }
  return cutoff;
}

weft::Options Request::options(int ranks) const {
  weft::Options options;
  for (const weft::Option& row : weft::options())  // in this order: backward's schedule begins as forward's
    if (const auto value = given_.find(row.name); value != given_.end())
      set_option(options, "--" + dashed(row.name), row.name, value->second);
  options.strategy = strategy;
  options.nodes = nodes.numbers_of(ranks);
  if (layout == "pencil") {
    int grid[2] = {0, 0};
    MPI_Dims_create(ranks, 2, grid);
    options.grid = {grid[0], grid[1]};
  } else if (layout != "slab") {
    set_option(options, "--layout", "grid", layout == "any" ? "auto" : layout);
  }
  return options;
}

void check_writable(const World& world, const std::string& path) {
  int writable = 1;
  if (world.rank == 0) writable = std::ofstream(path, std::ios::app).good();
  MPI_Bcast(&writable, 1, MPI_INT, 0, world.comm);
  if (!writable) throw weft::Error("cannot write " + weft::shown_path(path));
}

std::string text_of_file(const std::string& path) {
  struct stat what {};
  if (stat(path.c_str(), &what) != 0)
    throw Usage(fmt::format("cannot read {}: {}", weft::shown_path(path), std::strerror(errno)));
  if (!S_ISREG(what.st_mode)) throw Usage(fmt::format("cannot read {}: it is no regular file", weft::shown_path(path)));
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw Usage("cannot read " + weft::shown_path(path));
  return text;
}

std::string schedule_text(const weft::Options& o) {
  return to_string(o.schedule) + (o.backward_schedule ? "; backward " + to_string(*o.backward_schedule) : "");
}
