// Tables of bad input: what a rank does by itself.
#include "faults/bad_input.hpp"

#include <tuple>

#include "geometry/checked.hpp"

namespace weft {
namespace {

// What a rank does by itself: no other rank waits for it.
TEST_F(BadInputTiny, OnOneRank) {
  const std::string long_name(1 << 20, 'x');
  const Layout slab = Layout::slab({4, 6}, 0, 2);
  const Box box{{0, 0}, {4, 6}};
  const View view = dense_view(box, {});
  const auto u = fft.input();
  // clang-format off
  const std::vector<std::tuple<std::string, std::string, std::function<void()>>> table{
      {"kind", "unknown kind", [] { kind_from_string("dct9"); }},
      {"kind of 1 MiB", "(1048576 characters)", [&] { kind_from_string(long_name); }},
      {"precision", "unknown precision", [] { precision_from_string("half"); }},
      {"direction", "unknown direction", [] { direction_from_string("up"); }},
      {"kernel", "no kernel", [] { kernel("nope"); }},
      {"kernel with an escape", "\\x1b", [] { kernel("\x1b"); }},
      {"strategy", "no strategy", [] { strategy("nope"); }},
      {"null strategy", "null", [] { add(nullptr); }},
      {"no kinds", "kind", [] { problem(Precision::double_, std::vector<Kind>(), {4, 4}); }},
      {"nine axes", "more than 8 axes", [] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }},
      {"negative volume", "negative", [] { volume({4, -1}); }},
      {"uncountable volume", "counted", [] { volume({most, 2}); }},
      {"point with too few axes", "1 axis", [&] { view.at({1}); }},
      {"point with too many axes", "3 axes", [&] { view.at({1, 2, 3}); }},
      {"element with too few axes", "2 axes", [&] { static_cast<void>(u[{0, 0}]); }},
      {"element with no axes", "0 axes", [&] { static_cast<void>(u[{}]); }},
      {"contains a point with too few axes", "1 axis", [&] { static_cast<void>(box.contains(Shape{1})); }},
      {"shift with too few axes", "1 axis", [&] { static_cast<void>(box.shifted({1})); }},
      {"shift beyond", "counted", [&] { static_cast<void>(box.shifted({most, 0})); }},
      {"shift below", "counted", [] { static_cast<void>(Box{{-2}, {-1}}.shifted({least})); }},
      {"inclusive of the largest", "counted", [] { Box::inclusive({0}, {most}); }},
      {"points of all integers", "counted", [] { static_cast<void>(Box{{least, 0}, {most, 2}}.volume()); }},
      {"order of too few axes", "memory order", [&] { dense_view(box, {0}); }},
      {"order twice", "memory order", [&] { dense_view(box, {0, 0}); }},
      {"padding -1", "padding", [&] { dense_view(box, {}, {0, -1}); }},
      {"padding of too few axes", "padding", [&] { dense_view(box, {}, {1}); }},
      {"padding beyond", "counted", [&] { dense_elements(box, {}, {0, most}); }},
      {"padding that multiplies beyond", "counted", [&] { dense_elements(box, {}, {0, most / 2}); }},
      {"layout without axes", "global shape", [] { Layout(Shape{}, {Box{}}); }},
      {"layout of extent 0", "global shape", [] { Layout::slab({4, 0}, 0, 2); }},
      {"layout of no rank", "for no rank", [] { Layout({4}, std::vector<Box>{}); }},
      {"layout of a box with too few axes", "on every axis", [] { Layout({4, 4}, {Box{{0}, {4}}}); }},
      {"layout of far bounds", "bounds lie between", [] { Layout({4}, {Box{{least}, {least + 1}}}); }},
      {"layout of farther bounds", "bounds lie between", [] { Layout({4}, {Box{{0}, {most}}}); }},
      {"slab of axis 2", "axes count from", [] { Layout::slab({4, 4}, 2, 2); }},
      {"slab of 0 ranks", "process grid", [] { Layout::slab({4, 4}, 0, 0); }},
      {"slab of -1 ranks", "process grid", [] { Layout::slab({4, 4}, 0, -1); }},
      {"grid of too few axes", "process grid", [] { Layout::grid({4, 4}, {2}); }},
      {"grid that cannot be numbered", "numbered", [] { Layout::grid({4, 4}, {65536, 65536}); }},
      {"splits of too few axes", "split rule", [] { Layout::grid({4, 4}, {2, 2}, std::vector<Split>{Split::even()}); }},
      {"replicated on no rank", "no rank", [] { Layout::replicated({4}, 0); }},
      {"grown by -1", "halo of width", [&] { slab.grown({-1, 0}); }},
      {"grown by too few", "halo of width", [&] { slab.grown({1}); }},
      {"grown beyond", "grown by a halo", [&] { slab.grown({most, 0}); }},
      {"grown far", "bounds lie between", [&] { slab.grown({most - 4, 0}); }},
      {"ordered by one axis", "memory order", [&] { slab.ordered({0}); }},
      {"box of rank 2", "rank 2", [&] { static_cast<void>(slab.box(2)); }},
      {"box of rank -1", "rank -1", [&] { static_cast<void>(slab.box(-1)); }},
      {"runs of boxes", "no runs", [&] { static_cast<void>(slab.runs(0)); }},
      {"run of -1", "run", [] { Layout::runs({4}, {{weft::Run{0, -1}}}); }},
      {"run beyond", "end of a run", [] { Layout::runs({4}, {{weft::Run{most, 1}}}); }},
      {"runs of too many points", "points of a rank",
       [] { Layout::runs({4}, {{weft::Run{0, most}, weft::Run{0, most}}}); }},
      {"stick of too few axes", "stick", [] { Layout::sticks({4, 4, 4}, {{Stick{{1}, 0, 4}}}); }},
      {"stick beyond", "stick", [] { Layout::sticks({4, 4}, {{Stick{{1}, 0, most}}}); }},
      {"stick turned round", "stick", [] { Layout::sticks({4, 4}, {{Stick{{1}, 3, 1}}}); }},
      {"split of 0 parts", "cut", [] { Split::even().bounds(4, 0); }},
      {"split of -1 indices", "cut", [] { Split::even().bounds(-1, 2); }},
      {"blocks of 0", "block", [] { Split::blocks(0); }},
      {"bounds that fall", "never falling", [] { Split::given({0, 3, 2, 4}).bounds(4, 3); }},
      {"checkerboard beyond", "checkerboard", [] { Layout::checkerboard({4, 4}, {Box{{0, 0}, {5, 4}}}); }},
      {"cutoff with too many vectors", "more than can be listed", [] { sphere_sticks({.squared = 1e8}); }},
      {"cutoff NaN", "a cutoff of nan", [] { sphere_sticks({.squared = nan}); }},
      {"box of sticks with two axes", "three extents", [] { box_sticks({4, 4}); }},
      {"box of sticks without end", "listed", [] { box_sticks({Index{1} << 30, Index{1} << 30, 1}); }},
      {"box of sticks of the largest extent", "components lie between", [] { box_sticks({most, 1, 1}); }},
      {"box vectors of two axes", "three extents", [] { box_vectors({4, 4}, false, 1, 0); }},
      {"box vectors of no rank", "at least 1 rank", [] { box_vectors({4, 4, 4}, false, 0, 0); }},
      {"box vectors of rank 2", "rank 2 of 2", [] { box_vectors({4, 4, 4}, false, 2, 2); }},
      {"box vectors of rank -1", "rank -1 of 2", [] { box_vectors({4, 4, 4}, false, 2, -1); }},
      {"box vectors far away", "components lie between",
       [] { box_vectors({4, 4, 4}, false, 1, 0, Shape{most, 0, 0}); }},
      {"box vectors from two indices", "three indices", [] { box_vectors({4, 4, 4}, false, 1, 0, Shape{0, 0}); }},
      {"box vectors without end", "listed", [] { box_vectors({1 << 20, 1 << 20, 1 << 20}, false, 1, 0); }},
      {"vectors of endless sticks", "listed", [] { vectors({{0, 0, 0, most}}); }},
      {"grid of the largest vector", "components lie between",
       [] { smallest_grid(std::vector<GVector>{{most, 0, 0}}); }},
      {"grid of the least vector", "components lie between",
       [] { smallest_grid(std::vector<GVector>{{least, 0, 0}}); }},
      {"grid of the largest stick", "components lie between",
       [] { smallest_grid(std::vector<SphereStick>{{0, 0, 0, most}}); }},
      {"grid of a stick at the least", "components lie between",
       [] { smallest_grid(std::vector<SphereStick>{{least, 0, 0, 1}}); }},
      {"sticks for 0 ranks", "0 ranks", [] { share_sticks({}, 0); }},
      {"sticks for 0x1 ranks", "0x1 ranks", [] { share_sticks({}, 0, 1); }},
      {"sticks for too many ranks", "numbered", [] { share_sticks({{0, 0, 0, 1}}, 65536, 65536); }},
      {"sticks turned round", "a stick from 3 to 1", [] { share_sticks({{0, 0, 3, 1}}, 2); }},
      {"sticks turned round on pencils", "a stick from 3 to 1", [] { share_sticks({{0, 0, 3, 1}}, 2, 2); }},
      {"sticks of all integers", "length of a stick", [] { share_sticks({{0, 0, least, most}}, 2); }},
      {"sticks of too many coefficients", "coefficients",
       [] { share_sticks({{0, 0, 0, most}, {0, 1, 0, most}}, 1, 2); }},
      {"sticks by hand", "shared by \"hand\"", [] { share_sticks({}, 1, "hand"); }},
      {"half a sphere of complex functions", "half a sphere",
       [] { sphere<double>({8, 8, 8}, Cutoff{.squared = 1, .half = true}); }},
      {"wisdom that is none", "no wisdom", [] { import_wisdom("{}"); }},
      {"wisdom that is no JSON", "no JSON", [] { import_wisdom("{\"weft_wisdom\": nan}"); }},
      {"wisdom of another format", "format", [] { import_wisdom("{\"weft_wisdom\": 2, \"entries\": []}"); }},
      {"wisdom of a folder", "folder", [] { Wisdom::read("/"); }},
      {"wisdom of a device", "no regular file", [] { Wisdom::read("/dev/null"); }},
      {"wisdom at a folder", "folder", [] { Wisdom::update("/", [](Wisdom&) {}); }},
  };
  // clang-format on
  for (const auto& [name, word, call] : table) fails_here(name, word, call);

