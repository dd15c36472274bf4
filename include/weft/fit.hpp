// Fits of measurements over numbers of ranks, by the forms of the literature, and what they
// predict. A prediction always has an error bar, says so where it lies outside of what was
// measured, and is never negative.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace weft {

/// One measurement: a time in any unit, or a speed-up, on so many ranks.
struct Sample {
  double ranks = 0, value = 0;
};

/// A form that measurements are fitted to.
struct FitForm {
  std::string_view name, formula, summary;
  std::vector<std::string_view> coefficients;
  std::string_view source;
};

/// "comm": a0 + a1/(a2 + P), "comp": a0 + a1/P, "amdahl": a speed-up of 1/(s + (1 - s)/P).
const std::vector<FitForm>& fit_forms();
/// The form of that name; throws Error listing all when there is none.
const FitForm& fit_form(std::string_view name);

/// What a fit says of a number of ranks, in the unit of the measurements.
struct Prediction {
  double value = 0;     ///< never negative
  double error = 0;     ///< with so much more or less, 95 of 100 further measurements lie here, if the form is right
  std::string warning;  ///< why not to rely on it: one line; empty where the fit has measurements on both sides
};

struct Fit {
  std::string form;
  std::vector<double> coefficients;        ///< in the order of the form
  std::vector<double> errors;              ///< their standard errors; empty for coefficients that were given
  double least_ranks = 0, most_ranks = 0;  ///< what was measured
  std::vector<Sample> samples;             ///< empty for coefficients that were given
  std::vector<double> residuals;           ///< of every sample: measured minus fitted
  int freedom = 0;                         ///< samples less coefficients
  double deviation = 0;                    ///< of the residuals: the root of the sum of their squares by `freedom`
  double relative_error = 0;               ///< of coefficients that were given: what their source says of their quality
  std::vector<double> spread;  ///< columns of a matrix S; the covariance of the coefficients is deviation^2 S S^T

  /// On so many ranks, for `work` times the work that was measured. Throws Error unless ranks are 1
  /// or more and work is positive, both finite.
  Prediction at(double ranks, double work = 1) const;
  /// From so many ranks on the form is zero or negative; infinite where it never is.
  double zero() const;
  /// Of "amdahl", the speed-up that no number of ranks exceeds; infinite for the other forms.
  double limit() const;
};

/// Least squares; the best there are, since what is not linear is searched along one coefficient
/// and the others follow. Throws Error when there are fewer samples than coefficients and one, when
/// ranks or values are not positive and finite, and when the samples do not determine the form:
/// times that do not bend as "comm" does, a speed-up that nothing limits.
Fit fit(std::string_view form, const std::vector<Sample>& samples);

/// A fit that somebody has printed: coefficients, the ranks they were found on, and how far off
/// predictions may be, as a share of them. Throws Error for another number of coefficients, or
/// values that are not finite.
Fit given_fit(std::string_view form, std::vector<double> coefficients, double least_ranks, double most_ranks,
              double relative_error);

}  // namespace weft
#pragma GCC visibility pop
