// The public face of plans: arguments are checked, then the body executes.
#include "plan/plan.hpp"

#include <sstream>

#include "mpi/memory.hpp"
#include "plan/route/problem.hpp"

namespace weft {

// The public constructor is the tuner's (src/tune/choose.cpp), which chooses what options leave
// open.
AnyPlan::~AnyPlan() = default;
AnyPlan::AnyPlan(AnyPlan&&) noexcept = default;
AnyPlan& AnyPlan::operator=(AnyPlan&&) noexcept = default;

template <class Check>
void AnyPlan::Body::checked(const char* verb, Check&& check) const {
  const auto all = [&] {
    if (failure) throw_failed("plan", failure);
    if (works_in == Memory::none)
      throw Error(std::string(verb) + ": the plan has no memory to work in; plan with weft::Memory::own or callers");
    if (!has_workspace)
      throw Error(std::string(verb) + ": the plan has no workspace on rank " + std::to_string(comm.rank()) +
                  "; call use_workspace first");
    check();
  };
  if (!compares) return all();
  const mpi::Task task("comparing calls", called);
  std::ostringstream call;
  call << verb << " of plan " << plan_number << " (" << called << ")";
  comm.same("the call", call.str());
  comm.agree(all);
}

void AnyPlan::Body::check_arrays(const void* in, const void* out, Index in_bytes, Index out_bytes,
                                 const char* verb) const {
  if ((!in && in_bytes > 0) || (!out && out_bytes > 0))
    throw Error(std::string(verb) + ": the " + (in ? "output" : "input") + " array is null on rank " +
                std::to_string(comm.rank()));
  const auto *a = static_cast<const std::byte*>(in), *b = static_cast<const std::byte*>(out);
  if (requested.in_place()) {
    if (in != out && (in_bytes > 0 || out_bytes > 0))
      throw Error(std::string(verb) + ": the plan is in place, but input and output are different arrays on rank " +
                  std::to_string(comm.rank()) +
                  "; pass the same pointer, or plan with placement \"preserve\" or \"overwrite\"");
  } else if (in_bytes > 0 && out_bytes > 0 && std::less<>{}(a, b + out_bytes) && std::less<>{}(b, a + in_bytes)) {
    throw Error(std::string(verb) + ": input and output overlap on rank " + std::to_string(comm.rank()) +
                "; give two arrays, or plan with placement \"in_place\" and give one");
  }
}

// A map comes back to where it began: to the same places, where both arrays are one.
void AnyPlan::Body::check_map_arrays(const void* in, const void* out, Index bytes, const char* verb) const {
  if (requested.in_place() || in != out) return check_arrays(in, out, bytes, bytes, verb);
  if (!in && bytes > 0)
    throw Error(std::string(verb) + ": the input array is null on rank " + std::to_string(comm.rank()));
}

void AnyPlan::forward(const void* in, void* out) {
  body_->checked("forward", [&] {
    body_->check_arrays(in, out, body_->input_reach * body_->input_bytes, body_->output_reach * body_->output_bytes,
                        "forward");
  });
  body_->execute(body_->forward, in, out);
}

void AnyPlan::backward(const void* in, void* out) {
  body_->checked("backward", [&] {
    body_->check_arrays(in, out, body_->output_reach * body_->output_bytes, body_->input_reach * body_->input_bytes,
                        "backward");
  });
  body_->execute(body_->backward, in, out);
}

void AnyPlan::forward_map_backward(const void* in, void* out, const std::function<void(const Line&)>& f) {
  body_->checked("forward_map_backward", [&] {
    if (!f) throw Error("forward_map_backward: the map is empty; give a function of a line");
    if (body_->waves)
      throw Error(
          "forward_map_backward: plane waves are mapped in real space; call backward_map_forward, and change "
          "coefficients in their array");
    body_->check_map_arrays(in, out, body_->input_reach * body_->input_bytes, "forward_map_backward");
  });
  body_->execute(body_->map, in, out, &f);
}

void AnyPlan::backward_map_forward(const void* in, void* out, const std::function<void(const Line&)>& f) {
  body_->checked("backward_map_forward", [&] {
    if (!f) throw Error("backward_map_forward: the map is empty; give a function of a line");
    if (!body_->waves)
      throw Error(
          "backward_map_forward: only plane waves are mapped in real space; call forward_map_backward, or plan a "
          "sphere");
    body_->check_map_arrays(in, out, body_->output_reach * body_->output_bytes, "backward_map_forward");
  });
  body_->execute(body_->map, in, out, &f);
}

double AnyPlan::scale() const { return body_->requested.scale == "none" ? 1 / body_->logical_points() : 1; }
const Layout& AnyPlan::input_layout() const { return body_->route.input; }
const Layout& AnyPlan::output_layout() const { return body_->route.output; }
View AnyPlan::input_view() const { return input_layout().view(body_->comm.rank()); }
View AnyPlan::output_view() const { return output_layout().view(body_->comm.rank()); }
Index AnyPlan::input_elements() const {
  return body_->array_bytes ? (body_->array_bytes + body_->input_bytes - 1) / body_->input_bytes
                            : input_layout().elements(body_->comm.rank());
}
Index AnyPlan::output_elements() const {
  return body_->array_bytes ? (body_->array_bytes + body_->output_bytes - 1) / body_->output_bytes
                            : output_layout().elements(body_->comm.rank());
}
Index AnyPlan::input_reach() const { return body_->input_reach; }
Index AnyPlan::output_reach() const { return body_->output_reach; }
const AnyProblem& AnyPlan::problem() const { return body_->problem; }
const std::vector<GVector>& AnyPlan::vectors() const { return body_->vectors; }
const Options& AnyPlan::requested() const { return body_->requested; }
const Options& AnyPlan::effective() const { return body_->effective; }
Index AnyPlan::bytes_owned() const { return body_->owned_bytes; }
Index AnyPlan::workspace_bytes() const { return body_->workspace_bytes(); }
void AnyPlan::use_workspace(void* memory, Index bytes) { body_->use_workspace(memory, bytes); }
bool AnyPlan::trying() const { return body_->selector.trying(); }
std::vector<std::vector<Considered>> AnyPlan::considered() const {
  std::vector<std::vector<Considered>> all;
  for (std::size_t h = 0; h < body_->forward.transitions.size(); ++h)
    if (body_->forward.transitions[h].exchanges) all.push_back(body_->forward.considered[h]);
  return all;
}

std::shared_ptr<std::byte> AnyPlan::input_memory() {
  return body_->memory(body_->forward, body_->backward, body_->input, input_elements() * body_->input_bytes);
}
std::shared_ptr<std::byte> AnyPlan::make_input_memory() const {
  return allocate(input_elements() * body_->input_bytes);
}
std::shared_ptr<std::byte> AnyPlan::make_output_memory() const {
  return allocate(output_elements() * body_->output_bytes);
}
std::shared_ptr<std::byte> AnyPlan::output_memory() {
  if (body_->requested.in_place()) return input_memory();
  return body_->memory(body_->backward, body_->forward, body_->output, output_elements() * body_->output_bytes);
}

}  // namespace weft
