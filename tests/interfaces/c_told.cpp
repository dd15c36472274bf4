// What the C interface tells is what the C++ interface tells: layouts, options, plans, traces,
// tuning and wisdom.
#include <weft/weft.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <weft/weft.hpp>

#include "c_text.hpp"

namespace {

using Three = std::array<int64_t, 3>;
constexpr Three shape{8, 6, 4};

std::string layout_told(const weft_layout* layout) {
  return told([&](char* t, int64_t room, int64_t* n) { return weft_layout_describe(layout, 1, t, room, n); });
}
std::string options_told(const weft_options* options) {
  return told([&](char* t, int64_t room, int64_t* n) { return weft_options_describe(options, t, room, n); });
}

/// A file's text; a file that is not there has none.
std::string contents(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "r")) {
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
  }
  return text;
}

struct World {
  int rank = 0, ranks = 1;
  MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  /// Another name in each process group, the same on all ranks.
  std::string path(const std::string& name) const {
    int id = getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return "weft_told_" + std::to_string(id) + name;
  }
};

TEST(CTold, Layouts) {
  const World world;
  std::vector<int64_t> lo, hi, counts, at, from, to;
  std::vector<weft::Box> boxes;
  std::vector<std::vector<weft::Stick>> sticks(static_cast<std::size_t>(world.ranks));
  for (int r = 0; r < world.ranks; ++r) {
    const weft::Box box{{0, 0, 4 * r / world.ranks}, {8, 6, 4 * (r + 1) / world.ranks}};
    boxes.push_back(box);
    lo.insert(lo.end(), box.lo.begin(), box.lo.end());
    hi.insert(hi.end(), box.hi.begin(), box.hi.end());
    counts.push_back(r + 1);
    for (int64_t s = 0; s <= r; ++s) {
      sticks[static_cast<std::size_t>(r)].push_back({{r, s}, s, s + 2});
      at.insert(at.end(), {r, s});
      from.push_back(s);
      to.push_back(s + 2);
    }
  }
  const weft::Shape global(shape.begin(), shape.end());
  const Three order{2, 0, 1}, padding{1, 0, 2}, width{1, 2, 0};
  weft_layout* made = nullptr;
  const auto is = [&](int status, const weft::Layout& cpp) {
    ASSERT_EQ(status, WEFT_OK) << weft_error();
    EXPECT_EQ(layout_told(made), cpp.describe(true));
    weft_layout_destroy(&made);
  };
  const weft::Layout whole(global, boxes, {2, 0, 1}, {1, 0, 2});
  is(weft_layout_boxes(&made, 3, shape.data(), world.ranks, lo.data(), hi.data(), order.data(), padding.data()), whole);
  is(weft_layout_boxes(&made, 3, shape.data(), world.ranks, lo.data(), hi.data(), nullptr, nullptr),
     weft::Layout(global, boxes));
  is(weft_layout_sticks(&made, 3, shape.data(), world.ranks, counts.data(), at.data(), from.data(), to.data()),
     weft::Layout::sticks(global, sticks));
  is(weft_layout_checkerboard(&made, 3, shape.data(), world.ranks, lo.data(), hi.data()),
     weft::Layout::checkerboard(global, boxes));
  is(weft_layout_replicated(&made, 3, shape.data(), world.ranks), weft::Layout::replicated(global, world.ranks));
  const Three grid{1, world.ranks, 1};
  is(weft_layout_grid(&made, 3, shape.data(), grid.data(), nullptr, order.data()),
     weft::Layout::grid(global, {1, world.ranks, 1}, weft::Split::even(), {2, 0, 1}));
  is(weft_layout_grid(&made, 3, shape.data(), grid.data(), "even;blocks;even", nullptr),
     weft::Layout::grid(global, {1, world.ranks, 1},
                        std::vector<weft::Split>{weft::Split::even(), weft::Split::blocks(), weft::Split::even()}));

  weft_layout* base = nullptr;
  ASSERT_EQ(weft_layout_boxes(&base, 3, shape.data(), world.ranks, lo.data(), hi.data(), order.data(), padding.data()),
            WEFT_OK);
  is(weft_layout_grown(&made, base, width.data()), whole.grown({1, 2, 0}));
  std::array<int64_t, WEFT_MAX_AXES> read_order{}, read_padding{};
  EXPECT_EQ(weft_layout_order(base, read_order.data(), read_padding.data()), WEFT_OK);
  EXPECT_TRUE(std::equal(order.begin(), order.end(), read_order.begin()));
  EXPECT_TRUE(std::equal(padding.begin(), padding.end(), read_padding.begin()));
  weft_layout_destroy(&base);
}

