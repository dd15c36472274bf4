// The compiled part of the Python package: the C++ headers as weft/__init__.py needs them. No decision is made here.
//
// Communicators come as Fortran's numbers. Whatever may wait for other ranks runs without the interpreter's lock.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <weft/weft.hpp>

namespace nb = nanobind;
using weft::Index;
using weft::Shape;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

namespace {

using Numbers = std::vector<Index>;
Shape few(const Numbers& numbers) { return {numbers}; }
weft::Few<int> ints(const Numbers& numbers) {
  weft::Few<int> all;
  for (const Index n : numbers) {
    if (n != static_cast<int>(n)) throw weft::Error(std::to_string(n) + " is given as an axis or a number of parts");
    all.push_back(static_cast<int>(n));
  }
  return all;
}
template <class Entries>
Numbers listed(const Entries& entries) {
  return {entries.begin(), entries.end()};
}

/// What an element is, as NumPy's codes have it.
char code_of(weft::Precision precision, bool is_complex) {
  const bool is_single = precision == weft::Precision::single_;
  return is_complex ? (is_single ? 'F' : 'D') : (is_single ? 'f' : 'd');
}
const char* name_of(char code) {
  return code == 'f' ? "float32" : code == 'd' ? "float64" : code == 'F' ? "complex64" : "complex128";
}
Index bytes_of(char code) { return code == 'f' ? 4 : code == 'D' ? 16 : 8; }
bool is_format(const char* format, char code) {
  if (format == nullptr) return false;
  if (*format == '=' || *format == '@') ++format;
  return std::strcmp(format, code == 'f' ? "f" : code == 'd' ? "d" : code == 'F' ? "Zf" : "Zd") == 0;
}
std::string text_of(const Numbers& numbers) {
  std::string text = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

/// Arrays of one end of a plan: their type, and the shape and strides of this rank's part, the latter in bytes.
struct Side {
  char code = 'd';
  Numbers shape, strides;
  Index reach = 0;  ///< elements that an array has at least

  Side(char type, const weft::View& view, Index least) : code(type), reach(least) {
    for (int a = 0; a < view.box.axes(); ++a) {
      shape.push_back(std::max<Index>(view.box.extent(a), 0));
      strides.push_back(view.strides[a] * bytes_of(type));
    }
  }
};

/// An array of the caller's, held while it is used.
class Buffer {
 public:
  Buffer(nb::handle array, const Side& side, bool writes, const char* what) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      throw nb::type_error((std::string(what) + " is no array: give a weft.Array or a numpy.ndarray").c_str());
    }
    if (std::string why = misfit(side, writes); !why.empty()) {
      const bool type = !is_format(view_.format, side.code);
      why = what + why + "; this plan needs " + name_of(side.code) + " of shape " + text_of(side.shape) +
            " and strides " + text_of(side.strides) + ", as plan.input() and plan.output() have them";
      PyBuffer_Release(&view_);
      if (type) throw nb::type_error(why.c_str());
      throw nb::value_error(why.c_str());
    }
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data() const { return view_.buf; }

 private:
  std::string misfit(const Side& side, bool writes) const {
    if (!is_format(view_.format, side.code))
      return std::string(" has elements of type '") + (view_.format == nullptr ? "B" : view_.format) + "'";
    if (writes && view_.readonly != 0) return " is read-only";
    if (side.reach == 0) return "";
    if (view_.ndim == 1 && view_.strides[0] == view_.itemsize && view_.shape[0] >= side.reach) return "";
    bool fits = view_.ndim == static_cast<int>(side.shape.size());
    for (int a = 0; fits && a < view_.ndim; ++a) {
      const auto i = static_cast<std::size_t>(a);
      fits = view_.shape[a] == side.shape[i] && (side.shape[i] <= 1 || view_.strides[a] == side.strides[i]);
    }
    return fits ? ""
                : " has shape " + text_of({view_.shape, view_.shape + view_.ndim}) + " and strides " +
                      text_of({view_.strides, view_.strides + view_.ndim});
  }

  Py_buffer view_;
};

/// Memory of the library's as an array of NumPy, which keeps it.
nb::object numpy_of(std::shared_ptr<std::byte> memory, const Side& side) {
  std::vector<std::size_t> shape(side.shape.begin(), side.shape.end());
  std::vector<int64_t> strides;
  for (const Index s : side.strides) strides.push_back(s / bytes_of(side.code));
  static std::byte nothing[16];  // an array of no elements has an address, too
  void* const data = memory == nullptr ? nothing : memory.get();
  nb::capsule owner(new std::shared_ptr<std::byte>(std::move(memory)),
                    [](void* held) noexcept { delete static_cast<std::shared_ptr<std::byte>*>(held); });
  const bool is_complex = side.code == 'F' || side.code == 'D';
  const nb::dlpack::dtype type{
      static_cast<std::uint8_t>(is_complex ? nb::dlpack::dtype_code::Complex : nb::dlpack::dtype_code::Float),
      static_cast<std::uint8_t>(8 * bytes_of(side.code)), 1};
  return nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, strides.data(), type).cast();
}

