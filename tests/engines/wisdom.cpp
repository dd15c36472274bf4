// What an engine has measured is kept, and obeyed where it can be.
#include <gtest/gtest.h>

#include <string>

#include <weft/error.hpp>

#include "cases.hpp"
#include "engines/engines.hpp"
#include "support/engines.hpp"

namespace weft {
namespace {

class Wisdom : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Wisdom, testing::ValuesIn(cases()), name_of);

TEST_P(Wisdom, PlanAlikeFromWisdom) {
  const auto& c = GetParam();
  for (const Index n : {Index{64}, Index{135}, Index{181}}) {
    if (!c.defined(n)) continue;
    // FFTW's plans of large primes depend on those alive; one kind shows it
    if (n == 181 && c.kind != Kind::dct4) continue;
    auto lines = c.engine->plan(c.spec(n), "measure");
    EXPECT_EQ(lines, c.engine->plan(c.spec(n), "measure")) << "the same spec and effort must give the same lines";
    const Values in = random_lines(c.spec(n), 5), out = transform(*lines, in);
    const bool out_of_place = lines->prefers_out_of_place();
    const auto wisdom = c.engine->export_wisdom();
    c.engine->import_wisdom(wisdom);
    EXPECT_EQ(lines, c.engine->plan(c.spec(n), "measure")) << "one's own wisdom changes nothing";
    lines.reset();
    c.engine->let_go();  // or it would hand out what it holds
    lines = c.engine->plan(c.spec(n), "measure");
    EXPECT_EQ(transform(*lines, in), out);
    EXPECT_EQ(lines->prefers_out_of_place(), out_of_place);
    EXPECT_EQ(c.engine->export_wisdom(), wisdom);
  }
  EXPECT_THROW(c.engine->import_wisdom("not wisdom at all"), Error);
}

TEST(Fftw, ObeysTheWisdomOfAnotherProcess) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("fftw");
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 48};
  const auto mine = fftw.plan(spec, "measure");
  auto wisdom = fftw.export_wisdom();
  const auto entry = wisdom.find(to_string(spec) + " measure");
  ASSERT_NE(entry, std::string::npos);
  const std::string from = mine->prefers_out_of_place() ? "out_of_place" : "in_place",
                    to = mine->prefers_out_of_place() ? "in_place" : "out_of_place";
  wisdom.replace(wisdom.find(from, entry), from.size(), to);
  fftw.import_wisdom(wisdom);
  const auto theirs = fftw.plan(spec, "measure");
  EXPECT_NE(mine, theirs);
  EXPECT_NE(mine->prefers_out_of_place(), theirs->prefers_out_of_place());
  for (const auto cut : {wisdom.size() - 3, entry + 10})
    EXPECT_THROW(fftw.import_wisdom(wisdom.substr(0, cut)), Error) << cut;
}

// Wisdom of another processor, or of the engine that has kernels: it is left out, and the line
// planned anew.
TEST(Fftw, LeavesOutKernelsThatItLacks) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  // Kernels have two factors at least
  for (const auto& [name, length] : {std::pair("weft", Index{11}), std::pair("fftw", Index{40})}) {
    const Engine& fftw = engine(name);
    const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, length};
    ASSERT_TRUE(fftw.name() == "fftw" || !fits_lanes(spec));
    fftw.import_wisdom("weft fftw wisdom 1\n" + to_string(spec) + " measure lanes 0\n\n");
    EXPECT_EQ(fftw.export_wisdom().find(to_string(spec) + " measure"), std::string::npos);
    const Values in = random_lines(spec, 3);
    EXPECT_LT(
        distance(transform(*fftw.plan(spec, "measure"), in), transform(*engine("naive").plan(spec, "estimate"), in)),
        tolerance(spec));
    EXPECT_EQ(fftw.export_wisdom().find(to_string(spec) + " measure lanes"), std::string::npos);
  }
}

// Lines that are planned apart are told apart, also where one of them only says what the other
// takes for granted.
TEST(Fftw, KnowsEverySpecByItsText) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const Engine& fftw = engine("weft");
  LineSpec spec{Kind::c2c, Direction::backward, Precision::double_, 26}, spelled = spec;
  spelled.in_distance = 26;
  EXPECT_NE(to_string(spec), to_string(spelled));
  fftw.plan_all({spec, spelled}, "measure");
  const std::string wisdom = fftw.export_wisdom({spelled}, "measure");
  EXPECT_NE(wisdom.find(to_string(spelled) + " measure"), std::string::npos);
  fftw.import_wisdom(wisdom);
  EXPECT_EQ(fftw.export_wisdom({spelled}, "measure"), wisdom);
}

