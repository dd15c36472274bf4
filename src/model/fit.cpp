// Fits: one coefficient is searched where the form is not linear in it, all others are linear least
// squares.
#include <weft/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <set>

#include <weft/error.hpp>
#include <weft/quote.hpp>

namespace weft {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

double value_of(std::string_view form, const std::vector<double>& c, double ranks) {
  if (form == "amdahl") return 1 / (c[0] + (1 - c[0]) / ranks);
  return c[0] + c[1] / (form == "comm" ? c[2] + ranks : ranks);
}

/// How the form's value changes with each coefficient.
std::vector<double> slopes_of(std::string_view form, const std::vector<double>& c, double ranks) {
  if (form == "amdahl") {
    const double value = value_of(form, c, ranks);
    return {-value * value * (1 - 1 / ranks)};
  }
  if (form == "comp") return {1, 1 / ranks};
  const double below = c[2] + ranks;
  return {1, 1 / below, -c[1] / (below * below)};
}

/// a0 + a1/(a2 + P) for a given a2: the line through the samples over x = 1/(a2 + P).
std::vector<double> line(const std::vector<Sample>& samples, double a2) {
  const auto count = static_cast<double>(samples.size());
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  for (const Sample& s : samples) x_mean += 1 / (a2 + s.ranks) / count, y_mean += s.value / count;
  for (const Sample& s : samples) {
    const double x = 1 / (a2 + s.ranks) - x_mean;
    xx += x * x, xy += x * (s.value - y_mean);
  }
  const double a1 = xy / xx;
  return {y_mean - a1 * x_mean, a1, a2};
}

double squares(std::string_view form, const std::vector<Sample>& samples, const std::vector<double>& c) {
  double sum = 0;
  for (const Sample& s : samples) sum += std::pow(s.value - value_of(form, c, s.ranks), 2);
  return sum;
}

/// Where f is least in [low, high]: the best of a scan, and golden sections around it. At an end of
/// the scan it is an end.
double least_of(const std::function<double(double)>& f, double low, double high) {
  constexpr int steps = 400;
  const auto place = [&](int k) { return low + (high - low) * k / steps; };
  int best = 0;
  for (int k = 1; k <= steps; ++k)
    if (f(place(k)) < f(place(best))) best = k;
  if (best == 0 || best == steps) return place(best);
  const double share = (std::sqrt(5.0) - 1) / 2;
  double a = place(best - 1), b = place(best + 1);
  double left = b - share * (b - a), right = a + share * (b - a), f_left = f(left), f_right = f(right);
  for (int k = 0; k < 90; ++k)
    if (f_left <= f_right) {
      b = right, right = left, f_right = f_left;
      left = b - share * (b - a), f_left = f(left);
    } else {
      a = left, left = right, f_left = f_right;
      right = a + share * (b - a), f_right = f(right);
    }
  return (a + b) / 2;
}

std::vector<double> comm(const std::vector<Sample>& samples, double least, double most) {
  // a2 + P is positive on all ranks that were measured: a2 is searched by the logarithm of its
  // distance from that
  const auto a2 = [&](double at) { return std::exp(at) - least; };
  const double low = std::log(1e-6 * least), high = std::log(1e4 * most);
  const double at = least_of([&](double v) { return squares("comm", samples, line(samples, a2(v))); }, low, high);
  if (at == low || at == high)
    throw Error(
        "the samples do not bend as a0 + a1/(a2 + P) does: no a2 is best for them; fit \"comp\", or give more "
        "numbers of ranks");
  return line(samples, a2(at));
}

std::vector<double> amdahl(const std::vector<Sample>& samples) {
  const double low = std::log(1e-9);
  const double at = least_of([&](double v) { return squares("amdahl", samples, {std::exp(v)}); }, low, 0);
  if (at == low)
    throw Error(
        "nothing limits the speed-up of these samples: they are linear or better, and Amdahl's law says nothing of "
        "them");
  return {std::exp(at)};
}

/// S with S S^T = (J^T J)^-1 for the slopes J of all samples: the inverse of R where J = Q R, by
/// columns.
std::vector<double> spread_of(const Fit& fit) {
  const std::size_t count = fit.coefficients.size(), rows = fit.samples.size();
  std::vector<std::vector<double>> q(count, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto slopes = slopes_of(fit.form, fit.coefficients, fit.samples[i].ranks);
    for (std::size_t k = 0; k < count; ++k) q[k][i] = slopes[k];
  }
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += q[a][i] * q[b][i];
    return sum;
  };
  std::vector<double> r(count * count, 0), inverse(count * count, 0);  // [column * count + row]
  for (std::size_t k = 0; k < count; ++k) {
    const double length = std::sqrt(dot(k, k));
    for (int again = 0; again < 2; ++again)  // twice is enough for nearly parallel columns
      for (std::size_t j = 0; j < k; ++j) {
        const double part = dot(j, k);
        r[k * count + j] += part;
        for (std::size_t i = 0; i < rows; ++i) q[k][i] -= part * q[j][i];
      }
    const double left = std::sqrt(dot(k, k));
    if (!(left > 1e-10 * length))
      throw Error("the samples do not determine the coefficients of \"" + fit.form + "\": give more numbers of ranks");
    r[k * count + k] = left;
    for (double& value : q[k]) value /= left;
  }
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t row = c + 1; row-- > 0;) {
      double value = row == c;
      for (std::size_t j = row + 1; j <= c; ++j) value -= r[j * count + row] * inverse[c * count + j];
      inverse[c * count + row] = value / r[row * count + row];
    }
  return inverse;
}

