// What the Fortran module cannot see by itself: the type, the extents and the strides of an array
// of any type and rank. Called by the module alone.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include <ISO_Fortran_binding.h>
#include <weft/weft.h>

namespace {

/// A side of a plan as its arrays have it, as `side` in weft.F90: dimensions are the fastest first,
/// indices from 1.
struct Side {
  int64_t axes, reach;
  int64_t first[WEFT_MAX_AXES], extents[WEFT_MAX_AXES], strides[WEFT_MAX_AXES];
  int64_t axis[WEFT_MAX_AXES];  ///< of each dimension
  char type[4];
};

int fill(Side& side, const weft_view& view, weft_layout* layout) {
  int64_t order[WEFT_MAX_AXES];
  const int status = weft_layout_order(layout, order, nullptr);
  weft_layout_destroy(&layout);
  if (status != WEFT_OK) return status;
  side.axes = view.axes;
  side.reach = view.reach;
  for (int64_t d = 0; d < view.axes; ++d) {
    const int64_t axis = order[view.axes - 1 - d];
    side.axis[d] = view.axes - axis;
    side.first[d] = view.lo[axis] + 1;
    side.extents[d] = std::max<int64_t>(view.hi[axis] - view.lo[axis], 0);
    side.strides[d] = view.strides[axis];
  }
  return WEFT_OK;
}

bool is_type(const CFI_cdesc_t& array, const char* type) {
  if (std::strcmp(type, "f4") == 0) return array.type == CFI_type_float;
  if (std::strcmp(type, "f8") == 0) return array.type == CFI_type_double;
  if (std::strcmp(type, "c8") == 0) return array.type == CFI_type_float_Complex;
  return array.type == CFI_type_double_Complex;
}
const char* in_fortran(const char* type) {
  if (std::strcmp(type, "f4") == 0) return "real(c_float)";
  if (std::strcmp(type, "f8") == 0) return "real(c_double)";
  if (std::strcmp(type, "c8") == 0) return "complex(c_float_complex)";
  return "complex(c_double_complex)";
}

template <class Number>
std::string joined(int64_t count, Number number) {
  std::string text = "(";
  for (int64_t d = 0; d < count; ++d) text += (d > 0 ? ", " : "") + std::to_string(number(d));
  return text + ")";
}

/// Whether the array is what the side's arrays are, or a contiguous list with room for one.
/// Allocates nothing.
bool fits(const CFI_cdesc_t& array, const Side& side) {
  if (!is_type(array, side.type)) return false;
  if (side.reach == 0) return true;  // this rank has nothing
  if (array.base_addr == nullptr) return false;
  const auto bytes = static_cast<int64_t>(array.elem_len);
  if (array.rank == 1 && array.dim[0].sm == bytes && array.dim[0].extent >= side.reach) return true;
  if (array.rank != side.axes) return false;
  for (int64_t d = 0; d < side.axes; ++d)
    if (array.dim[d].extent != side.extents[d] || (side.extents[d] > 1 && array.dim[d].sm != side.strides[d] * bytes))
      return false;
  return true;
}

std::string misfit(const CFI_cdesc_t& array, const Side& side) {
  const std::string wanted = "; this plan needs " + std::string(in_fortran(side.type)) + " with the extents " +
                             joined(side.axes, [&](int64_t d) { return side.extents[d]; }) + " and the strides " +
                             joined(side.axes, [&](int64_t d) { return side.strides[d]; }) +
                             ", as the plan's own arrays, or a contiguous list of " + std::to_string(side.reach) +
                             " elements";
  if (!is_type(array, side.type)) return "is of another type" + wanted;
  if (array.base_addr == nullptr) return "is not associated or not allocated" + wanted;
  const auto bytes = static_cast<int64_t>(array.elem_len);
  return "has the extents " + joined(array.rank, [&](int64_t d) { return array.dim[d].extent; }) + " and the strides " +
         joined(array.rank, [&](int64_t d) { return array.dim[d].sm / bytes; }) + wanted;
}

/// NumPy's name of an array's type; empty where it is none of these.
const char* type_of(const CFI_cdesc_t& array) {
  const struct {
    CFI_type_t type;
    const char* name;
  } known[] = {{CFI_type_float, "f4"},           {CFI_type_double, "f8"}, {CFI_type_float_Complex, "c8"},
               {CFI_type_double_Complex, "c16"}, {CFI_type_int8_t, "i1"}, {CFI_type_int16_t, "i2"},
               {CFI_type_int32_t, "i4"},         {CFI_type_int64_t, "i8"}};
  for (const auto& each : known)
    if (array.type == each.type) return each.name;
  return "";
}

}  // namespace

extern "C" {

/// Type of an array and its elements: -1 where they do not lie one behind the other, -2 where there
/// is no array. Allocates nothing.
void weft_fortran_list(const CFI_cdesc_t* array, char* type, int64_t* elements, int64_t* element_bytes) {
  *element_bytes = static_cast<int64_t>(array->elem_len);
  std::strncpy(type, type_of(*array), 4);
  *elements = -2;
  if (array->base_addr == nullptr) return;
  int64_t count = 1;
  auto bytes = static_cast<int64_t>(array->elem_len);
  for (int d = 0; d < array->rank; ++d) count *= std::max<int64_t>(array->dim[d].extent, 0);
  *elements = count;
  for (int d = 0; d < array->rank && count > 0; ++d) {
    if (array->dim[d].extent > 1 && array->dim[d].sm != bytes) *elements = -1;
    bytes *= array->dim[d].extent;
  }
}

/// Both sides of a plan, and whether its output lies in its input's place.
int weft_fortran_sides(const weft_plan* plan, Side* in, Side* out, int* in_place) {
  weft_view view;
  weft_layout* layout = nullptr;
  weft_options* options = nullptr;
  char placement[16] = "";
  int status = weft_plan_input_type(plan, in->type, sizeof in->type, nullptr);
  if (status == WEFT_OK) status = weft_plan_input_view(plan, &view);
  if (status == WEFT_OK) status = weft_plan_input_layout(plan, &layout);
  if (status == WEFT_OK) status = fill(*in, view, layout);
  if (status == WEFT_OK) status = weft_plan_output_type(plan, out->type, sizeof out->type, nullptr);
  if (status == WEFT_OK) status = weft_plan_output_view(plan, &view);
  if (status == WEFT_OK) status = weft_plan_output_layout(plan, &layout);
  if (status == WEFT_OK) status = fill(*out, view, layout);
  if (status == WEFT_OK) status = weft_plan_requested(plan, &options);
  if (status == WEFT_OK) status = weft_options_get(options, "placement", placement, sizeof placement, nullptr);
  weft_options_destroy(&options);
  *in_place = std::strcmp(placement, "in_place") == 0;
  return status;
}

/// Whether two arrays are what a plan transforms from and to. The text is why not.
int weft_fortran_fit(const CFI_cdesc_t* in, const CFI_cdesc_t* out, const Side* from, const Side* to, int in_place,
                     char* text, int64_t room, int64_t* length) {
  // In place one array is both. It has the type of one side, whichever way it is transformed.
  if (in_place != 0 && in->base_addr == out->base_addr && (fits(*in, *from) || fits(*in, *to))) return WEFT_OK;
  const bool good = fits(*in, *from);
  if (good && fits(*out, *to)) return WEFT_OK;
  const std::string why =
      good ? "the array for the result " + misfit(*out, *to) : "the array to transform " + misfit(*in, *from);
  *length = std::min<int64_t>(static_cast<int64_t>(why.size()), room);
  std::copy_n(why.data(), *length, text);
  return WEFT_ERROR;
}

}  // extern "C"
