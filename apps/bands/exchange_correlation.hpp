// Exchange and correlation in the local density approximation, by libxc.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bands {

class ExchangeCorrelation {
 public:
  /// Names of libxc whose energies are added up, as "lda_x" and "lda_c_vwn". Throws Error for what
  /// is unknown or no functional of the density alone.
  explicit ExchangeCorrelation(const std::vector<std::string>& names);
  ~ExchangeCorrelation();
  ExchangeCorrelation(const ExchangeCorrelation&) = delete;
  ExchangeCorrelation& operator=(const ExchangeCorrelation&) = delete;

  /// Energy of an electron and potential, Ha, at each point of a density (1/bohr^3). Negative
  /// densities count as zero.
  void at(const std::vector<double>& density, std::vector<double>& energy, std::vector<double>& potential) const;

 private:
  struct Functionals;
  std::unique_ptr<Functionals> functionals_;
};

}  // namespace bands