/// So many standard deviations hold 95 of 100, by Student's distribution.
double student(int freedom) {
  constexpr std::array<double, 30> known{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                         2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                         2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  return freedom <= 30 ? known[static_cast<std::size_t>(freedom) - 1] : 1.96 + 2.5 / freedom;
}

}  // namespace

const std::vector<FitForm>& fit_forms() {
  static const std::vector<FitForm> forms{{"comm",
                                           "a0 + a1/(a2 + P)",
                                           "time of communication on P ranks",
                                           {"a0", "a1", "a2"},
                                           "Dubey and Tessera, Redistribution strategies for portable parallel FFT"},
                                          {"comp",
                                           "a0 + a1/P",
                                           "time of computation on P ranks",
                                           {"a0", "a1"},
                                           "Dubey and Tessera, Redistribution strategies for portable parallel FFT"},
                                          {"amdahl",
                                           "1/(s + (1 - s)/P)",
                                           "speed-up on P ranks with a serial share s",
                                           {"s"},
                                           "Amdahl, AFIPS 30 (1967) 483, doi:10.1145/1465482.1465560"}};
  return forms;
}

const FitForm& fit_form(std::string_view name) {
  std::string all;
  for (const FitForm& form : fit_forms()) {
    if (form.name == name) return form;
    all += (all.empty() ? "" : ", ") + std::string(form.name);
  }
  throw Error("there is no form \"" + shown(name) + "\"; there are " + all);
}

Prediction Fit::at(double ranks, double work) const {
  if (!(ranks >= 1) || !(work > 0) || std::isinf(ranks) || std::isinf(work))
    throw Error("a prediction is asked for on " + number(ranks) + " ranks and " + number(work) +
                " times the work; give 1 rank or more, and work above 0");
  const double value = work * value_of(form, coefficients, ranks);
  double error = relative_error * std::abs(value);
  if (!spread.empty()) {
    const auto slopes = slopes_of(form, coefficients, ranks);
    double variance = 1;  // of a further measurement itself, and of what the coefficients leave open
    for (std::size_t c = 0; c < slopes.size(); ++c) {
      double part = 0;
      for (std::size_t row = 0; row <= c; ++row) part += slopes[row] * spread[c * slopes.size() + row];
      variance += part * part;
    }
    error += work * student(freedom) * deviation * std::sqrt(variance);
  }
  Prediction said{value, error, ""};
  if (ranks < least_ranks || ranks > most_ranks)
    said.warning = "outside of the " + number(least_ranks) + " to " + number(most_ranks) + " ranks that were measured";
  if (value <= 0) {
    said.warning += std::string(said.warning.empty() ? "" : ", and ") + "the form is not positive from " +
                    number(zero()) + " ranks on: it says nothing there";
    said.error = error - value;  // up to where the bar would reach, and down to 0
    said.value = 0;
  }
  return said;
}

