// Raw and npy files by MPI-IO. The format is NumPy's ("NPY format", numpy.lib.format), versions 1
// and 2.
//
// Always true: whatever can fail on one rank alone is followed by an agreement of all ranks, so
// that no rank enters the next collective call alone. A file that is being written has its full
// size on disk before anybody writes, and its name only after all have written.
#include <weft/file.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include <weft/quote.hpp>

#include "geometry/boxes.hpp"
#include "geometry/checked.hpp"
#include "mpi/file.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using mpi::Communicator;
using mpi::Datatype;
using mpi::File;

constexpr char byte_order = std::endian::native == std::endian::little ? '<' : '>';
constexpr std::size_t longest_header = 65535;  // of version 1; NumPy writes longer ones for structured types only

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

[[noreturn]] void fail(const std::string& path, const std::string& why) { throw Error(shown_path(path) + ": " + why); }

/// f(), whose errors get the file's name.
template <class F>
auto naming(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    fail(path, error.what());
  }
}

Index element_bytes(const std::string& type) {
  std::string known;
  for (const char* name : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}) {
    if (type == name) return std::stoi(type.substr(1));
    known += std::string(" ") + name;
  }
  throw Error("'" + shown(type) + "' is no element type; these are:" + known);
}

// -- npy headers
// ------------------------------------------------------------------------------------------------------

struct Header {
  FileType file;
  bool fortran_order = false;
  Index bytes = 0;  // up to the first element
};

/// The Python dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, keys in any
/// order.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  Header parse() {
    Header header;
    std::string seen;
    expect("{");
    while (!accept("}")) {
      const std::string key = string();
      expect(":");
      if (key == "descr")
        header.file.type = type();
      else if (key == "fortran_order")
        header.fortran_order = accept("True") || (expect("False"), false);
      else if (key == "shape")
        header.file.shape = shape();
      else
        corrupt();
      seen += key + ' ';
      if (!accept(",")) expect("}", false);
    }
    for (const char* key : {"descr ", "fortran_order ", "shape "})
      if (seen.find(key) == std::string::npos) corrupt();
    if (blank(), !text_.empty()) corrupt();
    return header;
  }

 private:
  [[noreturn]] static void corrupt() { throw Error("the npy header is corrupt"); }
  void blank() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size())); }
  bool accept(std::string_view token, bool take = true) {
    blank();
    if (!text_.starts_with(token)) return false;
    if (take) text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token, bool take = true) {
    if (!accept(token, take)) corrupt();
  }
  std::string string() {
    const std::string quote = accept("'") ? "'" : (expect("\""), "\"");
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) corrupt();
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }
  std::string type() {
    if (accept("[")) throw Error("structured elements cannot be read; store each field as an array of its own");
    const std::string value = string();
    if (value.size() < 2) corrupt();
    const std::string name = value.substr(1);
    if ((value[0] == '<' || value[0] == '>') && value[0] != byte_order && name[0] != 'b')
      throw Error("elements '" + shown(value) + "' have the other byte order; convert them: np.save(path, a.astype('" +
                  byte_order + shown(name) + "'))");
    if (!std::strchr("<>|=", value[0])) corrupt();
    return name;
  }
  Shape shape() {
    Shape extents;
    expect("(");
    while (!accept(")")) {
      blank();
      const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
      if (digits == 0 || digits > 18) corrupt();
      extents.push_back(std::stoll(std::string(text_.substr(0, digits))));
      text_.remove_prefix(digits);
      if (!accept(",")) expect(")", false);
    }
    return extents;
  }

  std::string_view text_;
};

