// Long lines: one line that is cut over all ranks.
#include "arrays.hpp"

namespace {

/// A long line that can be ended before Python lets go of it.
class LongLine {
 public:
  LongLine(int comm, const std::string& precision, Index n, Index rows, const weft::Options& options)
      : line_(std::in_place, communicator_of(comm), weft::precision_from_string(precision), n, options, rows),
        element_(weft::precision_from_string(precision), true) {}

  weft::AnyLongLine& line() {
    if (!line_) throw weft::Error("this long line has been destroyed; make another one");
    return *line_;
  }
  void execute(nb::handle from, nb::handle to, bool forward) {
    check_mpi();
    weft::AnyLongLine& l = line();
    const Index before = forward ? l.input_elements() : l.output_elements();
    const Index after = forward ? l.output_elements() : l.input_elements();
    const bool one_array = from.is(to);
    const Buffer in(from, part(one_array ? std::max(before, after) : before), one_array, "the array to transform",
                    needed);
    if (one_array) return run(l, in.data(), in.data(), forward);
    const Buffer out(to, part(after), true, "the array for the result", needed);
    run(l, in.data(), out.data(), forward);
  }
  std::string type() const { return element_.name(); }
  void destroy() { line_.reset(); }

 private:
  static constexpr const char* needed = "this long line, whose input_range and output_range tell sizes,";

  /// A list of so many elements.
  Side part(Index elements) const {
    Side side;
    side.element = element_;
    side.shape = {elements};
    side.strides = {element_.bytes};
    side.reach = elements;
    return side;
  }
  static void run(weft::AnyLongLine& line, void* in, void* out, bool forward) {
    const nb::gil_scoped_release unlocked;
    if (forward)
      line.forward(in, out);
    else
      line.backward(in, out);
  }

  std::optional<weft::AnyLongLine> line_;
  Element element_;
};

}  // namespace

void bind_lines(nb::module_& m) {
  nb::class_<LongLine>(m, "LongLine", nb::is_weak_referenceable())
      .def("__init__",
           [](LongLine* self, int comm, const std::string& precision, Index n, Index rows, const nb::dict& given) {
             const weft::Options options = options_of(given);
             const nb::gil_scoped_release unlocked;
             new (self) LongLine(comm, precision, n, rows, options);
           })
      .def("execute", &LongLine::execute)
      .def("destroy", &LongLine::destroy, Unlocked())
      .def_prop_ro("type", &LongLine::type)
      .def_prop_ro("scale", [](LongLine& l) { return l.line().scale(); })
      .def_prop_ro("rows", [](LongLine& l) { return l.line().rows(); })
      .def_prop_ro("columns", [](LongLine& l) { return l.line().columns(); })
      .def_prop_ro("input_layout", [](LongLine& l) { return l.line().input_layout(); })
      .def_prop_ro("output_layout", [](LongLine& l) { return l.line().output_layout(); })
      .def("modes",
           [](LongLine& l) {  // of this rank's output
             const weft::AnyLongLine& line = l.line();
             Numbers all;
             for (Index p = 0; p < line.output_elements(); ++p) all.push_back(line.mode(line.output_first() + p));
             return all;
           })
      .def(
          "describe", [](LongLine& l) { return l.line().describe(); }, Unlocked());
}