double Fit::zero() const {
  if (form == "amdahl" || !(coefficients[0] < 0) || !(coefficients[1] > 0)) return infinite;
  return coefficients[1] / -coefficients[0] - (form == "comm" ? coefficients[2] : 0);
}

double Fit::limit() const { return form == "amdahl" ? 1 / coefficients[0] : infinite; }

Fit fit(std::string_view name, const std::vector<Sample>& samples) {
  const FitForm& form = fit_form(name);
  Fit found;
  found.form = form.name;
  found.samples = samples;
  std::set<double> different;
  for (const Sample& s : samples) {
    if (!(s.ranks >= 1 && s.value > 0) || std::isinf(s.ranks) || std::isinf(s.value))
      throw Error("a sample is " + number(s.value) + " on " + number(s.ranks) +
                  " ranks; give values above 0, on 1 rank or more");
    different.insert(s.ranks);
  }
  const std::size_t count = form.coefficients.size();
  if (samples.size() <= count || different.size() < count)
    throw Error("\"" + found.form + "\" has " + std::to_string(count) + " coefficient" + (count == 1 ? "" : "s") +
                ", and " + std::to_string(samples.size()) + " samples on " + std::to_string(different.size()) +
                " numbers of ranks are too few for an error bar; give at least " + std::to_string(count + 1) + ", on " +
                std::to_string(count) + " numbers of ranks or more");
  found.least_ranks = *different.begin(), found.most_ranks = *different.rbegin();
  found.freedom = static_cast<int>(samples.size() - count);
  if (name == "comp") {
    found.coefficients = line(samples, 0);
    found.coefficients.resize(2);
  } else {
    found.coefficients = name == "comm" ? comm(samples, found.least_ranks, found.most_ranks) : amdahl(samples);
  }
  for (const Sample& s : samples) found.residuals.push_back(s.value - value_of(name, found.coefficients, s.ranks));
  found.deviation = std::sqrt(squares(name, samples, found.coefficients) / found.freedom);
  found.spread = spread_of(found);
  for (std::size_t row = 0; row < count; ++row) {
    double sum = 0;
    for (std::size_t c = row; c < count; ++c) sum += found.spread[c * count + row] * found.spread[c * count + row];
    found.errors.push_back(found.deviation * std::sqrt(sum));
  }
  return found;
}

Fit given_fit(std::string_view name, std::vector<double> coefficients, double least_ranks, double most_ranks,
              double relative_error) {
  const FitForm& form = fit_form(name);
  if (coefficients.size() != form.coefficients.size())
    throw Error("\"" + std::string(name) + "\" has " + std::to_string(form.coefficients.size()) +
                " coefficients, and " + std::to_string(coefficients.size()) + " are given");
  bool fine = least_ranks >= 1 && most_ranks >= least_ranks && relative_error > 0;
  for (const double value : {least_ranks, most_ranks, relative_error}) fine = fine && std::isfinite(value);
  for (const double c : coefficients) fine = fine && std::isfinite(c);
  if (!fine)
    throw Error("a fit is given for " + number(least_ranks) + " to " + number(most_ranks) + " ranks with an error of " +
                number(relative_error) + "; give finite coefficients, 1 rank or more, and an error above 0");
  Fit given;
  given.form = form.name;
  given.coefficients = std::move(coefficients);
  given.least_ranks = least_ranks, given.most_ranks = most_ranks;
  given.relative_error = relative_error;
  return given;
}

}  // namespace weft
