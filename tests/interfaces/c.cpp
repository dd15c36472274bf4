// The C interface gives the bits of the C++ one, says its messages, and costs no allocation.
#include <weft/weft.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

#include "support/allocations.hpp"

namespace {

using Set = std::map<std::string, std::string>;

/// A problem in both interfaces.
struct Both {
  std::string name;
  weft::AnyProblem cpp;
  std::function<int(weft_problem**)> c;
};

Both both(const std::string& precision, const std::string& kinds, std::vector<int64_t> shape,
          std::vector<int64_t> axes = {}) {
  std::vector<weft::Kind> all;
  for (std::size_t begin = 0, end = 0; end != kinds.npos; begin = end + 1) {
    end = kinds.find(',', begin);
    all.push_back(weft::kind_from_string(kinds.substr(begin, end - begin)));
  }
  weft::Order order;
  for (const int64_t a : axes) order.push_back(static_cast<int>(a));
  return {precision + " " + kinds + " " + weft::to_string(weft::Shape(shape)),
          weft::problem(weft::precision_from_string(precision), all, shape, order), [=](weft_problem** problem) {
            return weft_problem_create(problem, precision.c_str(), static_cast<int64_t>(shape.size()), shape.data(),
                                       kinds.c_str(), static_cast<int64_t>(axes.size()), axes.data());
          }};
}

std::vector<Both> problems() {
  static constexpr std::array<int64_t, 3> grid{12, 10, 8}, kept{6, 6, 4}, low{-3, 0, -2};
  weft_cutoff cutoff;
  weft_cutoff_init(&cutoff);
  cutoff.squared = 9;
  cutoff.metric[0][0] = 1.5;
  cutoff.metric[0][1] = cutoff.metric[1][0] = 0.25;
  const weft::Cutoff same{.squared = 9, .metric = {{{1.5, 0.25, 0}, {0.25, 1, 0}, {0, 0, 1}}}};
  const weft::Shape shape(grid.begin(), grid.end());
  std::vector<Both> all = {
      both("double", "c2c", {12, 10, 8}),       both("single", "c2c", {7, 5, 9}),
      both("double", "r2c", {12, 9, 6}),        both("single", "r2c", {8, 8}),
      both("double", "dct2", {6, 5, 4}),        both("double", "c2c,dst2,r2c", {6, 5, 8}),
      both("double", "c2c", {4, 6, 8}, {0, 2}), both("double", "r2hc,dht", {9, 8}),
  };
  all.push_back({"sphere", weft::sphere<double>(shape, same),
                 [=](weft_problem** p) { return weft_problem_cutoff(p, "double", grid.data(), &cutoff, nullptr, 0); }});
  all.push_back({"real sphere", weft::gamma_sphere<float>(shape, same), [=](weft_problem** p) {
                   return weft_problem_cutoff(p, "single", grid.data(), &cutoff, "coefficients", 1);
                 }});
  all.push_back(
      {"kept box", weft::kept_box<double>(shape, weft::Shape(kept.begin(), kept.end())),
       [](weft_problem** p) { return weft_problem_kept_box(p, "double", grid.data(), kept.data(), nullptr, 0); }});
  all.push_back(
      {"real kept box", weft::real_kept_box<double>(shape, weft::Shape(kept.begin(), kept.end())),
       [](weft_problem** p) { return weft_problem_kept_box(p, "double", grid.data(), kept.data(), nullptr, 1); }});
  all.push_back(
      {"box from low on", weft::kept_box<double>(shape, weft::Box{{-3, 0, -2}, {3, 6, 2}}),
       [](weft_problem** p) { return weft_problem_kept_box(p, "double", grid.data(), kept.data(), low.data(), 0); }});
  return all;
}

weft_options* options_of(const Set& set) {
  weft_options* options = nullptr;
  EXPECT_EQ(weft_options_create(&options), WEFT_OK);
  for (const auto& [name, value] : set)
    EXPECT_EQ(weft_options_set(options, name.c_str(), value.c_str()), WEFT_OK) << weft_error();
  return options;
}
weft::Options cpp_options_of(const Set& set) {
  weft::Options options;
  for (const auto& [name, value] : set) weft::set(options, name, value);
  return options;
}

using Bytes = std::vector<std::byte>;

/// Numbers that differ by rank, place and round; every byte of them is part of some number.
void fill(Bytes& bytes, weft::Precision precision, int rank, int round) {
  const std::size_t size = precision == weft::Precision::single_ ? sizeof(float) : sizeof(double);
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    const double value =
        static_cast<double>((i / size * 7919 + static_cast<std::size_t>(rank * 104729 + round * 31)) % 1009) / 1009 -
        0.5;
    const auto as_float = static_cast<float>(value);
    std::memcpy(&bytes[i], size == sizeof(float) ? static_cast<const void*>(&as_float) : &value, size);
  }
}

