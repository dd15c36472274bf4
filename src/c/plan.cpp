// Plans of the C interface.
#include <mutex>
#include <unordered_map>

#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

AnyPlan& plan_of(weft_plan* plan) { return given(plan, "plan").value; }
const AnyPlan& plan_of(const weft_plan* plan) { return given(plan, "plan").value; }
AnyPlan& executing(weft_plan* plan) {
  AnyPlan& p = plan_of(plan);
  need_mpi("execute a plan");
  return p;
}

/// NumPy's name of an element's type.
std::string_view type_name(Precision precision, bool is_complex) {
  if (precision == Precision::single_) return is_complex ? "c8" : "f4";
  return is_complex ? "c16" : "f8";
}

/// A map that fails by what it returns.
auto mapped(weft_map map, void* context) {
  given(map, "map");
  return [map, context](const Line& line) {
    weft_line at = {};
    at.axes = line.first.size();
    fill_axes(line.first, at.first);
    at.axis = line.axis;
    at.count = line.count;
    at.values = line.values;
    if (const int said = map(&at, context); said != 0) throw Error("the map returned " + std::to_string(said));
  };
}

/// Multiplies lines of real space by a potential and a factor; a value is `parts` numbers.
template <class Real>
void apply(AnyPlan& plan, const View& view, const void* potential, const void* in, void* out) {
  const auto* all = static_cast<const Real*>(potential);
  const auto factor = static_cast<Real>(plan.scale());
  const Index parts = complex_input(plan.problem()) ? 2 : 1;
  const auto multiply = [&](const Line& line) {
    const int before = line.first.size() - 3;  // a batch's axis
    const Real* v = all + view.at(Shape(line.first.begin() + before, line.first.end()));
    auto* values = static_cast<Real*>(line.values);
    for (Index k = 0; k < line.count; ++k)
      for (Index part = 0; part < parts; ++part) values[k * parts + part] *= factor * v[k];
  };
  plan.backward_map_forward(in, out, std::cref(multiply));
}

weft_mode mode_of(const Mode& mode) {
  weft_mode out = {};
  out.axes = mode.k.size();
  fill_axes(mode.k, out.k);
  fill_axes(mode.odd, out.odd);
  out.weight = mode.weight;
  return out;
}

using Visit = int(const weft_mode*, const int64_t*, void*, void*);

/// Elements of so many bytes, whatever they are.
template <std::size_t bytes>
void visit_all(const AnyPlan& plan, void* data, Visit* visit, void* context) {
  struct Element {
    std::byte at[bytes];
  };
  const std::shared_ptr<std::byte> memory(std::shared_ptr<void>(), static_cast<std::byte*>(data));
  const Array<Element> array(memory, plan.output_view(), plan.output_elements());
  plan.modes().for_each(array, [&](const Mode& mode, Element& value) {
    const weft_mode at = mode_of(mode);
    if (const int said = visit(&at, mode.at.begin(), &value, context); said != 0)
      throw Error("the function that visits modes returned " + std::to_string(said));
  });
}

/// What weft_free is to let go of, by address. Never destroyed: arrays may be freed while the
/// program ends.
struct Handed {
  std::mutex mutex;
  std::unordered_map<void*, std::shared_ptr<std::byte>> memory;
  static Handed& out() {
    static Handed& the_one = *new Handed;
    return the_one;
  }
};
void hand_out(void** data, std::shared_ptr<std::byte> memory) {
  Handed& handed = Handed::out();
  const std::lock_guard lock(handed.mutex);
  void* const address = memory.get();
  if (address != nullptr) handed.memory[address] = std::move(memory);
  *data = address;
}

int offset_of(const weft_plan* plan, const int64_t* extents, const int64_t* first, Index elements, int64_t* offset,
              const Layout& (AnyPlan::*layout)() const, View (AnyPlan::*view)() const, const char* what) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    const Layout& all = (p.*layout)();
    given(offset, "offset") = offset_in((p.*view)(), all.order(), shape(all.axes(), extents, "extents"),
                                        shape(all.axes(), first, "first"), elements, what);
  });
}

}  // namespace

