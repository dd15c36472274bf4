#include "plan.hpp"

#include <fftw3-mpi.h>

#include <array>
#include <exception>
#include <map>
#include <utility>

#include <weft/wisdom.hpp>

#include "blocks.hpp"
#include "next.hpp"
#include "say.hpp"

namespace drop_in {
namespace {

int threads = 1;

// What was planned in this process, and with how much effort: what FFTW_WISDOM_ONLY may be given.
std::map<std::string, int>& wisdom() {
  static std::map<std::string, int> wisdom;
  return wisdom;
}

int rank_of(const std::string& effort) {
  return effort == "estimate" ? 0 : effort == "measure" ? 1 : effort == "patient" ? 2 : 3;
}

// FFTW's planner plans lines for one thread while weft uses it: weft's threads each take lines of
// their own.
class OneThread {
 public:
  OneThread() { set(1); }
  ~OneThread() { set(threads); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  static void set(int count) {
    if (threads == 1) return;
    for (const char* const name : {"fftw_plan_with_nthreads", "fftwf_plan_with_nthreads"})
      if (void* const there = next(name)) reinterpret_cast<void (*)(int)>(there)(count);
  }
};

std::int64_t hash(const std::string& text) {
  std::uint64_t h = 14695981039346656037u;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::int64_t>(h >> 2);
}

// The points of a rank decide whether its arrays tell anything: those of a rank without any may be
// null.
bool has_points(const Job& job, int rank) { return job.layouts[0].points(rank) > 0 || job.layouts[1].points(rank) > 0; }

std::string in_place_key(const std::string& key) { return key + "; in place"; }

Answer made(const Request& request, int rank, int ranks) {
  bool invalid = false;
  std::string why = unusable();
  if (why.empty()) why = declines(request, ranks, invalid);
  std::string key;
  Job wanted;
  if (why.empty()) {
    wanted = job(request, ranks);
    key = wanted.key() + ", " + std::to_string(threads) + " threads";
  }
  const std::shared_ptr<Kept> kept = Kept::of(request.comm);
  const bool has = why.empty() && has_points(wanted, rank), one = request.in == request.out;
  const auto known = wisdom().find(wanted.key());
  const bool wise = known != wisdom().end() && known->second >= std::max(rank_of(wanted.effort), 1);

  // One question for all that ranks have to agree on. A work counts where all have the same one:
  // they may have destroyed plans at different times.
  enum { text, text_, apart, together, kept_apart, kept_apart_, kept_together, kept_together_, unwise, count };
  std::array<std::int64_t, count> most{};
  most[text] = hash(key + why + (request.flags & FFTW_WISDOM_ONLY ? "w" : "") + (wanted.back ? "b" : ""));
  most[apart] = has && !one;
  most[together] = has && one;
  most[kept_apart] = kept->find(key);
  most[kept_together] = kept->find(in_place_key(key));
  most[unwise] = !wise;
  for (const int value : {text, kept_apart, kept_together})
    most[static_cast<std::size_t>(value) + 1] = -most[static_cast<std::size_t>(value)];
  MPI_Allreduce(MPI_IN_PLACE, most.data(), count, MPI_INT64_T, MPI_MAX, request.comm);
  if (most[text] != -most[text_])
    return {.why = "ranks ask for different transforms; rank 0 asks for " + (why.empty() ? key : why)};
  if (!why.empty()) return {.hand_on = !invalid, .why = why};
  if (most[apart] && most[together])
    return {.why = "input and output are one array on some ranks and two on others; give the same on all"};
  if (request.flags & FFTW_WISDOM_ONLY && most[unwise]) return {};

  const bool in_place = most[together] != 0;
  if (in_place) key = in_place_key(key);
  std::shared_ptr<Work> work;
  const int number = in_place ? kept_together : kept_apart;
  if (most[static_cast<std::size_t>(number)] > 0 &&
      most[static_cast<std::size_t>(number)] == -most[static_cast<std::size_t>(number) + 1]) {
    work = kept->at(key);
  } else {
    const OneThread one_thread;
    work = make(request.comm, wanted, in_place, threads);
    kept->add(key, work, wanted.bytes_per_rank());
  }
  int& effort = wisdom()[wanted.key()];
  effort = std::max(effort, rank_of(wanted.effort));
  return {.plan = new Plan(kept, std::move(key), std::move(work), wanted, request.in, request.out)};
}

}  // namespace

const char Plan::mark = 0;

Plan::Plan(std::shared_ptr<Kept> kept, std::string key, std::shared_ptr<Work> work, const Job& job, void* in, void* out)
    : kept_(kept),
      key_(std::move(key)),
      work_(std::move(work)),
      back_(job.back),
      in_(in),
      out_(out),
      operations_(job.operations()) {}

Plan::Plan(const Plan& other, int)
    : kept_(other.kept_),
      key_(other.key_),
      work_(other.work_),
      back_(other.back_),
      in_(other.in_),
      out_(other.out_),
      operations_(other.operations_) {}

Plan::~Plan() {
  mark_ = nullptr;
  work_.reset();
  if (const auto kept = kept_.lock()) kept->left(key_);
}

Plan* Plan::copy() const { return new Plan(*this, 0); }

void Plan::execute(void* in, void* out) {
  try {
    work_->run(in, out, back_);
  } catch (const std::exception& e) {
    give_up(e.what());
  }
}

std::string Plan::describe() const {
  return "(weft " + std::string(back_ ? "backward of " : "") + work_->describe() + ")";
}

Answer answer(const Request& request) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(request.comm, &rank);
  MPI_Comm_size(request.comm, &ranks);
  try {
    return made(request, rank, ranks);
  } catch (const std::exception& e) {
    return {.hand_on = true, .why = e.what()};
  }
}

void tell(const Request& request, const Answer& answer, bool handed_on) {
  if (answer.why.empty()) return;
  if (handed_on)
    say_once(request.comm, "handed on to FFTW's own MPI transforms: " + answer.why);
  else if (answer.hand_on)
    say(request.comm, "no plan: " + answer.why + "; and FFTW's own MPI transforms, which might do it, are not there");
  else
    say(request.comm, "no plan: " + answer.why);
}

void plan_with_threads(int count) { threads = std::max(count, 1); }
int threads_of_plans() { return threads; }

void forget() {
  Kept::let_go();
  wisdom().clear();
  weft::forget_wisdom();
}

}  // namespace drop_in
