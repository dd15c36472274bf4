// Plane waves in a plan: the ranks tell each other which sticks they have, and the stages beside
// the exchange of sticks get the tables of theirs.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "plan/plan.hpp"
#include "plan/route/problem.hpp"
#include "sphere/cutoff.hpp"

namespace weft {

AnyProblem problem(Precision precision, Shape grid, PlaneWaves waves) {
  waves.half = waves.cutoff ? waves.cutoff->half : waves.half;
  waves.real = waves.half || (waves.real && waves.box);
  AnyProblem p{precision, grid, c_order(grid.size()),
               std::vector<Kind>(static_cast<std::size_t>(grid.size()), Kind::c2c)};
  if (waves.real && !p.kinds.empty()) p.kinds.back() = Kind::r2c;
  p.waves = std::make_shared<const PlaneWaves>(std::move(waves));
  return p;
}

void check_waves(const AnyProblem& p, const Options& o) {
  if (p.shape.size() != 3) throw Error("plane waves on a grid " + to_string(p.shape) + "; give three extents");
  const bool real = p.kinds.back() == Kind::r2c;
  if (!(p.axes == c_order(3)) || p.kinds[0] != Kind::c2c || p.kinds[1] != Kind::c2c ||
      (p.kinds[2] != Kind::c2c && !real) || real != p.waves->real)
    throw Error(
        "plane waves are transformed along all three axes, as c2c, or the last as r2c for real functions; make the "
        "problem with sphere, gamma_sphere, kept_box or real_kept_box");
  if (o.in_place())
    throw Error(
        "placement is \"in_place\", but the coefficients of plane waves and their real space are arrays of different "
        "lengths; give two arrays");
  if (o.output || o.natural_output)
    throw Error(std::string(o.output ? "output" : "natural_output") +
                " is given, but the output of plane waves is the coefficients of each rank's own G-vectors; leave it "
                "out: the list of G-vectors, or of a cutoff the balance of its sticks, says which rank has which");
  if (o.groups > 1 && (o.input || !o.grid.empty()))
    throw Error("groups is " + std::to_string(o.groups) + " and real space is cut by the caller too; give one of them");
  if (o.components > 1)
    throw Error("components is " + std::to_string(o.components) +
                ", but plane waves lie one field behind the other; give a batch");
  if (const auto& box = p.waves->box) {
    if (box->size() != 3) throw Error("a kept box of " + std::to_string(box->size()) + " axes; give three extents");
    for (int a = 0; a < 3; ++a)
      if ((*box)[a] < 1 || (*box)[a] > p.shape[a])
        throw Error("a kept box of " + to_string(*box) + " on a grid of " + to_string(p.shape) +
                    "; give extents from 1 to the grid's");
    if (p.waves->half || p.waves->cutoff || !p.waves->mine.empty())
      throw Error("a kept box is given together with a cutoff, half a sphere or a list; give one of them");
  }
  if (p.waves->low) {
    const Shape& low = *p.waves->low;
    if (!p.waves->box || p.waves->real || low.size() != 3)
      throw Error(
          "where a kept box begins is given by three indices, of complex functions and together with its extents");
    for (int a = 0; a < 3; ++a)
      if (low[a] < -p.shape[a] || low[a] > p.shape[a] - (*p.waves->box)[a])
        throw Error("a kept box of " + std::to_string((*p.waves->box)[a]) + " indices from " + std::to_string(low[a]) +
                    " on along axis " + std::to_string(a) + ", whose indices go from 0 to " +
                    std::to_string(p.shape[a]) + " or, wrapped, from " + std::to_string(-p.shape[a]) +
                    "; give one inside");
  }
  if (p.waves->cutoff) {
    if (const auto least = missing_grid(*p.waves->cutoff, p.shape))
      throw Error("a cutoff of " + std::to_string(p.waves->cutoff->squared) + " does not fit the grid " +
                  to_string(p.shape) + "; the smallest that holds it is " + *least + " (2 max|g| + 1)");
    share_sticks({}, 1, p.waves->balance);
  }
}

std::string fingerprint(const PlaneWaves& waves) {
  std::string text = waves.half ? "half a sphere, " : "a sphere, ";
  if (waves.box)
    return (waves.real ? "of real functions a box of " : "a box of ") + to_string(*waves.box) +
           (waves.low ? " from " + to_string(*waves.low) : "");
  if (!waves.cutoff) return text + "given by lists";
  const auto add = [&](double value) {
    char number[40];
    std::snprintf(number, sizeof number, " %.17g", value);
    text += number;
  };
  text += "shared by " + waves.balance + ", cutoff";
  add(waves.cutoff->squared);
  text += ", metric";
  for (const auto& row : waves.cutoff->metric)
    for (const double value : row) add(value);
  text += ", k";
  for (const double value : waves.cutoff->k) add(value);
  return text;
}

void AnyPlan::Body::share_waves() {
  const PlaneWaves& given = *problem.waves;
  const Few<int>& grid = requested.grid;
  const int rows = !requested.input && (grid.size() == 2 || (grid.size() == 3 && grid[2] == 1)) && grid[0] > 0 &&
                           grid[1] > 0 && Index{grid[0]} * grid[1] == comm.size()
                       ? grid[1]
                       : 1;
  const Share mine = comm.agree([&] {
    vectors = given.box      ? box_vectors(*given.box, given.real, comm.size(), comm.rank(), given.low)
              : given.cutoff ? weft::vectors(share_sticks(sphere_sticks(*given.cutoff), comm.size() / rows, rows,
                                                          given.balance)[static_cast<std::size_t>(comm.rank())])
                             : given.mine;
    return Share(problem.shape, vectors, given.half, given.box.has_value());
  });
  const int groups = requested.groups;
  comm.agree([&] {
    if (comm.size() % groups != 0)
      throw Error("groups is " + std::to_string(groups) + ", which does not divide the " + std::to_string(comm.size()) +
                  " ranks; give a divisor");
  });
  const std::vector<std::string> all = comm.gather_all(mine.text());
  // ranks that follow one another have their sticks transformed together, field by field in turn
  std::vector<std::vector<Share::Element>> shares{mine.elements()};
  if (groups > 1) {
    const auto& own = mine.elements();
    static_assert(std::is_trivially_copyable_v<Share::Element>);
    shares.clear();
    const mpi::Communicator part = comm.split(comm.rank() / groups, comm.rank());
    const std::string mine_there(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Share::Element));
    for (const std::string& text : part.together([&] { return part.gather_all(mine_there); })) {
      shares.emplace_back(text.size() / sizeof(Share::Element));
      std::copy(text.begin(), text.end(), reinterpret_cast<char*>(shares.back().data()));  // perhaps nothing
    }
  }
  waves = comm.agree([&] {
    return std::make_unique<Waves>(problem.shape, all, comm.rank() / groups * groups, shares, given.half, given.real,
                                   requested.batch > 1 ? 1 : 0, rows);
  });
}