TEST(CTold, OptionsAndLists) {
  for (const weft::Option& row : weft::options()) {
    const std::string name(row.name);
    const auto of = [&](auto f) {
      return told([&](char* t, int64_t room, int64_t* n) { return f(name.c_str(), t, room, n); });
    };
    EXPECT_EQ(of(weft_option_group), weft::to_string(row.group));
    EXPECT_EQ(of(weft_option_type), weft::to_string(row.type));
    EXPECT_EQ(of(weft_option_allowed), row.allowed());
  }
  const auto kinds = weft::kind_list();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) {
                return weft_list_summary("kinds", static_cast<int64_t>(i), t, room, n);
              }),
              kinds[i].second);

  weft_options *options = nullptr, *copy = nullptr;
  ASSERT_EQ(weft_options_create(&options), WEFT_OK);
  const std::array<int64_t, 2> grid{3, 2};
  EXPECT_EQ(weft_options_set_integers(options, "grid", 2, grid.data()), WEFT_OK) << weft_error();
  const weft::Kernel& kernel = weft::kernels().front();
  EXPECT_EQ(weft_options_set_kernel(options, std::string(kernel.name).c_str()), WEFT_OK) << weft_error();
  EXPECT_EQ(options_told(options), weft::to_string(kernel.of({.grid = {3, 2}})));
  ASSERT_EQ(weft_options_copy(&copy, options), WEFT_OK);
  EXPECT_EQ(weft_options_set(options, "batch", "2"), WEFT_OK);
  EXPECT_EQ(options_told(copy), weft::to_string(kernel.of({.grid = {3, 2}}))) << "a copy is one";
  weft_options_destroy(&options);
  weft_options_destroy(&copy);
}

TEST(CTold, WorkspacesOfTheCallers) {
  weft_problem* problem = nullptr;
  weft_plan *plan = nullptr, *other = nullptr;
  int64_t bytes = 0;
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, shape.data(), "c2c", 0, nullptr), WEFT_OK);
  EXPECT_NE(weft_plan_create_in(&plan, MPI_COMM_WORLD, problem, nullptr, "mine"), WEFT_OK);
  EXPECT_NE(std::string(weft_error()).find("give own, callers or none"), std::string::npos) << weft_error();
  ASSERT_EQ(weft_plan_create_in(&plan, MPI_COMM_WORLD, problem, nullptr, "callers"), WEFT_OK) << weft_error();
  ASSERT_EQ(weft_plan_create(&other, MPI_COMM_WORLD, problem, nullptr), WEFT_OK) << weft_error();
  weft_plan* none = nullptr;
  ASSERT_EQ(weft_plan_create_in(&none, MPI_COMM_WORLD, problem, nullptr, "none"), WEFT_OK) << weft_error();
  weft_problem_destroy(&problem);
  EXPECT_NE(weft_plan_forward(none, nullptr, nullptr), WEFT_OK);
  EXPECT_NE(std::string(weft_error()).find("no memory"), std::string::npos) << weft_error();
  weft_plan_destroy(&none);
  ASSERT_EQ(weft_plan_workspace_bytes(plan, &bytes), WEFT_OK);
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  EXPECT_NE(weft_plan_use_workspace(plan, memory.data(), bytes - 1), WEFT_OK);
  EXPECT_EQ(weft_plan_use_workspace(plan, memory.data(), bytes), WEFT_OK) << weft_error();
  const std::vector<std::complex<double>> in(8 * 6 * 4, 1.5);
  std::vector<std::complex<double>> out(in.size()), expected(in.size());
  EXPECT_EQ(weft_plan_forward(plan, in.data(), out.data()), WEFT_OK) << weft_error();
  EXPECT_EQ(weft_plan_forward(other, in.data(), expected.data()), WEFT_OK) << weft_error();
  EXPECT_EQ(out, expected);
  weft_plan_destroy(&plan);
  weft_plan_destroy(&other);
}

