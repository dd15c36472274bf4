#include <weft/wisdom.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include <weft/machine.hpp>
#include <weft/quote.hpp>

#include "engines/engine.hpp"
#include "plan/route/problem.hpp"
#include "tune/choice.hpp"
#include "tune/old_key.hpp"
#include "tune/recollection.hpp"

namespace weft {
namespace {

constexpr int format = 1;
constexpr std::size_t losers = 16;    // that are remembered
constexpr std::size_t longest = 200;  // of a text of an entry, as people see it

// FNV-1a
std::string hash(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(h));
  return digits;
}

std::string hash_without_hash(const Json& entry) {
  Json::Members rest;
  for (const auto& member : entry.members())
    if (member.first != "hash") rest.push_back(member);
  return hash(Json(rest).dump());
}

[[noreturn]] void fail(const std::string& what, const std::string& file) {
  const char* const why = std::strerror(errno);
  throw Error("wisdom: cannot " + what + " " + shown_path(file) + ": " + why);
}

// An open file descriptor.
struct File {
  int number;
  explicit File(int opened) : number(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number >= 0) close(number);
  }
};

// All of a regular file, links followed; nothing where there is none. A pipe is not waited for.
std::optional<std::string> content(const std::string& file) {
  const File in(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (in.number < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail("read", file);
  }
  struct stat what {};
  if (fstat(in.number, &what) != 0) fail("read", file);
  if (!S_ISREG(what.st_mode))
    throw Error("wisdom: " + shown_path(file) + " is " + (S_ISDIR(what.st_mode) ? "a folder" : "no regular file") +
                ": name a file, of any name that is not taken, and it will be made");
  std::string text;
  char part[65536];
  for (ssize_t bytes = 1; bytes != 0;) {
    bytes = ::read(in.number, part, sizeof part);
    if (bytes < 0 && errno != EINTR) fail("read", file);
    if (bytes > 0) text.append(part, static_cast<std::size_t>(bytes));
  }
  return text;
}

// What weft has written begins so, however damaged the rest is.
bool ours(const std::string& text) { return text.starts_with("{\"weft_wisdom\""); }

// The file that a link points to, whether it is there or not.
std::string pointed_to(std::string file) {
  std::error_code none;
  for (int links = 0; std::filesystem::is_symlink(file, none); ++links) {
    if (links == 40) throw Error("wisdom: " + shown_path(file) + " is a link that leads to itself");
    file = (std::filesystem::path(file).parent_path() / std::filesystem::read_symlink(file, none)).string();
  }
  return file;
}

// The whole text reaches the disk, or nothing stays of it.
void write_whole(const std::string& file, const std::string& text) {
  const File out(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (out.number < 0) fail("write", file);
  const auto give_up = [&] {
    const int why = errno;
    unlink(file.c_str());
    errno = why;
    fail("write", file);
  };
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(out.number, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) give_up();
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  if (fsync(out.number) != 0) give_up();
}

void add(std::vector<std::string>* notes, const std::string& note) {
  if (notes) notes->push_back(note);
}

}  // namespace

Wisdom Wisdom::parse(const std::string& text, std::vector<std::string>* notes) {
  const Json all = Json::parse(text);
  if (all["weft_wisdom"].is_null()) throw Error("this is no wisdom of weft: it has no \"weft_wisdom\"");
  if (all["weft_wisdom"].number() != format)
    throw Error("this wisdom has format " + all["weft_wisdom"].dump() + "; this weft reads " + std::to_string(format));
  Wisdom wisdom;
  int wrong = 0;
  for (const Json& entry : all["entries"].list()) {
    if (!entry["key"].is_object() || !entry["choice"].is_object() || entry["hash"].text() != hash_without_hash(entry))
      ++wrong;
    else
      wisdom.entries_[hash(entry["key"].dump())] = entry.dump();
  }
  if (wrong)
    add(notes,
        std::to_string(wrong) + (wrong == 1 ? " entry is" : " entries are") + " skipped: damaged or changed by hand");
  return wisdom;
}

Wisdom Wisdom::read(const std::string& file, std::vector<std::string>* notes) {
  const std::optional<std::string> text = content(file);
  if (!text) return {};
  std::vector<std::string> own;
  try {
    Wisdom wisdom = parse(*text, &own);
    for (const std::string& note : own) add(notes, shown_path(file) + ": " + note);
    return wisdom;
  } catch (const Error& e) {
    throw Error("wisdom: " + shown_path(file) + ": " + e.what());
  }
}

void Wisdom::update(const std::string& named, const std::function<void(Wisdom&)>& change,
                    std::vector<std::string>* notes) {
  const std::string file = pointed_to(named);
  content(file);            // what cannot be a file of wisdom gets no lock beside it
  std::error_code ignored;  // opening the lock tells
  if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  const std::string lock_file = file + ".lock", next = file + ".next";
  const File lock(open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.number < 0) fail("write", lock_file);
  while (flock(lock.number, LOCK_EX) != 0)
    if (errno != EINTR) fail("lock", lock_file);
  Wisdom wisdom;
  try {
    wisdom = read(file, notes);
  } catch (const Error& e) {
    const std::string text = content(file).value_or("");
    if (!text.empty() && !ours(text)) throw Error(std::string(e.what()) + "; it is left as it is: name another file");
    const std::string broken = file + ".broken";
    if (rename(file.c_str(), broken.c_str()) != 0) fail("replace", file);
    add(notes, std::string(e.what()) + "; it is kept as " + shown_path(broken));
  }
  change(wisdom);
  write_whole(next, wisdom.text());
  if (rename(next.c_str(), file.c_str()) != 0) fail("write", file);
}

std::vector<Wisdom::Entry> Wisdom::entries() const {
  std::vector<Entry> list;
  for (const auto& [id, text] : entries_) {
    const Json all = Json::parse(text);
    list.push_back(
        {id, shown(all["problem"]["summary"].text(), longest), shown(all["choice"]["name"].text(), longest),
         shown(all["date"].text()), shown(all["version"].text()),
         static_cast<int>(std::clamp(all["key"]["ranks"].number(), 0.0, 1e9)),
         all["candidates"].list().empty() ? 0 : all["candidates"].list().front()["measured_seconds"].number(), text,
         explanation(all)});
  }
  return list;
}

void Wisdom::merge(const Wisdom& other) {
  const auto date = [](const std::string& text) { return Json::parse(text)["date"].text(); };
  for (const auto& [id, text] : other.entries_)
    if (const auto known = entries_.find(id); known == entries_.end() || date(known->second) <= date(text))
      entries_[id] = text;
}

int Wisdom::forget(const std::string& id) {
  return static_cast<int>(std::erase_if(entries_, [&](const auto& entry) { return entry.first.starts_with(id); }));
}

std::string Wisdom::text() const {
  std::string text = "{\"weft_wisdom\": " + std::to_string(format) + ", \"entries\": [";
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
    text += (entry == entries_.begin() ? "\n" : ",\n") + entry->second;
  return text + "\n]}\n";
}

namespace {

/// A site's files: those of its folders whose names end in .json, in the order of their names.
std::vector<std::string> site_files(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    std::vector<std::string> here;
    std::error_code none;  // of a folder that is not there, or may not be read: none
    for (std::filesystem::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
      if (at->path().extension() == ".json") here.push_back(at->path().string());
    std::sort(here.begin(), here.end());
    files.insert(files.end(), here.begin(), here.end());
  }
  return files;
}

}  // namespace

std::vector<std::string> wisdom_files() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value ? value : "";
  };
  const auto parted = [](const std::string& names) {
    std::vector<std::string> parts(1);
    for (const char c : names)
      if (c == ':')
        parts.emplace_back();
      else
        parts.back() += c;
    return parts;
  };
  const std::string names = variable("WEFT_WISDOM"), site = variable("WEFT_SITE_WISDOM");
  if (names == "none") return {};
  std::vector<std::string> files = parted(names);  // the first may be empty: then nothing is written
  if (names.empty()) {
    std::string state = variable("XDG_STATE_HOME");
    if (state.empty() && !variable("HOME").empty()) state = variable("HOME") + "/.local/state";
    if (!state.empty()) files.front() = state + "/weft/wisdom.json";
  }
  std::vector<std::string> folders;
  if (!site.empty() && site != "none") folders = parted(site);
  if (site.empty() && names.empty()) folders = parted(WEFT_SITE_WISDOM);
  for (const std::string& file : site_files(folders)) files.push_back(file);
  return files;
}