int count_lines(const weft_line* line, void* context) {
  ++*static_cast<int*>(context);
  return line->count < 0;
}

TEST(CInterface, GivesTheBitsOfCpp) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<Set> settings = {{{"effort", "estimate"}},
                                     {{"effort", "estimate"}, {"strategy", "alltoallv"}, {"batch", "2"}},
                                     {{"effort", "estimate"}, {"strategy", "isend"}, {"scale", "full"}},
                                     {{"effort", "estimate"}, {"placement", "overwrite"}}};
  for (const Both& problem : problems())
    for (const Set& set : settings) {
      SCOPED_TRACE(problem.name + ", " + weft::to_string(cpp_options_of(set)));
      weft::AnyPlan cpp(MPI_COMM_WORLD, problem.cpp, cpp_options_of(set));
      weft_problem* made = nullptr;
      weft_options* options = options_of(set);
      weft_plan* c = nullptr;
      ASSERT_EQ(problem.c(&made), WEFT_OK) << weft_error();
      ASSERT_EQ(weft_plan_create(&c, MPI_COMM_WORLD, made, options), WEFT_OK) << weft_error();
      weft_options_destroy(&options);
      weft_problem_destroy(&made);

      weft_view in, out;
      ASSERT_EQ(weft_plan_input_view(c, &in), WEFT_OK);
      ASSERT_EQ(weft_plan_output_view(c, &out), WEFT_OK);
      EXPECT_EQ(in.elements, cpp.input_elements());
      EXPECT_EQ(out.reach, cpp.output_reach());
      EXPECT_EQ(weft::Shape(in.lo, in.lo + in.axes), cpp.input_view().box.lo);
      EXPECT_EQ(weft::Shape(out.hi, out.hi + out.axes), cpp.output_view().box.hi);
      EXPECT_EQ(weft::Shape(out.strides, out.strides + out.axes), cpp.output_view().strides);

      const auto precision = problem.cpp.precision;
      const auto size = [&](weft::Index elements, bool is_complex) {
        return static_cast<std::size_t>(elements) * weft::element_bytes(precision, is_complex);
      };
      const std::size_t before = size(in.elements, weft::complex_input(problem.cpp));
      const std::size_t after = size(out.elements, weft::complex_output(problem.cpp));
      cpp.measure(true);
      ASSERT_EQ(weft_plan_measure(c, 1), WEFT_OK);
      for (int round = 0; round < 2; ++round) {
        Bytes u(before + 1), v(before + 1), u_hat(after + 1), v_hat(after + 1);
        fill(u, precision, rank, round);
        v = u;
        cpp.forward(u.data(), u_hat.data());
        ASSERT_EQ(weft_plan_forward(c, v.data(), v_hat.data()), WEFT_OK) << weft_error();
        EXPECT_TRUE(u_hat == v_hat);
        if (out.reach > 0) {
          EXPECT_NE(u_hat, Bytes(after + 1)) << "nothing was transformed";
        }
        cpp.backward(u_hat.data(), u.data());
        ASSERT_EQ(weft_plan_backward(c, v_hat.data(), v.data()), WEFT_OK) << weft_error();
        EXPECT_TRUE(u == v);
      }
      weft_spent spent;
      ASSERT_EQ(weft_plan_spent(c, &spent), WEFT_OK);
      EXPECT_EQ(spent.calls, cpp.spent().calls);
      EXPECT_EQ(spent.messages, cpp.spent().messages);
      EXPECT_EQ(spent.bytes, cpp.spent().bytes);
      weft_plan_destroy(&c);
    }
}

