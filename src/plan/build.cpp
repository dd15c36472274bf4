// How a plan is made, after its options are chosen.
#include <algorithm>
#include <cmath>
#include <new>

#include "mpi/memory.hpp"
#include "plan/chooser.hpp"
#include "plan/plan.hpp"
#include "plan/policy/limits.hpp"
#include "plan/route/problem.hpp"

namespace weft {

AnyPlan::AnyPlan(MPI_Comm user, const AnyProblem& problem, const Options& options, Memory memory,
                 const Chooser& chooser) {
  std::string about;
  try {
    about = to_string(problem.shape) + ", strategy " + options.strategy;
  } catch (const std::bad_alloc&) {  // then the time limit says less; other ranks wait for this one below
  }
  const mpi::Entry entry("planning", about);
  const auto comm = mpi::Communicator::shared(user);
  body_ = comm.together([&] { return Body::make(comm, problem, options, memory, chooser); });
}

std::unique_ptr<AnyPlan::Body> AnyPlan::Body::make(const mpi::Communicator& comm, const AnyProblem& problem,
                                                   const Options& options, Memory memory, const Chooser& chooser) {
  check_alike(comm, problem, options, memory);
  const std::vector<int> nodes = comm.nodes(options.nodes);
  std::unique_ptr<Body> made;
  const auto plan = [&](const Options& chosen, const Machine& known) {
    const WithoutMemory none(memory == Memory::none);
    made = comm.together([&] {  // a chooser may go on with another choice, so all ranks fail here
      return std::make_unique<Body>(comm.again(), problem, chosen, nodes, known, memory);
    });
  };
  Chooser::Told told = chooser.choose({comm, problem, options, nodes}, plan);
  made->requested = options;
  made->choice = std::move(told.story);
  made->chosen_by = std::move(told.line);
  return made;
}

AnyPlan::Body::Body(mpi::Communicator own, const AnyProblem& given, const Options& options,
                    const std::vector<int>& node_of, const Machine& known, Memory memory)
    : comm(std::move(own)),
      problem(given),
      called(to_string(given.shape) + ", strategy " + options.strategy),
      compares(compares_calls()),
      plan_number(comm.next_number()),
      requested(options),
      effective(options),
      machine(known),
      route(agreed_route()),
      nodes(node_of),
      works_in(memory),
      traced(mpi::traced(comm)) {
  check_thread_level();
  measure_arrays();
  find_pair();
  plan_lines();

  const double size = logical_points();
  const bool symmetric = options.scale == "symmetric";
  const double forward_scale = options.scale == "full" ? 1 / size : symmetric ? 1 / std::sqrt(size) : 1;
  const double backward_scale = symmetric ? 1 / std::sqrt(size) : 1;

  route_forward();
  bind(forward);
  rescale(forward, forward_scale), build(forward);
  lay_arrays_between(forward);
  route_backward();
  bind(backward);
  rescale(backward, backward_scale), build(backward);
  lay_arrays_between(backward);
  build_map(forward_scale * backward_scale);
  lay_arrays_between(map);
  for (Transform* transform : transforms()) schedule(*transform);
  make_workspaces();
  allocate_workspace();
  team = std::make_unique<Team>(options.threads);
  if (options.schedule.communicate == "thread")
    for (Transform* transform : transforms()) conduct(*transform);
  record(traced);
  select_variants();
  prepare_threads();
}

void AnyPlan::Body::check_thread_level() const {
  if (requested.threads > 1 && mpi::thread_level() < MPI_THREAD_FUNNELED)
    throw Error("threads is " + std::to_string(requested.threads) +
                ", but MPI was initialised for a single thread; call MPI_Init_thread with MPI_THREAD_FUNNELED or more");
}

// Elements and bytes of the caller's arrays.
void AnyPlan::Body::measure_arrays() {
  const auto bytes = [&](bool complex) { return static_cast<Index>(element_bytes(problem.precision, complex)); };
  input_bytes = bytes(complex_input(problem));
  output_bytes = bytes(complex_output(problem));
  spectrum_slot = requested.in_place() ? 0 : 1;
  slots.assign(2, nullptr);
  const int rank = comm.rank();
  input_reach = route.input.view(rank).reach();
  output_reach = route.output.view(rank).reach();
  if (!requested.in_place()) return;
  const Index in = route.input.elements(rank) * input_bytes, out = route.output.elements(rank) * output_bytes;
  array_bytes = std::max(in, out);
  input_reach = (array_bytes + input_bytes - 1) / input_bytes;
  output_reach = (array_bytes + output_bytes - 1) / output_bytes;
}

double AnyPlan::Body::logical_points() const {
  double points = 1;
  for (int k = 0; k < problem.axes.size(); ++k)
    points *=
        static_cast<double>(logical_size(problem.kinds[static_cast<std::size_t>(k)], problem.shape[problem.axes[k]]));
  return points;
}

// Bytes of an element before, between and after the stages of a route: real until the halved axis
// is transformed.
std::vector<Index> AnyPlan::Body::bytes_along(const Route& way) const {
  std::vector<Index> bytes{input_bytes};
  for (const Order& axes : way.work) {
    const bool halves = std::find(axes.begin(), axes.end(), way.halved) != axes.end();
    bytes.push_back(halves ? output_bytes : bytes.back());
  }
  return bytes;
}

void AnyPlan::Body::route_forward() {
  for (const Order& axes : route.work) forward.operations.push_back(operations(axes, Direction::forward));
  forward.bytes = bytes_along(route);
  forward.transitions = route.transitions;
  forward.first_slot = 0;
  forward.last_slot = spectrum_slot;
  forward.first = route.input;
  forward.last = route.output;
  order_sent_planes();
}

// What the first exchange sends from is the plan's own where the input is preserved or small, and
// has planes whole that the first stage transforms.
void AnyPlan::Body::order_sent_planes() {
  const Order &axes = route.work.front(), pair{rows_axis, columns_axis};
  const bool planes =
      columns_axis >= 0 && std::search(axes.begin(), axes.end(), pair.begin(), pair.end()) != axes.end();
  if (!planes || waves || requested.in_place() || forward.transitions.empty()) return;
  if (!forward.transitions.front().exchanges) return;
  Layout& from = forward.transitions.front().from;
  if (overwrites()) {  // then only small arrays pay, whose planes are not too small
    Index most = 0;
    for (int r = 0; r < comm.size(); ++r) most = std::max(most, route.input.elements(r) * input_bytes);
    const Index plane = from.shape()[rows_axis] * from.shape()[columns_axis] * forward.bytes[1];
    if (most > limits::small_array || plane < limits::least_plane) return;
  }
  Order order;
  for (const int a : from.order())
    if (a != rows_axis && a != columns_axis) order.push_back(a);
  order.push_back(columns_axis);
  order.push_back(rows_axis);
  from = from.ordered(order, {});
}

// The same route in reverse.
void AnyPlan::Body::route_backward() {
  const Route& home = homeward();
  for (std::size_t s = home.work.size(); s-- > 0;) {
    Order axes = home.work[s];
    std::reverse(axes.begin(), axes.end());
    backward.operations.push_back(operations(axes, Direction::backward));
  }
  backward.bytes = bytes_along(home);
  std::reverse(backward.bytes.begin(), backward.bytes.end());
  for (std::size_t h = home.transitions.size(); h-- > 0;) {
    const Transition& there = home.transitions[h];
    backward.transitions.push_back({there.to, there.from, there.exchanges, back_cut(home, h)});
  }
  backward.first_slot = spectrum_slot;
  backward.last_slot = 0;
  backward.first = route.output;
  backward.last = route.input;
}

// The last stage that transforms scales what it leaves.
void AnyPlan::Body::rescale(Transform& transform, double by) {
  if (by == 1) return;
  for (auto list = transform.operations.rbegin(); list != transform.operations.rend(); ++list)
    if (!list->empty()) {
      list->back().scale *= by;
      return;
    }
}

// Every thread has the scratch of all lines before it executes.
void AnyPlan::Body::prepare_threads() {
  team->run([&](int) {
    for (const Transform* transform : transforms())
      for (const auto& list : transform->operations)
        for (const Operation& o : list)
          for (const auto& planned : {o.first, o.second})
            if (planned) planned->prepare();
  });
}

}  // namespace weft
