// weft wisdom: what tuning has found, in files.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <weft/quote.hpp>
#include <weft/wisdom.hpp>

#include "command.hpp"

namespace {

struct WisdomRequest {
  std::string file, id;
  std::vector<std::string> files;
  bool json = false;
};

void warn(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
}

/// The file that was named, or one's own.
std::string own(const WisdomRequest& asked) {
  if (!asked.file.empty()) return asked.file;
  const std::vector<std::string> files = weft::wisdom_files();
  if (files.empty() || files.front().empty())
    throw Usage("there is no file of wisdom: name one with --file or in WEFT_WISDOM");
  return files.front();
}

/// The file that was named, or all of them, one's own first.
weft::Wisdom known(const WisdomRequest& asked) {
  std::vector<std::string> notes;
  weft::Wisdom all;
  std::vector<std::string> files = asked.file.empty() ? weft::wisdom_files() : std::vector<std::string>{asked.file};
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (file->empty()) continue;
    try {
      all.merge(weft::Wisdom::read(*file, &notes));
    } catch (const weft::Error& e) {
      if (!asked.file.empty()) throw;
      notes.emplace_back(e.what());
    }
  }
  warn(notes);
  return all;
}

int list(const WisdomRequest& asked) {
  const weft::Wisdom all = known(asked);
  for (const auto& e : all.entries())
    fmt::print("{}  {}  {} on {} rank{}: {}{}\n", e.id.substr(0, 8), e.date, e.problem, e.ranks,
               e.ranks == 1 ? "" : "s", e.choice, e.seconds > 0 ? fmt::format(", {:.4g} ms", 1e3 * e.seconds) : "");
  if (all.empty()) fmt::print("no wisdom yet: weft tune finds some\n");
  return 0;
}

int show(const WisdomRequest& asked) {
  bool any = false;
  for (const auto& e : known(asked).entries())
    if (e.id.starts_with(asked.id)) {
      if (asked.json)
        fmt::print("{}\n", e.json);
      else
        fmt::print("{}wisdom {} of {}, weft {}\n{}", any ? "\n" : "", e.id, e.date, e.version, e.text);
      any = true;
    }
  if (!any)
    throw weft::Error(fmt::format("no wisdom has an id that begins with '{}'; weft wisdom list shows what there is",
                                  weft::shown(asked.id)));
  return 0;
}

int merge(const WisdomRequest& asked) {
  std::vector<std::string> notes;
  weft::Wisdom all;
  for (const std::string& file : asked.files) {
    const weft::Wisdom one = weft::Wisdom::read(file, &notes);
    if (one.empty()) notes.push_back(weft::shown_path(file) + " has no wisdom");
    all.merge(one);
  }
  weft::Wisdom::update(
      own(asked), [&](weft::Wisdom& mine) { mine.merge(all); }, &notes);
  warn(notes);
  fmt::print("{} {} merged into {}\n", all.entries().size(), all.entries().size() == 1 ? "entry" : "entries",
             weft::shown_path(own(asked)));
  return 0;
}

int forget(const WisdomRequest& asked) {
  int count = 0;
  std::vector<std::string> notes;
  weft::Wisdom::update(
      own(asked), [&](weft::Wisdom& mine) { count = mine.forget(asked.id == "all" ? "" : asked.id); }, &notes);
  warn(notes);
  if (count == 0 && asked.id != "all")
    throw weft::Error(fmt::format("no wisdom in {} has an id that begins with '{}'", weft::shown_path(own(asked)),
                                  weft::shown(asked.id)));
  fmt::print("{} forgotten\n", count);
  return 0;
}

}  // namespace

Command wisdom_command(CLI::App& app) {
  auto asked = std::make_shared<WisdomRequest>();
  auto chosen = std::make_shared<int (*)(const WisdomRequest&)>();
  const auto add = [&](const char* name, const char* what, int (*run)(const WisdomRequest&)) {
    CLI::App* command = app.add_subcommand(name, what);
    command->callback([chosen, run] { *chosen = run; });
    command->add_option("--file", asked->file, "this file instead of those of WEFT_WISDOM");
    return command;
  };
  add("list", "one line an entry", list);
  CLI::App* one = add("show", "all of an entry", show);
  one->add_option("id", asked->id, "how its id begins")->required();
  one->add_flag("--json", asked->json, "as it is in the file");
  add("merge", "take the entries of other files over; the later of two stays", merge)
      ->add_option("files", asked->files, "files of wisdom")
      ->required()
      ->check(CLI::ExistingFile);
  add("forget", "forget entries", forget)->add_option("id", asked->id, "how their ids begin, or all")->required();
  app.require_subcommand(1);
  return [asked, chosen](const World&) { return (*chosen)(*asked); };
}
