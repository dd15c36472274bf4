// The table of cases in C++: see README.md.
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <weft/weft.hpp>

namespace {

struct Sums {
  std::uint64_t by[2] = {0, 0};
  void add(std::uint64_t word, weft::Index index) {
    by[0] ^= std::rotl(word, static_cast<int>(index % 61));
    by[1] ^= std::rotl(word, static_cast<int>(index / 61 % 59));
  }
};

/// Calls f(place in memory, index in the whole array) for each point of a part.
template <class F>
void for_each(const weft::View& view, const weft::Shape& whole, F&& f) {
  if (view.box.empty()) return;
  weft::Shape at = view.box.lo;
  for (;;) {
    weft::Index index = 0;
    for (int a = 0; a < at.size(); ++a) index = index * whole[a] + at[a];
    f(view.at(at), index);
    int a = at.size() - 1;
    while (a >= 0 && ++at[a] == view.box.hi[a]) {
      at[a] = view.box.lo[a];
      --a;
    }
    if (a < 0) return;
  }
}

template <class Real>
void fill(Real* u, const weft::View& view, const weft::Shape& whole, int parts) {
  for_each(view, whole, [&](weft::Index place, weft::Index i) {
    u[place * parts] = static_cast<Real>((37 * i + 11) % 101 - 50) / 64;
    if (parts == 2) u[place * parts + 1] = static_cast<Real>((53 * i + 29) % 97 - 48) / 64;
  });
}

template <class Real>
void sum(const Real* u, const weft::View& view, const weft::Shape& whole, int parts, Sums& sums) {
  for_each(view, whole, [&](weft::Index place, weft::Index i) {
    for (int p = 0; p < parts; ++p) {
      std::uint64_t word = 0;
      std::memcpy(&word, u + place * parts + p, sizeof(Real));
      sums.add(word, i * parts + p);
    }
  });
}

template <class Real>
void run(const weft::AnyProblem& problem, const weft::Options& options, Sums& there, Sums& back) {
  weft::AnyPlan plan(MPI_COMM_WORLD, problem, options);
  const int in = weft::complex_input(problem) ? 2 : 1, out = weft::complex_output(problem) ? 2 : 1;
  const auto u = plan.input_memory(), u_hat = plan.output_memory();
  auto* const values = reinterpret_cast<Real*>(u.get());
  auto* const modes = reinterpret_cast<Real*>(u_hat.get());
  fill(values, plan.input_view(), plan.input_layout().shape(), in);
  plan.forward(values, modes);
  sum(modes, plan.output_view(), plan.output_layout().shape(), out, there);
  plan.backward(modes, values);
  sum(values, plan.input_view(), plan.input_layout().shape(), in, back);
}

std::string one(std::istringstream& line, const std::string& name) {
  std::string precision, kinds, extents, options_text, word;
  line >> precision >> kinds >> extents >> options_text;
  std::vector<weft::Kind> each;
  for (std::istringstream parts(kinds); std::getline(parts, word, ',');) each.push_back(weft::kind_from_string(word));
  weft::Shape shape;
  for (std::istringstream parts(extents); std::getline(parts, word, 'x');) shape.push_back(std::stoll(word));
  weft::Options options;
  weft::set(options, "effort", "estimate");
  if (options_text != "-")
    for (std::istringstream parts(options_text); std::getline(parts, word, ';');)
      weft::set(options, word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  Sums all[2];
  try {
    const auto problem = weft::problem(weft::precision_from_string(precision), each, shape);
    if (precision == "single")
      run<float>(problem, options, all[0], all[1]);
    else
      run<double>(problem, options, all[0], all[1]);
  } catch (const weft::Error&) {
    return name + " declined\n";
  }
  MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
  char text[100];
  std::snprintf(text, sizeof text, "%016llx%016llx %016llx%016llx", static_cast<unsigned long long>(all[0].by[0]),
                static_cast<unsigned long long>(all[0].by[1]), static_cast<unsigned long long>(all[1].by[0]),
                static_cast<unsigned long long>(all[1].by[1]));
  return name + " " + text + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0, given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  std::ifstream file(argv[1]);
  std::ofstream to;
  if (rank == 0) to.open(argv[2]);
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string name;
    if (line >> name && name.front() != '#') to << one(line, name);
  }
  MPI_Finalize();
}
