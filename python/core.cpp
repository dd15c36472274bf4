// The compiled part of the Python package: the C++ headers as weft/__init__.py needs them. No
// decision is made here.
//
// Communicators come as Fortran's numbers.
#include "arrays.hpp"

namespace {

using RunLists = std::vector<std::vector<std::pair<Index, Index>>>;
std::vector<std::vector<weft::Run>> runs_of(const RunLists& lists) {
  std::vector<std::vector<weft::Run>> all;
  for (const auto& list : lists) {
    all.emplace_back();
    for (const auto& [first, count] : list) all.back().push_back({first, count});
  }
  return all;
}
void check_rank(const weft::Layout& layout, int rank) {
  if (rank < 0 || rank >= layout.ranks())
    throw weft::Error("rank " + std::to_string(rank) + " is asked for; the layout has " +
                      std::to_string(layout.ranks()) + " ranks");
}

std::vector<weft::GVector> vectors_of(
    const nb::ndarray<const int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& g) {
  std::vector<weft::GVector> all;
  for (std::size_t i = 0; i < g.shape(0); ++i)
    all.push_back({g.data()[3 * i], g.data()[3 * i + 1], g.data()[3 * i + 2]});
  return all;
}
using Matrix = std::array<std::array<double, 3>, 3>;
weft::Cutoff cutoff_of(double squared, const Matrix& metric, const std::array<double, 3>& k, bool half) {
  return {.squared = squared, .metric = metric, .k = k, .half = half};
}

}  // namespace

NB_MODULE(WEFT_PYTHON_MODULE, m) {
  nb::set_leak_warnings(false);  // what a program still holds when it ends is its own affair
  nb::exception<weft::Error> error(m, "Error", PyExc_RuntimeError);
  nb::exception<weft::Declined>(m, "Declined", error.ptr());

  m.def("library_version", [] {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.substr(0, static_cast<std::size_t>(length));
  });
  m.def("listed", [](const std::string& name) {
    std::vector<std::pair<std::string, std::string>> all;
    if (name == "engines") return weft::engine_list();
    if (name == "kinds") return weft::kind_list();
    if (name == "strategies") {
      for (const weft::Strategy* s : weft::strategies()) all.emplace_back(s->name(), s->summary());
    } else if (name == "options") {
      for (const weft::Option& o : weft::options()) all.emplace_back(o.name, o.help);
    }
    return all;
  });

  bind_layouts(m);
  bind_problems(m);
  bind_plans(m);
  bind_moves(m);
  bind_tuning(m);
  bind_lines(m);
  bind_forecasts(m);
}

