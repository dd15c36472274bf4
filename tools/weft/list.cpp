// weft list: everything there is to choose from by name, taken from the library's own lists.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/weft.hpp>

#include "request.hpp"
#include "table.hpp"

Command list_command(CLI::App& app) {
  struct Form {
    std::string what;
    bool json = false, markdown = false;
  };
  auto form = std::make_shared<Form>();
  app.add_option("what", form->what, "strategies, kinds, engines, kernels or options; nothing: all but options")
      ->check(CLI::IsMember({"strategies", "kinds", "engines", "kernels", "options"}));
  auto* json = app.add_flag("--json", form->json, "as JSON");
  app.add_flag("--markdown", form->markdown, "as the tables of README.md")->excludes(json);

  return [form](const World& world) {
    if (world.rank != 0) return 0;
    nlohmann::ordered_json all;
    Table strategies({"strategy", "how the data travels"}), kinds({"kind", "what an axis is transformed by"}),
        engines({"engine", "what transforms lines"}), kernels({"kernel", "strategy", "schedule", "what it does"});
    const std::string quote = form->markdown ? "`" : "";
    for (const weft::Strategy* strategy : weft::strategies()) {
      all["strategies"].push_back(
          {{"name", strategy->name()}, {"summary", strategy->summary()}, {"overlaps", strategy->overlaps()}});
      strategies.add({quote + std::string(strategy->name()) + quote, std::string(strategy->summary())});
    }
    for (const auto& [name, summary] : weft::kind_list()) {
      all["kinds"].push_back({{"name", name}, {"summary", summary}});
      kinds.add({quote + name + quote, summary});
    }
    for (const auto& [name, summary] : weft::engine_list()) {
      all["engines"].push_back({{"name", name}, {"summary", summary}});
      engines.add({quote + name + quote, summary});
    }
    for (const weft::Kernel& kernel : weft::kernels()) {
      const weft::ScheduleOptions& s = kernel.schedule;
      all["kernels"].push_back({{"name", kernel.name},
                                {"strategy", kernel.strategy},
                                {"tiles", s.tiles},
                                {"tile", s.tile},
                                {"window", s.window},
                                {"test", s.test},
                                {"communicate", s.communicate},
                                {"summary", kernel.summary},
                                {"source", kernel.source}});
      kernels.add({quote + std::string(kernel.name) + quote, quote + std::string(kernel.strategy) + quote, to_string(s),
                   std::string(kernel.summary)});
    }
    Table options({"option", "type", "changes", "default", "what it does", "allowed"});
    const weft::Options initial;
    for (const weft::Option& row : weft::options()) {
      const auto value = std::visit([](const auto& it) { return nlohmann::ordered_json(it); }, row.value(initial));
      all["options"].push_back({{"name", row.name},
                                {"type", to_string(row.type)},
                                {"changes", to_string(row.group)},
                                {"default", value},
                                {"words", row.known()},
                                {"allowed", row.allowed()},
                                {"help", row.help}});
      options.add({quote + std::string(row.name) + quote, std::string(to_string(row.type)),
                   std::string(to_string(row.group)),
                   row.list == "engines" ? "the first" : quote + row.text(initial) + quote, std::string(row.help),
                   row.allowed(true)});
    }
    const std::pair<std::string, const Table*> tables[] = {{"strategies", &strategies},
                                                           {"kinds", &kinds},
                                                           {"engines", &engines},
                                                           {"kernels", &kernels},
                                                           {"options", &options}};
    if (form->json) {
      fmt::print("{}\n", (form->what.empty() ? all : all[form->what]).dump(2));
      return 0;
    }
    bool first = true;
    for (const auto& [name, table] : tables)
      if (form->what.empty() ? name != "options" : name == form->what) {
        fmt::print("{}{}", first ? "" : "\n", form->markdown ? table->markdown() : table->plain(true));
        first = false;
      }
    return 0;
  };
}