namespace {

// What this process knows of its own, and files as they were read last: they are read again when
// they have changed.
struct Remembered {
  std::mutex mutex;
  Wisdom own;
  struct Copy {
    std::filesystem::file_time_type time;
    std::uintmax_t bytes = 0;
    Wisdom wisdom;
    std::vector<std::string> notes;
  };
  std::map<std::string, Copy> files;

  static Remembered& the_one() {
    static Remembered memory;
    return memory;
  }

  const Copy& file(const std::string& name) {
    std::error_code none;
    const auto time = std::filesystem::last_write_time(name, none);
    Copy& copy = files[name];
    if (none) return copy = {};
    const auto bytes = std::filesystem::file_size(name, none);  // none of folders and pipes: reading says what they are
    if (copy.time == time && copy.bytes == bytes) return copy;
    copy = {time, bytes, {}, {}};
    try {
      copy.wisdom = Wisdom::read(name, &copy.notes);
    } catch (const Error& e) {
      copy.notes.emplace_back(e.what());
    }
    return copy;
  }
};

}  // namespace

std::string export_wisdom() {
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  return memory.own.text();
}

void import_wisdom(const std::string& text) {
  const Wisdom wisdom = Wisdom::parse(text);
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  memory.own.merge(wisdom);
}

void forget_wisdom() {
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  memory.own = {};
  for (const Engine* e : engines()) e->let_go();
}

