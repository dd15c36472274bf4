// What makes each engine. The list of those in a build is `engines()`, in engines.cpp.
#pragma once

#include <memory>

#include "engine.hpp"

namespace weft {

std::unique_ptr<const Engine> fftw_engine();
std::unique_ptr<const Engine> ducc_engine();
std::unique_ptr<const Engine> naive_engine();

/// The engine "weft": weft's own kernels where they are faster, else the lines of `other`.
std::unique_ptr<const Engine> weft_engine(std::unique_ptr<const Engine> other);

}  // namespace weft
