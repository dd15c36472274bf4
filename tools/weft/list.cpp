// weft list: everything there is to choose from by name, taken from the library's own lists.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/weft.hpp>

#include "request.hpp"
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
    auto all = nlohmann::ordered_json{
        {"strategies", nlohmann::json::array()}, {"kinds", nlohmann::json::array()}, {"engines", nlohmann::json::array()},
        {"kernels", nlohmann::json::array()}};
    Table strategies({"strategy", "how the data travels"}), kinds({"kind", "what an axis is transformed by"}),
        engines({"engine", "what transforms lines"}),
        kernels({"kernel", "strategy", "schedule", "what it does"});
    const std::string quote = form->markdown ? "`" : "";
    for (const weft::Strategy* strategy : weft::strategies()) {
      all["strategies"].push_back({{"name", strategy->name()}, {"summary", strategy->summary()}, {"overlaps", strategy->overlaps()}});
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
    if (form->json)
      fmt::print("{}\n", all.dump(2));
    else if (form->markdown)
      fmt::print("{}\n{}\n{}\n{}", strategies.markdown(), kinds.markdown(), engines.markdown(), kernels.markdown());
    else
      fmt::print("{}\n{}\n{}\n{}", strategies.plain(true), kinds.plain(true), engines.plain(true), kernels.plain(true));
    return 0;
  };
}
