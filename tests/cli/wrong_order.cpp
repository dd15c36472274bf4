// The program weft with one strategy more, which does not wait for its readers and does not say
// that it does.
#include "support/wrapped.hpp"

namespace weft {
namespace {

[[maybe_unused]] const bool added = [] {
  add(std::make_unique<Forgetful>(strategy("direct"), "forgetful", Exchange::Verb::open, false));
  return true;
}();

}  // namespace
}  // namespace weft
