#include "plan/route/problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <weft/quote.hpp>

#include "geometry/checked.hpp"

namespace weft {

AnyProblem problem(Precision precision, std::vector<Kind> kinds, Shape shape, Order axes) {
  AnyProblem p{precision, shape, axes.empty() ? c_order(shape.size()) : axes, {}};
  if (kinds.empty()) throw Error("a problem needs a kind: c2c, r2c, or one for each axis");
  const bool repeat = kinds.size() == 1;
  p.kinds.assign(repeat ? static_cast<std::size_t>(p.axes.size()) : kinds.size(), kinds.front());
  if (!repeat) p.kinds = kinds;
  if (repeat && !p.kinds.empty() && kinds.front() == Kind::r2c) {
    std::fill(p.kinds.begin(), p.kinds.end(), Kind::c2c);
    p.kinds.back() = Kind::r2c;
  }
  return p;
}

bool complex_output(const AnyProblem& problem) {
  return std::any_of(problem.kinds.begin(), problem.kinds.end(), [](Kind kind) { return complex_output(kind); });
}
bool complex_input(const AnyProblem& problem) {
  return complex_output(problem) &&
         std::find(problem.kinds.begin(), problem.kinds.end(), Kind::r2c) == problem.kinds.end();
}

AnyProblem checked_types(AnyProblem problem, bool complex_in, bool complex_out) {
  const auto word = [](bool is_complex) { return is_complex ? "complex" : "real"; };
  if (complex_input(problem) != complex_in || complex_output(problem) != complex_out)
    throw Error(std::string("these kinds transform ") + word(complex_input(problem)) + " numbers to " +
                word(complex_output(problem)) + " ones, and " + word(complex_in) + " to " + word(complex_out) +
                " is asked for: r2c takes real numbers to complex ones, c2c complex ones, and dct, dst, r2hc, hc2r and "
                "dht whatever the others leave");
  return problem;
}

namespace {

void check_threads(const ScheduleOptions& s, const Options& o) {
  if (s.communicate == "thread" && o.threads < 2)
    throw Declined("communicate is \"thread\", but threads is " + std::to_string(o.threads) +
                   "; give at least 2: one talks to MPI, the others compute");
}

}  // namespace

void check_problem(const AnyProblem& p, const Options& o) {
  check_options(o);
  if (p.shape.empty()) throw Error("the shape has no axes; give at least one extent");
  for (const Index n : p.shape)
    if (n < 1)
      throw Error("shape " + to_string(p.shape) + " has an extent of " + std::to_string(n) +
                  "; every extent must be at least 1");
  if (p.axes.empty())
    throw Error("no axes to transform; name at least one of 0.." + std::to_string(p.shape.size() - 1));
  for (int k = 0; k < p.axes.size(); ++k) {
    if (p.axes[k] < 0 || p.axes[k] >= p.shape.size())
      throw Error("axis " + std::to_string(p.axes[k]) + " is not one of the shape's, 0.." +
                  std::to_string(p.shape.size() - 1));
    for (int l = 0; l < k; ++l)
      if (p.axes[k] == p.axes[l])
        throw Error("axis " + std::to_string(p.axes[k]) + " is named twice; each axis can be transformed once");
  }
  if (static_cast<int>(p.kinds.size()) != p.axes.size())
    throw Error(std::to_string(p.kinds.size()) + " kinds are given for " + std::to_string(p.axes.size()) +
                " axes; give one, or one an axis");
  int halved = -1;
  for (int k = 0; k < p.axes.size(); ++k) {
    const Kind kind = p.kinds[static_cast<std::size_t>(k)];
    const std::string axis = "axis " + std::to_string(p.axes[k]);
    if (kind == Kind::c2r) throw Error("c2r is backward of r2c; plan r2c and call backward");
    if (kind == Kind::r2c && halved >= 0)
      throw Error("r2c is the kind of axis " + std::to_string(halved) + " and of " + axis +
                  ", but only one axis can be halved; give c2c for the other");
    if (kind == Kind::r2c) halved = p.axes[k];
    if (kind == Kind::dct1 && p.shape[p.axes[k]] < 2)
      throw Error(axis + " of shape " + to_string(p.shape) +
                  " has 1 point, and dct1 needs at least 2; give dct2, or leave the axis out");
  }
  if (o.groups > 1 && (!p.waves || o.batch < 2))
    throw Error("groups is " + std::to_string(o.groups) +
                ", but only a batch of plane waves is shared among groups; give 1");
  if (p.shape.size() + (o.batch > 1) + (o.components > 1) > max_axes)
    throw Error("the axes of shape " + to_string(p.shape) + (o.batch > 1 ? ", the batch" : "") +
                (o.components > 1 ? ", the components" : "") + " make more than " + std::to_string(max_axes) +
                " axes; at most that many are allowed together");
  check_threads(o.schedule, o);
  if (o.backward_schedule) {
    if (o.backward_schedule->communicate != o.schedule.communicate)
      throw Error("communicate is \"" + shown(o.schedule.communicate) + "\" forward and \"" +
                  shown(o.backward_schedule->communicate) + "\" backward; give the same");
  }
  if (o.wire == "single" && p.precision != Precision::double_)
    throw Error("wire is \"single\", and the transform is in single precision already; leave it \"same\"");
  for (const std::string& name : strategy_names(o.strategy))
    if (name != "auto" && o.strategy != "tune") strategy(name);  // throws, naming those there are
  if (o.natural_output && o.output) throw Error("both natural_output and an output layout are given; give one of them");
  const Index fields = checked::product(o.batch, o.components, "batch times components");
  checked::bytes(checked::product(volume(p.shape), fields, "points of all fields"),
                 static_cast<Index>(element_bytes(p.precision, true)), "an array of shape " + to_string(p.shape));
  if (p.waves) check_waves(p, o);
}

bool compares_calls() {
  const char* const text = std::getenv("WEFT_CHECK");
  const std::string_view given = text ? text : "0";
  if (given != "0" && given != "1")
    throw Error("WEFT_CHECK=" + std::string(given.substr(0, 100)) +
                ": give 1 to have ranks compare what they call, or 0, or unset it");
  return given == "1";
}

void throw_failed(const char* what, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    throw Error(std::string("this ") + what + " failed in an earlier call (" + e.what() +
                ") and is of no more use; make a new one");
  }
}

