// Newcomers type `weft --ranks 2 ...`; here is what they would otherwise have to know about their
// MPI. A launcher of another MPI starts many lone ranks without an error: WEFT_RANKS, set here,
// tells each of them how many there should be.
#include "launch.hpp"

#include <weft/quote.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;

/// The rank that a launcher has announced in the environment; read before MPI is there, which
/// announces lone ranks as well.
const std::optional<std::string>& announced_rank() {
  static const auto rank = []() -> std::optional<std::string> {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
      if (const char* value = std::getenv(name)) return value;
    return {};
  }();
  return rank;
}

fs::path own_path() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

std::vector<fs::path> search_path() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::istringstream entries(path ? path : "");
  for (std::string folder; std::getline(entries, folder, ':');) folders.emplace_back(folder.empty() ? "." : folder);
  return folders;
}

bool runnable(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

/// A name without '/' is looked for in `folders`; empty when there is no such program.
fs::path find_program(const std::string& name, const std::vector<fs::path>& folders) {
  if (name.find('/') != std::string::npos) return runnable(name) ? fs::path(name) : fs::path();
  for (const fs::path& folder : folders)
    if (runnable(folder / name)) return folder / name;
  return {};
}

/// Does not return unless it fails.
void become(const std::vector<std::string>& words) {
  std::vector<char*> raw;
  for (const std::string& word : words) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  execvp(raw[0], raw.data());
  throw Usage("cannot start " + words.front() + ": " + std::error_code(errno, std::generic_category()).message());
}

#ifdef OPEN_MPI
pid_t watched_launcher = 0;
void pass_on(int number) { kill(watched_launcher, number); }

/// Ends with the exit code of the command, and says so when that tells of a signal: a launcher that
/// was asked to be quiet about exit codes is quiet about killed ranks as well.
[[noreturn]] void watch(const std::vector<std::string>& words) {
  std::fflush(nullptr);
  watched_launcher = fork();
  if (watched_launcher < 0) throw Usage(std::string("cannot start ") + words.front() + ": " + std::strerror(errno));
  if (watched_launcher == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    try {
      become(words);
    } catch (const Usage& e) {
      std::fprintf(stderr, "weft: %s\n", e.what());
    }
    _exit(2);
  }
  for (const int number : {SIGTERM, SIGHUP}) std::signal(number, pass_on);
  std::signal(SIGINT, SIG_IGN);  // a terminal sends it to the launcher as well
  int status = 0;
  while (waitpid(watched_launcher, &status, 0) < 0 && errno == EINTR) continue;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code > 128 && code < 128 + NSIG)
    std::fprintf(stderr, "weft: a rank was ended by signal %d (%s), and all others with it\n", code - 128,
                 strsignal(code - 128));
  std::_Exit(code);
}
#endif

/// The launcher of the MPI that this program was built with, and its options.
std::vector<std::string> launcher() {
  if (const char* given = std::getenv("WEFT_MPIEXEC")) {
    std::istringstream text(given);
    std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.empty() || find_program(words.front(), search_path()).empty())
      throw Usage("WEFT_MPIEXEC='" + weft::shown_path(given) + "' names no program; give the launcher of " +
                  mpi_version() + ", or unset it");
    return words;
  }
#ifdef OPEN_MPI
  const char* const debian = "mpirun.openmpi";
#else
  const char* const debian = "mpirun.mpich";
#endif
  for (const char* name : {WEFT_MPIEXEC_FOUND, debian, "mpiexec", "mpirun", "srun"})
    if (!find_program(name, search_path()).empty()) return {name};
  throw Usage("--ranks needs mpiexec, mpirun or srun of " + mpi_version() + " in PATH, or its name in WEFT_MPIEXEC");
}

}  // namespace

bool launched() { return announced_rank().has_value(); }

void start_ranks(int ranks, const std::vector<std::string>& arguments) {
  if (launched()) throw Usage("--ranks starts MPI, but a launcher has started this already; drop --ranks");
  std::vector<std::string> words = launcher();
  words.insert(words.end(), {"-n", std::to_string(ranks), own_path()});
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--ranks")
      ++i;
    else if (!arguments[i].starts_with("--ranks="))
      words.push_back(arguments[i]);

  setenv("WEFT_RANKS", std::to_string(ranks).c_str(), true);
  setenv("WEFT_TERMINAL", isatty(STDERR_FILENO) ? "1" : "0", true);
#ifdef OPEN_MPI
  // The same wishes in the words of Open MPI 4 and of PRRTE, its launcher since version 5. What the
  // user has set stays.
  std::vector<std::pair<const char*, const char*>> wishes{
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},  // a rank bound to one core has one core for all its threads
      {"PRTE_MCA_hwloc_default_binding_policy", "none"},
      {"OMPI_MCA_orte_execute_quiet", "1"},  // our exit code needs no paragraph of the launcher's
  };
  if (geteuid() == 0)
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
                             "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
      wishes.push_back({name, "1"});
  if (!WEFT_CMA)  // containers forbid reading a neighbour's memory, and messages then fail
    wishes.push_back({"OMPI_MCA_btl_vader_single_copy_mechanism", "none"});
  for (const auto& [name, value] : wishes) setenv(name, value, false);
  watch(words);
#else
  become(words);
#endif
}

void start_program(const std::string& name, std::vector<std::string> arguments, const std::string& subcommands) {
  std::vector<fs::path> folders = search_path();
  folders.insert(folders.begin(), own_path().parent_path());
  const fs::path program = find_program("weft-" + name, folders);
  if (name.find('/') == std::string::npos && !program.empty()) {
    arguments.insert(arguments.begin(), program);
    become(arguments);
  }

  std::set<std::string> found;
  std::error_code none;
  for (const fs::path& folder : folders)
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      if (entry.path().filename().string().starts_with("weft-") && runnable(entry.path()))
        found.insert(entry.path().filename().string().substr(5));
  std::string others;
  for (const std::string& other : found) others += (others.empty() ? "" : ", ") + other;
  throw Usage("'" + weft::shown(name) + "' is neither a subcommand (" + subcommands + ") nor a program weft-" +
              weft::shown(name) + " beside this one or in PATH (" +
              (others.empty() ? "there is none of that kind" : "there are: " + others) + ")");
}

void check_started(const World& world, const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) line += argument + '\0';
  const std::uint64_t here = std::hash<std::string>()(line);
  std::uint64_t first = here;
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, world.comm);
  int same = here == first;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, world.comm);
  if (!same) throw Usage("the ranks were given different command lines; give all of them the same one");

  const char* const wanted = std::getenv("WEFT_RANKS");
  if (!wanted || wanted == std::to_string(world.ranks)) return;
  if (announced_rank().value_or("0") != "0") std::_Exit(2);  // a lone rank: the first of them speaks
  throw Usage("WEFT_RANKS=" + weft::shown(wanted) + ", but MPI sees " + std::to_string(world.ranks) +
              ": the launcher is not the one of " + mpi_version() + "; name that in WEFT_MPIEXEC");
}

bool watched() {
  const char* const told = std::getenv("WEFT_TERMINAL");
  return told ? told == std::string("1") : isatty(STDERR_FILENO) != 0;
}
