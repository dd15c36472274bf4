// What all engines share: the checks, the memory of what is planned, and each thread's scratch.
#include "engine.hpp"

#include <algorithm>

#include <weft/quote.hpp>

#include "aligned.hpp"
#include "parts.hpp"

namespace weft {

std::string to_string(const LineSpec& spec) {
  const auto word = [](auto value) { return std::string(to_string(value)) + " "; };
  std::string text = word(spec.kind) + word(spec.direction) + word(spec.precision) + std::to_string(spec.length);
  const auto add = [&](std::initializer_list<Index> numbers) {
    for (const Index n : numbers) text += ":" + std::to_string(n);
  };
  if (spec != spec.as_plain()) add({spec.in_stride, spec.in_distance, spec.out_distance, spec.out_stride});
  if (spec.has_hole()) add({spec.hole_first, spec.hole_last});
  if (spec.both_parts) text += " of both parts";
  return text;
}

void Lines::rows(const Rows&) const { throw Error(to_string(spec_) + " takes no rows"); }
void Lines::apart(const Apart&) const { throw Error(to_string(spec_) + " takes no steps"); }

std::byte* Lines::scratch() const {
  thread_local Aligned memory;
  if (memory.bytes() < scratch_bytes_) memory = Aligned(scratch_bytes_);
  return memory.data();
}

std::string Engine::declines(const LineSpec& spec) const {
  constexpr Index longest = Index{1} << 40;  // beyond it bytes of a batch might not fit in 64 bits
  const std::string kind(to_string(spec.kind));
  if (spec.length < 1 || spec.length > longest)
    return "length " + std::to_string(spec.length) + "; allowed are 1 to " + std::to_string(longest);
  if (spec.kind == Kind::dct1 && spec.length < 2) return "dct1 needs a length of at least 2";
  const Direction only = spec.kind == Kind::c2r ? Direction::backward : Direction::forward;
  if (spec.kind != Kind::c2c && spec.direction != only)
    return kind + " is " + std::string(to_string(only)) + " only; its inverse is the kind " +
           std::string(to_string(inverse(spec.kind)));
  if (spec.in_stride < 1 || spec.in_step() < 1 || spec.out_stride < 1 ||
      spec.out_step() < (spec.out_stride > 1 ? 1 : spec.out_length()))
    return "points lie at least 1 element apart, and contiguous lines where they are written at least their length";
  if (spec.hole_first < 0 || spec.hole_last < spec.hole_first || spec.hole_last > spec.length ||
      (spec.has_hole() && spec.kind != Kind::c2c))
    return "a hole lies inside the line, and only c2c has one";
  if ((spec.in_stride > 1 || spec.out_stride > 1) && spec.kind != Kind::c2c) return "only c2c has strided lines";
  if (spec.both_parts && !real_to_real(spec.kind))
    return "only real-to-real kinds transform the parts of complex values apart";
  return limits(spec);
}

std::shared_ptr<const Lines> Engine::plan(const LineSpec& spec, std::string_view effort) const {
  return plan_all({spec}, effort).front();
}

std::vector<std::shared_ptr<const Lines>> Engine::plan_all(const std::vector<LineSpec>& specs,
                                                           std::string_view effort) const {
  if (std::find(efforts().begin(), efforts().end(), effort) == efforts().end()) {
    std::string allowed;
    for (const auto& e : efforts()) allowed += (allowed.empty() ? "" : ", ") + e;
    throw Error("unknown planning effort \"" + shown(effort) + "\"; allowed are " + allowed);
  }
  for (const LineSpec& spec : specs)
    if (const auto reason = declines(spec); !reason.empty())
      throw Error("engine " + std::string(name()) + " cannot plan " + to_string(spec) + ": " + reason);
  std::map<LineSpec, std::shared_ptr<const Lines>> one_part;  // what lines of both parts are transformed by
  for (const LineSpec& spec : specs)
    if (spec.both_parts) one_part[spec.one_part()];
  if (!one_part.empty()) {
    std::vector<LineSpec> parts;
    for (const auto& [spec, lines] : one_part) parts.push_back(spec);
    for (const auto& lines : plan_all(parts, effort)) one_part[lines->spec()] = lines;
  }
  const std::lock_guard lock(planning_);
  std::map<LineSpec, std::shared_ptr<const Lines>> found;
  for (const LineSpec& spec : specs) {
    auto& lines = found[spec] = planned_[{spec, std::string(effort)}].lock();
    if (!spec.both_parts) continue;
    const auto& part = one_part[spec.one_part()];
    if (!lines || !in_parts_by(*lines, part)) planned_[{spec, std::string(effort)}] = lines = in_parts(spec, part);
  }
  std::vector<LineSpec> missing;
  for (const auto& [spec, lines] : found)
    if (!lines) missing.push_back(spec);
  if (!missing.empty()) {
    const auto made = make_all(missing, std::string(effort));
    for (std::size_t k = 0; k < made.size(); ++k)
      planned_[{missing[k], std::string(effort)}] = found[missing[k]] = made[k];
  }
  const auto kept = kept_.lock();
  for (const auto& [spec, lines] : found) {
    if (kept) kept->insert(lines);
    if (lines->may_be_held()) hold(lines);
    lines->prepare();
  }
  std::vector<std::shared_ptr<const Lines>> planned;
  for (const LineSpec& spec : specs) planned.push_back(found[spec]);
  return planned;
}

std::vector<std::shared_ptr<const Lines>> Engine::make_all(const std::vector<LineSpec>& specs,
                                                           const std::string& effort) const {
  std::vector<std::shared_ptr<const Lines>> lines;
  for (const LineSpec& spec : specs) lines.push_back(make(spec, effort));
  return lines;
}

void Engine::hold(const std::shared_ptr<const Lines>& lines) const {
  if (lines->spec().length > points_held) return;
  std::erase(held_, lines);
  held_.push_front(lines);
  Index points = 0;
  std::size_t fit = 0;
  while (fit < held_.size() && fit < most_held && (points += held_[fit]->spec().length) <= points_held) ++fit;
  held_.resize(fit);
}

void Engine::let_go() const {
  const std::lock_guard lock(planning_);
  held_.clear();
}

std::shared_ptr<const void> Engine::keep() const {
  const std::lock_guard lock(planning_);
  auto kept = kept_.lock();
  if (!kept) kept_ = kept = std::make_shared<Kept>();
  return kept;
}

void Engine::import_wisdom(const std::string& wisdom) const {
  if (!wisdom.empty()) throw Error("engine " + std::string(name()) + " keeps no wisdom, but was given some");
}

const std::vector<std::string>& efforts() {
  static const std::vector<std::string> names{"estimate", "measure", "patient", "exhaustive"};
  return names;
}

}  // namespace weft
