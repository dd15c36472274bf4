// What planning costs: counted, not timed. The functions of FFTW and MPI that matter are replaced
// by ones that count and then call the library's own.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <mpi.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <weft/weft.hpp>

#include "engines/engine.hpp"
#include "engines/lanes.hpp"
#include "mpi/communicator.hpp"
#include "support/engines.hpp"

namespace {

struct Counts {
  int exports = 0, imports = 0, plans = 0;  // of FFTW's
  int reductions = 0, broadcasts = 0;       // of MPI's
};
Counts counts;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void fftw_export_wisdom(void (*write)(char, void*), void* to) {
  ++counts.exports;
  next<void(void (*)(char, void*), void*)>("fftw_export_wisdom")(write, to);
}
int fftw_import_wisdom_from_string(const char* text) {
  ++counts.imports;
  return next<int(const char*)>("fftw_import_wisdom_from_string")(text);
}
void* fftw_plan_guru64_dft(int rank, const void* points, int many, const void* lines, void* in, void* out, int sign,
                           unsigned flags) {
  ++counts.plans;
  using Plan = void*(int, const void*, int, const void*, void*, void*, int, unsigned);
  return next<Plan>("fftw_plan_guru64_dft")(rank, points, many, lines, in, out, sign, flags);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++counts.reductions;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++counts.broadcasts;
  return PMPI_Bcast(data, count, type, root, comm);
}

}  // extern "C"

namespace weft {
namespace {

std::vector<LineSpec> lines_of(std::initializer_list<Index> lengths) {
  std::vector<LineSpec> specs;
  for (const Index n : lengths)
    for (const Direction d : {Direction::forward, Direction::backward})
      specs.push_back({Kind::c2c, d, Precision::double_, n});
  return specs;
}

template <class Work>
Counts counted(Work work) {
  const Counts before = counts;
  work();
  return {counts.exports - before.exports, counts.imports - before.imports, counts.plans - before.plans,
          counts.reductions - before.reductions, counts.broadcasts - before.broadcasts};
}

TEST(PlanningTiny, FftwIsAskedOnceForWhatAProgramTaughtIt) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("weft");  // whose short lines are FFTW's
  fftw.let_go();
  const auto specs = lines_of({12, 15, 20});
  std::vector<std::shared_ptr<const Lines>> lines;
  const Counts first = counted([&] { lines = fftw.plan_all(specs, "estimate"); });
  EXPECT_EQ(first.exports, 1);
  EXPECT_EQ(first.imports, 0);
  EXPECT_GE(first.plans, 6);
  lines.clear();
  const Counts again = counted([&] { lines = fftw.plan_all(specs, "estimate"); });
  EXPECT_EQ(again.exports + again.imports + again.plans, 0) << "the last lines are held";
  lines.clear();
  forget_wisdom();
  EXPECT_GE(counted([&] { lines = fftw.plan_all(specs, "estimate"); }).plans, 6);
}

TEST(PlanningTiny, KernelsAreGuessedWithoutFftw) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  if (kernel_set() != "avx512") GTEST_SKIP() << "other kernels are not guessed";
  const Engine& weft = engine("weft");
  weft.let_go();
  const auto specs = lines_of({40, 64, 74});
  std::vector<std::shared_ptr<const Lines>> lines;
  const Counts cost = counted([&] { lines = weft.plan_all(specs, "estimate"); });
  EXPECT_EQ(cost.exports + cost.imports + cost.plans, 0);
  for (const auto& of : lines) EXPECT_TRUE(of->takes_steps());
  EXPECT_FALSE(weft.plan(lines_of({8}).front(), "estimate")->takes_steps()) << "FFTW's, of short lines";
}

TEST(PlanningTiny, KnownLinesAreReadOnceEach) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("fftw");
  const auto specs = lines_of({12, 20});
  fftw.plan_all(specs, "measure");
  fftw.let_go();
  const Counts again = counted([&] { fftw.plan_all(specs, "measure"); });
  EXPECT_EQ(again.exports, 1);
  EXPECT_EQ(again.imports, 4);
}

std::string wisdom_of_program() {
  std::string text;
  fftw_export_wisdom([](char c, void* to) { static_cast<std::string*>(to)->push_back(c); }, &text);
  return text;
}

TEST(PlanningTiny, WisdomOfTheProgramStays) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  struct Dimension {
    std::ptrdiff_t n, is, os;
  } const points{9, 1, 1};
  std::vector<double> in(18), out(18);
  constexpr unsigned estimate = 1u << 6;
  fftw_plan_guru64_dft(1, &points, 0, nullptr, in.data(), out.data(), -1, estimate);  // lives on: one plan
  const std::string taught = wisdom_of_program();
  ASSERT_NE(taught.find("fftw_codelet"), std::string::npos);
  const Engine& fftw = engine("fftw");
  fftw.let_go();
  const Counts cost = counted([&] { fftw.plan_all(lines_of({12, 20}), "estimate"); });
  EXPECT_EQ(cost.exports, 1);
  EXPECT_EQ(cost.imports, 1);
  EXPECT_EQ(wisdom_of_program(), taught);
}

