// What the pages' fragments take for granted, by name. Each stands at the head of a function of its
// own, which is given a communicator, this rank and how many there are.
#include <complex>
#include <functional>
#include <iostream>
#include <utility>

#include <weft/weft.hpp>

using Complex = std::complex<double>;

//// none
//// layouts
ranks = 32;  // layouts need no such ranks
const weft::Shape shape{8, 8, 8};
std::vector<weft::Box> boxes;
std::vector<std::vector<weft::Stick>> sticks(32);
std::vector<std::vector<weft::Run>> runs(32);
for (weft::Index r = 0; r < 32; ++r) {
  boxes.push_back({{r / 4, r % 4 * 2, 0}, {r / 4 + 1, r % 4 * 2 + 2, 8}});
  sticks[static_cast<std::size_t>(r)] = {{{r, 3}, 0, r}};
  runs[static_cast<std::size_t>(r)] = {{16 * r, 16}};
}
//// moves
const weft::Shape shape{16, 12, 8};
const auto slabs = weft::Layout::slab(shape, 0, ranks), pencils = weft::Layout::grid(shape, {1, ranks, 1});
const auto bricks = pencils, halo = pencils.grown({1, 1, 1});
const auto room = [&](const weft::Layout& layout) { return static_cast<std::size_t>(layout.elements(rank)); };
std::vector<double> u(room(slabs)), v(room(pencils)), grown(room(halo));
//// plan
weft::Plan plan(comm, weft::r2c<double>({16, 12, 8}));
auto u = plan.input();
auto u_hat = plan.output();
//// waves
std::vector<double> potential;
std::vector<Complex> c, psi;
//// strategy
class Mine : public weft::Strategy {
  std::string_view name() const override { return "mine"; }
  std::string_view summary() const override { return "another name of isend"; }
  std::string declines(const weft::Demand& demand) const override { return weft::strategy("isend").declines(demand); }
  weft::Cost cost(const weft::Demand& demand) const override { return weft::strategy("isend").cost(demand); }
  std::unique_ptr<weft::Exchange> bind(const weft::Demand& demand, MPI_Comm group) const override {
    return weft::strategy("isend").bind(demand, group);
  }
};