// Views that count lines by number along their last axis, as views of the grid: one for each range
// of lines that lie and count on together.
std::vector<View> AnyPlan::Body::on_grid(const std::vector<View>& numbered) const {
  std::vector<View> views;
  for (const View& view : numbered) {
    const int axis = view.box.axes() - 1;
    const auto line = [&](Index number) { return waves->lines[static_cast<std::size_t>(number)]; };
    for (Index lo = view.box.lo[axis], hi = lo; lo < view.box.hi[axis]; lo = hi) {
      for (hi = lo + 1; hi < view.box.hi[axis] && line(hi) == line(hi - 1) + 1;) ++hi;
      View part = view;
      part.box.lo[axis] = line(lo);
      part.box.hi[axis] = line(lo) + hi - lo;
      part.offset += (lo - view.box.lo[axis]) * view.strides[axis];
      views.push_back(std::move(part));
    }
  }
  return views;
}

// The views of a transform's sides stand; where a stage's own axes are others than its memory's, it
// works on the grid and looks up in a table.
void AnyPlan::Body::enter_sphere(Transform& transform) const {
  const int rank = comm.rank();
  const auto transition = static_cast<std::size_t>(route.sphere_transition);
  const Box columns = route.transitions[transition].to.box(rank);
  Box grid = space().box(rank);
  if (route.halved >= 0 && !grid.empty()) grid.hi[route.halved] = halved_shape(route.shape, route.halved)[route.halved];
  const auto look_up = [](Side& side, const Box& box, const std::shared_ptr<const Table>& table) {
    side.box = box;
    side.table = table;
  };
  const bool there = &transform == &forward;
  const std::size_t back = route.transitions.size() - 1 - transition;
  look_up(transform.sides[there ? 2 * transition + 1 : 2 * back + 2],
          waves->pencils() ? route.transitions[transition - 1].to.box(rank) : grid, waves->planes);
  if (waves->pencils()) {  // rows find their points by the numbers of lines across them
    Side& rows = transform.sides[there ? 1 : 2 * back + 4];
    rows.box = grid;
    rows.views = on_grid(rows.views);
  }
  Side& end = there ? transform.sides.back() : transform.sides.front();
  end.box = route.coefficients.box(rank);
  end.views = {route.coefficients.view(rank, there ? transform.last_slot : transform.first_slot)};
  look_up(transform.sides[there ? 2 * transition + 3 : 2 * back], columns, waves->sticks);
}