std::vector<std::string> strategy_names(const std::string& strategy) {
  std::vector<std::string> names(1);
  for (const char c : strategy)
    if (c == '+')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

std::vector<std::pair<std::string, std::string>> fingerprint(const AnyProblem& p) {
  std::string axes;
  for (int k = 0; k < p.axes.size(); ++k)
    axes += " " + std::to_string(p.axes[k]) + ":" + std::string(to_string(p.kinds[static_cast<std::size_t>(k)]));
  return {{"the shape", to_string(p.shape)},
          {"the precision", std::string(to_string(p.precision))},
          {"the kinds of the axes", axes},
          {"the plane waves", p.waves ? fingerprint(*p.waves) : "none"}};
}

void check_alike(const mpi::Communicator& comm, const AnyProblem& problem, const Options& options, Memory works_in) {
  std::vector<std::pair<std::string, std::string>> all;
  std::string mine;
  agree_or_decline(comm, [&] {
    check_problem(problem, options);
    all = fingerprint(problem);
    for (const Option& option : weft::options()) all.emplace_back(option.name, option.text(options));
    all.emplace_back("WEFT_CHECK", compares_calls() ? "1" : "0");
    all.emplace_back("whose the memory is", works_in == Memory::own       ? "own"
                                            : works_in == Memory::callers ? "callers"
                                                                          : "none");
    for (const auto& [what, text] : all) mine += text + "\n";
  });
  if (comm.alike(mine)) return;  // one question for all of it
  for (const auto& [what, text] : all) comm.same(what, text);
}

}  // namespace weft
