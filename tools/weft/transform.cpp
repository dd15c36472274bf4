// weft transform: an npy file to an npy file, every rank reading and writing its own part.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <optional>

#include <weft/quote.hpp>

#include "field.hpp"
#include "progress.hpp"
#include "request.hpp"

namespace {

struct TransformRequest : Request {
  std::string in, out, trace;
  bool forward = false, backward = false;
  double lowpass = -1;
  std::optional<weft::Index> real_last;
};

/// The problem whose input, or for --backward whose output, the file holds.
weft::AnyProblem problem_of(const TransformRequest& asked, const weft::FileType& file) {
  weft::Shape shape = file.shape;
  const bool half = asked.real_last.has_value();
  if (asked.backward && !complex_numbers(file))
    throw Usage(fmt::format("--backward takes a spectrum, which is complex; {} holds {}", weft::shown_path(asked.in),
                            file.type));
  if (half && (shape.empty() || *asked.real_last / 2 + 1 != shape[shape.size() - 1]))
    throw Usage(fmt::format("--real-last {} needs a last axis of {} points; {} is {}", *asked.real_last,
                            *asked.real_last / 2 + 1, weft::shown_path(asked.in), to_string(shape)));
  if (half) shape[shape.size() - 1] = *asked.real_last;
  const weft::Kind kind = half || !complex_numbers(file) ? weft::Kind::r2c : weft::Kind::c2c;
  return planning([&] { return weft::problem(precision_of(file), {kind}, shape); });
}

/// Lets modes pass up to a radius that is 1 where an axis has its highest frequency; what passes is
/// scaled.
template <class Out>
void pass(const weft::Line& line, const weft::Shape& shape, double fraction, double scale) {
  using Real = typename Out::value_type;
  const auto square = [&](int axis, weft::Index i) {
    const weft::Index n = shape[axis], k = std::min(i, n - i);
    return n == 1 ? 0 : std::pow(static_cast<double>(k) / (static_cast<double>(n) / 2), 2);
  };
  double others = 0;
  for (int a = 0; a < shape.size(); ++a)
    if (a != line.axis) others += square(a, line.first[a]);
  auto* const values = static_cast<Out*>(line.values);
  for (weft::Index i = 0; i < line.count; ++i)
    values[i] *=
        static_cast<Real>(others + square(line.axis, line.first[line.axis] + i) > fraction * fraction ? 0 : scale);
}

int transform(const World& world, const TransformRequest& asked) {
  if (asked.real_last && *asked.real_last < 1)
    throw Usage(fmt::format("--real-last {}: give the length of the real last axis, at least 1", *asked.real_last));
  if (asked.real_last && !asked.backward) throw Usage("--real-last belongs to --backward");
  if (!asked.forward && !asked.backward && !(asked.lowpass >= 0))
    throw Usage(fmt::format("--lowpass {}: give a fraction of the highest frequency, 0 or more", asked.lowpass));
  const weft::FileType file = inspect_numbers(world, asked.in);
  const weft::AnyProblem problem = problem_of(asked, file);
  weft::Options options = asked.options(world.ranks);
  options.placement = "overwrite";
  std::optional<weft::Trace> trace;
  if (!asked.trace.empty()) check_writable(world, asked.trace), trace.emplace(world.comm);

  Progress progress(world.rank == 0);
  progress.phase("planning");
  weft::AnyPlan plan = planning([&] { return weft::AnyPlan(world.comm, problem, options); });
  if (trace) plan.record(*trace);
  std::vector<double> seconds;
  const auto timed = [&](const std::string& what, auto work) {
    progress.phase(what);
    const double start = MPI_Wtime();
    work();
    seconds.push_back(MPI_Wtime() - start);
  };
  with_types(problem, [&]<class In, class Out>(In, Out) {
    const auto read = [&](const weft::Layout& layout, auto* array) {
      timed("reading " + asked.in, [&] { weft::read(world.comm, asked.in, layout, array); });
    };
    const auto write = [&](const weft::Layout& layout, const auto* array) {
      timed("writing " + asked.out, [&] { weft::write(world.comm, asked.out, layout, array); });
    };
    const auto in = input_of<In>(plan);
    if (asked.backward) {
      const auto out = output_of<Out>(plan);
      read(plan.output_layout(), out.data());
      timed("transforming", [&] {
        plan.backward(out.data(), in.data());
        for (In& value : in.span()) value *= static_cast<decltype(std::abs(In()))>(plan.scale());
      });
      write(plan.input_layout(), in.data());
    } else if (asked.forward) {
      const auto out = output_of<Out>(plan);
      read(plan.input_layout(), in.data());
      timed("transforming", [&] { plan.forward(in.data(), out.data()); });
      write(plan.output_layout(), out.data());
    } else if constexpr (!std::is_floating_point_v<Out>) {
      read(plan.input_layout(), in.data());
      timed("filtering", [&] {
        plan.forward_map_backward(in.data(), in.data(), [&](const weft::Line& line) {
          pass<Out>(line, problem.shape, asked.lowpass, plan.scale());
        });
      });
      write(plan.input_layout(), in.data());
    }
  });
  progress.clear();
  if (trace) trace->write(asked.trace);
  if (world.rank == 0)
    fmt::print("{} {} {}: read {:.3f} s, transform {:.3f} s, write {:.3f} s; {}\n", asked.in, to_string(file.shape),
               file.type, seconds[0], seconds[1], seconds[2], plan.effective().strategy);
  return 0;
}

}  // namespace

Command transform_command(CLI::App& app) {
  auto asked = std::make_shared<TransformRequest>();
  app.add_option("IN.npy", asked->in, "f4 or f8 (then the spectrum is half-complex: n/2+1 on the last axis), c8 or c16")
      ->required();
  app.add_option("OUT.npy", asked->out, "the result; written whole or not at all")->required();
  auto* what = app.add_option_group("What to do");
  what->add_flag("--forward", asked->forward, "to the spectrum, unnormalised");
  what->add_flag("--backward", asked->backward, "from the spectrum, divided by the number of points");
  what->add_option("--lowpass", asked->lowpass, "keep modes with sum (k_i / (n_i/2))^2 <= FRACTION^2")
      ->type_name("FRACTION");
  what->require_option(1);
  app.add_option("--real-last", asked->real_last,
                 "with --backward of a half-complex spectrum: length of the real last axis");
  asked->add_options(app, {"batch", "components", "groups", "natural_output", "placement", "scale"});
  app.add_option("--trace", asked->trace, trace_help);
  app.footer(R"(Examples:
  weft --ranks 2 transform u.npy u_hat.npy --forward
  weft --ranks 2 transform u_hat.npy u.npy --backward --real-last 181
  weft --ranks 2 transform u.npy smooth.npy --lowpass 0.25
)");
  return [asked](const World& world) { return transform(world, *asked); };
}