/// `start` is the beginning of a file of `file_bytes` bytes.
Header parse_npy(const std::string& start, Index file_bytes) {
  if (!start.starts_with("\x93NUMPY") || start.size() < 10) throw Error("this is no npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const std::size_t version = byte(6), begin = version == 1 ? 10 : 12;
  if (version < 1 || version > 3)
    throw Error("npy version " + std::to_string(version) + " is not known; versions 1 to 3 are");
  if (start.size() < begin) throw Error("the npy header is truncated");
  std::size_t length = 0;
  for (std::size_t i = begin; i-- > 8;) length = length << 8 | byte(i);
  if (length > longest_header) throw Error("the npy header is corrupt, or that of structured elements");
  if (start.size() < begin + length) throw Error("the npy header is truncated");

  Header header = Dictionary(std::string_view(start).substr(begin, length)).parse();
  header.bytes = static_cast<Index>(begin + length);
  const Index points = volume(header.file.shape), size = element_bytes(header.file.type),
              room = file_bytes - header.bytes;
  if (room / size < points)
    throw Error("truncated: " + to_string(header.file.shape) + " elements of '" + header.file.type + "' need " +
                std::to_string(size) + " bytes each, the file has " + std::to_string(room) + " after its header");
  return header;
}

std::string npy_header(const FileType& file) {
  std::string shape;
  for (const Index extent : file.shape) shape += std::to_string(extent) + (file.shape.size() == 1 ? "," : ", ");
  if (file.shape.size() > 1) shape.resize(shape.size() - 2);
  const char order = file.type.substr(1) == "1" ? '|' : byte_order;
  std::string text =
      std::string("{'descr': '") + order + file.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  text.resize((10 + text.size()) / 64 * 64 + 64 - 10 - 1, ' ');  // the data begin on a multiple of 64
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size() & 255) +
         static_cast<char>(text.size() >> 8) + text;
}

// -- files
// ------------------------------------------------------------------------------------------------------------

/// Where a rank's points lie in the file and in its array, point for point, ascending in the file
/// as MPI demands.
struct Places {
  Datatype file, array;
};

View reversed(View view) {
  for (Shape* part : {&view.box.lo, &view.box.hi, &view.strides}) std::reverse(part->begin(), part->end());
  return view;
}

Places places(const Layout& layout, int rank, bool fortran_order, Index bytes) {
  const Box whole = Box::whole(layout.shape());
  if (layout.has_boxes()) {
    const Box box = layout.box(rank).intersect(whole);
    if (box.empty()) return {};
    Order order = c_order(whole.axes());
    if (fortran_order) std::reverse(order.begin(), order.end());
    View file = dense_view(whole, order, {}, 0).cut(box), array = layout.view(rank, 0).cut(box);
    if (fortran_order) file = reversed(file), array = reversed(array);
    return {Datatype::of(file, bytes), Datatype::of(array, bytes)};
  }
  struct Placed {
    Run run;
    Index offset;
  };
  std::vector<Placed> placed;
  Index offset = 0;
  for (const Run& run : layout.runs(rank)) {
    if (run.count > 0) placed.push_back({run, offset});
    offset += run.count;
  }
  if (placed.empty()) return {};
  if (fortran_order) throw Error("a layout of runs cannot read an array in Fortran order; save it in C order");
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.run.first < b.run.first; });
  std::vector<View> file, array;
  for (const auto& [run, at] : placed) {
    file.push_back({{{0}, {run.count}}, 0, run.first, {1}});
    array.push_back({{{0}, {run.count}}, 0, at, {1}});
  }
  return {Datatype::of(file, bytes), Datatype::of(array, bytes)};
}

/// Points the file's view at this rank's places; returns where the same points lie in its array.
Datatype point(const Communicator& all, const File& file, const std::string& path, const Header& header,
               const Layout& layout) {
  Places at = all.agree([&] {
    return naming(path,
                  [&] { return places(layout, all.rank(), header.fortran_order, element_bytes(header.file.type)); });
  });
  file.view(header.bytes, at.file);
  return std::move(at.array);
}

/// An array, and the type of its elements.
struct Memory {
  const void* data;
  std::string type;
  Index room;
};

bool converts(const std::string& a, const std::string& b) {
  const auto pair = [&](const char* small, const char* large) {
    return (a == small && b == large) || (a == large && b == small);
  };
  return pair("f4", "f8") || pair("c8", "c16");
}

