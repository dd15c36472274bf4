#include "../plaquette.hpp"

#include <memory>

#include <fmt/format.h>

#include "commands.hpp"

namespace staggered {

Command plaquette_command(CLI::App& app) {
  struct Request {
    std::string file, json;
  };
  const auto request = std::make_shared<Request>();
  CLI::App* const command = app.add_subcommand("plaquette", "the mean plaquettes of a gauge configuration");
  command->add_option("file", request->file, "a gauge configuration in the format v5 of the MILC code")->required();
  command->add_option("--json", request->json, "write the result to this file");
  return {command, [request] {
            const MPI_Comm comm = MPI_COMM_WORLD;
            const GaugeHeader header = read_header(comm, request->file);
            const weft::Layout layout = sites(header.shape, ranks_of(comm));
            const Plaquette found = plaquette(comm, layout, read_links(comm, request->file, layout));
            if (rank_of(comm) == 0)
              fmt::print("{}\n  {} sites, written {}, checksums right\n  plaquette: space {:.11f}, time {:.11f}\n",
                         request->file, to_string(extents(header.shape)), header.stamp, found.space, found.time);
            write_json(comm, request->json,
                       {{"file", request->file},
                        {"extents", extents_json(header.shape)},
                        {"ranks", ranks_of(comm)},
                        {"plaquette", {{"space", found.space}, {"time", found.time}}}});
            return 0;
          }};
}

}  // namespace staggered