// ---- what the ranks of a communicator remember ----

namespace {

// "Model X x 16": the processor and how many of them.
std::string this_machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string name = "a processor";
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      name = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  return name + " x " + std::to_string(std::thread::hardware_concurrency());
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Where a communicator's ranks are.
Json::Members place_of(const mpi::Communicator& comm, const std::vector<int>& node_of) {
  std::map<int, int> sizes;
  for (const int node : node_of) ++sizes[node];
  std::string nodes;
  for (const auto& [node, size] : sizes) nodes += (nodes.empty() ? "" : "+") + std::to_string(size);
  static const std::string machine_name = this_machine();
  std::string machine = comm.rank() == 0 ? mpi::library() + "\n" + machine_name : "";
  comm.bcast(machine);
  const auto end = machine.find('\n');
  return {
      {"ranks", comm.size()}, {"nodes", nodes}, {"mpi", machine.substr(0, end)}, {"machine", machine.substr(end + 1)}};
}

// All that a choice depends on. Options are named only where they differ from their defaults, so
// that a new option leaves keys as they are; but for the engine, whose default depends on the
// build, and whose names have changed.
std::string problem_key(const AnyProblem& problem, Options options) {
  const Options initial;
  if (strategy_open(options)) options.strategy = initial.strategy;
  options.tune_seconds = initial.tune_seconds, options.wisdom = initial.wisdom;
  options.nodes.clear();  // the place says how many ranks each has
  std::string text;
  for (const auto& [what, value] : fingerprint(problem))
    if (value != "none") text += (text.empty() ? "" : "; ") + what + " " + value;
  for (const Option& row : weft::options())
    if (row.name == "engine")
      text += "; engine " + engine_in_keys(options.engine);
    else if (const std::string value = row.text(options); value != row.text(initial))
      text += "; " + std::string(row.name) + " " + value;
  return text;
}

// Lists of G-vectors are each rank's own: a word for each. Collective.
std::string lists_key(const mpi::Communicator& comm, const AnyProblem& problem) {
  std::string text;
  if (!problem.waves || problem.waves->cutoff || problem.waves->box) return text;
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const GVector& g : problem.waves->mine)
    for (const Index x : g) h = (h ^ static_cast<std::uint64_t>(x)) * 0x100000001b3u;
  for (const Index each : comm.gather_all(static_cast<Index>(h))) text += " " + hash(std::to_string(each));
  return text;
}

Json key_of(const std::string& problem, Json::Members place) {
  place.emplace(place.begin(), "problem", problem);
  return place;
}

bool same_place(const Json& a, const Json& b) {
  for (const char* what : {"ranks", "nodes", "mpi", "machine"})
    if (a[what].dump() != b[what].dump()) return false;
  return true;
}

// The machine as it was measured last at this place, by entries of one file.
void latest_machine(const std::map<std::string, std::string>& entries, const Json& place, std::string& last,
                    Json& machine) {
  for (const auto& [id, text] : entries) {
    const Json entry = Json::parse(text);
    if (same_place(entry["key"], place) && entry["date"].text() > last)
      last = entry["date"].text(), machine = entry["machine"];
  }
}

// What is not known is as a first guess has it.
Machine machine_of(const Json& known) {
  Machine m;
  for (const MachineRow& row : machine_rows())
    if (const double value = known[row.name].number(); value > 0) m.*row.value = value;
  return m;
}

}  // namespace

Machine Recollection::machine_at(const mpi::Communicator& comm, const std::vector<int>& nodes) {
  const Json place = place_of(comm, comm.nodes(nodes));
  std::string known;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    Remembered& memory = Remembered::the_one();
    const std::lock_guard lock(memory.mutex);
    Json machine;
    std::string last;
    latest_machine(memory.own.entries_, place, last, machine);
    for (const std::string& file : wisdom_files())
      if (!file.empty()) latest_machine(memory.file(file).wisdom.entries_, place, last, machine);
    known = machine.dump();
  });
  comm.bcast(known);
  return machine_of(Json::parse(known));
}

