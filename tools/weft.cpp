// The command line program `weft`: reads the command line before MPI is there, starts MPI or
// another program where asked to, runs one subcommand on all ranks, and ends all ranks with one
// message and one exit code, also when only some of them fail.
#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include <weft/quote.hpp>

#include "weft/command.hpp"
#include "weft/launch.hpp"

namespace {

constexpr const char* examples = R"(Examples:
  weft list                                         what there is to choose from
  weft list options                                 every option: its values, its default, what it does
  weft --ranks 2 bench --shape 128x128x128          every strategy on two ranks
  mpirun -n 4 weft bench --kind r2c --layout 2x2    the same under a launcher of one's own
  weft --ranks 2 plan --shape 64x64x64 --steps      what a plan will do
  weft --ranks 2 tune --shape 64x64x64 --seconds 5  the fastest way, remembered for strategy "auto"
  weft model predict --machine m.json --for 64,1024 how long it will take on ranks that are not here
  weft --ranks 8 exchange --bytes 256:65536         every strategy by message size, no transform
  weft --ranks 2 transform in.npy out.npy --lowpass 0.25
  weft --ranks 2 types --shape 8x6                  the MPI datatypes that replace packing
  weft --ranks 2 bench --trace t.json --json b.json what every rank does when, for ui.perfetto.dev
  weft report b.json t.json -o report.html          pictures of it, in one file
  weft X ...                                        the program weft-X beside this one or in PATH

Exit codes: 0 fine, 1 a check or a step failed, 2 the command line is wrong.
WEFT_TRACE=FILE traces everything that a program transforms.
WEFT_WISDOM names the files of wisdom, one's own first and : between them; none: there are none.
WEFT_MPIEXEC names the launcher that --ranks uses, and its options: WEFT_MPIEXEC="srun --mpi=pmix".
)";

/// How a rank ends: its exit code and what it has to say.
struct Ending {
  int code = 0;
  std::string text;
};

/// The subcommands and what was asked of them.
class CommandLine {
 public:
  CommandLine() {
    app_.add_option("--ranks", ranks_, "start MPI with so many ranks (not needed under mpirun or srun)")
        ->check(CLI::Range(1, 1 << 20));
    app_.set_version_flag("--version", version());
    app_.footer(examples);
    app_.get_formatter()->column_width(36);
    add("list", "strategies, kernels, engines and options", list_command);
    add("plan", "explain a plan without executing it", plan_command);
    add("bench", "time and verify strategies, forward and backward", bench_command);
    add("tune", "find the fastest way, and remember it", tune_command);
    add("wisdom", "what tuning has found: list, show, merge, forget", wisdom_command);
    add("exchange", "time strategies without any transform, by message size", exchange_command);
    add("transform", "transform or filter an npy file", transform_command);
    add("model", "predict: measure a machine, fit times over ranks", model_command);
    add("types", "print the MPI datatypes of a plan and check them", types_command);
  }

  /// What ends the program before it runs: a text asked for. Starting MPI or another program does
  /// not return.
  std::string read(int argc, char** argv) {
    int at = 1;  // the first word that is no option: words after a foreign one are not ours to read
    while (at < argc && argv[at][0] == '-') at += std::string_view(argv[at]) == "--ranks" ? 2 : 1;
    const std::string word = at < argc ? argv[at] : "";
    const bool foreign = !word.empty() && !commands_.contains(word);
    app_.require_subcommand(foreign ? 0 : 1);
    try {
      app_.parse(foreign ? at : argc, argv);
    } catch (const CLI::Success& e) {
      std::ostringstream text;
      app_.exit(e, text, text);
      return text.str();
    } catch (const CLI::ParseError& e) {
      throw Usage(weft::shown(e.what(), 400) + "\nRun 'weft" + (word.empty() || foreign ? "" : " " + word) +
                  " --help' for what is allowed.");
    }
    if (ranks_ > 0) start_ranks(ranks_, {argv + 1, argv + argc});
    if (foreign)
      start_program(word, {argv + at + 1, argv + argc},
                    "list, plan, bench, tune, wisdom, exchange, model, transform, types");
    return "";
  }

  bool needs_mpi() const {
    const bool fits = app_.got_subcommand("model") && app_.get_subcommand("model")->got_subcommand("fit");
    return !app_.got_subcommand("list") && !app_.got_subcommand("wisdom") && !fits;
  }
  int run(const World& world) const { return commands_.at(app_.get_subcommands().front()->get_name())(world); }

 private:
  void add(const std::string& name, const std::string& what, Command (*make)(CLI::App&)) {
    commands_[name] = make(*app_.add_subcommand(name, what)->fallthrough());
  }

  CLI::App app_{"Distributed-memory FFTs over named redistributions.", "weft"};
  int ranks_ = 0;
  std::map<std::string, Command> commands_;
};

template <class Work>
Ending attempt(Work work) {
  try {
    return work();
  } catch (const Usage& e) {
    return {2, std::string("weft: ") + e.what() + "\n"};
  } catch (const std::bad_alloc&) {
    return {1, "weft: out of memory: take more ranks or a smaller shape\n"};
  } catch (const std::length_error&) {
    return {1, "weft: out of memory: take more ranks or a smaller shape\n"};
  } catch (const std::exception& e) {
    return {1, std::string("weft: ") + e.what() + "\n"};
  }
}

void say(const Ending& ending) { (ending.code == 0 ? std::cout : std::cerr) << ending.text << std::flush; }

/// Collective: returns the worst code of all ranks; the first rank that failed speaks for all. A
/// rank that failed waits a while for the others to fail alike, and then ends them: they may wait
/// for a message that it will never send.
int conclude(const World& world, const Ending& ending) {
  constexpr std::chrono::seconds patience{5};
  int worst[2] = {ending.code, ending.code == 0 ? 0 : world.ranks - world.rank};
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, worst, 2, MPI_INT, MPI_MAX, world.comm, &request);
  const auto start = std::chrono::steady_clock::now();
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
    if (ending.code != 0 && std::chrono::steady_clock::now() - start > patience) {
      say({ending.code, "rank " + std::to_string(world.rank) + " of " + std::to_string(world.ranks) +
                            ", and not all others: " + ending.text});
      MPI_Abort(world.comm, ending.code);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (world.rank == (worst[0] == 0 ? 0 : world.ranks - worst[1])) say(ending);
  return worst[0];
}

/// Collective: true when any rank says so.
bool anywhere(const World& world, bool here) {
  int there = here;
  MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MAX, world.comm);
  return there != 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond a limit is an error to report, not the end
  CommandLine line;
  bool over = false;
  Ending ending = attempt([&] {
    over = true;  // unless reading succeeds
    const std::string text = line.read(argc, argv);
    over = !text.empty();
    return Ending{0, text};
  });
  const bool parallel = launched() || (!over && line.needs_mpi());
  if (!parallel) {
    if (!over) ending = attempt([&] { return Ending{line.run({}), ""}; });
    say(ending);
    return ending.code;
  }

  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  World world{MPI_COMM_WORLD};
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.ranks);
  World verdict = world;  // a communicator of its own: some ranks may still be at work on the other one
  MPI_Comm_dup(world.comm, &verdict.comm);
  if (!anywhere(world, over))
    ending = attempt([&] {
      check_started(world, {argv + 1, argv + argc});
      return Ending{line.run(world), ""};
    });
  const int code = conclude(verdict, ending);
  MPI_Comm_free(&verdict.comm);
  MPI_Finalize();
  return code;
}