TEST(CTold, Plans) {
  const World world;
  weft_problem *problem = nullptr, *copy = nullptr, *again = nullptr;
  weft_plan* plan = nullptr;
  weft_options* requested = nullptr;
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, shape.data(), "c2c", 0, nullptr), WEFT_OK);
  ASSERT_EQ(weft_problem_copy(&copy, problem), WEFT_OK);
  weft_problem_destroy(&problem);
  ASSERT_EQ(weft_plan_create(&plan, MPI_COMM_WORLD, copy, nullptr), WEFT_OK) << weft_error();
  weft_problem_destroy(&copy);
  const weft::AnyPlan cpp(MPI_COMM_WORLD, weft::c2c<double>({8, 6, 4}));

  int64_t number = -1, different = -1;
  EXPECT_EQ(weft_plan_bytes_owned(plan, &number), WEFT_OK);
  EXPECT_EQ(number, cpp.bytes_owned());
  EXPECT_EQ(weft_plan_workspace_bytes(plan, &number), WEFT_OK);
  EXPECT_EQ(number, cpp.workspace_bytes());
  int trying = -1;
  EXPECT_EQ(weft_plan_trying(plan, &trying), WEFT_OK);
  EXPECT_EQ(trying, cpp.trying());
  EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) {
              return weft_plan_datatypes(plan, &number, &different, t, room, n);
            }),
            cpp.datatypes().text);
  EXPECT_EQ(number, cpp.datatypes().made);
  EXPECT_EQ(different, 0);
  EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) { return weft_plan_steps(plan, t, room, n); }), cpp.steps());

  const auto considered = cpp.considered();
  EXPECT_EQ(weft_plan_exchanges(plan, &number), WEFT_OK);
  ASSERT_EQ(number, static_cast<int64_t>(considered.size()));
  for (std::size_t e = 0; e < considered.size(); ++e) {
    std::vector<weft_considered> read(100);
    EXPECT_EQ(weft_plan_considered(plan, static_cast<int64_t>(e), read.data(), 100, &number), WEFT_OK) << weft_error();
    ASSERT_EQ(number, static_cast<int64_t>(considered[e].size()));
    for (std::size_t i = 0; i < considered[e].size(); ++i) {
      EXPECT_EQ(read[i].strategy, considered[e][i].strategy);
      EXPECT_EQ(read[i].declined, considered[e][i].declined);
      EXPECT_EQ(read[i].bytes, considered[e][i].cost.bytes);
      EXPECT_EQ(read[i].depth, considered[e][i].cost.depth);
    }
  }
  EXPECT_EQ(weft_plan_considered(plan, static_cast<int64_t>(considered.size()), nullptr, 0, &number), WEFT_ERROR);

  EXPECT_EQ(weft_plan_requested(plan, &requested), WEFT_OK);
  EXPECT_EQ(options_told(requested), weft::to_string(cpp.requested()));
  weft_options_destroy(&requested);
  weft_layout* layout = nullptr;
  EXPECT_EQ(weft_plan_output_layout(plan, &layout), WEFT_OK);
  EXPECT_EQ(layout_told(layout), cpp.output_layout().describe(true));
  weft_layout_destroy(&layout);
  const weft::View out = cpp.output_view();
  Three extents{}, first{};
  for (int a = 0; a < 3; ++a) extents[static_cast<std::size_t>(a)] = out.box.extent(a);
  EXPECT_EQ(weft_plan_output_offset(plan, extents.data(), first.data(), cpp.output_elements(), &number), WEFT_OK)
      << weft_error();
  EXPECT_EQ(number, 0);
  void* made = nullptr;
  EXPECT_EQ(weft_plan_make_output(plan, &made), WEFT_OK);
  EXPECT_EQ(weft_free(made), WEFT_OK);

  weft_plan* second = nullptr;  // of what the first tells of its problem
  ASSERT_EQ(weft_plan_problem(plan, &again), WEFT_OK);
  weft_plan_destroy(&plan);
  ASSERT_EQ(weft_plan_create_f(&second, world.comm, again, nullptr), WEFT_OK) << weft_error();
  EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) { return weft_plan_steps(second, t, room, n); }), cpp.steps());
  weft_plan_destroy(&second);
  weft_problem_destroy(&again);
}

