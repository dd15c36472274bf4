// SpFFT on the host, here with a sphere that is the whole box: z-slabs in space, columns along z among the modes. 3-D, double precision as
// Debian builds it; it works in memory of its own. https://github.com/eth-cscs/SpFFT
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
      1, world.comm, exchange, SPFFT_PU_HOST, what.real ? SPFFT_TRANS_R2C : SPFFT_TRANS_C2C, static_cast<int>(what.shape[2]),
      static_cast<int>(what.shape[1]), static_cast<int>(what.shape[0]), static_cast<int>(slab[1] - slab[0]),
      static_cast<int>(triplets.size() / 3), SPFFT_INDEX_TRIPLETS, triplets.data());

  auto* const in = reinterpret_cast<double*>(c.in.memory.get());
  auto* const out = reinterpret_cast<double*>(c.out.memory.get());
  const weft::Index in_apart = c.in.view.strides[0] * (what.real ? 1 : 2), out_apart = c.out.view.strides[0] * 2, batch = what.batch;
  c.forward = [=] {
    for (weft::Index b = 0; b < batch; ++b) transform->forward(in + b * in_apart, out + b * out_apart);
  };
  c.backward = [=] {
    for (weft::Index b = 0; b < batch; ++b) transform->backward(out + b * out_apart, in + b * in_apart);
  };
  return c;
}

}  // namespace

std::vector<Entry> spfft_mpi(const World& world, const Case& what) {
  if (what.shape.size() != 3 || !what.is_double()) return {};
  Entry entry{.name = "spfft", .group = "transposed", .peer = true, .alone = false, .what = what, .candidates = {}};
  for (const auto& [options, exchange] : {std::pair{"compact buffered", SPFFT_EXCH_COMPACT_BUFFERED}, {"buffered", SPFFT_EXCH_BUFFERED}})
    for (Candidate& candidate : repeated({options, [=] { return make(world, what, exchange); }}))
      entry.candidates.push_back(std::move(candidate));
  return {entry};
}
