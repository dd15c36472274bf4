#include "program.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

#include <weft/error.hpp>
#include <weft/quote.hpp>

#include "together.hpp"

namespace bands {

namespace {

weft::Options options_of(const Asked& asked) {
  weft::Options options;
  for (const std::string& text : asked.options) {
    const std::size_t at = text.find('=');
    if (at == text.npos) throw weft::Error("--set " + weft::shown(text) + ": give NAME=VALUE, as strategy=direct");
    weft::set(options, text.substr(0, at), text.substr(at + 1));
  }
  return options;
}

/// One line that is overwritten where somebody watches; else nothing.
std::function<void(const std::string&)> progress(bool speaks) {
  const char* const told = std::getenv("WEFT_TERMINAL");
  const bool watched = told ? std::string(told) == "1" : isatty(STDERR_FILENO) != 0;
  if (!speaks || !watched) return [](const std::string&) {};
  return [](const std::string& line) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
  };
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw weft::Error("cannot write " + weft::shown_path(path));
}

}  // namespace

int Program::run(int argc, char** argv,
                 const std::function<Result(const Asked&, const Input&, const Settings&)>& work) {
  int provided = 0, rank = 0, code = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Asked asked;
  CLI::App app(what_, name_);
  app.add_option("input", asked.input, "a TOML file: crystal, potential, basis, bands, path")->required();
  app.add_option("--json", asked.json, "write results to this file");
  if (density_) {
    app.add_option("--cube", asked.cube, "write the density to this Gaussian cube file");
    app.add_option("--xsf", asked.xsf, "write the density to this file for XCrySDen and VESTA");
    app.add_flag("--forces", asked.forces, "find the forces on all atoms");
    app.add_option("--restart", asked.restart,
                   "keep the density in this npy file, and go on from it where it is there");
  }
  app.add_option("--pools", asked.pools, "groups of ranks that work on different k-points; 0: as many as pay")
      ->capture_default_str();
  app.add_option("--overlap", asked.at_once,
                 "work on so many bands at a time, while what ranks exchange of those before travels; 0: one after "
                 "the other")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  app.add_flag("--whole-bands", asked.whole_bands,
               "transpose bands, so that each rank applies the Hamiltonian to whole ones; --set batch=N: N at a time");
  app.add_option("--set", asked.options, "an option of the transforms: NAME=VALUE of 'weft list options'");
  app.add_flag("--quiet", asked.quiet, "no line about what is being done");
  try {
    app.parse(argc, argv);
    const Input input = read_input(asked.input, read_text(MPI_COMM_WORLD, asked.input));
    Settings settings{.options = options_of(asked),
                      .pools = asked.pools,
                      .at_once = asked.at_once,
                      .whole_bands = asked.whole_bands,
                      .forces = asked.forces,
                      .restart = asked.restart,
                      .told = progress(rank == 0 && !asked.quiet)};
    agree(MPI_COMM_WORLD, [&] {
      for (const std::string& path : {asked.json, asked.cube, asked.xsf})
        if (rank == 0 && !path.empty() && !std::ofstream(path, std::ios::app))
          throw weft::Error("cannot write " + weft::shown_path(path));
    });
    const Result result = work(asked, input, settings);
    settings.told("");
    agree(MPI_COMM_WORLD, [&] {
      if (rank == 0 && !asked.json.empty()) write_text(asked.json, result.json);
      if (rank == 0 && !asked.cube.empty()) write_text(asked.cube, result.cube);
      if (rank == 0 && !asked.xsf.empty()) write_text(asked.xsf, result.xsf);
    });
    if (rank == 0) fmt::print("{}", result.text);
  } catch (const CLI::ParseError& e) {
    code = e.get_exit_code() == 0 ? 0 : 2;
    if (rank == 0) app.exit(e);
  } catch (const weft::Error& e) {  // alike on all ranks
    code = 1;
    if (rank == 0) std::cerr << name_ << ": " << e.what() << std::endl;
  } catch (const std::exception& e) {  // perhaps of this rank alone, and others wait for it
    std::cerr << name_ << ": rank " << rank << ": " << e.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}

}  // namespace bands