/// What every rank gives alike, or an error on all of them.
void check_arguments(const Communicator& all, const std::string& path, const Layout& layout, const std::string& type,
                     const Memory& array) {
  all.same("the file's name", path);
  all.same("the element type of " + shown_path(path),
           type + (array.type == type ? "" : " in an array of " + array.type));
  all.same("the layout of " + shown_path(path), layout.describe(true));
  const Index size = element_bytes(type), array_size = element_bytes(array.type);
  if (type != array.type && !converts(type, array.type))
    fail(path, "elements of '" + type + "' in the file and of '" + array.type +
                   "' in the array: give an array of the file's type, or of the same in the other precision (f4 and "
                   "f8, c8 and c16 are converted)");
  if (layout.ranks() != all.size())
    fail(path, "the layout is for " + std::to_string(layout.ranks()) + " ranks, the communicator has " +
                   std::to_string(all.size()));
  checked::bytes(volume(layout.shape()), size, "the whole array");
  all.agree([&] {
    const Index needed = layout.elements(all.rank());
    checked::bytes(needed, std::max(size, array_size), "the array");
    if (array.room >= 0 && array.room < needed)
      fail(path, "the array has room for " + std::to_string(array.room) + " elements, and its part of the layout is " +
                     std::to_string(needed));
    if (!array.data && needed > 0) fail(path, "the array is a null pointer");
  });
}

/// Calls f(place) for every element of this rank's array that the global array has.
template <class F>
void each_place(const Layout& layout, int rank, F f) {
  if (!layout.has_boxes()) {
    for (Index i = 0; i < layout.elements(rank); ++i) f(i);
    return;
  }
  const Box box = layout.box(rank).intersect(Box::whole(layout.shape()));
  if (box.empty()) return;
  const View view = layout.view(rank);
  const int last = box.axes() - 1;
  each_point(box.cut(last, box.lo[last], box.lo[last] + 1), [&](const Shape& point) {
    Index at = view.at(point);
    for (Index i = 0; i < box.extent(last); ++i, at += view.strides[last]) f(at);
  });
}

/// Elements of one type as those of the other, in arrays of one layout.
template <class From, class To>
void convert(const Layout& layout, int rank, const void* from, void* to) {
  const auto* const source = static_cast<const From*>(from);
  auto* const target = static_cast<To*>(to);
  each_place(layout, rank, [&](Index i) { target[i] = static_cast<To>(source[i]); });
}

void convert(const Layout& layout, int rank, const std::string& type, const void* from, void* to) {
  if (type == "f4") convert<float, double>(layout, rank, from, to);
  if (type == "f8") convert<double, float>(layout, rank, from, to);
  if (type == "c8") convert<std::complex<float>, std::complex<double>>(layout, rank, from, to);
  if (type == "c16") convert<std::complex<double>, std::complex<float>>(layout, rank, from, to);
}

/// Room for this rank's part as the file has it, where the array's elements are of another type.
std::vector<std::byte> copy_room(const Communicator& all, const Layout& layout, const std::string& type,
                                 const Memory& array) {
  return all.agree([&] {
    return std::vector<std::byte>(
        type == array.type ? 0 : static_cast<std::size_t>(layout.elements(all.rank()) * element_bytes(type)));
  });
}

/// What rank 0 sees of an existing file. Every rank looks: opening a file that only some ranks have
/// would leave MPI in two minds.
Header look(const Communicator& all, const std::string& path, const FileType& raw = {}) {
  std::string start;
  Index bytes = 0;
  all.agree([&] {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) fail(path, code ? code.message() : std::strerror(ENOENT));
    if (!fs::is_regular_file(status)) fail(path, "this is no regular file");
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, std::strerror(errno));
    if (all.rank() > 0) return;
    bytes = static_cast<Index>(fs::file_size(path));
    start.resize(std::min(static_cast<std::size_t>(bytes), 12 + longest_header));
    if (!file.read(start.data(), static_cast<std::streamsize>(start.size()))) fail(path, "cannot be read");
  });
  bytes = all.max(bytes);
  if (raw.type.empty()) {
    all.bcast(start);
    return naming(path, [&] { return parse_npy(start, bytes); });
  }
  const Index needed = volume(raw.shape) * element_bytes(raw.type);
  if (bytes != needed)
    fail(path, to_string(raw.shape) + " elements of '" + raw.type + "' need " + std::to_string(needed) +
                   " bytes, the file has " + std::to_string(bytes));
  return {raw, false, 0};
}

/// A file of `bytes` bytes that begins with `start`. The room is taken now, while a full disk is an
/// error that one rank can tell the others, and not the failure of some ranks inside a collective
/// call.
void create(const std::string& path, const std::string& start, Index bytes) {
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) fail(path, std::strerror(errno));
#if defined(__linux__)
  bool made = ::fallocate(file, 0, 0, bytes) == 0 || (errno == EOPNOTSUPP && ::ftruncate(file, bytes) == 0);
