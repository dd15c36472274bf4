// Long lines of the C interface.
#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

struct weft_long_line {
  [[gnu::visibility("hidden")]] static constexpr const char* noun = "long line";
  AnyLongLine value;
};

extern "C" {

int weft_long_line_create_rows(weft_long_line** line, MPI_Comm comm, const char* precision, int64_t n, int64_t rows,
                               const weft_options* options) {
  return made(line, [&] {
    return AnyLongLine(comm, precision_from_string(text(precision, "the precision")), n, options_or_default(options),
                       rows);
  });
}
int weft_long_line_create_rows_f(weft_long_line** line, MPI_Fint comm, const char* precision, int64_t n, int64_t rows,
                                 const weft_options* options) {
  return weft_long_line_create_rows(line, comm_of(comm), precision, n, rows, options);
}
int weft_long_line_create(weft_long_line** line, MPI_Comm comm, const char* precision, int64_t n,
                          const weft_options* options) {
  return weft_long_line_create_rows(line, comm, precision, n, 0, options);
}
int weft_long_line_create_f(weft_long_line** line, MPI_Fint comm, const char* precision, int64_t n,
                            const weft_options* options) {
  return weft_long_line_create(line, comm_of(comm), precision, n, options);
}
void weft_long_line_destroy(weft_long_line** line) { destroyed(line); }
int weft_long_line_forward(weft_long_line* line, const void* in, void* out) {
  return guarded([&] {
    need_mpi("execute a long line");
    given(line, "the long line").value.forward(in, out);
  });
}
int weft_long_line_backward(weft_long_line* line, const void* in, void* out) {
  return guarded([&] {
    need_mpi("execute a long line");
    given(line, "the long line").value.backward(in, out);
  });
}
int weft_long_line_tell(const weft_long_line* line, weft_long_line_parts* parts) {
  return guarded([&] {
    const AnyLongLine& of = given(line, "the long line").value;
    given(parts, "the place for parts") = {.rows = of.rows(),
                                           .columns = of.columns(),
                                           .input_first = of.input_first(),
                                           .input_elements = of.input_elements(),
                                           .output_first = of.output_first(),
                                           .output_elements = of.output_elements(),
                                           .scale = of.scale()};
  });
}
int weft_long_line_mode(const weft_long_line* line, int64_t element, int64_t* mode) {
  return guarded([&] {
    const AnyLongLine& of = given(line, "the long line").value;
    given(mode, "the place for a mode") = of.mode(element);
  });
}
int weft_long_line_describe(const weft_long_line* line, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(given(line, "the long line").value.describe(), to, room, length); });
}

}  // extern "C"
