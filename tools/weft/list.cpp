// weft list: everything there is to choose from by name, taken from the library's own lists.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/weft.hpp>

#include "command.hpp"
#include "table.hpp"

Command list_command(CLI::App& app) {
  struct Form {
    bool json = false, markdown = false;
  };
  auto form = std::make_shared<Form>();
  auto* json = app.add_flag("--json", form->json, "as JSON");
  app.add_flag("--markdown", form->markdown, "as the tables of README.md")->excludes(json);

  return [form](const World& world) {
    if (world.rank != 0) return 0;
    auto all = nlohmann::ordered_json{{"strategies", nlohmann::json::array()}, {"engines", nlohmann::json::array()}};
    Table strategies({"strategy", "how the data travels"}), engines({"engine", "what transforms lines"});
    const std::string quote = form->markdown ? "`" : "";
    for (const weft::Strategy* strategy : weft::strategies()) {
      all["strategies"].push_back({{"name", strategy->name()}, {"summary", strategy->summary()}, {"overlaps", strategy->overlaps()}});
      strategies.add({quote + std::string(strategy->name()) + quote, std::string(strategy->summary())});
    }
    for (const auto& [name, summary] : weft::engine_list()) {
      all["engines"].push_back({{"name", name}, {"summary", summary}});
      engines.add({quote + name + quote, summary});
    }
    if (form->json)
      fmt::print("{}\n", all.dump(2));
    else if (form->markdown)
      fmt::print("{}\n{}", strategies.markdown(), engines.markdown());
    else
      fmt::print("{}\n{}", strategies.plain(true), engines.plain(true));
    return 0;
  };
}
