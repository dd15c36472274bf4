#include "symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#ifdef WEFT_HAVE_SPGLIB
#include <spglib.h>
#endif

#include <weft/error.hpp>

#include "mesh.hpp"
#include "transposition.hpp"

namespace bands {

namespace {

#ifdef WEFT_HAVE_SPGLIB
struct Found {
  std::array<std::array<int, 3>, 3> rotation;
  Vector3 translation;
};

std::vector<Found> space_group(const Crystal& crystal) {
  double lattice[3][3];  // spglib's vectors are columns
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t a = 0; a < 3; ++a) lattice[a][i] = crystal.cell[i][a];
  std::vector<Vector3> at;
  std::vector<int> types;
  for (const Atom& atom : crystal.atoms) at.push_back(atom.at), types.push_back(static_cast<int>(atom.species));
  const int atoms = static_cast<int>(at.size()), most = 192 * std::max(atoms, 1);
  std::vector<std::array<std::array<int, 3>, 3>> rotations(static_cast<std::size_t>(most));
  std::vector<Vector3> translations(rotations.size());
  const auto rows = [](auto& values) { return reinterpret_cast<double(*)[3]>(values.data()); };
  const int count = spg_get_symmetry(reinterpret_cast<int(*)[3][3]>(rotations.data()), rows(translations), most,
                                     lattice, rows(at), types.data(), atoms, 1e-5);
  if (count < 1) throw weft::Error("spglib finds no symmetry of this crystal; leave out scf.symmetry");
  std::vector<Found> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) all.push_back({rotations[i], translations[i]});
  return all;
}
#endif

/// Whether W maps the grid's points onto themselves, and w is a whole number of them.
[[maybe_unused]] bool keeps_grid(const std::array<std::array<int, 3>, 3>& rotation, const Vector3& translation,
                                 const weft::Shape& grid, Operation& operation) {
  for (int i = 0; i < 3; ++i) {
    const auto a = static_cast<std::size_t>(i);
    for (int j = 0; j < 3; ++j)
      if (rotation[a][static_cast<std::size_t>(j)] * grid[i] % grid[j] != 0) return false;
    const double points = translation[a] * static_cast<double>(grid[i]);
    if (std::abs(points - std::round(points)) > 1e-3) return false;
    operation.points[a] = static_cast<weft::Index>(std::llround(points));
  }
  operation.rotation = rotation;
  return true;
}

/// Where an operation takes each atom; false where there is none.
[[maybe_unused]] bool finds_atoms(const Crystal& crystal, const Vector3& translation, Operation& operation) {
  for (const Atom& atom : crystal.atoms) {
    Vector3 at = translation;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) at[i] += operation.rotation[i][j] * atom.at[j];
    const auto same = [&](const Atom& other) {
      if (other.species != atom.species) return false;
      for (std::size_t i = 0; i < 3; ++i)
        if (std::abs(other.at[i] - at[i] - std::round(other.at[i] - at[i])) > 1e-4) return false;
      return true;
    };
    const auto there = std::find_if(crystal.atoms.begin(), crystal.atoms.end(), same);
    if (there == crystal.atoms.end()) return false;
    operation.to.push_back(static_cast<std::size_t>(there - crystal.atoms.begin()));
  }
  return true;
}

/// A point of a mesh, counted in half steps along each axis.
using Halves = std::array<long, 3>;

/// The place of k W in a mesh, whose period is two steps a point; -1 where it is none of its points.
long image(const Mesh& mesh, const std::array<std::array<int, 3>, 3>& rotation, const Halves& k) {
  const long all = static_cast<long>(mesh.divisions[0]) * mesh.divisions[1] * mesh.divisions[2];
  long place = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    long sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += k[i] * rotation[i][j] * mesh.divisions[j] * (all / mesh.divisions[i]);
    if (sum % all != 0) return -1;
    const long period = 2L * mesh.divisions[j], halves = ((sum / all) % period + period) % period;
    if ((halves - mesh.shift[j]) % 2 != 0) return -1;
    place = place * mesh.divisions[j] + halves / 2;
  }
  return place;
}

template <class F>
void each_point(const Mesh& mesh, F&& f) {
  for (long i = 0; i < mesh.divisions[0]; ++i)
    for (long j = 0; j < mesh.divisions[1]; ++j)
      for (long l = 0; l < mesh.divisions[2]; ++l)
        f(Halves{2 * i + mesh.shift[0], 2 * j + mesh.shift[1], 2 * l + mesh.shift[2]});
}

constexpr std::array<std::array<int, 3>, 3> unity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

}  // namespace

#ifdef WEFT_HAVE_SPGLIB
std::vector<Operation> symmetry(const Crystal& crystal, const weft::Shape& grid, const Mesh& mesh) {
  std::vector<Operation> all;
  for (const Found& found : space_group(crystal)) {
    Operation operation;
    if (!keeps_grid(found.rotation, found.translation, grid, operation)) continue;
    if (!finds_atoms(crystal, found.translation, operation)) continue;
    bool keeps_mesh = true;
    each_point(mesh, [&](const Halves& k) { keeps_mesh = keeps_mesh && image(mesh, found.rotation, k) >= 0; });
    if (keeps_mesh) all.push_back(operation);
  }
  return all;
}
#else
std::vector<Operation> symmetry(const Crystal&, const weft::Shape&, const Mesh&) {
  throw weft::Error(
      "scf.symmetry needs spglib, which this build has not; install it (Debian: libsymspg-dev) and configure anew, or "
      "leave out scf.symmetry");
}
#endif