Recollection::Recollection(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options,
                           const std::vector<int>& nodes)
    : comm_(comm), engine_(options.engine) {
  if (!options.wisdom) return;
  const Json::Members place = place_of(comm, nodes);
  const std::string lists = lists_key(comm, problem);
  key_ = key_of(problem_key(problem, options) + lists, place);
  const Json old_key = key_of(old_problem_key(problem, options) + lists, place);
  const std::array<std::string, 2> ids{hash(key_.dump()), hash(old_key.dump())};
  std::string known;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    Remembered& memory = Remembered::the_one();
    const std::lock_guard lock(memory.mutex);
    Json all = Json::Members{{"found", {}}, {"machine", {}}, {"notes", Json::List()}};
    Json::List notes;
    Json machine;
    std::string last;
    const auto look = [&](const Wisdom& wisdom, const std::string& where) {
      for (const std::string& id : ids)
        if (const auto at = wisdom.entries_.find(id); at != wisdom.entries_.end() && all["found"].is_null()) {
          Json found = Json::parse(at->second);
          found.set("where", shown_path(where));
          all.set("found", std::move(found));
        }
      if (all["found"].is_null()) latest_machine(wisdom.entries_, key_, last, machine);  // a choice needs no guess
    };
    look(memory.own, "this process");
    for (const std::string& file : wisdom_files())
      if (!file.empty() && all["found"].is_null()) {
        const auto& copy = memory.file(file);
        for (const std::string& note : copy.notes) notes.emplace_back(note);
        look(copy.wisdom, file);
      }
    all.set("machine", std::move(machine));
    all.set("notes", std::move(notes));
    known = all.dump();
  });
  comm.bcast(known);
  const Json all = Json::parse(known);
  found_ = all["found"];
  machine_ = all["machine"];
  for (const Json& note : all["notes"].list()) notes_.push_back(note.text());
  try {
    comm.agree([&] {  // the others plan from rank 0's
      if (comm.rank() == 0 && !found_["engine_wisdom"].text().empty())
        engine(engine_).import_wisdom(found_["engine_wisdom"].text());
    });
  } catch (const Error& e) {
    notes_.push_back(std::string("the engine's wisdom is not used: ") + e.what());
  }
}

Machine Recollection::machine() const { return machine_of(machine_); }

std::string Recollection::keep(const Tuning& tuning) {
  std::string said;
  comm_.agree([&] {
    if (comm_.rank() != 0) return;
    Json all = Json::parse(tuning.json), entry = Json::Members{{"key", key_}};
    for (const char* name : {"problem", "choice", "reason", "seconds", "machine"}) entry.set(name, all[name]);
    Json::List candidates = all["candidates"].list();
    candidates.resize(std::min(candidates.size(), losers));
    entry.set("candidates", std::move(candidates));
    entry.set("date", now());
    entry.set("version", WEFT_VERSION);
    entry.set("engine_wisdom", engine(engine_).export_wisdom());
    entry.set("hash", hash_without_hash(entry));
    const Wisdom wisdom =
        Wisdom::parse(Json(Json::Members{{"weft_wisdom", format}, {"entries", Json::List{entry}}}).dump());
    Remembered& memory = Remembered::the_one();
    const std::lock_guard lock(memory.mutex);
    memory.own.merge(wisdom);
    const std::vector<std::string> files = wisdom_files();
    if (files.empty() || files.front().empty()) {
      said = "kept in this process alone: WEFT_WISDOM names no file to write";
      return;
    }
    std::vector<std::string> notes;
    try {
      Wisdom::update(
          files.front(), [&](Wisdom& known) { known.merge(wisdom); }, &notes);
      notes.push_back("kept in " + shown_path(files.front()));
    } catch (const Error& e) {
      notes.push_back(std::string(e.what()) + "; what was found is kept in this process alone");
    }
    for (const std::string& note : notes) said += (said.empty() ? "" : "\n") + note;
  });
  comm_.bcast(said);
  return said;
}

std::string remember(MPI_Comm user, const AnyProblem& problem, const Options& options, const Tuning& found) {
  const auto comm = mpi::Communicator::shared(user);
  return comm.together([&] {
    check_alike(comm, problem, options);
    Options kept = options;
    kept.wisdom = true;  // of which keys say nothing
    return Recollection(comm, problem, kept, comm.nodes(options.nodes)).keep(found);
  });
}

}  // namespace weft
