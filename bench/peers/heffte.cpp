// heFFTe with FFTW inside: slabs in, and out slabs along the same axis (natural) or along the next
// (transposed). Its axis 0 is the fastest, our last. 3-D; its own default options are far from its
// best ones, so several are tried. https://github.com/icl-utk-edu/heffte
#include <fmt/format.h>
#include <heffte.h>

#include "peers.hpp"

namespace {

struct Ways {
  bool transposed = false, reorder = false, pencils = false;
  heffte::reshape_algorithm algorithm = heffte::reshape_algorithm::alltoallv;
};

/// Its bounds are inclusive.
heffte::box3d<> inclusive(const weft::Box& box) {
  const auto first = [&](int axis) { return static_cast<int>(box.lo[axis]); };
  const auto last = [&](int axis) { return static_cast<int>(box.hi[axis]) - 1; };
  return {{first(2), first(1), first(0)}, {last(2), last(1), last(0)}};
}

template <class Real>
Contender make(const World& world, const Case& what, Ways ways) {
  using Complex = std::complex<Real>;
  const auto mine = [&](const weft::Shape& shape, int axis) {
    return weft::Layout::slab(shape, axis, world.ranks).box(world.rank);
  };
  const weft::Box before = mine(what.before(), 0), after = mine(what.after(), ways.transposed ? 1 : 0);
  Contender c;
  c.in = part(what, before, {0, 1, 2}), c.out = part(what, after, {0, 1, 2});
  c.in.memory = memory(static_cast<std::size_t>(c.in.elements) * what.before_bytes());
  c.out.memory = memory(static_cast<std::size_t>(c.out.elements) * what.after_bytes());

  auto options = heffte::default_options<heffte::backend::fftw>();
  options.use_reorder = ways.reorder;
  options.use_pencils = ways.pencils;
  options.algorithm = ways.algorithm;
  const weft::Index in_apart = c.in.view.strides[0], out_apart = c.out.view.strides[0], batch = what.batch;
  const auto run = [&]<class In>(In*, const auto& fft) {
    const auto work = memory(static_cast<std::size_t>(fft->size_workspace()) * sizeof(Complex));
    auto* const in = reinterpret_cast<In*>(c.in.memory.get());
    auto* const out = reinterpret_cast<Complex*>(c.out.memory.get());
    auto* const scratch = reinterpret_cast<Complex*>(work.get());
    c.forward = [=] {
      static_cast<void>(work);  // owned
      for (weft::Index b = 0; b < batch; ++b) fft->forward(in + b * in_apart, out + b * out_apart, scratch);
    };
    c.backward = [=] {
      static_cast<void>(work);
      for (weft::Index b = 0; b < batch; ++b) fft->backward(out + b * out_apart, in + b * in_apart, scratch);
    };
    c.bytes_owned = static_cast<weft::Index>(fft->size_workspace() * sizeof(Complex));
  };
  if (what.real)
    run(static_cast<Real*>(nullptr), std::make_shared<heffte::fft3d_r2c<heffte::backend::fftw>>(
                                         inclusive(before), inclusive(after), 0, world.comm, options));
  else
    run(static_cast<Complex*>(nullptr), std::make_shared<heffte::fft3d<heffte::backend::fftw>>(
                                            inclusive(before), inclusive(after), world.comm, options));
  return c;
}

}  // namespace

std::vector<Entry> heffte_mpi(const World& world, const Case& what) {
  // It takes a box that ends before it begins for an error: every rank must have something.
  if (what.shape.size() != 3 || what.after()[0] < world.ranks || what.after()[1] < world.ranks) return {};
  std::vector<Entry> entries;
  for (const bool transposed : {true, false}) {
    const std::string output = transposed ? "transposed" : "natural";
    Entry& entry = entries.emplace_back(Entry{
        .name = "heffte " + output, .group = output, .peer = true, .alone = false, .what = what, .candidates = {}});
    for (const bool reorder : {true, false})
      for (const auto& [name, algorithm] : {std::pair{"alltoallv", heffte::reshape_algorithm::alltoallv},
                                            {"p2p_plined", heffte::reshape_algorithm::p2p_plined}}) {
        const Ways ways{transposed, reorder, false, algorithm};
        for (Candidate& candidate :
             repeated({fmt::format("{}, slabs, {}, {}", output, name, reorder ? "reorder" : "no reorder"), [=] {
                         return what.is_double() ? make<double>(world, what, ways) : make<float>(world, what, ways);
                       }}))
          entry.candidates.push_back(std::move(candidate));
      }
  }
  return entries;
}