/// A potential that differs from point to point, applied in C and by a map in C++.
template <class Real>
void applies(const Both& problem, int rank) {
  weft::AnyPlan cpp(MPI_COMM_WORLD, problem.cpp, {.effort = "estimate"});
  weft_problem* made = nullptr;
  weft_options* options = options_of({{"effort", "estimate"}});
  weft_plan* c = nullptr;
  ASSERT_EQ(problem.c(&made), WEFT_OK) << weft_error();
  ASSERT_EQ(weft_plan_create(&c, MPI_COMM_WORLD, made, options), WEFT_OK) << weft_error();
  weft_options_destroy(&options);
  weft_problem_destroy(&made);
  const weft::View view = cpp.map_view();
  const auto points = static_cast<std::size_t>(view.box.volume());
  const auto size = static_cast<std::size_t>(cpp.output_elements()) * 2 * sizeof(Real);
  Bytes in(size), out(size + 1), expected(size + 1), potential(points * sizeof(Real));
  fill(in, problem.cpp.precision, rank, 1);
  fill(potential, problem.cpp.precision, rank, 2);
  const auto* const v = reinterpret_cast<const Real*>(potential.data());
  const auto scale = static_cast<Real>(cpp.scale());
  const weft::Index parts = weft::complex_input(problem.cpp) ? 2 : 1;
  const auto multiply = [&](const weft::Line& line) {
    for (weft::Index k = 0; k < parts * line.count; ++k) {
      weft::Shape point = line.first;
      point[line.axis] += k / parts;
      static_cast<Real*>(line.values)[k] *= scale * v[view.at(point)];
    }
  };
  cpp.backward_map_forward(in.data(), expected.data(), std::cref(multiply));
  ASSERT_EQ(weft_plan_apply(c, v, view.box.volume(), in.data(), out.data()), WEFT_OK) << weft_error();
  EXPECT_TRUE(out == expected);
  weft_plan_destroy(&c);
}

TEST(CInterface, AppliesPotentials) {
  int rank = 0, applied = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const Both& problem : problems()) {
    if (!problem.cpp.waves) continue;
    SCOPED_TRACE(problem.name);
    ++applied;
    problem.cpp.precision == weft::Precision::single_ ? applies<float>(problem, rank) : applies<double>(problem, rank);
  }
  EXPECT_GT(applied, 2);
}

TEST(CInterface, SaysTheMessagesOfCpp) {
  weft_problem* problem = nullptr;
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, std::array<int64_t, 3>{4, 4, 4}.data(), "c2c", 0, nullptr),
            WEFT_OK);
  weft_options* options = options_of({{"grid", "7,9"}});
  std::string said;
  try {
    weft::AnyPlan(MPI_COMM_WORLD, weft::c2c<double>({4, 4, 4}), {.grid = {7, 9}});
  } catch (const weft::Error& e) {
    said = e.what();
  }
  ASSERT_FALSE(said.empty());
  auto* plan = reinterpret_cast<weft_plan*>(&said);  // becomes NULL
  EXPECT_EQ(weft_plan_create(&plan, MPI_COMM_WORLD, problem, options), WEFT_ERROR);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(weft_error(), said);
  std::string elsewhere = "?";
  std::thread([&] { elsewhere = weft_error(); }).join();
  EXPECT_EQ(elsewhere, "") << "a message is of its thread";
  weft_options_destroy(&options);
  options = options_of({{"strategy", "alltoall"}});
  weft_problem_destroy(&problem);
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, std::array<int64_t, 3>{5, 7, 3}.data(), "c2c", 0, nullptr),
            WEFT_OK);
  bool declined = false;
  try {
    weft::AnyPlan(MPI_COMM_WORLD, weft::c2c<double>({5, 7, 3}), {.strategy = "alltoall"});
  } catch (const weft::Declined&) {
    declined = true;
  }
  EXPECT_EQ(weft_plan_create(&plan, MPI_COMM_WORLD, problem, options), declined ? WEFT_DECLINED : WEFT_OK);
  weft_plan_destroy(&plan);
  weft_options_destroy(&options);
  weft_problem_destroy(&problem);
}

