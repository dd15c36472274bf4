// SpFFT on the host: z-slabs in space, columns along z among the modes; of a sphere, or with one
// that is the whole box. 3-D, double precision as Debian builds it; it works in memory of its own.
// https://github.com/eth-cscs/SpFFT
#include <spfft/multi_transform.hpp>
#include <spfft/spfft.hpp>

#include <array>
#include <numeric>

#include "peers.hpp"

namespace {

Contender make(const World& world, const Case& what, SpfftExchangeType exchange) {
  const weft::Shape modes = what.after();
  const auto mine = [&](weft::Index n) {
    const std::vector<weft::Index> bounds = weft::Split::even().bounds(n, world.ranks);
    return std::array{bounds[static_cast<std::size_t>(world.rank)], bounds[static_cast<std::size_t>(world.rank) + 1]};
  };
  const auto slab = mine(what.shape[0]), columns = mine(modes[1]);
  const weft::Box before = weft::Box::whole(what.before()).cut(0, slab[0], slab[1]),
                  after = weft::Box::whole(modes).cut(1, columns[0], columns[1]);
  Contender c;
  c.in = part(what, before, {0, 1, 2}), c.out = part(what, after, {1, 2, 0});
  c.in.memory = memory(static_cast<std::size_t>(c.in.elements) * what.before_bytes());
  c.out.memory = memory(static_cast<std::size_t>(c.out.elements) * what.after_bytes());

  std::vector<int> triplets;
  for (weft::Index y = after.lo[1]; y < after.hi[1]; ++y)
    for (weft::Index x = 0; x < modes[2]; ++x)
      for (weft::Index z = 0; z < modes[0]; ++z)
        triplets.insert(triplets.end(), {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)});
  const auto transform = std::make_shared<spfft::Transform>(
      1, world.comm, exchange, SPFFT_PU_HOST, what.real ? SPFFT_TRANS_R2C : SPFFT_TRANS_C2C,
      static_cast<int>(what.shape[2]), static_cast<int>(what.shape[1]), static_cast<int>(what.shape[0]),
      static_cast<int>(slab[1] - slab[0]), static_cast<int>(triplets.size() / 3), SPFFT_INDEX_TRIPLETS,
      triplets.data());

  auto* const in = reinterpret_cast<double*>(c.in.memory.get());
  auto* const out = reinterpret_cast<double*>(c.out.memory.get());
  const weft::Index in_apart = c.in.view.strides[0] * (what.real ? 1 : 2), out_apart = c.out.view.strides[0] * 2,
                    batch = what.batch;
  c.forward = [=] {
    for (weft::Index b = 0; b < batch; ++b) transform->forward(in + b * in_apart, out + b * out_apart);
  };
  c.backward = [=] {
    for (weft::Index b = 0; b < batch; ++b) transform->backward(out + b * out_apart, in + b * in_apart);
  };
  return c;
}

