// Plans.
#include "arrays.hpp"

namespace {

/// A plan that can be ended before Python lets go of it.
class Plan {
 public:
  Plan(int comm, const weft::AnyProblem& problem, const weft::Options& options, weft::Memory memory)
      : plan_(std::in_place, communicator_of(comm), problem, options, memory),
        in_({problem.precision, weft::complex_input(problem)}, plan_->input_view(), plan_->input_reach()),
        out_({problem.precision, weft::complex_output(problem)}, plan_->output_view(), plan_->output_reach()) {}

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
  void destroy() {
    {
      const nb::gil_scoped_release unlocked;
      plan_.reset();
    }
    workspace_.reset();
  }
  bool is_alive() const { return plan_.has_value(); }

  void execute(nb::handle from, nb::handle to, bool forward) {
    weft::AnyPlan& p = running();
    const bool one_array = from.is(to) && p.requested().in_place();
    const Buffer in(from, forward ? in_ : out_, one_array, "the array to transform", needed);
    if (one_array) return run(p, in.data(), in.data(), forward);
    const Buffer out(to, forward ? out_ : in_, true, "the array for the result", needed);
    run(p, in.data(), out.data(), forward);
  }
  /// Calls f(values, first point, axis) on every line between forward and backward, or backward and
  /// forward.
  void map(nb::handle from, nb::handle to, const nb::callable& f, bool forward) {
    weft::AnyPlan& p = running();
    const Side &side = forward ? in_ : out_, &mapped = forward ? out_ : in_;
    const Buffer in(from, side, false, "the array to transform", needed),
        out(to, side, true, "the array for the result", needed);
    const auto on_line = [&](const weft::Line& line) {
      const nb::gil_scoped_acquire locked;
      Side one = mapped;
      one.shape = {line.count};
      one.strides = {mapped.element.bytes};
      std::shared_ptr<std::byte> values(std::shared_ptr<void>(), static_cast<std::byte*>(line.values));
      f(numpy_of(values, one), tuple_of(line.first), line.axis);
    };
    const nb::gil_scoped_release unlocked;
    if (forward)
      p.forward_map_backward(in.data(), out.data(), on_line);
    else
      p.backward_map_forward(in.data(), out.data(), on_line);
  }
  /// Works in memory of the caller's from now on, and holds it.
  void use_workspace(nb::handle array) {
    weft::AnyPlan& p = plan();
    Side bytes;
    bytes.element = {'u', 1};
    bytes.shape = {p.workspace_bytes()};
    bytes.strides = {1};
    bytes.reach = p.workspace_bytes();
    auto buffer = std::make_unique<Buffer>(array, bytes, true, "the workspace", "this plan, by its workspace_bytes,");
    p.use_workspace(buffer->data(), bytes.reach);
    workspace_ = std::move(buffer);
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
  static constexpr const char* needed = "this plan, as plan.input() and plan.output() have them,";

  static void run(weft::AnyPlan& p, void* in, void* out, bool forward) {
    const nb::gil_scoped_release unlocked;
    if (forward)
      p.forward(in, out);
    else
      p.backward(in, out);
  }

  std::unique_ptr<Buffer> workspace_;  // outlives the plan
  std::optional<weft::AnyPlan> plan_;
  Side in_, out_;
};

weft::Memory memory_from(const std::string& name) {
  if (name == "own") return weft::Memory::own;
  if (name == "callers") return weft::Memory::callers;
  if (name == "none") return weft::Memory::none;
  throw weft::Error("memory '" + name + "' is asked for; allowed: own, callers, none");
}

}  // namespace

void bind_plans(nb::module_& m) {
  nb::class_<Plan>(m, "Plan", nb::is_weak_referenceable())
      .def("__init__",
           [](Plan* self, int comm, const weft::AnyProblem& problem, const nb::dict& given, const std::string& memory) {
             const weft::Options options = options_of(given);
             const weft::Memory works_in = memory_from(memory);
             const nb::gil_scoped_release unlocked;
             new (self) Plan(comm, problem, options, works_in);
           })
      .def("use_workspace", &Plan::use_workspace)
      .def("workspace_bytes", [](Plan& p) { return p.plan().workspace_bytes(); })
      .def("execute", &Plan::execute)
      .def("map", &Plan::map)
      .def("array", &Plan::array)
      .def("destroy", &Plan::destroy)
      .def_prop_ro("is_alive", &Plan::is_alive)
      .def_prop_ro("in_place", [](Plan& p) { return p.plan().requested().in_place(); })
      .def_prop_ro("scale", [](Plan& p) { return p.plan().scale(); })
      .def_prop_ro("problem", [](Plan& p) { return p.plan().problem(); })
      .def_prop_ro("input_layout", [](Plan& p) { return p.plan().input_layout(); })
      .def_prop_ro("output_layout", [](Plan& p) { return p.plan().output_layout(); })
      .def_prop_ro("input_type", [](Plan& p) { return p.in().element.name(); })
      .def_prop_ro("output_type", [](Plan& p) { return p.out().element.name(); })
      .def_prop_ro("input_box", [](Plan& p) { return pair_of(p.plan().input_view().box); })
      .def_prop_ro("output_box", [](Plan& p) { return pair_of(p.plan().output_view().box); })
      .def_prop_ro("map_box", [](Plan& p) { return pair_of(p.plan().map_view().box); })
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
}
