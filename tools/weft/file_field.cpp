#include "field.hpp"

#include <fmt/format.h>

#include <weft/quote.hpp>
#include <weft/redistribute.hpp>

namespace {

constexpr weft::Index serial_points = weft::Index{1} << 26;

/// Boxes as they are, dense and in C order.
weft::Layout plain(const weft::Layout& layout) { return layout.ordered({}, {}); }

/// Everything on rank 0.
weft::Layout first_rank(const weft::Shape& shape, int ranks) {
  std::vector<weft::Box> boxes(static_cast<std::size_t>(ranks), weft::Box{shape, shape});
  boxes.front() = weft::Box::whole(shape);
  return {shape, std::move(boxes)};
}

class FileField : public Field {
 public:
  FileField(const World& world, const weft::AnyProblem& problem, const std::string& path)
      : world_(world),
        problem_(problem),
        path_(path),
        file_(inspect_numbers(world, path)),
        serial_(volume(file_.shape) <= serial_points) {
    if (!serial_) return;
    spectrum_ = read(first_rank(file_.shape, world.ranks));
    if (world.rank == 0) spectrum_ = serial_transform(problem, weft::Options().engine, std::move(spectrum_));
  }

  Values before(const weft::Layout& layout) const override { return read(plain(layout)); }

  Values after(const weft::Layout& layout) const override {
    Values values;
    if (!serial_) return values;
    const weft::Layout to = plain(layout);
    values.resize(static_cast<std::size_t>(to.elements(world_.rank)));
    weft::redistribute(world_.comm, first_rank(layout.shape(), world_.ranks), spectrum_.data(), to, values.data());
    return values;
  }

  Values after(const std::vector<weft::Shape>&) const override {
    throw weft::Error(weft::shown_path(path_) + " holds a whole field, of which plane waves are no check");
  }

  std::string reference() const override {
    return serial_ ? "a serial transform of " + path_
                   : path_ + " by the round trip alone: it is too large for a serial transform";
  }

 private:
  Values read(const weft::Layout& layout) const {
    const auto of = [&](auto number) {
      std::vector<decltype(number)> numbers(static_cast<std::size_t>(layout.elements(world_.rank)));
      weft::read(world_.comm, path_, layout, file_.type, numbers.data());
      return Values(numbers.begin(), numbers.end());
    };
    return complex_numbers(file_) ? of(std::complex<double>()) : of(double());
  }

  World world_;
  weft::AnyProblem problem_;
  std::string path_;
  weft::FileType file_;
  bool serial_;
  Values spectrum_;  // rank 0's
};

}  // namespace

std::unique_ptr<Field> file_field(const World& world, const weft::AnyProblem& problem, const std::string& path) {
  return std::make_unique<FileField>(world, problem, path);
}

weft::FileType inspect_numbers(const World& world, const std::string& path) {
  weft::FileType file = weft::inspect(world.comm, path);
  if (file.shape.empty())
    throw weft::Error(weft::shown_path(path) +
                      " holds a single number without axes; weft transforms arrays of at least one");
  if (file.type == "f4" || file.type == "f8" || file.type == "c8" || file.type == "c16") return file;
  throw weft::Error(fmt::format(
      "{} holds numbers of type {}; weft transforms f4, f8, c8 and c16. Convert it: python3 -c \"import numpy; "
      "numpy.save('converted.npy', numpy.load('{}').astype('f4'))\"",
      weft::shown_path(path), file.type, weft::shown_path(path)));
}
