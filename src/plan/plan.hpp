// What a plan is made of.
#pragma once

#include <array>
#include <map>
#include <mutex>

#include <weft/plan.hpp>

#include "check/order.hpp"
#include "engines/engine.hpp"
#include "mpi/tracing.hpp"
#include "plan/policy/selector.hpp"
#include "plan/policy/variants.hpp"
#include "plan/run/team.hpp"
#include "plan/transform.hpp"
#include "sphere/waves.hpp"

namespace weft {

struct [[gnu::visibility("hidden")]] AnyPlan::Body {
  /// Of what `check_alike` has seen, with nothing left open but a strategy, which the model chooses
  /// for this machine. Inside of a `together` of these ranks: what fails on one of them is thrown
  /// there, and others hear of it in their next collective.
  Body(mpi::Communicator comm, const AnyProblem& problem, const Options& options, const std::vector<int>& nodes,
       const Machine& machine, Memory works_in);

  /// Collective: has chosen what options leave open, and plans.
  static std::unique_ptr<Body> make(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options,
                                    Memory works_in, const Chooser& chooser);

  mpi::Communicator comm;
  AnyProblem problem;
  std::string called;             // what the time limit and comparisons of calls say
  bool compares = false;          // calls, before they execute
  std::uint64_t plan_number = 0;  // on its communicator
  Options requested, effective;
  Machine machine;
  // how options left open were chosen, as JSON and in one line; empty: the model chose, or nobody
  std::string choice, chosen_by;
  std::vector<GVector> vectors;  // of plane waves: this rank's
  std::unique_ptr<Waves> waves;  // null: none
  // in forward's direction, where backward has a schedule of its own that cuts a dense transform
  // otherwise; else `route`
  std::optional<Route> way_back;
  Route route;
  std::vector<int> nodes;                   // of every rank
  Index input_bytes = 0, output_bytes = 0;  // an element
  Index array_bytes = 0;                    // in place: of the one array; else 0
  Index input_reach = 0, output_reach = 0;  // elements that the caller's arrays have at least
  int spectrum_slot = 1;

  std::map<LineSpec, std::shared_ptr<const Lines>> lines;
  // transformed one after the other in blocks whose rows lie row_elements apart; -1: none are
  int columns_axis = -1, rows_axis = -1;
  Index row_elements = 0, leaving_row_elements = 0;  // backward, forward
  bool columns_stay = false;                         // they are left where they were read, forward too
  // axes whose lines, alone in their stage, stay columns in batches whose rows lie so many elements
  // apart
  std::map<int, Index> crossing;
  Slots slots;
  std::vector<Index> wanted_bytes;  // of slots that are allocated when somebody needs them
  // what somebody does: slots and bytes; the slot behind all others is slot 1 of
  // forward_map_backward
  std::vector<std::pair<int, Index>> work_arrays;
  std::byte* map_spectrum = nullptr;
  Memory works_in;
  bool has_workspace = false;
  std::vector<std::shared_ptr<std::byte>> arrays;  // of the workspace, where it is the plan's own
  std::shared_ptr<std::byte> input, output;        // handed out
  std::unique_ptr<const Modes> modes;              // made when first asked for, by whichever thread asks
  std::once_flag modes_made;
  Index owned_bytes = 0;

  Transform forward, backward, map;
  std::array<Transform*, 3> transforms() { return {&forward, &backward, &map}; }
  std::array<const Transform*, 3> transforms() const { return {&forward, &backward, &map}; }
  Selector selector;                  // of how their stages had better write
  std::vector<Workspace> workspaces;  // one a thread
  std::unique_ptr<Team> team;
  std::shared_ptr<trace::Recorder> traced, recorder;  // of the whole process, and what records now; null: none
  AnyPlan::Spent spent_before;                        // when recording began
  std::exception_ptr failure;  // of MPI, in the middle of an execution: null, or there are no more

  double logical_points() const;
  std::string describe_waves() const;
  /// Of plane waves: real space where it is transformed, slabs or pencils.
  const Layout& space() const {
    return route.space == 0 ? route.input : route.transitions[static_cast<std::size_t>(route.space) - 1].to;
  }
  int scattered_axis(const Transition& transition) const;
  /// Of a route's transition on the way back, whose gathered axis is the one that is cut on the way
  /// there.
  Cut back_cut(const Route& way, std::size_t h) const;
  check::Program program() const;
  int number(const Transform& transform) const { return &transform == &forward ? 0 : &transform == &backward ? 1 : 2; }
  static Traffic traffic(const Transform& transform);
  trace::List list(const Transform& transform) const;
  void record(std::shared_ptr<trace::Recorder> on);
  AnyPlan::Spent spent() const;
  /// Runs what looks at the arguments of a call; where calls are compared, on all ranks or on none,
  /// and only if all make the same call.
  template <class Check>
  void checked(const char* verb, Check&& check) const;
  void check_arrays(const void* in, const void* out, Index in_bytes, Index out_bytes, const char* verb) const;
  void check_map_arrays(const void* in, const void* out, Index bytes, const char* verb) const;
  void execute(Transform & transform, const void* in, void* out, const std::function<void(const Line&)>* f = nullptr);
  std::pair<std::shared_ptr<Exchange>, int> lent(const Transform& from, const Transform& to) const;
  Index workspace_bytes() const;
  void use_workspace(void* memory, Index bytes);
  std::shared_ptr<std::byte> memory(Transform & from, Transform & to, std::shared_ptr<std::byte> & mine, Index bytes);

