#include "space.hpp"

#include <algorithm>

#include <weft/redistribute.hpp>

namespace bands {

namespace {

weft::Options one_field(weft::Options options) {
  options.batch = 1;
  options.groups = 1;
  return options;
}

std::size_t points_of(const weft::Shape& grid) { return static_cast<std::size_t>(grid[0] * grid[1] * grid[2]); }

/// Calls f(at, count) for each row of a box: where it begins among the whole grid's points, and how
/// many there are.
template <class F>
void rows(const weft::Shape& grid, const weft::Box& box, F&& f) {
  const auto length = static_cast<std::size_t>(box.hi[2] - box.lo[2]);
  for (weft::Index x = box.lo[0]; x < box.hi[0]; ++x)
    for (weft::Index y = box.lo[1]; y < box.hi[1]; ++y)
      f(static_cast<std::size_t>((x * grid[1] + y) * grid[2] + box.lo[2]), length);
}

}  // namespace

Space::Space(MPI_Comm comm, const Crystal& crystal, const weft::Shape& grid, double cutoff, weft::Options options)
    : comm_(comm),
      plan_(comm, weft::gamma_sphere<double>(grid, weft::Cutoff{.squared = 8 * cutoff, .metric = crystal.metric()}),
            one_field(std::move(options))),
      volume_(crystal.volume()) {
  const Matrix3 b = crystal.reciprocal();
  for (const weft::GVector& g : vectors()) {
    const Vector3 wave = combine(g, b);
    squared_.push_back(dot(wave, wave));
  }
}

std::vector<double> Space::real(const std::vector<std::complex<double>>& coefficients) {
  const auto c = plan_.output();
  const auto r = plan_.input();
  std::copy(coefficients.begin(), coefficients.end(), c.data());
  plan_.backward(c, r);
  return {r.data(), r.data() + points()};
}

std::vector<std::complex<double>> Space::coefficients(const std::vector<double>& slab) {
  const auto c = plan_.output();
  const auto r = plan_.input();
  std::copy(slab.begin(), slab.end(), r.data());
  plan_.forward(r, c);
  std::vector<std::complex<double>> result(c.data(), c.data() + vectors().size());
  for (auto& value : result) value *= plan_.scale();
  return result;
}

std::vector<double> Space::part(const std::vector<double>& slab, const weft::Box& box) const {
  int same = box == plan_.input_view().box;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm_);
  if (same) return slab;
  const weft::Layout& layout = plan_.input_layout();
  const weft::Layout whole = weft::Layout::replicated(layout.shape(), layout.ranks());
  std::vector<double> all(points_of(layout.shape()));
  weft::redistribute(comm_, layout, slab.data(), whole, all.data());
  std::vector<double> result;
  rows(layout.shape(), box, [&](std::size_t at, std::size_t count) {
    result.insert(result.end(), all.begin() + static_cast<long>(at), all.begin() + static_cast<long>(at + count));
  });
  return result;
}

std::vector<double> Space::sum(MPI_Comm everybody, const std::vector<Part>& parts) const {
  const weft::Shape& grid = plan_.input_layout().shape();
  std::vector<double> all(points_of(grid));
  for (const Part& part : parts) {
    const double* from = part.values.data();
    rows(grid, part.box, [&](std::size_t at, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) all[at + i] += *from++;
    });
  }
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, everybody);
  std::vector<double> slab;
  rows(grid, plan_.input_view().box, [&](std::size_t at, std::size_t count) {
    slab.insert(slab.end(), all.begin() + static_cast<long>(at), all.begin() + static_cast<long>(at + count));
  });
  return slab;
}

double Space::product(const std::vector<std::complex<double>>& f, const std::vector<std::complex<double>>& g) const {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += weight(i) * (std::conj(f[i]) * g[i]).real();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_);
  return sum;
}

}  // namespace bands
