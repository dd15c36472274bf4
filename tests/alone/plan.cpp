// A plan without weft's tuner, which this program is not even linked with: a chooser of its own
// says what options leave open.
#include <complex>
#include <cstdio>
#include <vector>

#include <mpi.h>

#include "plan/chooser.hpp"

namespace {

using Complex = std::complex<double>;

/// Names a strategy where none is named.
class Simple final : public weft::Chooser {
 public:
  Told choose(const Asked& asked, const Make& make) const override {
    weft::Options choice = asked.options;
    choice.strategy = "alltoallv";
    make(choice, {});
    return {"", "a chooser of its own"};
  }
};

class Plan final : public weft::AnyPlan {
 public:
  Plan(const weft::AnyProblem& problem, const weft::Options& options)
      : AnyPlan(MPI_COMM_WORLD, problem, options, weft::Memory::own, Simple()) {}
};

int check() {
  Plan plan(weft::c2c<double>({6, 5, 4}), {.effort = "estimate"});
  if (plan.effective().strategy != "alltoallv" || plan.describe().find("a chooser of its own") == std::string::npos) {
    std::printf("the chooser was not asked:\n%s", plan.describe().c_str());
    return 1;
  }
  // a constant becomes one wave
  const std::vector<Complex> in(static_cast<std::size_t>(plan.input_elements()), 1.0);
  std::vector<Complex> out(static_cast<std::size_t>(plan.output_elements()));
  plan.forward(in.data(), out.data());
  const weft::View view = plan.output_view();
  double error = 0;
  for (weft::Index x = view.box.lo[0]; x < view.box.hi[0]; ++x)
    for (weft::Index y = view.box.lo[1]; y < view.box.hi[1]; ++y)
      for (weft::Index z = view.box.lo[2]; z < view.box.hi[2]; ++z) {
        const Complex expected = x == 0 && y == 0 && z == 0 ? 120 : 0;
        error = std::max(error, std::abs(out[static_cast<std::size_t>(view.at({x, y, z}))] - expected));
      }
  if (error > 1e-12) std::printf("off by %g\n", error);
  return error > 1e-12 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 1;
  try {
    failed = check();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}