#else
  bool made = ::ftruncate(file, bytes) == 0;
#endif
  made = made && ::pwrite(file, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size());
  const int why = made ? 0 : errno;
  const bool closed = ::close(file) == 0;
  if (!made || !closed)
    fail(path, "no room for " + std::to_string(bytes) + " bytes: " + std::strerror(why ? why : errno));
}

void read(const Communicator& all, const std::string& path, const Layout& layout, const std::string& type, void* array,
          const Memory& memory) {
  check_arguments(all, path, layout, type, memory);
  const FileType wanted{layout.shape(), type};
  const Header header = look(all, path, is_npy(path) ? FileType{} : wanted);
  if (header.file.type != type)
    fail(path, "elements are '" + header.file.type + "', and '" + type + "' was asked for" +
                   (converts(header.file.type, memory.type)
                        ? "; name '" + header.file.type + "' as the file's type to have them converted"
                        : ""));
  if (header.file.shape != wanted.shape)
    fail(path, "the array is " + to_string(header.file.shape) + ", and the layout is of " + to_string(wanted.shape));
  const File file(all, path, MPI_MODE_RDONLY);
  std::vector<std::byte> copy = copy_room(all, layout, type, memory);
  file.read(copy.empty() ? array : copy.data(), point(all, file, path, header, layout));
  if (!copy.empty()) convert(layout, all.rank(), type, copy.data(), array);
}

void write(const Communicator& all, const std::string& path, const Layout& layout, const std::string& type,
           const Memory& memory) {
  check_arguments(all, path, layout, type, memory);
  layout.check_partition("what is written to " + path);
  const FileType written{layout.shape(), type};
  const std::string start = is_npy(path) ? npy_header(written) : "";
  const Header header{written, false, static_cast<Index>(start.size())};
  std::vector<std::byte> copy = copy_room(all, layout, type, memory);
  if (!copy.empty()) convert(layout, all.rank(), memory.type, memory.data, copy.data());

  std::string part = path + "." + std::to_string(::getpid()) + ".part";
  all.bcast(part);
  try {
    all.agree([&] {
      if (all.rank() > 0) return;
      const fs::file_status status = fs::symlink_status(path);  // renaming would replace a link, and a device as well
      if (fs::exists(status) && !fs::is_regular_file(status)) fail(path, "this exists and is no regular file");
      create(part, start, header.bytes + volume(written.shape) * element_bytes(type));
    });
    all.agree([&] {
      if (::access(part.c_str(), R_OK | W_OK) != 0)
        fail(part, std::string(std::strerror(errno)) +
                       "; all ranks must see the same folder, and this one does not see what rank 0 made there");
    });
    // Reading too: MPI may fill the gaps between a rank's parts by reading them first
    File file(all, part, MPI_MODE_RDWR);
    file.write(copy.empty() ? memory.data : copy.data(), point(all, file, part, header, layout));
    file.sync();
    file.close();
    all.agree([&] {
      if (all.rank() == 0 && std::rename(part.c_str(), path.c_str()) != 0) fail(path, std::strerror(errno));
    });
  } catch (...) {
    if (all.rank() == 0) ::unlink(part.c_str());
    throw;
  }
}

}  // namespace

FileType inspect(MPI_Comm comm, const std::string& path) {
  const mpi::Entry entry("inspecting a file", path);
  const Communicator all = Communicator::shared(comm);
  return all.together([&] {
    all.same("the file's name", path);
    return look(all, path).file;
  });
}

void read(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, void* array,
          const std::string& array_type, Index room) {
  const mpi::Entry entry("reading a file", path);
  const Communicator all = Communicator::shared(comm);
  all.together([&] { read(all, path, layout, type, array, {array, array_type.empty() ? type : array_type, room}); });
}

void write(MPI_Comm comm, const std::string& path, const Layout& layout, const std::string& type, const void* array,
           const std::string& array_type, Index room) {
  const mpi::Entry entry("writing a file", path);
  const Communicator all = Communicator::shared(comm);
  all.together([&] { write(all, path, layout, type, {array, array_type.empty() ? type : array_type, room}); });
}

}  // namespace weft
