#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "engines/timing.hpp"
#include "lines.hpp"

namespace weft::fftw {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Lines of this choice, which learns what FFTW finds. FFTW's first replay of a search may differ
// from it: replays go on until they find nothing to add. `longest` grows to the seconds of one.
template <class Real>
std::shared_ptr<const Lines> learn(Planner<Real>& planner, const LineSpec& spec, std::string_view effort,
                                   Choice& choice, double left, double& longest) {
  Choice before;
  std::shared_ptr<const Lines> lines;
  for (int replays = 0; replays < 5 && (replays == 0 || choice != before); ++replays) {
    before = choice;
    lines.reset();
    const auto began = Clock::now();
    if (left < unlimited) Library<Real>::set_timelimit(std::max(left, 1e-3));
    lines = plan_lines<Real>(planner, spec, effort, choice, true);
    if (left < unlimited) Library<Real>::set_timelimit(FFTW_NO_TIMELIMIT);
    const double took = seconds_since(began);
    if (took >= left) choice.unfinished = true;
    longest = std::max(longest, took);
  }
  return lines;
}

}  // namespace

template <class Real>
Choice search(Planner<Real>& planner, const LineSpec& spec, std::string_view effort, const std::vector<Manner>& manners,
              std::map<LineSpec, Choice>& inner, double limit) {
  if (limit < unlimited && spec.length > longest_searched) return {manners.front(), "", true};
  const auto start = Clock::now();
  Choice best{};
  double least = std::numeric_limits<double>::infinity(), longest = 0;
  for (const Manner manner : manners) {
    const double left = limit - seconds_since(start);
    if (longest > left) continue;
    Choice choice{manner, ""};
    const bool convolution = convolves(manner);
    if (convolution)
      if (const auto known = inner.find(inner_of(spec, manner)); known != inner.end())
        choice = known->second, choice.manner = manner;
    const auto lines = learn(planner, spec, effort, choice, left, longest);
    if (convolution) inner[inner_of(spec, manner)] = choice;
    const double time = manners.size() > 1 ? seconds_in_cache(*lines) : 0;
    if (time < least) best = choice, least = time;
  }
  return best;
}

template Choice search(Planner<float>&, const LineSpec&, std::string_view, const std::vector<Manner>&,
                       std::map<LineSpec, Choice>&, double);
template Choice search(Planner<double>&, const LineSpec&, std::string_view, const std::vector<Manner>&,
                       std::map<LineSpec, Choice>&, double);

}  // namespace weft::fftw
