// FFTW's own MPI transforms: slabs, in place and out of place, natural and transposed output. Of a
// batch, either one array after the other or, with another layout of the data, all of them
// interleaved.
#include <fmt/format.h>

#include "fftw.hpp"
#include "peers.hpp"

namespace {

struct Ways {
  bool in_place = false, transposed = false, interleaved = false;
};

template <class Real>
Contender make(const World& world, const Case& what, Ways ways) {
  using F = Fftw<Real>;
  using Complex = typename F::Complex;
  const int axes = what.shape.size();
  const weft::Shape modes = what.after();
  const std::vector<ptrdiff_t> n(what.shape.begin(), what.shape.end()), halved(modes.begin(), modes.end());
  const ptrdiff_t together = ways.interleaved ? what.batch : 1;
  ptrdiff_t rows = 0, first_row = 0, columns = 0, first_column = 0;
  ptrdiff_t room = F::mpi_local_size(axes, halved.data(), together, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                     world.comm, &rows, &first_row, &columns, &first_column);
  room = (room + 7) / 8 * 8;  // every array of a batch is aligned alike

  const weft::Box before = weft::Box::whole(what.before()).cut(0, first_row, first_row + rows);
  const weft::Box whole = weft::Box::whole(modes);
  const weft::Box after =
      ways.transposed ? whole.cut(1, first_column, first_column + columns) : whole.cut(0, first_row, first_row + rows);
  weft::Order order = weft::c_order(axes), transposed = order;
  if (ways.transposed) std::swap(transposed[0], transposed[1]);
  const weft::Shape padding = in_place_padding(what);  // FFTW-MPI wants it out of place too
  const weft::Index real_room = room * (what.real ? 2 : 1), arrays = ways.interleaved ? 1 : what.batch;

  Contender c;
  const auto placed = [&](const weft::Box& box, const weft::Order& memory_order, const weft::Shape& pad,
                          weft::Index apart) {
    if (!ways.interleaved) return part(what, box, memory_order, pad, apart);
    Part p = part(what, box, memory_order, pad, 1);
    for (int axis = 1; axis <= axes; ++axis) p.view.strides[axis] *= what.batch;
    p.elements = apart;
    return p;
  };
  c.in = placed(before, order, padding, real_room);
  c.out = placed(after, transposed, {}, room);
  c.out.memory = memory(static_cast<std::size_t>(room * arrays) * what.after_bytes());
  c.in.memory = ways.in_place ? c.out.memory : memory(static_cast<std::size_t>(room * arrays) * what.after_bytes());

  const unsigned flags = FFTW_MEASURE | FFTW_DESTROY_INPUT;
  const unsigned there = flags | (ways.transposed ? FFTW_MPI_TRANSPOSED_OUT : 0),
                 back = flags | (ways.transposed ? FFTW_MPI_TRANSPOSED_IN : 0);
  constexpr ptrdiff_t block = FFTW_MPI_DEFAULT_BLOCK;
  auto* const in = reinterpret_cast<Complex*>(c.in.memory.get());
  auto* const out = reinterpret_cast<Complex*>(c.out.memory.get());
  F::forget_wisdom();
  if (what.real) {
    const auto forward = F::owned(
        F::mpi_r2c(axes, n.data(), together, block, block, reinterpret_cast<Real*>(in), out, world.comm, there));
    const auto backward = F::owned(
        F::mpi_c2r(axes, n.data(), together, block, block, out, reinterpret_cast<Real*>(in), world.comm, back));
    c.forward = [=] {
      for (weft::Index b = 0; b < arrays; ++b)
        F::mpi_execute_r2c(forward.get(), reinterpret_cast<Real*>(in + b * room), out + b * room);
    };
    c.backward = [=] {
      for (weft::Index b = 0; b < arrays; ++b)
        F::mpi_execute_c2r(backward.get(), out + b * room, reinterpret_cast<Real*>(in + b * room));
    };
  } else {
    const auto forward =
        F::owned(F::mpi_c2c(axes, n.data(), together, block, block, in, out, world.comm, FFTW_FORWARD, there));
    c.forward = [=] {
      for (weft::Index b = 0; b < arrays; ++b) F::mpi_execute_c2c(forward.get(), in + b * room, out + b * room);
    };
  }
  return c;
}

}  // namespace

std::vector<Entry> fftw_mpi(const World& world, const Case& what) {
  if (what.shape.size() < 2) return {};
  std::vector<Entry> entries;
  for (const bool transposed : {true, false})
    for (const bool in_place : {true, false}) {
      const std::string place = in_place ? "in place" : "out of place", output = transposed ? "transposed" : "natural";
      Entry& entry = entries.emplace_back(Entry{.name = fmt::format("fftw-mpi {} {}", output, place),
                                                .group = output,
                                                .peer = true,
                                                .alone = false,
                                                .what = what,
                                                .candidates = {}});
      for (const bool interleaved : {false, true}) {
        if (interleaved && what.batch == 1) continue;
        const Ways ways{in_place, transposed, interleaved};
        const std::string options = fmt::format("{}, {}, measure{}", place, output,
                                                what.batch == 1 ? ""
                                                : interleaved   ? ", interleaved"
                                                                : ", one by one");
        for (Candidate& candidate : repeated({options, [=] {
                                                return what.is_double() ? make<double>(world, what, ways)
                                                                        : make<float>(world, what, ways);
                                              }}))
          entry.candidates.push_back(std::move(candidate));
      }
    }
  return entries;
}