TEST(CTold, Sticks) {
  const Three kept{4, 3, 2};
  const auto sticks = weft::box_sticks({4, 3, 2});
  int64_t count = 0;
  std::vector<weft_stick> read(sticks.size()), shared(sticks.size());
  ASSERT_EQ(weft_box_sticks(kept.data(), read.data(), static_cast<int64_t>(read.size()), &count), WEFT_OK);
  ASSERT_EQ(count, static_cast<int64_t>(sticks.size()));
  EXPECT_EQ(read.back().g2, sticks.back().g2);
  EXPECT_EQ(read.back().lo, sticks.back().lo);
  std::array<int64_t, 5> begin{};
  ASSERT_EQ(weft_share_sticks_in_pencils(count, read.data(), 2, 2, "columns", shared.data(), begin.data()), WEFT_OK)
      << weft_error();
  const auto shares = weft::share_sticks(sticks, 2, 2, "columns");
  for (std::size_t r = 0; r < 4; ++r) {
    ASSERT_EQ(begin[r + 1] - begin[r], static_cast<int64_t>(shares[r].size()));
    for (std::size_t i = 0; i < shares[r].size(); ++i) {
      const weft_stick& stick = shared[static_cast<std::size_t>(begin[r]) + i];
      EXPECT_EQ((weft::SphereStick{stick.g1, stick.g2, stick.lo, stick.hi}), shares[r][i]);
    }
  }
  EXPECT_EQ(weft_share_sticks(count, read.data(), 2, "fairness", shared.data(), begin.data()), WEFT_ERROR);
}

TEST(CTold, DataAndTraces) {
  const World world;
  const std::string npy = world.path(".npy"), json = world.path(".json");
  weft_layout *rows = nullptr, *columns = nullptr;
  weft_redistribution* turn = nullptr;
  weft_trace* trace = nullptr;
  weft_timeline* timeline = nullptr;
  ASSERT_EQ(weft_layout_slab(&rows, 3, shape.data(), 0, world.ranks, nullptr, nullptr), WEFT_OK);
  ASSERT_EQ(weft_layout_slab(&columns, 3, shape.data(), 1, world.ranks, nullptr, nullptr), WEFT_OK);
  std::vector<float> a(200, 1), b(200, 2);
  ASSERT_EQ(weft_file_write_f(world.comm, npy.c_str(), rows, "f8", a.data(), "f4", 200), WEFT_OK) << weft_error();
  int64_t axes = 0;
  std::array<int64_t, WEFT_MAX_AXES> extents{};
  EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) {
              return weft_file_inspect_f(world.comm, npy.c_str(), &axes, extents.data(), t, room, n);
            }),
            "f8");
  EXPECT_TRUE(axes == 3 && std::equal(shape.begin(), shape.end(), extents.begin()));
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank == 0) std::remove(npy.c_str());

  ASSERT_EQ(weft_redistribution_create_f(&turn, world.comm, rows, columns, 4, nullptr, nullptr), WEFT_OK);
  ASSERT_EQ(weft_trace_create_f(&trace, world.comm, 1000), WEFT_OK);
  ASSERT_EQ(weft_redistribution_record(turn, trace), WEFT_OK);
  ASSERT_EQ(weft_redistribution_execute(turn, a.data(), b.data()), WEFT_OK);
  const weft::Redistribution cpp(MPI_COMM_WORLD, weft::Layout::slab({8, 6, 4}, 0, world.ranks),
                                 weft::Layout::slab({8, 6, 4}, 1, world.ranks), 4);
  EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) { return weft_redistribution_describe(turn, t, room, n); }),
            cpp.describe());
  int64_t number = -1, ranks = -1;
  EXPECT_EQ(weft_trace_left_out(trace, &number), WEFT_OK);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(weft_trace_bytes_owned(trace, &number), WEFT_OK);
  EXPECT_GT(number, 0);
  ASSERT_EQ(weft_trace_write(trace, json.c_str()), WEFT_OK) << weft_error();
  EXPECT_EQ(weft_trace_write(trace, "/no/such/folder/trace.json"), WEFT_ERROR);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_NE(contents(json).find("redistribut"), std::string::npos);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank == 0) std::remove(json.c_str());
  ASSERT_EQ(weft_trace_timeline(trace, &timeline), WEFT_OK);
  double integral = -1, communication = -1, seconds = -1;
  EXPECT_EQ(weft_timeline_sums(timeline, &integral, &communication), WEFT_OK);
  EXPECT_NEAR(integral, communication, 1e-9);
  EXPECT_EQ(weft_timeline_counts(timeline, nullptr, nullptr, &number), WEFT_OK);
  if (world.rank == 0) {
    ASSERT_GT(number, 1);
    EXPECT_EQ(weft_timeline_communicating(timeline, number - 1, &seconds, &ranks), WEFT_OK);
    EXPECT_EQ(ranks, 0) << "in the end nobody communicates";
    EXPECT_GT(seconds, 0);
  }
  weft_timeline_destroy(&timeline);
  weft_trace_destroy(&trace);
  weft_redistribution_destroy(&turn);
  weft_layout_destroy(&rows);
  weft_layout_destroy(&columns);
}