 private:
  void check_thread_level() const;
  void measure_arrays();
  std::vector<Index> bytes_along(const Route& way) const;
  void route_forward();
  void order_sent_planes();
  void route_backward();
  void prepare_threads();
  Route agreed_route();
  const Route& homeward() const { return way_back ? *way_back : route; }
  void share_waves();
  void enter_sphere(Transform & transform) const;
  std::vector<View> on_grid(const std::vector<View>& numbered) const;
  Index padded(Index elements) const;
  void find_pair();
  void find_crossing(const Route& plain);
  std::size_t turning_stage(const Route& of) const;
  LineSpec line_spec(int axis, Direction direction) const;
  void plan_lines();
  std::vector<Operation> operations(const Order& axes, Direction direction) const;
  LineSpec mapped_spec() const;
  std::vector<LineSpec> returning_specs() const;
  static void rescale(Transform & transform, double by);
  int new_array(Index bytes);
  void need(int slot);
  std::vector<std::string> names_along(const Transform& transform) const;
  Demand demand(const Transform& transform, std::size_t h);
  void bind(Transform & transform);
  void note_effective(const Transform& transform, std::vector<std::string> names);
  bool returns(const Transform& transform, std::size_t s) const;
  StageFacts facts(const Transform& transform, std::size_t s) const;
  void select_variants();
  StageSpec spec(const Transform& transform, std::size_t s) const;
  std::unique_ptr<Stage> stage(const Transform& transform, std::size_t s) const;
  bool takes_up(const Transform& transform) const;
  Index ranks_here() const;
  void keep_apart(const Transform& there, std::size_t h);
  bool arrives_as_result(const Transform& transform, std::size_t h) const;
  bool in_step() const;
  bool overwrites() const;
  int buffered_tiles() const;
  Index window(const Transform& transform, const ScheduleOptions& planned, const ScheduleOptions& asked) const;
  Side link(Transform & transform, std::size_t h);
  void build(Transform & transform);
  void build_map(double scale);
  std::vector<Operation> mapped_operations(const std::vector<Operation>& up) const;
  void give_slots_to_map(const Transform& there);
  void lay_arrays_between(Transform & transform);
  void lay_array_behind(Transform & transform, std::size_t s);
  void schedule(Transform & transform);
  void follow(Transform & transform);
  void conduct(Transform & transform);
  void make_workspaces();
  template <class Place>
  void place_workspace(Place place);
  void allocate_workspace();
  void work(const Stage& stage, int number, const Step& step, const Call& call, trace::Run& run);
  void exchange(Transform & transform, const Step& step);

  // what the team works on now: kept here so that starting it allocates nothing
  struct Work {
    const Stage* stage = nullptr;
    int number = 0, first = 0, last = 0;  // of the step, its blocks
    const Call* call = nullptr;
    trace::Run* run = nullptr;
  } now;
  // The first thread's spans are steps, which end when all threads are done; those of others are
  // what they do in one.
  class Noted {
   public:
    Noted(const Work& work, int thread)
        : work_(work), thread_(thread), begin_(thread > 0 && *work.run ? trace::now() : 0) {}
    ~Noted() {
      if (begin_) work_.run->note(thread_, begin_, trace::now(), work_.number);
    }

   private:
    const Work& work_;
    const int thread_;
    const std::int64_t begin_;
  };
  const std::function<void(int)> apart = [this](int thread) {
    const Noted noted(now, thread);
    const int threads = team->threads(), count = now.last - now.first;
    for (int b = now.first + count * thread / threads; b < now.first + count * (thread + 1) / threads; ++b)
      for (int p = 0; p < now.stage->passes(); ++p)
        now.stage->program().run(b, p, 0, 1, workspaces[static_cast<std::size_t>(thread)], *now.call);
    streaming_fence();  // only the thread that stored can wait for its stores
  };
  const std::function<void(int)> together = [this](int thread) {
    const Noted noted(now, thread);
    Workspace& workspace = workspaces[static_cast<std::size_t>(thread)];
    std::byte* const own = workspace.block;
    workspace.block = workspaces[0].block;
    for (int b = now.first; b < now.last; ++b)
      for (int p = 0; p < now.stage->passes(); ++p) {
        now.stage->program().run(b, p, thread, team->threads(), workspace, *now.call);
        team->meet();
      }
    workspace.block = own;
    streaming_fence();
  };
  Transform* conducted = nullptr;
  const std::function<void(const Step&)> talk = [this](const Step& step) { exchange(*conducted, step); };
  const std::function<void(int)> progress = [this](int e) {
    conducted->exchanges[static_cast<std::size_t>(e)]->test();
  };
};

}  // namespace weft
