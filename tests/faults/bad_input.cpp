// Tables of bad input: redistributions, files and tuning.
#include "faults/bad_input.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

#include <unistd.h>

namespace weft {
namespace {

TEST_F(BadInputTiny, Redistributions) {
  struct Move {
    std::optional<Layout> from, to;
    Index bytes = 8;
    RedistributionOptions options = {};
  };
  struct Row {
    std::string name, word;
    std::function<void(Move&)> spoil;
  };
  const Shape shape{5, 4};
  const Layout slab = Layout::slab(shape, 0, ranks), other = Layout::slab(shape, 1, ranks);
  // clang-format off
  const std::vector<Row> table{
      {"0 bytes", "0 bytes", [](Move& m) { m.bytes = 0; }},
      {"-8 bytes", "-8 bytes", [](Move& m) { m.bytes = -8; }},
      {"2^58 bytes", "memory can be addressed", [](Move& m) { m.bytes = Index{1} << 58; }},
      {"most bytes", "memory can be addressed", [](Move& m) { m.bytes = most; }},
      {"unknown strategy", "no strategy 'pigeon'", [](Move& m) { m.options.strategy = "pigeon"; }},
      {"strategy of 1 MiB", "(1048576 characters)", [](Move& m) { m.options.strategy = std::string(1 << 20, 'x'); }},
      {"another shape", "5x5", [=, this](Move& m) { m.to = Layout::slab({5, 5}, 1, ranks); }},
      {"more ranks", "ranks",
       [=, this](Move& m) { m.from = Layout::slab(shape, 0, ranks + 1), m.to = Layout::slab(shape, 1, ranks + 1); }},
      {"periodic in one axis of two", "periodic", [](Move& m) { m.options.periodic = {1}; }},
      {"nodes of more ranks", "nodes are given for",
       [=, this](Move& m) { m.options.nodes = std::vector<int>(static_cast<std::size_t>(ranks + 1), 0); }},
      {"a source beyond the shape", "not inside", [=](Move& m) { m.from = slab.grown({1, 0}); }},
      {"a halo that wraps without end", "wraps",
       [=](Move& m) { m.to = slab.grown({Index{1} << 40, 0}), m.options.periodic = {1, 0}; }},
      {"an array without end", "memory can be addressed",
       [=](Move& m) { m.to = slab.grown({Index{1} << 55, 0}), m.options.periodic = {1, 0}; }},
  };
  // clang-format on
  for (const Row& row : table) {
    fails_everywhere(row.name, row.word, [&](bool bad) {
      Move move{slab, other};
      if (bad) row.spoil(move);
      Redistribution(world.raw(), *move.from, *move.to, move.bytes, move.options);
    });
    usable();
  }
}

TEST_F(BadInputTiny, Files) {
  std::string folder = (std::filesystem::temp_directory_path() / ("weft-bad-" + std::to_string(getpid()))).string();
  world.bcast(folder);
  if (rank == 0) {
    std::filesystem::create_directories(folder + "/folder.npy");
    std::ofstream(folder + "/text.npy") << "once upon a time";
    std::ofstream(folder + "/empty.raw");
  }
  world.barrier();
  const Shape shape{4, 6};
  const Layout slab = Layout::slab(shape, 0, ranks);
  std::vector<double> doubles(24);
  std::vector<float> floats(24);
  std::vector<Complex> complexes(24);
  std::vector<int> integers(24);
  const std::string good = folder + "/good.npy";
  write(world.raw(), good, slab, doubles.data());

  const auto comm = world.raw();
  const auto either = [&](auto bad, auto fine) { return [=](bool spoiled) { spoiled ? bad() : fine(); }; };
  const auto reads = [&] { read(comm, good, slab, doubles.data()); };
  const auto writes = [&] { write(comm, good, slab, doubles.data()); };
  const std::string long_path = folder + "/" + std::string(1 << 20, 'x'), escape = folder + "/\x1b[2J.npy";
  // clang-format off
  const std::vector<std::tuple<std::string, std::string, std::function<void(bool)>>> table{
      {"no file", "No such file", either([&] { read(comm, folder + "/absent.npy", slab, doubles.data()); }, reads)},
      {"a folder", "no regular file", either([&] { read(comm, folder + "/folder.npy", slab, doubles.data()); }, reads)},
      {"a text", "no npy file", either([&] { read(comm, folder + "/text.npy", slab, doubles.data()); }, reads)},
      {"an empty raw file", "the file has 0",
       either([&] { read(comm, folder + "/empty.raw", slab, doubles.data()); }, reads)},
      {"a path of 1 MiB", "characters)", either([&] { read(comm, long_path, slab, doubles.data()); }, reads)},
      {"a path with an escape", "\\x1b[2J", either([&] { read(comm, escape, slab, doubles.data()); }, reads)},
      {"f8 into floats", "'f4'", either([&] { read(comm, good, slab, floats.data()); }, reads)},
      {"f8 into complex", "'c16'", either([&] { read(comm, good, slab, complexes.data()); }, reads)},
      {"f8 into int", "'i4'", either([&] { read(comm, good, slab, integers.data()); }, reads)},
      {"f8 into int, by name", "'f8' in the file and of 'i4' in the array",
       either([&] { read(comm, good, slab, "f8", integers.data()); }, reads)},
      {"f8 into complex, by name", "'f8' in the file and of 'c16' in the array",
       either([&] { read(comm, good, slab, "f8", complexes.data()); }, reads)},
      {"f4 named, f8 there", "elements are 'f8', and 'f4' was asked for",
       either([&] { read(comm, good, slab, "f4", floats.data()); }, reads)},
      {"f8 asked as f4 untyped", "'f4'",
       either([&] { read(comm, good, slab, "f4", static_cast<void*>(floats.data())); }, reads)},
      {"types f8 c8", "'f8 c8' is no element type",
       either([&] { read(comm, good, slab, "f8 c8", static_cast<void*>(doubles.data())); }, reads)},
      {"type f12", "'f12' is no element type",
       either([&] { read(comm, good, slab, "f12", static_cast<void*>(doubles.data())); }, reads)},
      {"no type", "'' is no element type",
       either([&] { read(comm, good, slab, "", static_cast<void*>(doubles.data())); }, reads)},
      {"a type of 1 MiB", "(1048576 characters)",
       either([&] { read(comm, good, slab, std::string(1 << 20, 'x'), static_cast<void*>(doubles.data())); }, reads)},
      {"another shape", "4x6",
       either([&] { read(comm, good, Layout::slab({6, 4}, 0, ranks), doubles.data()); }, reads)},
      {"more ranks", "ranks",
       either([&] { read(comm, good, Layout::slab(shape, 0, ranks + 1), doubles.data()); }, reads)},
      {"a null pointer", "null", either([&] { read(comm, good, slab, static_cast<double*>(nullptr)); }, reads)},
      {"a span too short", "room for 1 elements",
       either([&] { read(comm, good, slab, std::span(doubles).first(1)); }, reads)},
      {"write to no folder", "No such file",
       either([&] { write(comm, folder + "/absent/a.npy", slab, doubles.data()); }, writes)},
      {"write to a folder", "no regular file",
       either([&] { write(comm, folder + "/folder.npy", slab, doubles.data()); }, writes)},
      {"write int as f8", "'f8' in the file and of 'i4' in the array",
       either([&] { write(comm, good, slab, "f8", integers.data()); }, writes)},
      {"write double as c8", "'c8' in the file and of 'f8' in the array",
       either([&] { write(comm, good, slab, "c8", doubles.data()); }, writes)},
      {"write a null pointer", "null",
       either([&] { write(comm, good, slab, static_cast<const double*>(nullptr)); }, writes)},
      {"write a span too short", "room for 1 elements",
       either([&] { write(comm, good, slab, std::span(doubles).first(1)); }, writes)},
      {"write with holes", "no rank",
       either([&] { write(comm, good, Layout(shape, std::vector<Box>(static_cast<std::size_t>(ranks),
           Box{{0, 0}, {0, 0}})), doubles.data()); }, writes)},
      {"write beyond the shape", "not inside",
       either([&] { write(comm, good, slab.grown({1, 1}), doubles.data()); }, writes)},
      {"inspect nothing", "No such file", either([&] { inspect(comm, folder + "/absent.npy"); },
       [&] { inspect(comm, good); })},
      {"inspect a text", "no npy file", either([&] { inspect(comm, folder + "/text.npy"); },
       [&] { inspect(comm, good); })},
  };
  // clang-format on
  for (const auto& [name, word, call] : table) {
    fails_everywhere(name, word, call);
    usable();
  }
  if (rank == 0) std::filesystem::remove_all(folder);
}

TEST_F(BadInputTiny, Tuning) {
  struct Row {
    std::string name, word;
    std::function<void(Ask&, TuneOptions&)> spoil;
  };
  // clang-format off
  const std::vector<Row> table{
      {"seconds NaN", "seconds is", [](Ask&, TuneOptions& t) { t.seconds = nan; }},
      {"seconds -1", "seconds is -1", [](Ask&, TuneOptions& t) { t.seconds = -1; }},
      {"skew infinite", "skew_seconds", [](Ask&, TuneOptions& t) { t.skew_seconds = infinite; }},
      {"no axes", "no axes", [](Ask& a, TuneOptions&) { a.problem = r2c<double>(Shape{}); }},
      {"unknown engine", "engine", [](Ask& a, TuneOptions&) { a.options.engine = "abacus"; }},
  };
  // clang-format on
  for (const Row& row : table)
    fails_everywhere(row.name, row.word, [&](bool bad) {
      Ask ask;
      TuneOptions how{.seconds = 0};
      if (bad) row.spoil(ask, how);
      tune(world.raw(), ask.problem, ask.options, how);
    });
  fails_everywhere("spans of a trace", "-1", [&](bool bad) { Trace(world.raw(), bad ? -1 : 16); });
  usable();
}

}  // namespace
}  // namespace weft
