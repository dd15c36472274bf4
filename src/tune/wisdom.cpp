#include <weft/wisdom.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include <weft/quote.hpp>

#include "tune/choice.hpp"
#include "tune/key.hpp"

namespace weft {
namespace {

constexpr int format = 1;
constexpr std::size_t longest_of_entry = 200;  // of a text of an entry, as people see it

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
      wisdom.entries_[hash_of(entry["key"].dump())] = entry.dump();
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
        {id, shown(all["problem"]["summary"].text(), longest_of_entry),
         shown(all["choice"]["name"].text(), longest_of_entry), shown(all["date"].text()), shown(all["version"].text()),
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

}  // namespace weft
