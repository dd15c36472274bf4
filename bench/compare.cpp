// weft-compare: weft and its peers in one process, on the same ranks, turn by turn.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>

#include "limits.hpp"
#include "peers/fftw.hpp"
#include "report.hpp"

namespace {

/// The user asked for what cannot be: exit code 2.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Asked {
  std::string kind = "c2c", shape = "128x128x128", precision = "double", json;
  weft::Index batch = 1;
  double radius = 0;
  bool boxcut = false;
  int repeats = 15;
  std::vector<std::string> contenders, at_most, at_least;
  bool limits = false;

  Case what() const {
    Case what{.real = kind == "r2c",
              .shape = {},
              .precision = weft::precision_from_string(precision),
              .batch = batch,
              .radius = radius,
              .boxcut = boxcut};
    const char *at = shape.data(), *const end = at + shape.size();
    for (;;) {
      weft::Index extent = 0;
      const auto [stop, error] = std::from_chars(at, end, extent);
      if (error != std::errc() || extent < 1 || extent > 1 << 20 || what.shape.size() == 3 ||
          (stop != end && (*stop != 'x' || stop + 1 == end)))
        throw Usage(fmt::format(
            "--shape {}: one to three extents of 1 to 1048576 with x between them are allowed: 128x128x128", shape));
      what.shape.push_back(extent);
      if (stop == end) {
        if (what.sphere() && (what.shape.size() != 3 || what.real))
          throw Usage("--sphere and --boxcut want three extents and --kind c2c");
        return what;
      }
      at = stop + 1;
    }
  }

  Targets targets() const {
    const auto bounds = [](const std::vector<std::string>& words) {
      std::map<std::string, double> found;
      for (const std::string& word : words) {
        const auto at = word.find('=');
        double bound = 0;
        const char* const end = word.data() + word.size();
        if (at == word.npos || std::from_chars(word.data() + at + 1, end, bound).ptr != end || at + 1 == word.size())
          throw Usage(fmt::format("'{}' is no target: write NAME=NUMBER, as transposed=0.55", word));
        found[word.substr(0, at)] = bound;
      }
      return found;
    };
    return {bounds(at_most), bounds(at_least)};
  }

  /// Serial FFTW always runs: it tells whether the run is worth anything.
  void choose(std::vector<Entry>& entries) const {
    if (contenders.empty()) return;
    std::vector<bool> named(contenders.size(), false);
    std::string names;
    std::erase_if(entries, [&](const Entry& entry) {
      names += (names.empty() ? "" : ", ") + entry.name;
      bool wanted = entry.group == "serial";
      for (std::size_t i = 0; i < contenders.size(); ++i)
        if (std::regex_search(entry.name, std::regex(contenders[i], std::regex::icase))) wanted = named[i] = true;
      return !wanted;
    });
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (!named[i]) throw Usage(fmt::format("--contender {} names none of: {}", contenders[i], names));
  }
};

void write(const Asked& asked, const nlohmann::ordered_json& json) {
  if (!asked.json.empty() && !(std::ofstream(asked.json) << json.dump(2) << std::endl))
    throw weft::Error("cannot write " + asked.json);
}

int compare(const World& world, const Asked& asked) {
  const Case what = asked.what();
  const Targets targets = asked.targets();
  std::vector<Entry> entries = weft_entries(world, what);
  for (Entry& peer : peer_entries(world, what)) entries.push_back(std::move(peer));
  asked.choose(entries);
  if (asked.limits) {
    const std::vector<Limit> found = limits(world, what);
    if (world.rank == 0) {
      fmt::print("{}\n{}\nno-overlap limit of {}: {:.4g} ms\n", machine(), text(found, world), what.name(),
                 1e3 * least_seconds(found, world, what));
      write(asked, {{"machine", machine()},
                    {"limits", json(found)},
                    {"case", what.name()},
                    {"no_overlap_seconds", least_seconds(found, world, what)}});
    }
    return 0;
  }
  auto [results, near] = race(world, what, std::move(entries), asked.repeats);
  const Report report(world, what, std::move(results), near, targets);
  if (world.rank == 0) {
    fmt::print("{}", report.text());
    std::fflush(stdout);
    write(asked, report.json());
  }
  return report.right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  World world{MPI_COMM_WORLD};
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.ranks);
  fftw_init_threads();  // before fftw_mpi_init
  fftwf_init_threads();
  fftw_mpi_init();
  fftwf_mpi_init();

  Asked asked;
  CLI::App app{"Weft against other libraries, in one run.", "weft-compare"};
  app.add_option("--kind", asked.kind, "c2c: forward; r2c: forward and backward")
      ->check(CLI::IsMember({"c2c", "r2c"}))
      ->capture_default_str();
  app.add_option("--shape", asked.shape, "extents, slowest axis first")->capture_default_str();
  app.add_option("--precision", asked.precision, "double or float")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  app.add_option("--batch", asked.batch, "transforms a call")->check(CLI::Range(1, 1 << 20))->capture_default_str();
  app.add_option("--sphere", asked.radius, "plane waves of a sphere of this radius, forward and backward")
      ->check(CLI::PositiveNumber);
  app.add_flag("--boxcut", asked.boxcut, "plane waves of a box of half the grid")->excludes("--sphere");
  app.add_option("--repeat", asked.repeats, "turns of every contender")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--contender", asked.contenders,
                 "only those whose names match one of these, with commas between them: weft,fftw-mpi")
      ->delimiter(',');
  app.add_option("--at-most", asked.at_most, "targets: transposed=0.55,natural=0.6")->delimiter(',');
  app.add_option("--at-least", asked.at_least, "targets: scaling=0.85")->delimiter(',');
  app.add_option_function<std::string>(
      "--kernels", [](const std::string& set) { setenv("WEFT_KERNELS", set.c_str(), true); },
      "weft's line kernels for this instruction set, as WEFT_KERNELS names it: avx512, avx2 or none");
  app.add_option("--json", asked.json, "write the results to this file");
  app.add_flag("--limits", asked.limits, "instead: what the machine allows, and what that makes of the case");
  app.footer(
      "Start it with as many ranks as there are cores: weft --ranks 2 compare --shape 64x64x64\n"
      "Exit codes: 0 fine, 1 a result is wrong or a step failed, 2 the command line is wrong.");

  int code = 0;
  const auto say = [&](int ending, const std::string& text) {
    code = ending;
    if (world.rank == 0) std::cerr << "weft-compare: " << text << std::endl;
  };
  try {
    app.parse(argc, argv);
    code = compare(world, asked);
  } catch (const CLI::Success& e) {
    if (world.rank == 0) app.exit(e);
  } catch (const CLI::ParseError& e) {
    say(2, e.what());
  } catch (const Usage& e) {
    say(2, e.what());
  } catch (const std::regex_error& e) {
    say(2, fmt::format("--contender: {}", e.what()));
  } catch (const weft::Error& e) {  // alike on all ranks
    say(1, e.what());
  } catch (const std::exception& e) {  // perhaps on this rank alone: the others would wait
    std::cerr << "weft-compare: rank " << world.rank << ": " << e.what() << std::endl;
    MPI_Abort(world.comm, 1);
  }
  fftw_mpi_cleanup();
  fftwf_mpi_cleanup();
  MPI_Finalize();
  return code;
}