extern "C" {

int weft_plan_create(weft_plan** plan, MPI_Comm comm, const weft_problem* problem, const weft_options* options) {
  return made(plan, [&] { return AnyPlan(comm, given(problem, "problem").value, options_or_default(options)); });
}
int weft_plan_create_f(weft_plan** plan, MPI_Fint comm, const weft_problem* problem, const weft_options* options) {
  return weft_plan_create(plan, comm_of(comm), problem, options);
}
int weft_plan_create_in(weft_plan** plan, MPI_Comm comm, const weft_problem* problem, const weft_options* options,
                        const char* memory) {
  return made(plan, [&] {
    const std::string name = text(memory, "memory");
    if (name != "own" && name != "callers" && name != "none")
      throw Error("memory " + shown(name) + ": give own, callers or none");
    const Memory works_in = name == "own" ? Memory::own : name == "none" ? Memory::none : Memory::callers;
    return AnyPlan(comm, given(problem, "problem").value, options_or_default(options), works_in);
  });
}
int weft_plan_create_in_f(weft_plan** plan, MPI_Fint comm, const weft_problem* problem, const weft_options* options,
                          const char* memory) {
  return weft_plan_create_in(plan, comm_of(comm), problem, options, memory);
}
int weft_plan_workspace_bytes(const weft_plan* plan, int64_t* bytes) {
  return guarded([&] { given(bytes, "bytes") = plan_of(plan).workspace_bytes(); });
}
int weft_plan_use_workspace(weft_plan* plan, void* memory, int64_t bytes) {
  return guarded([&] { plan_of(plan).use_workspace(memory, bytes); });
}
void weft_plan_destroy(weft_plan** plan) { destroyed(plan); }

int weft_plan_forward(weft_plan* plan, const void* in, void* out) {
  return guarded([&] { executing(plan).forward(in, out); });
}
int weft_plan_backward(weft_plan* plan, const void* in, void* out) {
  return guarded([&] { executing(plan).backward(in, out); });
}
int weft_plan_forward_map_backward(weft_plan* plan, const void* in, void* out, weft_map map, void* context) {
  return guarded([&] {
    const auto f = mapped(map, context);
    executing(plan).forward_map_backward(in, out, std::cref(f));
  });
}
int weft_plan_backward_map_forward(weft_plan* plan, const void* in, void* out, weft_map map, void* context) {
  return guarded([&] {
    const auto f = mapped(map, context);
    executing(plan).backward_map_forward(in, out, std::cref(f));
  });
}
int weft_plan_apply(weft_plan* plan, const void* potential, int64_t points, const void* in, void* out) {
  return guarded([&] {
    AnyPlan& p = executing(plan);
    const View view = p.map_view();
    if (points < view.box.volume())
      throw Error("the potential has " + std::to_string(points) + " points; this plan needs " +
                  std::to_string(view.box.volume()) + " (weft_plan_map_view)");
    if (!view.box.empty()) given(static_cast<const char*>(potential), "potential");
    if (p.problem().precision == Precision::single_)
      apply<float>(p, view, potential, in, out);
    else
      apply<double>(p, view, potential, in, out);
  });
}

int weft_plan_input(weft_plan* plan, void** data) {
  return guarded([&] {
    weft_plan& p = given(plan, "plan");
    void*& to = given(data, "data");
    if (!p.input) p.input = p.value.input_memory();
    to = p.input.get();
  });
}
int weft_plan_output(weft_plan* plan, void** data) {
  return guarded([&] {
    weft_plan& p = given(plan, "plan");
    void*& to = given(data, "data");
    if (!p.output) p.output = p.value.output_memory();
    to = p.output.get();
  });
}
int weft_plan_make_input(const weft_plan* plan, void** data) {
  return guarded([&] { hand_out(&given(data, "data"), plan_of(plan).make_input_memory()); });
}
int weft_plan_make_output(const weft_plan* plan, void** data) {
  return guarded([&] { hand_out(&given(data, "data"), plan_of(plan).make_output_memory()); });
}
int weft_free(void* data) {
  return guarded([&] {
    if (data == nullptr) return;
    Handed& handed = Handed::out();
    const std::lock_guard lock(handed.mutex);
    if (handed.memory.erase(data) == 0)
      throw Error(
          "weft_free is given an address that is not, or no longer, one of weft_plan_make_input or "
          "weft_plan_make_output");
  });
}

int weft_plan_scale(const weft_plan* plan, double* scale) {
  return guarded([&] { given(scale, "scale") = plan_of(plan).scale(); });
}
int weft_plan_input_type(const weft_plan* plan, char* to, int64_t room, int64_t* length) {
  return guarded([&] {
    const AnyProblem& p = plan_of(plan).problem();
    copy_out(type_name(p.precision, complex_input(p)), to, room, length);
  });
}
int weft_plan_output_type(const weft_plan* plan, char* to, int64_t room, int64_t* length) {
  return guarded([&] {
    const AnyProblem& p = plan_of(plan).problem();
    copy_out(type_name(p.precision, complex_output(p)), to, room, length);
  });
}
int weft_plan_input_layout(const weft_plan* plan, weft_layout** layout) {
  return made(layout, [&] { return plan_of(plan).input_layout(); });
}
int weft_plan_output_layout(const weft_plan* plan, weft_layout** layout) {
  return made(layout, [&] { return plan_of(plan).output_layout(); });
}
int weft_plan_input_view(const weft_plan* plan, weft_view* view) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    given(view, "view") = view_of(p.input_view(), p.input_elements(), p.input_reach());
  });
}
int weft_plan_output_view(const weft_plan* plan, weft_view* view) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    given(view, "view") = view_of(p.output_view(), p.output_elements(), p.output_reach());
  });
}
int weft_plan_map_view(const weft_plan* plan, weft_view* view) {
  return guarded([&] {
    const View map = plan_of(plan).map_view();
    given(view, "view") = view_of(map, map.box.volume(), map.reach());
  });
}
int weft_plan_input_offset(const weft_plan* plan, const int64_t* extents, const int64_t* first, int64_t elements,
                           int64_t* offset) {
  return offset_of(plan, extents, first, elements, offset, &AnyPlan::input_layout, &AnyPlan::input_view,
                   "weft_plan_input_offset");
}
int weft_plan_output_offset(const weft_plan* plan, const int64_t* extents, const int64_t* first, int64_t elements,
                            int64_t* offset) {
  return offset_of(plan, extents, first, elements, offset, &AnyPlan::output_layout, &AnyPlan::output_view,
                   "weft_plan_output_offset");
}
int weft_plan_requested(const weft_plan* plan, weft_options** options) {
  return made(options, [&] { return plan_of(plan).requested(); });
}
int weft_plan_effective(const weft_plan* plan, weft_options** options) {
  return made(options, [&] { return plan_of(plan).effective(); });
}
int weft_plan_problem(const weft_plan* plan, weft_problem** problem) {
  return made(problem, [&] { return plan_of(plan).problem(); });
}
int weft_plan_vectors(const weft_plan* plan, int64_t* g, int64_t room, int64_t* count) {
  return guarded([&] {
    list_out(plan_of(plan).vectors(), g, room, count,
             [&](const GVector& v, std::size_t i) { std::copy(v.begin(), v.end(), g + 3 * i); });
  });
}
int weft_plan_wavenumber(const weft_plan* plan, int64_t axis, int64_t index, double* wavenumber) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    const int axes = p.problem().shape.size();
    if (axis < 0 || axis >= axes)
      throw Error("the wavenumber of axis " + std::to_string(axis) + " is asked for; allowed: 0 to " +
                  std::to_string(axes - 1));
    given(wavenumber, "wavenumber") = p.wavenumber(static_cast<int>(axis), index);
  });
}
int weft_plan_mode(const weft_plan* plan, const int64_t* point, weft_mode* mode) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    given(mode, "mode") = mode_of(p.modes().at(shape(p.output_layout().axes(), point, "point")));
  });
}
int weft_plan_for_each_mode(const weft_plan* plan, void* data, Visit* visit, void* context) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    given(visit, "visit");
    if (p.output_elements() > 0) given(static_cast<char*>(data), "data");
    switch (element_bytes(p.problem().precision, complex_output(p.problem()))) {
      case 4:
        return visit_all<4>(p, data, visit, context);
      case 8:
        return visit_all<8>(p, data, visit, context);
      default:
        return visit_all<16>(p, data, visit, context);
    }
  });
}
int weft_plan_bytes_owned(const weft_plan* plan, int64_t* bytes) {
  return guarded([&] { given(bytes, "bytes") = plan_of(plan).bytes_owned(); });
}
int weft_plan_trying(const weft_plan* plan, int* trying) {
  return guarded([&] { given(trying, "trying") = plan_of(plan).trying(); });
}
int weft_plan_lines(const weft_plan* plan, int64_t* lines, int64_t room, int64_t* count) {
  return guarded(
      [&] { list_out(plan_of(plan).lines(), lines, room, count, [&](Index n, std::size_t i) { lines[i] = n; }); });
}
int weft_plan_measure(weft_plan* plan, int on) {
  return guarded([&] { plan_of(plan).measure(on != 0); });
}
int weft_plan_spent(const weft_plan* plan, weft_spent* spent) {
  return guarded([&] {
    const AnyPlan::Spent s = plan_of(plan).spent();
    given(spent, "spent") = {s.work_seconds, s.exchange_seconds, s.calls, s.messages, s.bytes};
  });
}
int weft_plan_record(weft_plan* plan, weft_trace* trace) {
  return guarded([&] { plan_of(plan).record(given(trace, "trace").value); });
}
int weft_plan_describe(const weft_plan* plan, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(plan_of(plan).describe(), to, room, length); });
}
int weft_plan_explain(const weft_plan* plan, int json, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(plan_of(plan).explain(json != 0), to, room, length); });
}
int weft_plan_exchanges(const weft_plan* plan, int64_t* exchanges) {
  return guarded([&] { given(exchanges, "exchanges") = static_cast<Index>(plan_of(plan).considered().size()); });
}
int weft_plan_considered(weft_plan* plan, int64_t exchange, weft_considered* considered, int64_t room, int64_t* count) {
  return guarded([&] {
    weft_plan& p = given(plan, "plan");
    if (p.considered.empty()) p.considered = p.value.considered();
    list_out(entry_of(p.considered, exchange, "exchange"), considered, room, count,
             [&](const Considered& c, std::size_t i) {
               considered[i] = {c.strategy.c_str(),   c.declined.c_str(), c.seconds,     c.cost.calls,
                                c.cost.messages,      c.cost.bytes,       c.cost.copied, c.cost.depth,
                                c.cost.node_messages, c.cost.node_bytes};
             });
  });
}
int weft_plan_steps(const weft_plan* plan, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(plan_of(plan).steps(), to, room, length); });
}
int weft_plan_datatypes(const weft_plan* plan, int64_t* n, int64_t* different, char* to, int64_t room,
                        int64_t* length) {
  return guarded([&] {
    const AnyPlan::Datatypes types = plan_of(plan).datatypes();
    tell<int64_t>(n, types.made);
    tell<int64_t>(different, types.different);
    copy_out(types.text, to, room, length);
  });
}
int weft_plan_ordering(const weft_plan* plan, weft_ordering* ordering, char* to, int64_t room, int64_t* length) {
  return guarded([&] {
    const AnyPlan& p = plan_of(plan);
    need_mpi("check the order of a plan");
    const AnyPlan::Ordering found = p.ordering();
    given(ordering, "ordering") = {found.compared, found.unordered, found.hangs};
    copy_out(found.text, to, room, length);
  });
}

}  // extern "C"