void bind_layouts(nb::module_& m) {
  nb::class_<weft::Layout> layout(m, "Layout");
  layout
      .def_static(
          "boxes",
          [](const Numbers& shape, const std::vector<std::pair<Numbers, Numbers>>& boxes, const Numbers& order,
             const Numbers& padding) { return weft::Layout(few(shape), boxes_of(boxes), ints(order), few(padding)); },
          nb::arg("shape"), nb::arg("boxes"), nb::arg("order") = Numbers(), nb::arg("padding") = Numbers(),
          "One box (lo, hi) a rank, half-open. `order` lists axes as memory has them, the slowest first.")
      .def_static(
          "slab",
          [](const Numbers& shape, int axis, int ranks, const std::string& split, const Numbers& order) {
            return weft::Layout::slab(few(shape), axis, ranks, weft::Split::from(split), ints(order));
          },
          nb::arg("shape"), nb::arg("axis"), nb::arg("ranks"), nb::arg("split") = "even", nb::arg("order") = Numbers(),
          "Cut along one axis: split \"even\", \"blocks\", \"blocks:8\" or bounds as \"0,3,8\".")
      .def_static(
          "grid",
          [](const Numbers& shape, const Numbers& grid, const std::string& split, const Numbers& order) {
            return weft::Layout::grid(few(shape), ints(grid), weft::Split::from(split), ints(order));
          },
          nb::arg("shape"), nb::arg("grid"), nb::arg("split") = "even", nb::arg("order") = Numbers(),
          "Cut into grid[a] parts along every axis; ranks in C order of the grid.")
      .def_static(
          "replicated", [](const Numbers& shape, int ranks) { return weft::Layout::replicated(few(shape), ranks); },
          nb::arg("shape"), nb::arg("ranks"), "Everything on every rank.")
      .def_static(
          "runs",
          [](const Numbers& shape, const RunLists& runs) { return weft::Layout::runs(few(shape), runs_of(runs)); },
          nb::arg("shape"), nb::arg("runs"),
          "A list of (first, count) a rank: consecutive global indices in C order, in memory as they are listed.")
      .def_static(
          "sticks",
          [](const Numbers& shape, const std::vector<std::vector<std::tuple<Numbers, Index, Index>>>& sticks) {
            std::vector<std::vector<weft::Stick>> all;
            for (const auto& one : sticks) {
              all.emplace_back();
              for (const auto& [at, lo, hi] : one) all.back().push_back({few(at), lo, hi});
            }
            return weft::Layout::sticks(few(shape), all);
          },
          nb::arg("shape"), nb::arg("sticks"),
          "A list of (indices on the other axes, lo, hi) a rank: columns of the last axis.")
      .def_static(
          "checkerboard",
          [](const Numbers& shape, const std::vector<std::pair<Numbers, Numbers>>& boxes) {
            return weft::Layout::checkerboard(few(shape), boxes_of(boxes));
          },
          nb::arg("shape"), nb::arg("boxes"),
          "Of each box the points whose global index sum is even, then the odd ones, each in C order.")
      .def(
          "runs_of",
          [](const weft::Layout& l, int rank) {
            check_rank(l, rank);
            if (l.has_boxes()) throw weft::Error("this layout is made of boxes; box(rank) tells");
            std::vector<std::pair<Index, Index>> all;
            for (const weft::Run& run : l.runs(rank)) all.emplace_back(run.first, run.count);
            return all;
          },
          nb::arg("rank"), "[(first, count), ...] of a rank's list.")
      .def(
          "grown", [](const weft::Layout& l, const Numbers& width) { return l.grown(few(width)); }, nb::arg("width"),
          "The same boxes with width[a] points more at both ends of every axis.")
      .def(
          "ordered",
          [](const weft::Layout& l, const Numbers& order, const Numbers& padding) {
            return l.ordered(ints(order), few(padding));
          },
          nb::arg("order"), nb::arg("padding") = Numbers(), "The same boxes in another memory order and padding.")
      .def_prop_ro("shape", [](const weft::Layout& l) { return tuple_of(l.shape()); })
      .def_prop_ro("ranks", &weft::Layout::ranks)
      .def_prop_ro("has_boxes", &weft::Layout::has_boxes)
      .def_prop_ro(
          "order",
          [](const weft::Layout& l) { return tuple_of(l.order().empty() ? weft::c_order(l.axes()) : l.order()); })
      .def_prop_ro("padding",
                   [](const weft::Layout& l) {
                     return tuple_of(l.padding().empty() ? Shape::filled(l.axes(), 0) : l.padding());
                   })
      .def(
          "box",
          [](const weft::Layout& l, int rank) {
            check_rank(l, rank);
            if (!l.has_boxes()) throw weft::Error("this layout is made of lists, not of boxes; runs_of(rank) tells");
            return pair_of(l.box(rank));
          },
          nb::arg("rank"), "(lo, hi) of a rank's part.")
      .def(
          "memory",
          [](const weft::Layout& l, int rank) {
            check_rank(l, rank);
            if (l.has_boxes()) {
              const weft::View view = l.view(rank);
              return std::pair(listed(view.strides), l.elements(rank));
            }
            return std::pair(Numbers{1}, l.elements(rank));
          },
          nb::arg("rank"), "Strides of a rank's part, and how many elements its memory has.")
      .def("describe", &weft::Layout::describe, nb::arg("every_part") = false)
      .def("__repr__", [](const weft::Layout& l) { return "<weft.Layout: " + l.describe() + ">"; })
      .def(
          "__eq__",
          [](const weft::Layout& a, nb::handle b) {
            return nb::isinstance<weft::Layout>(b) && a == nb::cast<const weft::Layout&>(b);
          },
          nb::arg("other").none())
      .def("__hash__", [](const weft::Layout& l) {
        std::size_t hash = static_cast<std::size_t>(l.ranks());
        for (const Index n : l.shape()) hash = hash * 1000003 + static_cast<std::size_t>(n);
        return static_cast<Py_hash_t>(hash >> 1);
      });
}

void bind_problems(nb::module_& m) {
  nb::class_<weft::AnyProblem>(m, "Problem")
      .def_prop_ro("shape", [](const weft::AnyProblem& p) { return tuple_of(p.shape); })
      .def_prop_ro("axes", [](const weft::AnyProblem& p) { return tuple_of(p.axes); })
      .def_prop_ro("kinds", [](const weft::AnyProblem& p) {
        std::vector<std::string> names;
        for (const weft::Kind kind : p.kinds) names.emplace_back(weft::to_string(kind));
        return names;
      });
  m.def("problem", [](const std::string& precision, const std::vector<std::string>& names, const Numbers& shape,
                      const Numbers& axes) {
    std::vector<weft::Kind> kinds;
    for (const std::string& name : names) kinds.push_back(weft::kind_from_string(name));
    return weft::problem(weft::precision_from_string(precision), kinds, few(shape), ints(axes));
  });
  m.def("problem_of_vectors", [](const std::string& precision, const Numbers& grid,
                                 const nb::ndarray<const int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& g,
                                 bool real) {
    return weft::problem(weft::precision_from_string(precision), few(grid), {.mine = vectors_of(g), .half = real});
  });
  m.def("problem_of_cutoff", [](const std::string& precision, const Numbers& grid, double squared, const Matrix& metric,
                                const std::array<double, 3>& k, const std::string& balance, bool real) {
    return weft::problem(weft::precision_from_string(precision), few(grid),
                         {.cutoff = cutoff_of(squared, metric, k, real), .balance = balance, .half = real});
  });
  m.def("problem_of_box", [](const std::string& precision, const Numbers& grid, const Numbers& kept,
                             const std::optional<Numbers>& low, bool real) {
    weft::PlaneWaves waves{.box = few(kept), .real = real};
    if (low) waves.low = few(*low);
    return weft::problem(weft::precision_from_string(precision), few(grid), waves);
  });
  m.def("sphere_vectors", [](double squared, const Matrix& metric, const std::array<double, 3>& k, bool half, int ranks,
                             int rank, const std::string& rule) {
    if (rank < 0 || rank >= ranks)
      throw weft::Error("rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " is asked for");
    const auto shares = weft::share_sticks(weft::sphere_sticks(cutoff_of(squared, metric, k, half)), ranks, rule);
    return numpy_of_vectors(weft::vectors(shares[static_cast<std::size_t>(rank)]));
  });
}
