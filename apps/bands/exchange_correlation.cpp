#include "exchange_correlation.hpp"

#include <algorithm>
#include <list>

#include <xc.h>

#include <weft/error.hpp>
#include <weft/quote.hpp>

namespace bands {

struct ExchangeCorrelation::Functionals {
  std::list<xc_func_type> all;
  ~Functionals() {
    for (xc_func_type& f : all) xc_func_end(&f);
  }
};

ExchangeCorrelation::ExchangeCorrelation(const std::vector<std::string>& names)
    : functionals_(std::make_unique<Functionals>()) {
  for (const std::string& name : names) {
    xc_func_type f;
    const int number = xc_functional_get_number(name.c_str());
    if (number < 0 || xc_func_init(&f, number, XC_UNPOLARIZED) != 0)
      throw weft::Error("libxc has no functional \"" + weft::shown(name) +
                        "\"; give names as \"lda_x\" and \"lda_c_vwn\"");
    functionals_->all.push_back(f);
    if (f.info->family != XC_FAMILY_LDA)
      throw weft::Error("\"" + weft::shown(name) +
                        "\" needs more than the density; give local functionals, as \"lda_x\" and \"lda_c_vwn\"");
  }
}

ExchangeCorrelation::~ExchangeCorrelation() = default;

void ExchangeCorrelation::at(const std::vector<double>& density, std::vector<double>& energy,
                             std::vector<double>& potential) const {
  const std::size_t points = density.size();
  std::vector<double> positive(density), e(points), v(points);
  for (double& value : positive) value = std::max(value, 0.0);
  energy.assign(points, 0);
  potential.assign(points, 0);
  for (const xc_func_type& f : functionals_->all) {
    xc_lda_exc_vxc(&f, points, positive.data(), e.data(), v.data());
    for (std::size_t i = 0; i < points; ++i) {
      energy[i] += e[i];
      potential[i] += v[i];
    }
  }
}

}  // namespace bands