/// Whether MPI can be called.
void check_mpi() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    throw weft::Error(finalized != 0 ? "MPI has been finalised; weft is of no use after that"
                                     : "MPI is not initialised; import mpi4py.MPI");
}

weft::Options options_of(const nb::dict& given) {
  weft::Options options;
  std::size_t known = 0;
  for (const weft::Option& row : weft::options()) {  // in this order backward's schedule follows forward's
    const nb::str name(row.name.data(), row.name.size());
    if (!given.contains(name)) continue;
    ++known;
    const nb::object value = given[name];
    if (row.type == weft::OptionType::layout) {
      auto& place = row.name == "input" ? options.input : options.output;
      if (value.is_none()) continue;
      if (!nb::isinstance<weft::Layout>(value))
        throw nb::type_error(("option " + std::string(row.name) + " is to be a weft.Layout or None").c_str());
      place = nb::cast<weft::Layout>(value);
    } else if (PyBool_Check(value.ptr()) != 0) {
      weft::set(options, row.name, nb::cast<bool>(value));
    } else if (PyLong_Check(value.ptr()) != 0) {
      weft::set(options, row.name, nb::cast<Index>(value));
    } else if (PyFloat_Check(value.ptr()) != 0) {
      weft::set(options, row.name, nb::cast<double>(value));
    } else if (nb::isinstance<nb::str>(value)) {
      weft::set(options, row.name, nb::cast<std::string>(value));
    } else if (Numbers numbers; nb::try_cast(value, numbers)) {
      weft::set(options, row.name, numbers);
    } else {
      throw nb::type_error(
          ("option " + std::string(row.name) + " is " + nb::repr(value).c_str() + "; allowed: " + row.allowed(true))
              .c_str());
    }
  }
  if (known < given.size())
    for (const auto& [name, value] : given)
      (void)weft::option(nb::cast<std::string>(name));  // throws for what it does not know
  return options;
}
nb::dict dict_of(const weft::Options& options) {
  nb::dict all;
  for (const weft::Option& row : weft::options()) {
    const nb::str name(row.name.data(), row.name.size());
    if (row.type != weft::OptionType::layout) {
      all[name] = row.text(options);
    } else {
      const auto& layout = row.name == "input" ? options.input : options.output;
      all[name] = layout.has_value() ? nb::cast(*layout) : nb::none();
    }
  }
  return all;
}

weft::Precision precision_of(const std::string& name) { return weft::precision_from_string(name); }

/// A plan that can be ended before Python lets go of it.
class Plan {
 public:
  Plan(int comm, const weft::AnyProblem& problem, const weft::Options& options)
      : plan_(std::in_place, (check_mpi(), MPI_Comm_f2c(comm)), problem, options),
        in_(code_of(problem.precision, weft::complex_input(problem)), plan_->input_view(), plan_->input_reach()),
        out_(code_of(problem.precision, weft::complex_output(problem)), plan_->output_view(), plan_->output_reach()) {}

