// Halo exchange of the C interface.
#include <cstdint>

#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

const Layout& layout_of(const weft_layout* layout, const char* what) { return given(layout, what).value; }

bool flag(int value, const char* what) {
  if (value != 0 && value != 1) throw Error(std::string(what) + " is " + std::to_string(value) + "; allowed: 0 or 1");
  return value == 1;
}

/// What both kinds of halos are told. `axes` of them are read of lists.
HaloOptions wishes_of(const weft_halo_options& how, int axes, const weft_options* options) {
  RedistributionOptions exchange = exchange_options(options, "a halo");
  HaloOptions of{.corners = flag(how.corners, "corners"),
                 .fields = how.fields,
                 .adds = flag(how.adds, "adds"),
                 .strategy = std::move(exchange.strategy),
                 .nodes = std::move(exchange.nodes),
                 .wisdom = exchange.wisdom};
  for (int a = 0; a < axes; ++a) {
    of.width.push_back(how.width[a]);
    of.behind.push_back(how.behind[a] == -1 ? how.width[a] : how.behind[a]);
    of.periodic.push_back(flag(how.periodic[a], "periodic"));
  }
  return of;
}

/// Those of a halo of lists, around which nothing lies.
HaloOptions wishes_of_lists(const weft_halo_options* how, const weft_options* options) {
  weft_halo_options plain;
  weft_halo_options_init(&plain);
  if (how == nullptr) return wishes_of(plain, 0, options);
  for (int a = 0; a < WEFT_MAX_AXES; ++a)
    if (how->width[a] != plain.width[a] || how->behind[a] != plain.behind[a] || how->periodic[a] != plain.periodic[a])
      throw Error(
          "a halo of lists has no widths and no periodic axes; leave them as weft_halo_options_init makes them");
  return wishes_of(*how, 0, options);
}

Halo& halo_of(weft_halo* halo) { return given(halo, "halo").value; }
const Halo& halo_of(const weft_halo* halo) { return given(halo, "halo").value; }
Halo& executing(weft_halo* halo) {
  Halo& h = halo_of(halo);
  need_mpi("execute a halo exchange");
  return h;
}

std::span<void* const> arrays_of(Index fields, void* const* arrays) {
  return {list(arrays, fields, "arrays"), static_cast<std::size_t>(fields)};
}

void start_add(Halo& halo, const char* type, const Fields& arrays) {
  const std::string name = text(type, "type");
  if (name == "i4") return halo.start_add<std::int32_t>(arrays);
  if (name == "i8") return halo.start_add<std::int64_t>(arrays);
  if (name == "f4" || name == "c8") return halo.start_add<float>(arrays);
  if (name == "f8" || name == "c16") return halo.start_add<double>(arrays);
  throw Error("numbers of type '" + shown(name) + "' are to be added; allowed: i4, i8, f4, f8, c8, c16");
}

}  // namespace

extern "C" {

void weft_halo_options_init(weft_halo_options* how) {
  if (how == nullptr) return;
  *how = {};
  std::fill_n(how->behind, WEFT_MAX_AXES, -1);
  how->corners = 1;
  how->fields = 1;
}

int weft_halo_create(weft_halo** halo, MPI_Comm comm, const weft_layout* layout, int64_t element_bytes,
                     const weft_halo_options* how, const weft_options* options) {
  return made(halo, [&] {
    const Layout& parts = layout_of(layout, "layout");
    return Halo(comm, parts, element_bytes, wishes_of(given(how, "how"), parts.axes(), options));
  });
}
int weft_halo_create_f(weft_halo** halo, MPI_Fint comm, const weft_layout* layout, int64_t element_bytes,
                       const weft_halo_options* how, const weft_options* options) {
  return weft_halo_create(halo, comm_of(comm), layout, element_bytes, how, options);
}
int weft_halo_create_lists(weft_halo** halo, MPI_Comm comm, const weft_layout* layout, const weft_layout* ghosts,
                           int64_t element_bytes, const weft_halo_options* how, const weft_options* options) {
  return made(halo, [&] {
    return Halo(comm, layout_of(layout, "layout"), layout_of(ghosts, "ghosts"), element_bytes,
                wishes_of_lists(how, options));
  });
}
int weft_halo_create_lists_f(weft_halo** halo, MPI_Fint comm, const weft_layout* layout, const weft_layout* ghosts,
                             int64_t element_bytes, const weft_halo_options* how, const weft_options* options) {
  return weft_halo_create_lists(halo, comm_of(comm), layout, ghosts, element_bytes, how, options);
}
void weft_halo_destroy(weft_halo** halo) { destroyed(halo); }
int weft_layout_checkerboard_ghosts(weft_layout** ghosts, const weft_layout* layout, const weft_halo_options* how,
                                    int parity) {
  return made(ghosts, [&] {
    const Layout& parts = layout_of(layout, "layout");
    return checkerboard_ghosts(parts, wishes_of(given(how, "how"), parts.axes(), nullptr), parity);
  });
}

int weft_halo_elements(const weft_halo* halo, int64_t* elements) {
  return guarded([&] { given(elements, "elements") = halo_of(halo).elements(); });
}
int weft_halo_inside(const weft_halo* halo, weft_view* view, int64_t* offset) {
  return guarded([&] {
    const Halo& h = halo_of(halo);
    const View own = h.inside();
    const Index begins = own.box.empty() ? 0 : own.offset;
    given(view, "view") = view_of(own, h.elements() - begins, own.reach());
    tell<int64_t>(offset, begins);
  });
}
int weft_halo_execute(weft_halo* halo, int64_t fields, void* const* arrays) {
  return guarded([&] { executing(halo)(arrays_of(fields, arrays)); });
}
int weft_halo_start(weft_halo* halo, int64_t fields, void* const* arrays) {
  return guarded([&] { executing(halo).start(arrays_of(fields, arrays)); });
}
int weft_halo_add(weft_halo* halo, const char* type, int64_t fields, void* const* arrays) {
  return guarded([&] {
    Halo& h = executing(halo);
    start_add(h, type, arrays_of(fields, arrays));
    h.finish();
  });
}
int weft_halo_start_add(weft_halo* halo, const char* type, int64_t fields, void* const* arrays) {
  return guarded([&] { start_add(executing(halo), type, arrays_of(fields, arrays)); });
}
int weft_halo_test(weft_halo* halo, int* done) {
  return guarded([&] {
    int& told = given(done, "done");
    told = executing(halo).test();
  });
}
int weft_halo_finish(weft_halo* halo) {
  return guarded([&] { executing(halo).finish(); });
}
int weft_halo_record(weft_halo* halo, weft_trace* trace) {
  return guarded([&] { halo_of(halo).record(given(trace, "trace").value); });
}
int weft_halo_strategy(const weft_halo* halo, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(halo_of(halo).strategy(), to, room, length); });
}
int weft_halo_describe(const weft_halo* halo, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(halo_of(halo).describe(), to, room, length); });
}

}  // extern "C"