std::size_t count_of(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Kernels that read ahead tell who does such a line. Old wisdom of engine "fftw" is of this text.
TEST(Weft, ObeysWisdomOnWhoDoesALine) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 60};
  if (!fits_lanes(spec)) GTEST_SKIP() << "this processor has no kernels";
  engine("fftw").plan(spec, "measure");
  const std::string by_fftw = engine("fftw").export_wisdom({spec}, "measure"),
                    by_kernels =
                        "weft fftw wisdom 1\n" + to_string(spec) + " measure " + std::string(lanes_manner()) + " 0\n\n";
  const Engine& weft = engine("weft");
  for (const bool kernels : {true, false, true}) {
    weft.import_wisdom(kernels ? by_kernels : by_fftw);
    EXPECT_TRUE(weft.knows(spec, "measure"));
    EXPECT_EQ(weft.plan(spec, "measure")->reads_ahead(), kernels);
    EXPECT_EQ(weft.export_wisdom({spec}, "measure"), kernels ? by_kernels : by_fftw);
    EXPECT_EQ(count_of(to_string(spec) + " measure", weft.export_wisdom()), 1u);
  }
  EXPECT_FALSE(engine("fftw").plan(spec, "measure")->reads_ahead());
}

// What another instruction set's kernels did is left out: here FFTW may be faster than what there
// is.
TEST(Weft, LeavesOutWisdomOfOtherKernels) {
  if (!has_fftw()) GTEST_SKIP() << "this build is without FFTW";
  const LineSpec spec{Kind::c2c, Direction::forward, Precision::double_, 72};
  const Engine& weft = engine("weft");
  for (const std::string manner : {"lanes", "lanes-avx2", "lanes-neon", "lanes-another"}) {
    if (manner == lanes_manner()) continue;
    weft.import_wisdom("weft fftw wisdom 1\n" + to_string(spec) + " measure " + manner + " 0\n\n");
    EXPECT_FALSE(weft.knows(spec, "measure")) << manner;
  }
  EXPECT_EQ(kernel_set(), kernel_sets().empty() ? "none" : kernel_sets().front());
  const std::string set(kernel_set());
  EXPECT_EQ(lanes_manner(), set == "avx512" || set == "none" ? "lanes" : "lanes-" + set);
}

// Another process that imports what one has found does every line alike, also where the other
// engine has no wisdom.
TEST(Weft, ServesAnyEngine) {
  const auto one = weft_engine(naive_engine()), another = weft_engine(naive_engine());
  const LineSpec smooth{Kind::c2c, Direction::forward, Precision::double_, 256},
      cosine{Kind::dct2, Direction::forward, Precision::double_, 8};
  for (const LineSpec& spec : {smooth, cosine}) {
    EXPECT_FALSE(one->knows(spec, "measure"));
    const auto lines = one->plan(spec, "measure");
    EXPECT_EQ(lines->reads_ahead(), fits_lanes(spec)) << "sums are slower than any kernel: " << to_string(spec);
    const Values in = random_lines(spec, 3);
    EXPECT_LT(distance(transform(*lines, in), transform(*engine("naive").plan(spec, "estimate"), in)), tolerance(spec));
  }
  const std::string wisdom = one->export_wisdom({smooth, cosine}, "measure");
  EXPECT_EQ(wisdom, "weft naive wisdom 1\n" + to_string(smooth) + " measure " +
                        std::string(fits_lanes(smooth) ? lanes_manner() : "naive") + " 0\n\n" + to_string(cosine) +
                        " measure naive 0\n\n");
  another->import_wisdom(wisdom);
  for (const LineSpec& spec : {smooth, cosine}) EXPECT_TRUE(another->knows(spec, "measure"));
  EXPECT_EQ(another->export_wisdom(), wisdom);
  EXPECT_EQ(another->plan(smooth, "measure")->reads_ahead(), fits_lanes(smooth));
  EXPECT_THROW(another->import_wisdom("weft fftw wisdom 1\n"), Error);
  EXPECT_EQ(one->plan(smooth, "estimate")->reads_ahead(), kernel_set() == "avx512") << "what else may be slower";
}

}  // namespace
}  // namespace weft