// Plane waves, in the caller's real space or in SpFFT's own; a batch as so many calls or as one of
// its multi-transforms, each with a grid of its own.
Contender make_sphere(const World& world, const Case& what, SpfftExchangeType exchange, bool own_space, bool multi) {
  const std::vector<weft::Index> bounds = weft::Split::even().bounds(what.shape[0], world.ranks);
  const weft::Index first = bounds[static_cast<std::size_t>(world.rank)],
                    last = bounds[static_cast<std::size_t>(world.rank) + 1];
  Contender c;
  c.vectors = what.vectors(world.rank, world.ranks);
  c.in = part(what, weft::Box::whole(what.shape).cut(0, first, last), {0, 1, 2}), c.out = coefficients(what, c.vectors);
  std::vector<int> triplets;
  for (const weft::GVector& g : c.vectors)
    triplets.insert(triplets.end(), {static_cast<int>(g[2]), static_cast<int>(g[1]), static_cast<int>(g[0])});
  const auto transforms = std::make_shared<std::vector<spfft::Transform>>();
  for (weft::Index b = 0; b < (multi ? what.batch : 1); ++b)
    transforms->emplace_back(1, world.comm, exchange, SPFFT_PU_HOST, SPFFT_TRANS_C2C, static_cast<int>(what.shape[2]),
                             static_cast<int>(what.shape[1]), static_cast<int>(what.shape[0]),
                             static_cast<int>(last - first), static_cast<int>(c.vectors.size()), SPFFT_INDEX_TRIPLETS,
                             triplets.data());
  c.out.memory = memory(static_cast<std::size_t>(c.out.elements) * what.after_bytes());
  if (own_space)
    c.in.memory = std::shared_ptr<std::byte>(
        transforms, reinterpret_cast<std::byte*>(transforms->front().space_domain_data(SPFFT_PU_HOST)));
  else
    c.in.memory = memory(static_cast<std::size_t>(c.in.elements) * what.before_bytes());
  auto* const in = reinterpret_cast<double*>(c.in.memory.get());
  auto* const out = reinterpret_cast<double*>(c.out.memory.get());
  const weft::Index in_apart = c.in.view.strides[0] * 2, out_apart = c.out.view.strides[0] * 2, batch = what.batch;
  if (own_space) {
    c.forward = [=] { transforms->front().forward(SPFFT_PU_HOST, out); };
    c.backward = [=] { transforms->front().backward(out, SPFFT_PU_HOST); };
  } else if (!multi) {
    c.forward = [=] {
      for (weft::Index b = 0; b < batch; ++b) transforms->front().forward(in + b * in_apart, out + b * out_apart);
    };
    c.backward = [=] {
      for (weft::Index b = 0; b < batch; ++b) transforms->front().backward(out + b * out_apart, in + b * in_apart);
    };
  } else {
    std::vector<double*> ins, outs;
    for (weft::Index b = 0; b < batch; ++b) ins.push_back(in + b * in_apart), outs.push_back(out + b * out_apart);
    const std::vector<SpfftScalingType> scaling(ins.size(), SPFFT_NO_SCALING);
    c.forward = [=] {
      spfft::multi_transform_forward(static_cast<int>(batch), transforms->data(), ins.data(), outs.data(),
                                     scaling.data());
    };
    c.backward = [=] {
      spfft::multi_transform_backward(static_cast<int>(batch), transforms->data(), outs.data(), ins.data());
    };
  }
  return c;
}

}  // namespace

std::vector<Entry> spfft_sphere(const World& world, const Case& what) {
  if (!what.is_double()) return {};
  Entry entry{.name = "spfft", .group = "sphere", .peer = true, .alone = false, .what = what, .candidates = {}};
  const auto add = [&](const std::string& options, SpfftExchangeType exchange, bool own_space, bool multi) {
    for (Candidate& candidate :
         repeated({options, [=] { return make_sphere(world, what, exchange, own_space, multi); }}))
      entry.candidates.push_back(std::move(candidate));
  };
  for (const auto& [options, exchange] : {std::pair{"compact buffered", SPFFT_EXCH_COMPACT_BUFFERED},
                                          {"buffered", SPFFT_EXCH_BUFFERED},
                                          {"unbuffered", SPFFT_EXCH_UNBUFFERED}}) {
    add(std::string(options) + ", caller's arrays", exchange, false, false);
    if (what.batch == 1)
      add(std::string(options) + ", its own real space", exchange, true, false);
    else
      add(std::string(options) + ", multi-transform", exchange, false, true);
  }
  return {entry};
}

std::vector<Entry> spfft_mpi(const World& world, const Case& what) {
  if (what.shape.size() != 3 || !what.is_double()) return {};
  Entry entry{.name = "spfft", .group = "transposed", .peer = true, .alone = false, .what = what, .candidates = {}};
  for (const auto& [options, exchange] :
       {std::pair{"compact buffered", SPFFT_EXCH_COMPACT_BUFFERED}, {"buffered", SPFFT_EXCH_BUFFERED}})
    for (Candidate& candidate : repeated({options, [=, by = exchange] { return make(world, what, by); }}))
      entry.candidates.push_back(std::move(candidate));
  return {entry};
}
