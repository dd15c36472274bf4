// All of weft's C++ interface.
#pragma once

#include <weft/box.hpp>
#include <weft/error.hpp>
#include <weft/exchange.hpp>
#include <weft/file.hpp>
#include <weft/fit.hpp>
#include <weft/forecast.hpp>
#include <weft/halo.hpp>
#include <weft/kernel.hpp>
#include <weft/kind.hpp>
#include <weft/layout.hpp>
#include <weft/long_line.hpp>
#include <weft/machine.hpp>
#include <weft/model.hpp>
#include <weft/modes.hpp>
#include <weft/options.hpp>
#include <weft/pattern.hpp>
#include <weft/plan.hpp>
#include <weft/quote.hpp>
#include <weft/redistribute.hpp>
#include <weft/sphere.hpp>
#include <weft/trace.hpp>
#include <weft/traffic.hpp>
#include <weft/tune.hpp>
#include <weft/view.hpp>
#include <weft/wisdom.hpp>