// Balance among ranks, and what the grid is large enough for.
std::string AnyPlan::Body::describe_waves() const {
  const int ranks = comm.size();
  std::ostringstream out;
  if (effective.groups > 1)
    out << "groups: " << effective.groups << " of " << ranks / effective.groups
        << (ranks == effective.groups ? " rank" : " ranks") << ", each with its part of the batch\n";
  out << "plane waves: " << (waves->half ? "half a sphere, " : "") << waves->coefficients << " coefficients on "
      << waves->columns.size() << " sticks, shared "
      << (problem.waves->cutoff ? "by " + problem.waves->balance
          : problem.waves->box  ? std::string("in slabs of the box")
                                : std::string("by the caller"))
      << "\n";
  const auto spread = [&](const char* what, auto&& count) {
    Index least = count(0), most = least, sum = 0;
    for (int r = 0; r < ranks; ++r) least = std::min(least, count(r)), most = std::max(most, count(r)), sum += count(r);
    const double mean = static_cast<double>(sum) / ranks;
    out << "  " << what << " a rank: " << least << " to " << most << ", mean " << mean << ", the most over the mean "
        << static_cast<double>(most) / mean << "\n";
  };
  const auto at = [](int r) { return static_cast<std::size_t>(r); };
  spread("coefficients", [&](int r) { return waves->first_coefficient[at(r) + 1] - waves->first_coefficient[at(r)]; });
  spread("sticks", [&](int r) {
    return waves->first_stick[at(waves->place[at(r)]) + 1] - waves->first_stick[at(waves->place[at(r)])];
  });
  spread("planes", [&](int r) { return space().box(r).extent(space().axes() - 3); });
  const Shape& least = waves->least;
  const Shape products{2 * least[0] - 1, 2 * least[1] - 1, 2 * least[2] - 1};
  Shape smallest;  // n/2 of an even grid needs no more than that grid
  for (int a = 0; a < 3; ++a) smallest.push_back(std::min(least[a], problem.shape[a]));
  out << "  the smallest grid that holds them: " << to_string(smallest) << "\n";
  for (int a = 0; a < 3; ++a)
    if (problem.shape[a] < products[a]) {
      out << "  note: products of two such fields are aliased on this grid; " << to_string(products)
          << " holds them all\n";
      break;
    }
  return out.str();
}

View AnyPlan::map_view() const {
  if (!body_->waves)
    throw Error(
        "map_view: only plane waves are mapped in real space; a map of other plans is told the global points of its "
        "lines");
  Box box = body_->space().box(body_->comm.rank());
  if (box.axes() > 3) box = {{box.lo[1], box.lo[2], box.lo[3]}, {box.hi[1], box.hi[2], box.hi[3]}};
  return dense_view(box, c_order(3));
}

}  // namespace weft