  const auto v = fft.output();
  const auto no_map = std::function<void(const Line&)>();
  if (fft.input_elements() > 1 && fft.output_elements() > 1) {
    fails_here("null input", "null", [&] { fft.forward(nullptr, v.data()); });
    fails_here("null output", "null", [&] { fft.backward(v.data(), nullptr); });
    fails_here("one array", "overlap", [&] { fft.forward(u.data(), u.data()); });
    fails_here("arrays that overlap", "overlap", [&] { fft.forward(u.data(), u.data() + 1); });
    fails_here("mapped arrays that overlap", "overlap",
               [&] { fft.AnyPlan::forward_map_backward(u.data(), u.data() + 1, [](const Line&) {}); });
    fails_here("mapped null array", "null",
               [&] { fft.AnyPlan::forward_map_backward(nullptr, nullptr, [](const Line&) {}); });
    fails_here("a span too short", "elements", [&] { fft.forward(u.span().first(1), v.span()); });
  }
  fails_here("no map", "map", [&] { fft.AnyPlan::forward_map_backward(u.data(), u.data(), no_map); });
  fails_here("a map of plane waves", "plane waves",
             [&] { fft.backward_map_forward(v.data(), v.data(), [](const Line&) {}); });
  fails_here("map_view of no plane waves", "plane waves", [&] { static_cast<void>(fft.map_view()); });
  fails_here("null communicator", "ommunicator", [] { AnyPlan(MPI_COMM_NULL, c2c<double>({4, 4})); });
  fails_here("null communicator of a file", "ommunicator", [] { inspect(MPI_COMM_NULL, "a.npy"); });
  fails_here("null communicator of a trace", "ommunicator", [] { Trace(MPI_COMM_NULL); });
  usable();
  EXPECT_GT(calls, 80);
}

// What once crashed or overflowed, and is right.
TEST_F(BadInputTiny, StrangeButRight) {
  EXPECT_EQ(share_sticks({{0, 0, 0, 0}}, 1, 1).size(), 1u);
  EXPECT_EQ(share_sticks({{0, 0, 0, 0}}, 2, 3).size(), 6u);
  EXPECT_EQ(share_sticks({}, 2, 3).size(), 6u);
  EXPECT_EQ(Box({{least}, {most}}).shape(), (Shape{most}));
  EXPECT_EQ(smallest_grid(std::vector<GVector>{}), (Shape{1, 1, 1}));
  const Index far = checked::farthest;
  EXPECT_EQ(Layout({4}, {Box{{-far}, {far - 1}}}).points(0), far - 1 + far);
  EXPECT_EQ(Layout::slab({4}, 0, 1).grown({far - 4}).box(0), (Box{{4 - far}, {far}}));
  EXPECT_EQ(shown("plain \xc3\xa9 text"), "plain \xc3\xa9 text");
  EXPECT_EQ(shown("a\nb\x1b\x7f\x80\xc2\x9b"), "a\\nb\\x1b\\x7f\\x80\\xc2\\x9b");
  EXPECT_EQ(shown(std::string(100, 'a') + "z", 9), "aaaaaa...aaz (101 characters)");
  EXPECT_EQ(shown("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 9),
            "\xc3\xa9\xc3\xa9\xc3\xa9...\xc3\xa9\xc3\xa9 (12 characters)");
}

}  // namespace
}  // namespace weft