TEST(CTold, TuningAndWisdom) {
  const World world;
  weft_problem* problem = nullptr;
  weft_tuning* tuning = nullptr;
  weft_options* options = nullptr;
  ASSERT_EQ(weft_problem_create(&problem, "single", 3, shape.data(), "r2c", 0, nullptr), WEFT_OK);
  ASSERT_EQ(weft_tune_f(&tuning, world.comm, problem, nullptr, 0.05, 0, 0, nullptr, nullptr, nullptr), WEFT_OK)
      << weft_error();
  EXPECT_NE(told([&](char* t, int64_t room, int64_t* n) { return weft_tuning_reason(tuning, t, room, n); }), "");
  const auto text =
      told([&](char* t, int64_t room, int64_t* n) { return weft_tuning_describe(tuning, 0, t, room, n); });
  const auto json =
      told([&](char* t, int64_t room, int64_t* n) { return weft_tuning_describe(tuning, 1, t, room, n); });
  EXPECT_EQ(json.front(), '{');
  EXPECT_NE(text, json);
  const auto in_json = [&](const std::string& name) {  // of the first candidate
    const std::size_t at = json.find("\"" + name + "\":");
    return at == json.npos ? -1 : std::stod(json.substr(at + name.size() + 3));
  };
  weft_candidate first{};
  ASSERT_EQ(weft_tuning_candidate(tuning, 0, &first), WEFT_OK) << weft_error();
  EXPECT_FLOAT_EQ(static_cast<float>(first.forward_seconds), static_cast<float>(in_json("forward_seconds")));
  EXPECT_FLOAT_EQ(static_cast<float>(first.backward_seconds), static_cast<float>(in_json("backward_seconds")));
  double seconds = -1;
  EXPECT_EQ(weft_tuning_seconds(tuning, &seconds), WEFT_OK);
  EXPECT_GE(seconds, 0);
  weft_machine machine{}, measured{};
  EXPECT_EQ(weft_tuning_machine(tuning, &machine), WEFT_OK);
  EXPECT_GT(machine.flops_per_second, 0);
  EXPECT_EQ(weft_measure_machine(MPI_COMM_WORLD, 0, nullptr, &measured), WEFT_OK) << weft_error();
  EXPECT_GT(measured.copied_per_second, 0);
  const std::vector<int> apart = [&] {
    std::vector<int> numbers;
    for (int r = 0; r < world.ranks; ++r) numbers.push_back(r);
    return numbers;
  }();
  EXPECT_EQ(weft_measure_machine_f(world.comm, world.ranks, apart.data(), &measured), WEFT_OK) << weft_error();
  std::vector<int> nodes(apart.size());
  EXPECT_EQ(weft_nodes_f(world.comm, world.ranks, apart.data(), nodes.data(), world.ranks, nullptr), WEFT_OK);
  EXPECT_EQ(nodes, apart);
  ASSERT_EQ(weft_tuning_candidate_options(tuning, 0, &options), WEFT_OK) << weft_error();
  EXPECT_NE(options_told(options), "");
  weft_options_destroy(&options);

  EXPECT_EQ(weft_forget_wisdom(), WEFT_OK);
  // Once alone: remembering is collective.
  std::array<char, 1000> said{};
  EXPECT_EQ(weft_remember_f(world.comm, problem, nullptr, tuning, said.data(), said.size(), nullptr), WEFT_OK);
  EXPECT_NE(said[0], '\0');
  const auto exported = told([](char* t, int64_t room, int64_t* n) { return weft_export_wisdom(t, room, n); });
  EXPECT_EQ(exported, weft::export_wisdom());
  EXPECT_EQ(weft_forget_wisdom(), WEFT_OK);
  weft_tuning* short_one = nullptr;  // of another problem
  const Three cube{4, 4, 4};
  weft_problem_destroy(&problem);
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, cube.data(), "c2c", 0, nullptr), WEFT_OK);
  ASSERT_EQ(weft_tune_f(&short_one, world.comm, problem, nullptr, 0, 0, 0, nullptr, nullptr, nullptr), WEFT_OK);
  EXPECT_EQ(weft_remember_f(world.comm, problem, nullptr, short_one, said.data(), said.size(), nullptr), WEFT_OK);
  const auto another = told([](char* t, int64_t room, int64_t* n) { return weft_export_wisdom(t, room, n); });
  EXPECT_EQ(weft_forget_wisdom(), WEFT_OK);
  weft_tuning_destroy(&short_one);
  std::string files;
  for (const std::string& file : weft::wisdom_files()) files += file + "\n";
  EXPECT_EQ(told([](char* t, int64_t room, int64_t* n) { return weft_wisdom_files(t, room, n); }), files);

  if (world.rank == 0) {  // files of wisdom are local
    const std::string path = "weft_told_wisdom_" + std::to_string(getpid()) + ".json";
    weft_wisdom *parsed = nullptr, *read = nullptr, *empty = nullptr;
    int64_t count = -1;
    ASSERT_EQ(weft_wisdom_parse(&parsed, exported.c_str()), WEFT_OK) << weft_error();
    ASSERT_EQ(weft_wisdom_read(&empty, path.c_str()), WEFT_OK) << weft_error();
    EXPECT_EQ(weft_wisdom_count(empty, &count), WEFT_OK);
    EXPECT_EQ(count, 0);
    ASSERT_EQ(weft_wisdom_update(path.c_str(), parsed, nullptr), WEFT_OK) << weft_error();
    ASSERT_EQ(weft_wisdom_read(&read, path.c_str()), WEFT_OK) << weft_error();
    const auto of = [](const weft_wisdom* wisdom) {
      return told([&](char* t, int64_t room, int64_t* n) { return weft_wisdom_text(wisdom, t, room, n); });
    };
    EXPECT_EQ(of(read), exported);
    EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) { return weft_wisdom_notes(read, t, room, n); }), "");
    EXPECT_EQ(weft_wisdom_merge(empty, read), WEFT_OK);
    EXPECT_EQ(of(empty), exported);
    weft_wisdom_entry entry{};
    weft_wisdom* second = nullptr;
    EXPECT_EQ(weft_wisdom_at(empty, 0, &entry), WEFT_OK) << weft_error();
    ASSERT_EQ(weft_wisdom_parse(&second, another.c_str()), WEFT_OK) << weft_error();
    EXPECT_EQ(weft_wisdom_merge(empty, second), WEFT_OK);
    EXPECT_EQ(weft_wisdom_at(empty, 1, &entry), WEFT_OK) << weft_error();
    weft_wisdom_destroy(&second);
    ASSERT_EQ(weft_wisdom_update(path.c_str(), parsed, ""), WEFT_OK) << weft_error();  // forgets first, then merges
    weft_wisdom_destroy(&read);
    ASSERT_EQ(weft_wisdom_read(&read, path.c_str()), WEFT_OK);
    EXPECT_EQ(of(read), exported);
    ASSERT_EQ(weft_wisdom_update(path.c_str(), nullptr, ""), WEFT_OK);  // all ids begin so
    weft_wisdom_destroy(&read);
    ASSERT_EQ(weft_wisdom_read(&read, path.c_str()), WEFT_OK);
    EXPECT_EQ(weft_wisdom_count(read, &count), WEFT_OK);
    EXPECT_EQ(count, 0);
    for (weft_wisdom** wisdom : {&parsed, &read, &empty}) weft_wisdom_destroy(wisdom);
    std::remove(path.c_str());
    std::remove((path + ".lock").c_str());
  }
  weft_tuning_destroy(&tuning);
  weft_problem_destroy(&problem);
}

}  // namespace
