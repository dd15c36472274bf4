// The one list of engines, the default first. A new engine is one new file and its lines here.
#include <weft/quote.hpp>

#include "engine.hpp"

namespace weft {

const Engine& fftw_engine();
const Engine& fftw_alone_engine();
const Engine& ducc_engine();
const Engine& naive_engine();

const std::vector<const Engine*>& engines() {
  static const std::vector<const Engine*> list{
#ifdef WEFT_HAVE_FFTW
      &fftw_engine(),
      &fftw_alone_engine(),
#endif
#ifdef WEFT_HAVE_DUCC
      &ducc_engine(),
#endif
      &naive_engine(),
  };
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