  weft::AnyPlan& plan() {
    if (!plan_) throw weft::Error("this plan has been destroyed; make another one");
    return *plan_;
  }
  weft::AnyPlan& running() {
    check_mpi();
    return plan();
  }
  const Side& in() const { return in_; }
  const Side& out() const { return out_; }
  void destroy() { plan_.reset(); }
  bool is_alive() const { return plan_.has_value(); }

  void execute(nb::handle from, nb::handle to, bool forward) {
    weft::AnyPlan& p = running();
    const bool one_array = from.is(to) && p.requested().in_place();
    const Buffer in(from, forward ? in_ : out_, one_array, "the array to transform");
    if (one_array) return run(p, in.data(), in.data(), forward);
    const Buffer out(to, forward ? out_ : in_, true, "the array for the result");
    run(p, in.data(), out.data(), forward);
  }
  /// Calls f(values, first point, axis) on every line between forward and backward, or backward and forward.
  void map(nb::handle from, nb::handle to, const nb::callable& f, bool forward) {
    weft::AnyPlan& p = running();
    const Side &side = forward ? in_ : out_, &mapped = forward ? out_ : in_;
    const Buffer in(from, side, false, "the array to transform"), out(to, side, true, "the array for the result");
    const auto on_line = [&](const weft::Line& line) {
      const nb::gil_scoped_acquire locked;
      Side one = mapped;
      one.shape = {line.count};
      one.strides = {bytes_of(mapped.code)};
      std::shared_ptr<std::byte> values(std::shared_ptr<void>(), static_cast<std::byte*>(line.values));
      f(numpy_of(values, one), nb::tuple(nb::cast(listed(line.first))), line.axis);
    };
    const nb::gil_scoped_release unlocked;
    if (forward)
      p.forward_map_backward(in.data(), out.data(), on_line);
    else
      p.backward_map_forward(in.data(), out.data(), on_line);
  }
  nb::object array(bool of_input, bool another) {
    weft::AnyPlan& p = running();
    std::shared_ptr<std::byte> memory;
    {
      const nb::gil_scoped_release unlocked;
      if (another)
        memory = of_input ? p.make_input_memory() : p.make_output_memory();
      else
        memory = of_input ? p.input_memory() : p.output_memory();
    }
    return numpy_of(std::move(memory), of_input ? in_ : out_);
  }

 private:
  static void run(weft::AnyPlan& p, void* in, void* out, bool forward) {
    const nb::gil_scoped_release unlocked;
    if (forward)
      p.forward(in, out);
    else
      p.backward(in, out);
  }

  std::optional<weft::AnyPlan> plan_;
  Side in_, out_;
};

/// A redistribution that can be ended before Python lets go of it.
class Redistribution {
 public:
  Redistribution(int comm, const weft::Layout& from, const weft::Layout& to, char code, const std::string& strategy,
                 const Numbers& periodic)
      : code_(code), to_(to), from_(from) {
    check_mpi();
    const MPI_Comm c = MPI_Comm_f2c(comm);
    body_.emplace(c, from, to, bytes_of(code),
                  weft::RedistributionOptions{.strategy = strategy, .periodic = ints(periodic)});
    MPI_Comm_rank(c, &rank_);
  }
  void execute(nb::handle from, nb::handle to) {
    check_mpi();
    if (!body_) throw weft::Error("this redistribution has been destroyed; make another one");
    const Buffer in(from, side(from_), false, "the array to redistribute"),
        out(to, side(to_), true, "the array for the result");
    const nb::gil_scoped_release unlocked;
    (*body_)(in.data(), out.data());
  }
  std::string strategy() const { return body_ ? body_->strategy() : ""; }
  void destroy() { body_.reset(); }

 private:
  Side side(const weft::Layout& layout) const {
    if (layout.has_boxes()) {
      const weft::View view = layout.view(rank_);
      return {code_, view, view.reach()};
    }
    const Index n = layout.elements(rank_);
    weft::View list;
    list.box = weft::Box{{0}, {n}};
    list.strides = {1};
    return {code_, list, n};
  }

  char code_;
  weft::Layout to_, from_;
  int rank_ = 0;
  std::optional<weft::Redistribution> body_;
};