// FFTW's search of such a line takes minutes.
TEST(Planning, LongLinesEndInTime) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("fftw");
  const auto start = std::chrono::steady_clock::now();
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, Index{1} << 22};
  fftw.plan(spec, "measure");
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 10);
  // what was not searched to the end is told, and obeyed where wisdom goes
  const std::string wisdom = fftw.export_wisdom({spec}, "measure");
  EXPECT_NE(wisdom.find("/unfinished 0"), std::string::npos) << wisdom;
  fftw.import_wisdom(wisdom);
  EXPECT_EQ(fftw.export_wisdom({spec}, "measure"), wisdom);
}

TEST(PlanningTiny, UnfinishedSearchesAreNotGoneOnWith) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("fftw");
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 9000};
  const std::string text = "weft fftw wisdom 1\n" + to_string(spec) + " measure out_of_place/unfinished 0\n\n";
  fftw.import_wisdom(text);
  EXPECT_EQ(fftw.export_wisdom({spec}, "measure"), text);
  const Counts cost = counted([&] { fftw.plan(spec, "measure"); });
  EXPECT_EQ(cost.plans, 1);
  EXPECT_EQ(fftw.export_wisdom({spec}, "measure"), text);
}

// Planning long lines takes long: those that came by kernels go back by kernels, and FFTW is not
// asked.
TEST(PlanningTiny, LongLinesGoBackAsTheyCame) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const LineSpec there{Kind::c2c, Direction::forward, Precision::double_, 4608};
  if (!fits_lanes(there)) GTEST_SKIP() << "this processor has no kernels";
  const Engine& weft = engine("weft");
  const std::string by_kernels = " measure " + std::string(lanes_manner()) + " 0\n\n";
  weft.import_wisdom("weft fftw wisdom 1\n" + to_string(there) + by_kernels);
  const Counts cost = counted([&] { weft.plan(there.opposite(), "measure"); });
  EXPECT_EQ(cost.exports + cost.imports + cost.plans, 0);
  const std::string wisdom = weft.export_wisdom({there.opposite()}, "measure");
  EXPECT_EQ(wisdom, "weft fftw wisdom 1\n" + to_string(there.opposite()) + by_kernels);
}

// A plan like one that was made before costs no planning of lines, and no more collectives than
// these.
TEST(PlanningTiny, CollectivesOfAPlan) {
  for (const char* effort : {"estimate", "measure"})
    for (const char* strategy : {"alltoallv", "auto"}) {
      const auto plan = [&] {
        Plan fft(MPI_COMM_WORLD, c2c<double>({8, 8, 8}), {.strategy = strategy, .wisdom = false, .effort = effort});
      };
      plan();
      const Counts again = counted(plan);
      EXPECT_EQ(again.exports + again.imports + again.plans, 0) << effort << ' ' << strategy;
      EXPECT_LE(again.reductions, 34) << effort << ' ' << strategy;
      EXPECT_LE(again.broadcasts, 2) << effort << ' ' << strategy;
    }
}

// Wisdom travels where a rank has none of it or other, and then all have rank 0's.
TEST(PlanningTiny, WisdomTravelsWhereItIsNew) {
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 22};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) engine(Options().engine).plan(spec, "measure");
  const auto comm = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const auto plan = [&] {
    Plan fft(MPI_COMM_WORLD, c2c<double>({22, 22, 22}),
             {.strategy = "alltoallv", .wisdom = false, .effort = "measure"});
  };
  const int first = counted(plan).broadcasts, again = counted(plan).broadcasts;
  if (comm.size() > 1 && has_fftw()) {
    EXPECT_GT(first, again);
  }
  EXPECT_TRUE(comm.alike(engine(Options().engine).export_wisdom({spec}, "measure")));
}

TEST(PlanningTiny, AlikeSeesEveryDifference) {
  const auto comm = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  EXPECT_TRUE(comm.alike(""));
  EXPECT_TRUE(comm.alike("the same on all"));
  if (comm.size() == 1) return;
  for (int other = 0; other < comm.size(); ++other) {
    EXPECT_FALSE(comm.alike(comm.rank() == other ? "a" : "b"));
    EXPECT_FALSE(comm.alike(comm.rank() == other ? std::string(1, '\0') : ""));
  }
}

}  // namespace
}  // namespace weft
