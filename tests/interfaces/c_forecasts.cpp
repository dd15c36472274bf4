// What the C interface tells of machines, forecasts and fits is what the C++ interface tells: every member.
#include <weft/weft.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "c_text.hpp"

namespace {

void same_machine(const weft_machine& told, const weft::Machine& machine) {
  EXPECT_EQ(told.message_seconds, machine.message_seconds);
  EXPECT_EQ(told.bytes_per_second, machine.bytes_per_second);
  EXPECT_EQ(told.copied_per_second, machine.copied_per_second);
  EXPECT_EQ(told.node_message_seconds, machine.node_message_seconds);
  EXPECT_EQ(told.node_bytes_per_second, machine.node_bytes_per_second);
  EXPECT_EQ(told.flops_per_second, machine.flops_per_second);
}

void same_forecast(const weft_forecast_entry& told, const weft::Forecast& forecast) {
  EXPECT_EQ(told.strategy, forecast.strategy);
  EXPECT_EQ(told.declined, forecast.declined);
  EXPECT_EQ(told.warning, forecast.warning);
  EXPECT_EQ(told.seconds, forecast.seconds);
  EXPECT_EQ(told.forward_seconds, forecast.forward_seconds);
  EXPECT_EQ(told.backward_seconds, forecast.backward_seconds);
  EXPECT_EQ(told.least_seconds, forecast.least_seconds);
  EXPECT_EQ(told.most_seconds, forecast.most_seconds);
  EXPECT_EQ(told.work_seconds, forecast.work_seconds);
  EXPECT_EQ(told.exchange_seconds, forecast.exchange_seconds);
  EXPECT_EQ(told.overlapped_seconds, forecast.overlapped_seconds);
  EXPECT_EQ(told.calls, forecast.cost.calls);
  EXPECT_EQ(told.messages, forecast.cost.messages);
  EXPECT_EQ(told.bytes, forecast.cost.bytes);
  EXPECT_EQ(told.copied, forecast.cost.copied);
  EXPECT_EQ(told.depth, forecast.cost.depth);
  EXPECT_EQ(told.node_messages, forecast.cost.node_messages);
  EXPECT_EQ(told.node_bytes, forecast.cost.node_bytes);
}

TEST(CForecasts, ProfilesAndForecasts) {
  const std::string text =
      R"({"message_seconds": 1e-6, "bytes_per_second": 2e9, "copied_per_second": 3e9, "node_message_seconds": 4e-6,)"
      R"( "node_bytes_per_second": 5e8, "flops_per_second": 6e9, "lines": [[64, 5e9], [1024, 4e9]]})";
  const weft::MachineProfile cpp = weft::profile_of(text);
  weft_profile* profile = nullptr;
  weft_problem* problem = nullptr;
  weft_options* options = nullptr;
  weft_forecast* forecast = nullptr;
  weft_machine machine{};
  ASSERT_EQ(weft_profile_parse(&profile, text.c_str()), WEFT_OK) << weft_error();
  EXPECT_EQ(told([&](char* t, int64_t room, int64_t* n) { return weft_profile_text(profile, t, room, n); }),
            weft::text_of(cpp));
  ASSERT_EQ(weft_profile_machine(profile, &machine), WEFT_OK);
  same_machine(machine, cpp.machine);

  const std::array<int64_t, 3> large{64, 48, 80};
  const std::vector<int> nodes{0, 0, 1, 1, 1, 2};
  ASSERT_EQ(weft_problem_create(&problem, "double", 3, large.data(), "r2c", 0, nullptr), WEFT_OK);
  ASSERT_EQ(weft_options_create(&options), WEFT_OK);
  ASSERT_EQ(weft_options_set(options, "tiles", "gathered"), WEFT_OK);
  ASSERT_EQ(weft_options_set(options, "tile", "2"), WEFT_OK);
  ASSERT_EQ(weft_forecast_create(&forecast, problem, options, 6, nodes.data(), profile), WEFT_OK) << weft_error();
  const auto expected =
      weft::forecast(weft::r2c<double>({64, 48, 80}), {.schedule = {.tiles = "gathered", .tile = 2}}, nodes, cpp);
  int64_t count = -1;
  EXPECT_EQ(weft_forecast_count(forecast, &count), WEFT_OK);
  ASSERT_EQ(count, static_cast<int64_t>(expected.size()));
  bool overlaps = false, declines = false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    weft_forecast_entry entry{};
    ASSERT_EQ(weft_forecast_at(forecast, static_cast<int64_t>(i), &entry), WEFT_OK) << weft_error();
    same_forecast(entry, expected[i]);
    overlaps = overlaps || entry.overlapped_seconds > 0;
    declines = declines || entry.declined[0] != 0;
  }
  EXPECT_TRUE(overlaps && declines) << "else nothing shows that these are told";
  weft_forecast_destroy(&forecast);
  weft_options_destroy(&options);
  weft_problem_destroy(&problem);
  weft_profile_destroy(&profile);
}

TEST(CForecasts, Fits) {
  const std::array<double, 5> ranks{1, 2, 4, 8, 16}, speed_ups{1, 1.9, 3.5, 5.8, 8.9}, times{9, 4.2, 1.9, 0.7, 0.1};
  for (const auto& [form, values] : {std::pair{"amdahl", speed_ups}, std::pair{"comp", times}}) {
    std::vector<weft::Sample> samples;
    for (std::size_t i = 0; i < ranks.size(); ++i) samples.push_back({ranks[i], values[i]});
    const weft::Fit cpp = weft::fit(form, samples);
    weft_fit* fit = nullptr;
    ASSERT_EQ(weft_fit_create(&fit, form, 5, ranks.data(), values.data()), WEFT_OK) << weft_error();
    std::array<double, 5> found{}, errors{}, residuals{};
    int64_t count = -1;
    EXPECT_EQ(weft_fit_coefficients(fit, found.data(), errors.data(), 5, &count), WEFT_OK);
    ASSERT_EQ(count, static_cast<int64_t>(cpp.coefficients.size()));
    EXPECT_TRUE(std::equal(cpp.coefficients.begin(), cpp.coefficients.end(), found.begin()));
    EXPECT_TRUE(std::equal(cpp.errors.begin(), cpp.errors.end(), errors.begin()));
    EXPECT_EQ(weft_fit_residuals(fit, residuals.data(), 5, nullptr), WEFT_OK);
    EXPECT_TRUE(std::equal(cpp.residuals.begin(), cpp.residuals.end(), residuals.begin()));
    int freedom = -1;
    double deviation = -1, zero = -1, limit = -1;
    EXPECT_EQ(weft_fit_quality(fit, &freedom, &deviation, &zero, &limit), WEFT_OK);
    EXPECT_EQ(freedom, cpp.freedom);
    EXPECT_EQ(deviation, cpp.deviation);
    EXPECT_EQ(zero, cpp.zero());
    EXPECT_EQ(limit, cpp.limit());
    EXPECT_NE(std::isinf(zero), std::isinf(limit)) << "one of the two is finite, so that they cannot be exchanged";
    double value = -1, error = -1;
    const std::string warning =
        told([&](char* t, int64_t room, int64_t* n) { return weft_fit_at(fit, 12, 0.5, &value, &error, t, room, n); });
    const weft::Prediction there = cpp.at(12, 0.5);
    EXPECT_EQ(value, there.value);
    EXPECT_EQ(error, there.error);
    EXPECT_EQ(warning, there.warning);
    weft_fit_destroy(&fit);
  }
}

}  // namespace
