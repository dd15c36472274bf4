// Workspaces of the caller's, which plans share, and plans that have no memory at all.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <unistd.h>

#include <weft/weft.hpp>

#include "mpi/communicator.hpp"
#include "support/fails.hpp"
#include "support/message.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

/// Numbers that tell points apart, another set for every `k`.
template <class T>
std::vector<T> field(Index elements, int k) {
  std::vector<T> values(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = T(std::sin(0.7 * static_cast<double>(i) + k));
  return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Whoever reads what an earlier execution left gets no number.
void spoil(std::vector<std::byte>& memory) { std::memset(memory.data(), 0xff, memory.size()); }

/// One plan with memory of its own, and the same one in a workspace that others use in between.
template <class In, class Out>
class Pair {
 public:
  Pair(const Problem<In, Out>& problem, const Options& options)
      : own_(MPI_COMM_WORLD, problem, options), other_(MPI_COMM_WORLD, problem, options, Memory::callers) {}

  Index bytes() const { return other_.workspace_bytes(); }
  void use(std::vector<std::byte>& memory, Index at) {
    memory_ = &memory;
    other_.use_workspace(memory.data() + at, static_cast<Index>(memory.size()) - at);
    EXPECT_EQ(own_.workspace_bytes(), bytes());
    EXPECT_LE(own_.bytes_owned() - other_.bytes_owned(), bytes());
    EXPECT_GT(own_.bytes_owned(), other_.bytes_owned());
  }
  void compare(int k, const std::string& about) {
    const Made expected = made(own_, k), there = made(other_, k);
    EXPECT_TRUE(same_bits(expected.forward, there.forward)) << about;
    EXPECT_TRUE(same_bits(expected.backward, there.backward)) << about;
    EXPECT_TRUE(same_bits(expected.mapped, there.mapped)) << about;
  }

 private:
  struct Made {
    std::vector<Out> forward;
    std::vector<In> backward, mapped;
  };
  // Inputs are made anew for each execution, which may overwrite them.
  Made made(Plan<In, Out>& plan, int k) {
    Made all;
    auto in = field<In>(plan.input_elements(), k), again = in;
    auto spectrum = field<Out>(plan.output_elements(), k + 1);
    all.forward.resize(spectrum.size()), all.backward.resize(in.size()), all.mapped.resize(in.size());
    spoil(*memory_), plan.forward(in, all.forward);
    spoil(*memory_), plan.backward(spectrum, all.backward);
    spoil(*memory_), plan.forward_map_backward(again, all.mapped, [](const Shape&, Out& value) { value *= 2; });
    return all;
  }

  Plan<In, Out> own_, other_;
  std::vector<std::byte>* memory_ = nullptr;
};

TEST(Workspace, PlansShareOne) {
  for (const Strategy* strategy : strategies())
    for (const Options& options : std::vector<Options>{{}, {.threads = 2}, {.batch = 3}, {.placement = "overwrite"}}) {
      const bool sends_arrays = strategy->name() == "unpacked";  // from the workspace, where others pack
      if (!sends_arrays && strategy->name() != "direct" && !to_string(options).empty()) continue;
      Options asked = options;
      asked.strategy = strategy->name();
      asked.effort = "estimate", asked.wisdom = false;
      const std::string about = std::string(strategy->name()) + ", " + to_string(options);
      try {
        Pair real(r2c<double>({6, 8, 10}), asked);
        Pair complex(c2c<double>({12, 4, 6}), asked);
        std::vector<std::byte> memory(static_cast<std::size_t>(std::max(real.bytes(), complex.bytes()) + 24));
        real.use(memory, 8), complex.use(memory, 24);  // memory may begin anywhere
        for (int k = 0; k < 2; ++k) real.compare(k, about), complex.compare(k, about);
      } catch (const Declined&) {  // alike on all ranks
      }
    }
}

TEST(Workspace, MistakesAreTold) {
  const Problem<Complex, Complex> problem = c2c<double>({6, 8, 4});
  Plan<Complex, Complex> own(MPI_COMM_WORLD, problem), plan(MPI_COMM_WORLD, problem, {}, Memory::callers);
  const auto in = field<Complex>(plan.input_elements(), 0);
  std::vector<Complex> out(static_cast<std::size_t>(plan.output_elements()));
  std::vector<std::byte> memory(static_cast<std::size_t>(std::max(plan.workspace_bytes(), own.workspace_bytes())));
  const auto says = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(message([&] { plan.forward(in, out); }), "forward: the plan has no workspace on rank");
  says(message([&] { plan.use_workspace(nullptr, 1 << 20); }), "the memory is null on rank");
  says(message([&] { plan.use_workspace(memory.data(), plan.workspace_bytes() - 1); }),
       "this plan needs workspace_bytes()");
  says(message([&] { own.use_workspace(memory.data(), own.workspace_bytes()); }), "works in memory of its own");
  plan.use_workspace(memory.data(), plan.workspace_bytes());
  plan.forward(in, out);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks > 1)
    fails(mpi::Communicator::shared(MPI_COMM_WORLD),
          [&] { AnyPlan(MPI_COMM_WORLD, problem, {}, rank == 0 ? Memory::own : Memory::none); },
          {"whose the memory is"});
}

/// Bytes of memory that this process has touched.
Index resident() {
  std::ifstream file("/proc/self/statm");
  Index all = 0, pages = 0;
  file >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(Workspace, PlansWithoutMemorySayWhatTheyWouldTake) {
  for (const Strategy* strategy : strategies())
    for (const Options& options : std::vector<Options>{{}, {.batch = 3}, {.placement = "in_place"}}) {
      Options asked = options;
      asked.strategy = strategy->name();
      asked.effort = "estimate", asked.wisdom = false;
      try {
        const Plan<double, Complex> own(MPI_COMM_WORLD, r2c<double>({10, 6, 8}), asked);
        Plan<double, Complex> none(MPI_COMM_WORLD, r2c<double>({10, 6, 8}), asked, Memory::none);
        EXPECT_EQ(none.bytes_owned(), own.bytes_owned()) << strategy->name();
        EXPECT_EQ(none.workspace_bytes(), own.workspace_bytes()) << strategy->name();
        EXPECT_EQ(none.describe(), own.describe());
        EXPECT_EQ(none.steps(), own.steps());
        std::vector<double> in(static_cast<std::size_t>(none.input_elements()));
        std::vector<Complex> out(static_cast<std::size_t>(none.output_elements()));
        EXPECT_NE(message([&] { none.forward(in, out); }).find("no memory"), std::string::npos);
        EXPECT_NE(message([&] { none.input(); }).find("no memory"), std::string::npos);
      } catch (const Declined&) {  // alike on all ranks
      }
    }
}

TEST(Workspace, PlansWithoutMemoryTakeNone) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const Strategy* strategy : strategies()) {
    const Options options{.strategy = std::string(strategy->name()), .wisdom = false, .effort = "estimate"};
    try {
      const Index before = resident();
      const AnyPlan plan(MPI_COMM_WORLD, c2c<double>({512, 512, 512}), options, Memory::none);
      const Index took = resident() - before;
      EXPECT_LT(took, Index{256} << 20) << strategy->name();
      if (ranks > 1) {
        EXPECT_GT(plan.bytes_owned(), Index{1} << 28) << strategy->name();
      }
    } catch (const Declined&) {  // alike on all ranks
    }
  }
}

}  // namespace
}  // namespace weft
