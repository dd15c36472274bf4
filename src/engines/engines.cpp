// The one list of engines, the default first. A new engine is one new file and its lines here.
#include "engines.hpp"

#include <weft/quote.hpp>

namespace weft {
namespace {

std::vector<std::unique_ptr<const Engine>> engines_of_this_build() {
  std::vector<std::unique_ptr<const Engine>> list;
#ifdef WEFT_HAVE_FFTW
  list.push_back(weft_engine(fftw_engine()));
  list.push_back(fftw_engine());
#endif
#ifdef WEFT_HAVE_DUCC
  if (list.empty()) list.push_back(weft_engine(ducc_engine()));
  list.push_back(ducc_engine());
#endif
  list.push_back(naive_engine());
  return list;
}

}  // namespace

const std::vector<const Engine*>& engines() {
  static const auto owned = engines_of_this_build();
  static const auto list = [] {
    std::vector<const Engine*> all;
    for (const auto& e : owned) all.push_back(e.get());
    return all;
  }();
  return list;
}

const Engine& engine(std::string_view name) {
  std::string names;
  for (const auto* e : engines()) {
    if (e->name() == name) return *e;
    names += (names.empty() ? "" : ", ") + std::string(e->name());
  }
  throw Error("unknown engine \"" + shown(name) + "\"; this build has " + names);
}

}  // namespace weft