std::vector<weft::GVector> vectors_of(
    const nb::ndarray<const int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& g) {
  std::vector<weft::GVector> all;
  for (std::size_t i = 0; i < g.shape(0); ++i)
    all.push_back({g.data()[3 * i], g.data()[3 * i + 1], g.data()[3 * i + 2]});
  return all;
}
nb::object numpy_of_vectors(const std::vector<weft::GVector>& vectors) {
  auto* held = new std::vector<weft::GVector>(vectors);
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<weft::GVector>*>(p); });
  static int64_t nothing[3];
  void* const data = held->empty() ? static_cast<void*>(nothing) : held->data();
  return nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>(data, {held->size(), 3}, owner).cast();
}

using Matrix = std::array<std::array<double, 3>, 3>;
weft::Cutoff cutoff_of(double squared, const Matrix& metric, const std::array<double, 3>& k, bool half) {
  return {.squared = squared, .metric = metric, .k = k, .half = half};
}

std::vector<weft::Box> boxes_of(const std::vector<std::pair<Numbers, Numbers>>& boxes) {
  std::vector<weft::Box> all;
  for (const auto& [lo, hi] : boxes) all.push_back({few(lo), few(hi)});
  return all;
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

  nb::class_<weft::Layout>(m, "Layout")
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
      .def(
          "grown", [](const weft::Layout& l, const Numbers& width) { return l.grown(few(width)); }, nb::arg("width"),
          "The same boxes with width[a] points more at both ends of every axis.")
      .def(
          "ordered",
          [](const weft::Layout& l, const Numbers& order, const Numbers& padding) {
            return l.ordered(ints(order), few(padding));
          },
          nb::arg("order"), nb::arg("padding") = Numbers(), "The same boxes in another memory order and padding.")
      .def_prop_ro("shape", [](const weft::Layout& l) { return nb::tuple(nb::cast(listed(l.shape()))); })
      .def_prop_ro("ranks", &weft::Layout::ranks)
      .def_prop_ro("has_boxes", &weft::Layout::has_boxes)
      .def_prop_ro("order",
                   [](const weft::Layout& l) {
                     return nb::tuple(nb::cast(listed(l.order().empty() ? weft::c_order(l.axes()) : l.order())));
                   })
      .def(
          "box",
          [](const weft::Layout& l, int rank) {
            if (!l.has_boxes() || rank < 0 || rank >= l.ranks())
              throw weft::Error(l.has_boxes() ? "rank " + std::to_string(rank) + " is asked for; the layout has " +
                                                    std::to_string(l.ranks()) + " ranks"
                                              : "this layout has no boxes");
            return std::pair(nb::tuple(nb::cast(listed(l.box(rank).lo))), nb::tuple(nb::cast(listed(l.box(rank).hi))));
          },
          nb::arg("rank"), "(lo, hi) of a rank's part.")
      .def(
          "memory",
          [](const weft::Layout& l, int rank) {
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

  nb::class_<weft::AnyProblem>(m, "Problem")
      .def_prop_ro("shape", [](const weft::AnyProblem& p) { return nb::tuple(nb::cast(listed(p.shape))); })
      .def_prop_ro("axes", [](const weft::AnyProblem& p) { return nb::tuple(nb::cast(listed(p.axes))); })
      .def_prop_ro("kinds", [](const weft::AnyProblem& p) {
        std::vector<std::string> names;
        for (const weft::Kind kind : p.kinds) names.emplace_back(weft::to_string(kind));
        return names;
      });
  m.def("problem", [](const std::string& precision, const std::vector<std::string>& names, const Numbers& shape,
                      const Numbers& axes) {
    std::vector<weft::Kind> kinds;
    for (const std::string& name : names) kinds.push_back(weft::kind_from_string(name));
    return weft::problem(precision_of(precision), kinds, few(shape), ints(axes));
  });
  m.def("problem_of_vectors",
        [](const std::string& precision, const Numbers& grid,
           const nb::ndarray<const int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& g, bool real) {
          return weft::problem(precision_of(precision), few(grid), {.mine = vectors_of(g), .half = real});
        });
  m.def("problem_of_cutoff", [](const std::string& precision, const Numbers& grid, double squared, const Matrix& metric,
                                const std::array<double, 3>& k, const std::string& balance, bool real) {
    return weft::problem(precision_of(precision), few(grid),
                         {.cutoff = cutoff_of(squared, metric, k, real), .balance = balance, .half = real});
  });
  m.def("problem_of_box", [](const std::string& precision, const Numbers& grid, const Numbers& kept,
                             const std::optional<Numbers>& low, bool real) {
    weft::PlaneWaves waves{.box = few(kept), .real = real};
    if (low) waves.low = few(*low);
    return weft::problem(precision_of(precision), few(grid), waves);
  });
  m.def("sphere_vectors", [](double squared, const Matrix& metric, const std::array<double, 3>& k, bool half, int ranks,
                             int rank, const std::string& rule) {
    if (rank < 0 || rank >= ranks)
      throw weft::Error("rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " is asked for");
    const auto shares = weft::share_sticks(weft::sphere_sticks(cutoff_of(squared, metric, k, half)), ranks, rule);
    return numpy_of_vectors(weft::vectors(shares[static_cast<std::size_t>(rank)]));
  });

  nb::class_<Plan>(m, "Plan", nb::is_weak_referenceable())
      .def("__init__",
           [](Plan* self, int comm, const weft::AnyProblem& problem, const nb::dict& given) {
             const weft::Options options = options_of(given);
             const nb::gil_scoped_release unlocked;
             new (self) Plan(comm, problem, options);
           })
      .def("execute", &Plan::execute)
      .def("map", &Plan::map)
      .def("array", &Plan::array)
      .def("destroy", &Plan::destroy, Unlocked())
      .def_prop_ro("is_alive", &Plan::is_alive)
      .def_prop_ro("in_place", [](Plan& p) { return p.plan().requested().in_place(); })
      .def_prop_ro("scale", [](Plan& p) { return p.plan().scale(); })
      .def_prop_ro("problem", [](Plan& p) { return p.plan().problem(); })
      .def_prop_ro("input_layout", [](Plan& p) { return p.plan().input_layout(); })
      .def_prop_ro("output_layout", [](Plan& p) { return p.plan().output_layout(); })
      .def_prop_ro("input_type", [](Plan& p) { return name_of(p.in().code); })
      .def_prop_ro("output_type", [](Plan& p) { return name_of(p.out().code); })
      .def_prop_ro("input_box",
                   [](Plan& p) {
                     const weft::Box box = p.plan().input_view().box;
                     return std::pair(nb::tuple(nb::cast(listed(box.lo))), nb::tuple(nb::cast(listed(box.hi))));
                   })
      .def_prop_ro("output_box",
                   [](Plan& p) {
                     const weft::Box box = p.plan().output_view().box;
                     return std::pair(nb::tuple(nb::cast(listed(box.lo))), nb::tuple(nb::cast(listed(box.hi))));
                   })
      .def_prop_ro("map_box",
                   [](Plan& p) {
                     const weft::Box box = p.plan().map_view().box;
                     return std::pair(nb::tuple(nb::cast(listed(box.lo))), nb::tuple(nb::cast(listed(box.hi))));
                   })
      .def("vectors", [](Plan& p) { return numpy_of_vectors(p.plan().vectors()); })
      .def("modes",
           [](Plan& p, const Numbers& first, int axis, Index count) {  // k, odd and weight along an axis
             const weft::Modes& all = p.plan().modes();
             const int before = p.plan().requested().batch > 1 ? 1 : 0;
             std::vector<double> k, odd, weight;
             Shape point = few(first);
             for (Index i = 0; i < count; ++i, ++point[axis + before]) {
               const weft::Mode mode = all.at(point);
               k.push_back(mode.k[axis]);
               odd.push_back(mode.odd[axis]);
               weight.push_back(mode.weight);
             }
             return std::tuple(k, odd, weight);
           })
      .def("requested", [](Plan& p) { return dict_of(p.plan().requested()); })
      .def("effective", [](Plan& p) { return dict_of(p.plan().effective()); })
      .def("bytes_owned", [](Plan& p) { return p.plan().bytes_owned(); })
      .def(
          "describe", [](Plan& p) { return p.plan().describe(); }, Unlocked())
      .def(
          "explain", [](Plan& p, bool json) { return p.plan().explain(json); }, Unlocked())
      .def("record", [](Plan& p, weft::Trace& trace) { p.plan().record(trace); })
      .def("measure", [](Plan& p, bool on) { p.plan().measure(on); })
      .def("spent", [](Plan& p) {
        const weft::AnyPlan::Spent s = p.plan().spent();
        return std::tuple(s.work_seconds, s.exchange_seconds, s.calls, s.messages, s.bytes);
      });

  nb::class_<Redistribution>(m, "Redistribution", nb::is_weak_referenceable())
      .def("__init__",
           [](Redistribution* self, int comm, const weft::Layout& from, const weft::Layout& to, const std::string& code,
              const std::string& strategy, const Numbers& periodic) {
             if (code.size() != 1 || !std::strchr("fdFD", code[0]))
               throw weft::Error("no type of elements '" + code + "'");
             const nb::gil_scoped_release unlocked;
             new (self) Redistribution(comm, from, to, code[0], strategy, periodic);
           })
      .def("execute", &Redistribution::execute)
      .def("destroy", &Redistribution::destroy, Unlocked())
      .def_prop_ro("strategy", &Redistribution::strategy);

  nb::class_<weft::Trace>(m, "Trace")
      .def("__init__",
           [](weft::Trace* self, int comm) {
             check_mpi();
             const nb::gil_scoped_release unlocked;
             new (self) weft::Trace(MPI_Comm_f2c(comm));
           })
      .def(
          "write", [](weft::Trace& trace, const std::string& path) { trace.write(path); }, nb::arg("path"), Unlocked(),
          "Collective: all that was recorded until now, as a file of trace events in JSON.");

  nb::class_<weft::Candidate>(m, "Candidate")
      .def_ro("name", &weft::Candidate::name)
      .def_ro("verdict", &weft::Candidate::verdict)
      .def_ro("predicted_seconds", &weft::Candidate::predicted_seconds)
      .def_ro("measured_seconds", &weft::Candidate::measured_seconds)
      .def_ro("forward_seconds", &weft::Candidate::forward_seconds)
      .def_ro("backward_seconds", &weft::Candidate::backward_seconds)
      .def_prop_ro("options", [](const weft::Candidate& c) { return dict_of(c.options); });
  nb::class_<weft::Tuning>(m, "Tuning")
      .def_ro("reason", &weft::Tuning::reason)
      .def_ro("candidates", &weft::Tuning::candidates)
      .def_ro("seconds", &weft::Tuning::seconds)
      .def_ro("json", &weft::Tuning::json)
      .def_prop_ro(
          "options", [](const weft::Tuning& t) { return dict_of(t.choice); },
          "What to plan with: nothing is left open.")
      .def("__str__", [](const weft::Tuning& t) { return t.text; });
  m.def("tune", [](int comm, const weft::AnyProblem& problem, const nb::dict& given, double seconds, bool exhaustive) {
    check_mpi();
    const weft::Options options = options_of(given);
    const nb::gil_scoped_release unlocked;
    return weft::tune(MPI_Comm_f2c(comm), problem, options, {.seconds = seconds, .exhaustive = exhaustive});
  });
  m.def("remember", [](int comm, const weft::AnyProblem& problem, const nb::dict& given, const weft::Tuning& found) {
    check_mpi();
    const weft::Options options = options_of(given);
    const nb::gil_scoped_release unlocked;
    return weft::remember(MPI_Comm_f2c(comm), problem, options, found);
  });
  m.def("export_wisdom", &weft::export_wisdom, "What this process has tuned and imported, as the text of a file.");
  m.def("import_wisdom", &weft::import_wisdom, nb::arg("text"), "Takes over what export_wisdom or a file has.");
  m.def("forget_wisdom", &weft::forget_wisdom, "Forgets what this process has tuned and imported.");
  m.def("wisdom_files", &weft::wisdom_files, "The user's own file of wisdom, then those that are only read.");
}