TEST(CInterface, NoExceptionCrosses) {
  weft_problem* problem = nullptr;
  weft_plan* plan = nullptr;
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, std::array<int64_t, 3>{8, 8, 8}.data(), "c2c", 0, nullptr),
            WEFT_OK);
  ASSERT_EQ(weft_plan_create(&plan, MPI_COMM_WORLD, problem, nullptr), WEFT_OK) << weft_error();
  void* u = nullptr;
  void* u_hat = nullptr;
  ASSERT_EQ(weft_plan_input(plan, &u), WEFT_OK);
  ASSERT_EQ(weft_plan_output(plan, &u_hat), WEFT_OK);
  const weft_map throws = [](const weft_line*, void*) -> int { throw 7; };
  EXPECT_EQ(weft_plan_forward_map_backward(plan, u, u, throws, nullptr), WEFT_ERROR);
  EXPECT_NE(std::string(weft_error()), "");
  EXPECT_EQ(weft_plan_backward_map_forward(plan, u_hat, u_hat, throws, nullptr), WEFT_ERROR);  // no plane waves
  EXPECT_EQ(weft_plan_forward(plan, u, u_hat), WEFT_OK) << "the plan is as good as before: " << weft_error();

  EXPECT_EQ(weft_plan_forward(plan, u, u_hat), WEFT_OK);
  int lines = 0;
  EXPECT_EQ(weft_plan_forward_map_backward(plan, u, u, count_lines, &lines), WEFT_OK);
  EXPECT_GT(lines, 0);
  const long before = allocations();
  EXPECT_EQ(weft_plan_forward(plan, u, u_hat), WEFT_OK);
  EXPECT_EQ(weft_plan_backward(plan, u_hat, u), WEFT_OK);
  EXPECT_EQ(weft_plan_forward_map_backward(plan, u, u, count_lines, &lines), WEFT_OK);
  EXPECT_EQ(allocations(), before) << "executing allocates nothing";
  weft_plan_destroy(&plan);
  weft_problem_destroy(&problem);
}

TEST(CInterface, PartsOfLargerArrays) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::array<int64_t, 3> shape{8, 6, 4}, padding{2, 2, 2}, first{1, 1, 1};
  weft_layout *slabs = nullptr, *padded = nullptr;
  ASSERT_EQ(weft_layout_slab(&slabs, 3, shape.data(), 0, ranks, nullptr, nullptr), WEFT_OK);
  ASSERT_EQ(weft_layout_ordered(&padded, slabs, nullptr, padding.data()), WEFT_OK) << weft_error();
  weft_options* options = nullptr;
  weft_problem* problem = nullptr;
  weft_plan* plan = nullptr;
  ASSERT_EQ(weft_options_create(&options), WEFT_OK);
  ASSERT_EQ(weft_options_set_layout(options, "input", padded), WEFT_OK);
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, shape.data(), "c2c", 0, nullptr), WEFT_OK);
  ASSERT_EQ(weft_plan_create(&plan, MPI_COMM_WORLD, problem, options), WEFT_OK) << weft_error();
  weft_view in;
  ASSERT_EQ(weft_plan_input_view(plan, &in), WEFT_OK);
  const std::array<int64_t, 3> extents{in.hi[0] - in.lo[0] + 2, 8, 6};
  int64_t offset = -1;
  EXPECT_EQ(weft_plan_input_offset(plan, extents.data(), first.data(), extents[0] * 48, &offset), WEFT_OK)
      << weft_error();
  EXPECT_EQ(offset, 48 + 6 + 1);
  EXPECT_EQ(weft_plan_input_offset(plan, extents.data(), first.data(), extents[0] * 48 - 1, &offset), WEFT_ERROR);
  weft_plan_destroy(&plan);
  weft_problem_destroy(&problem);
  weft_options_destroy(&options);
  weft_layout_destroy(&padded);
  weft_layout_destroy(&slabs);
}

}  // namespace