std::vector<KPoint> irreducible(const Mesh& mesh, const std::vector<Operation>& operations) {
  std::vector<KPoint> points = bands::mesh(mesh.divisions, mesh.shift);
  // The first image of each place is the one that is kept.
  std::vector<long> first(static_cast<std::size_t>(mesh.divisions[0]) * static_cast<std::size_t>(mesh.divisions[1]) *
                          static_cast<std::size_t>(mesh.divisions[2]));
  std::vector<double> weights(first.size());
  each_point(mesh, [&](const Halves& k) {
    const long place = image(mesh, unity, k);
    long least = std::min(place, image(mesh, unity, {-k[0], -k[1], -k[2]}));
    for (const Operation& operation : operations)
      for (const long sign : {1L, -1L})
        least = std::min(least, image(mesh, operation.rotation, {sign * k[0], sign * k[1], sign * k[2]}));
    first[static_cast<std::size_t>(place)] = least;
    weights[static_cast<std::size_t>(least)] += 1.0 / static_cast<double>(first.size());
  });
  std::vector<KPoint> kept;
  for (KPoint& point : points) {
    Halves k;
    for (std::size_t a = 0; a < 3; ++a) k[a] = std::lround(point.k[a] * 2 * mesh.divisions[a]);
    const auto place = static_cast<std::size_t>(image(mesh, unity, k));
    if (first[place] != static_cast<long>(place)) continue;
    point.weight = weights[place];
    kept.push_back(point);
  }
  return kept;
}

Symmetriser::Symmetriser(const Space& space, MPI_Comm comm, std::vector<Operation> operations)
    : comm_(comm), operations_(std::move(operations)), grid_(space.layout().shape()), mine_(space.vectors()) {
  if (operations_.empty()) return;
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  counts_.resize(static_cast<std::size_t>(ranks));
  firsts_.resize(counts_.size());
  const int count = static_cast<int>(mine_.size());
  MPI_Allgather(&count, 1, MPI_INT, counts_.data(), 1, MPI_INT, comm_);
  for (std::size_t r = 1; r < firsts_.size(); ++r) firsts_[r] = firsts_[r - 1] + counts_[r - 1];
  places_.assign(static_cast<std::size_t>(grid_[0] * grid_[1] * grid_[2]), -1);
  int next = 0;
  for (const weft::GVector& g : all_vectors(comm_, mine_)) places_[place(g)] = next++;
  for (std::size_t a = 0; a < 3; ++a) {
    const weft::Index n = grid_[static_cast<int>(a)];
    for (weft::Index g = 0; g < n; ++g)
      turns_[a].push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(g) / static_cast<double>(n)));
  }
}

std::size_t Symmetriser::place(const weft::GVector& g) const {
  weft::Index place = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const weft::Index n = grid_[static_cast<int>(a)];
    place = place * n + ((g[a] % n) + n) % n;
  }
  return static_cast<std::size_t>(place);
}

// rho(W^-1 (x - w)) has the coefficient c(G W) exp(-2 pi i G.w) at G.
std::vector<std::complex<double>> Symmetriser::operator()(const std::vector<std::complex<double>>& density) const {
  if (operations_.empty()) return density;
  std::vector<std::complex<double>> all(static_cast<std::size_t>(firsts_.back() + counts_.back())), mean(mine_.size());
  MPI_Allgatherv(density.data(), static_cast<int>(density.size()), MPI_CXX_DOUBLE_COMPLEX, all.data(), counts_.data(),
                 firsts_.data(), MPI_CXX_DOUBLE_COMPLEX, comm_);
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    for (const Operation& operation : operations_) {
      weft::GVector from{}, mirror{};
      std::complex<double> turn = 1;
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t a = 0; a < 3; ++a) from[j] += mine_[i][a] * operation.rotation[a][j];
        mirror[j] = -from[j];
        const weft::Index n = grid_[static_cast<int>(j)], turns = mine_[i][j] * operation.points[j] % n;
        turn *= turns_[j][static_cast<std::size_t>((turns + n) % n)];
      }
      if (const int at = places_[place(from)]; at >= 0)
        mean[i] += turn * all[static_cast<std::size_t>(at)];
      else if (const int other = places_[place(mirror)]; other >= 0)
        mean[i] += turn * std::conj(all[static_cast<std::size_t>(other)]);
    }
    mean[i] /= static_cast<double>(operations_.size());
  }
  return mean;
}

std::vector<Vector3> symmetrised(const Crystal& crystal, const std::vector<Operation>& operations,
                                 const std::vector<Vector3>& forces) {
  if (operations.empty()) return forces;
  const Matrix3 b = crystal.reciprocal();
  std::vector<Vector3> mean(forces.size(), Vector3{});
  for (const Operation& operation : operations)
    for (std::size_t n = 0; n < forces.size(); ++n) {
      Vector3 turned{};  // in units of the cell's vectors, times 2 pi
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) turned[i] += operation.rotation[i][j] * dot(forces[n], b[j]);
      const Vector3 there = combine(turned, crystal.cell);
      for (std::size_t a = 0; a < 3; ++a)
        mean[operation.to[n]][a] += there[a] / (2 * std::numbers::pi * static_cast<double>(operations.size()));
    }
  return mean;
}

}  // namespace bands
