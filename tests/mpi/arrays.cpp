// Arrays that plans hand out, and parts of larger arrays with ghost layers or padding around them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/plans.hpp"

namespace weft {
namespace {

TEST(ArraysTiny, AsManyAsWanted) {
  std::vector<Array<double>> fields;
  {
    Plan fft(world, r2c<double>({6, 5, 4}), {.effort = "estimate"});
    auto own = fft.input();
    EXPECT_EQ(own.data(), fft.input().data());
    EXPECT_EQ(fft.output().data(), fft.output().data());
    const Index owned = fft.bytes_owned();
    std::set<double*> places{own.data()};
    std::vector<Array<Complex>> spectra;
    for (int i = 0; i < 3; ++i) {
      fields.push_back(fft.make_input());
      spectra.push_back(fft.make_output());
      EXPECT_TRUE(places.insert(fields.back().data()).second);
      for (const double v : fields.back().span()) EXPECT_EQ(v, 0);
      fields.back().fill([&](const Shape& p) { return value(position(p, {6, 5, 4}) + i); });
    }
    EXPECT_EQ(fft.bytes_owned(), owned);
    for (std::size_t i = 0; i < 3; ++i) fft.forward(fields[i], spectra[i]);
    for (Array<double>& field : fields) field.fill([](const Shape&) { return 0.0; });
    for (std::size_t i = 0; i < 3; ++i) fft.backward(spectra[i], fields[i]);
  }
  for (std::size_t i = 0; i < 3; ++i)  // they outlive the plan
    fields[i].for_each([&](const Shape& p, double v) {
      EXPECT_NEAR(v / 120, value(position(p, {6, 5, 4}) + static_cast<Index>(i)), 1e-14);
    });
}

// Where a plan may overwrite its input, its own arrays may be memory of an exchange, or an array
// that an exchange sends from.
TEST(ArraysTiny, PlansOwnArraysOutliveThem) {
  const int ranks = ranks_of_world();
  const Shape shape{40 * ranks, 64, 64};
  const Plan other(world, r2c<double>(shape), {.effort = "estimate"});
  bool lent = false;
  for (const Strategy* strategy : strategies()) try {
      Array<double> u;
      Array<Complex> u_hat;
      {
        const Options options{
            .strategy = std::string(strategy->name()), .effort = "estimate", .placement = "overwrite"};
        Plan fft(world, r2c<double>(shape), options);
        const Index owned = fft.bytes_owned();
        u = fft.input(), u_hat = fft.output();
        lent = lent || fft.bytes_owned() < owned + u.size() * static_cast<Index>(sizeof(double)) +
                                               u_hat.size() * static_cast<Index>(sizeof(Complex));
        std::fill_n(u.data(), u.size(), 3);
        std::fill_n(u_hat.data(), u_hat.size(), Complex(5, 7));
      }
      // what the plan had is given back, and likely to be had again
      std::vector<Array<Complex>> others;
      for (int i = 0; i < 3; ++i) others.push_back(other.make_output());
      for (Array<Complex>& array : others) std::fill_n(array.data(), array.size(), Complex(-1, -1));
      EXPECT_EQ(std::count(u.data(), u.data() + u.size(), 3), u.size()) << strategy->name();
      EXPECT_EQ(std::count(u_hat.data(), u_hat.data() + u_hat.size(), Complex(5, 7)), u_hat.size()) << strategy->name();
      std::fill_n(u.data(), u.size(), 4);
      std::fill_n(u_hat.data(), u_hat.size(), Complex(6, 8));
      for (const Array<Complex>& array : others)
        EXPECT_EQ(std::count(array.data(), array.data() + array.size(), Complex(-1, -1)), array.size())
            << strategy->name();
    } catch (const Declined&) {  // alike on all ranks
    }
  EXPECT_TRUE(lent || ranks == 1);
}

TEST(ArraysTiny, InPlaceBothSidesOfOneMemory) {
  Plan fft(world, r2c<double>({6, 5, 8}), {.effort = "estimate", .placement = "in_place"});
  Plan apart(world, r2c<double>({6, 5, 8}), {.effort = "estimate"});
  auto u = fft.make_input(), v = fft.make_input(), w = apart.make_input();
  auto w_hat = apart.make_output();
  const auto field = [](const Shape& p) { return value(position(p, {6, 5, 8})); };
  u.fill(field), w.fill(field);
  auto u_hat = fft.as_output(u);
  EXPECT_EQ(static_cast<void*>(u_hat.data()), static_cast<void*>(u.data()));
  EXPECT_NE(u.data(), v.data());
  EXPECT_EQ(fft.as_input(u_hat).data(), u.data());
  fft.forward(u, u_hat);
  apart.forward(w, w_hat);
  ASSERT_EQ(u_hat.box(), w_hat.box());
  u_hat.for_each([&](const Shape& p, const Complex& x) { EXPECT_NEAR(std::abs(x - w_hat[p]), 0, 1e-12); });
  EXPECT_THROW(apart.as_output(w), Error);
  EXPECT_THROW(apart.as_input(w_hat), Error);
}

// Ghost layers before and behind, in real and in transformed space: the part is transformed,
// nothing else is touched.
template <class In>
void inside(const Problem<In, Complex>& problem, const Shape& transformed, const std::pair<Shape, Shape>& ghosts,
            const Order& order, const Options& given) {
  const auto &before = ghosts.first, &behind = ghosts.second;
  const int ranks = ranks_of_world();
  const Shape& shape = problem.shape;
  Shape padding;
  for (int a = 0; a < shape.size(); ++a) padding.push_back(before[a] + behind[a]);
  Options options = given;
  options.effort = "estimate";
  options.input = Layout::slab(shape, 0, ranks, Split::even(), order).ordered(order, padding);
  options.output = Layout::slab(transformed, 1, ranks).ordered(order, padding);
  Plan fft(world, problem, options);
  SCOPED_TRACE(fft.describe());
  options.input = Layout::slab(shape, 0, ranks), options.output = Layout::slab(transformed, 1, ranks);
  Plan plain(world, problem, options);

  const In mark(12345);
  const auto larger = [&](const Box& box) {
    Shape extents, first;
    for (int a = 0; a < box.axes(); ++a) {
      const int axis = a - (given.batch > 1);  // of the problem
      const bool own = axis >= 0 && axis < shape.size();
      first.push_back(own ? before[axis] : 0);
      extents.push_back(box.extent(a) + (own ? padding[axis] : 0));
    }
    return std::pair(extents, first);
  };
  const auto [extents, first] = larger(fft.input_view().box);
  const auto [hat_extents, hat_first] = larger(fft.output_view().box);
  std::vector<In> memory(static_cast<std::size_t>(volume(extents)), mark), result(memory);
  std::vector<Complex> hat_memory(static_cast<std::size_t>(volume(hat_extents)), mark);
  auto u = fft.input_in(memory, extents, first), back = fft.input_in(result, extents, first);
  auto u_hat = fft.output_in(hat_memory, hat_extents, hat_first);
  auto v = plain.make_input();
  auto v_hat = plain.make_output();
  const auto field = [&](const Shape& p) {
    const Index k = position(p, fft.input_layout().shape());
    if constexpr (std::is_floating_point_v<In>)
      return value(k);
    else
      return In(value(k), value(k + 3));
  };
  u.fill(field), v.fill(field);
  for (int round = 0; round < 2; ++round) {
    fft.forward(u, u_hat), plain.forward(v, v_hat);
    fft.backward(u_hat, back);
  }
  u_hat.for_each([&](const Shape& p, const Complex& x) { EXPECT_NEAR(std::abs(x - v_hat[p]), 0, 1e-12); });
  back.for_each([&](const Shape& p, const In& x) { EXPECT_NEAR(std::abs(x * fft.scale() - field(p)), 0, 1e-13); });
  u.for_each([&](const Shape& p, const In& x) { EXPECT_EQ(x, field(p)); });
  const auto untouched = [&](auto& all, const auto& array) {
    using T = std::remove_reference_t<decltype(all[0])>;
    array.for_each([&](const Shape&, T& x) { x = T(mark); });
    EXPECT_EQ(std::count(all.begin(), all.end(), T(mark)), static_cast<std::ptrdiff_t>(all.size()));
  };
  untouched(memory, u), untouched(result, back), untouched(hat_memory, u_hat);
}

TEST(ArraysTiny, PartsOfLargerArrays) {
  const std::pair<Shape, Shape> around{{1, 2, 3}, {1, 2, 3}}, in_front{{2, 1, 1}, {0, 0, 0}},
      behind{{0, 0, 0}, {1, 1, 2}};
  const Options sent{.strategy = "isend", .batch = 2, .components = 2};
  for (const Order& order : {Order{0, 1, 2}, Order{2, 0, 1}})
    for (const auto& ghosts : {around, in_front, behind}) {
      inside(c2c<double>({4, 5, 6}), {4, 5, 6}, ghosts, order, {});
      inside(r2c<double>({4, 5, 6}), {4, 5, 4}, ghosts, order, {});
      inside(r2c<double>({4, 5, 6}), {4, 5, 4}, ghosts, order, {.strategy = "datatype"});
      inside(r2c<double>({4, 5, 6}), {4, 5, 4}, ghosts, order, sent);
    }
}

TEST(ArraysTiny, PartsThatDoNotFitAreErrors) {
  const int ranks = ranks_of_world();
  const Shape shape{4 * ranks, 5, 6};
  const Layout padded = Layout::slab(shape, 0, ranks).ordered({}, {2, 2, 2});
  Plan fft(world, c2c<double>(shape), {.effort = "estimate", .input = padded});
  std::vector<Complex> memory(static_cast<std::size_t>(6 * 7 * 8));
  const auto says = [&](const Shape& extents, const Shape& first, std::size_t room, const std::string& words) {
    try {
      fft.input_in(std::span(memory).first(room), extents, first);
      ADD_FAILURE() << "no error that says " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  EXPECT_EQ(fft.input_in(memory, {6, 7, 8}, {1, 1, 1}).data(), memory.data() + 56 + 8 + 1);
  says({6, 7}, {1, 1, 1}, 336, "of 3 axes");
  says({6, 7, 8}, {1, 1, 3}, 336, "6 points along axis 2 and begins at 3");
  says({6, 7, 8}, {-1, 1, 1}, 336, "begins at -1");
  says({6, 7, 8}, {1, 1, 1}, 335, "has 336 elements, but the memory has 335");
  says({6, 6, 8}, {1, 1, 1}, 336, "elements lie 48 apart in an array of 6x6x8, and 56 in this plan's");
  says({6, 7, 7}, {1, 1, 1}, 336, "along axis 0 elements lie 49 apart");
}

}  // namespace
}  // namespace weft
