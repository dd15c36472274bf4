// Long lines: one transform along one axis that is cut over all ranks. With n = n1 n2 it is n2
// transforms of n1 points, a multiplication by powers of exp(-2 pi i / n), and n1 transforms of n2
// points, each after an exchange of its own.
//
//     weft::LongLine<double> fft(comm, 1 << 24, {.natural_output = true});
//     fft.forward(u, u_hat);  fft.backward(u_hat, u);      // unnormalised: multiply by fft.scale()
//
// Source: D. H. Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4 (1990) 23-35.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>

#include <weft/plan.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// A long line whose precision is known at run time. All calls but the constructor, `forward` and
/// `backward` are local.
///
/// The input is cut into rows of n2 = `columns()` consecutive points, n1 = `rows()` of them, in
/// blocks among the ranks. The output without `natural_output` is scrambled, which saves an
/// exchange: its element p is mode `mode(p)`, and rows of n2 elements are dealt out as those of the
/// input. With `natural_output` element p is mode p, in n2 rows of n1 modes. Unless n1 is given it
/// is the largest divisor of n that is not above its square root: where it is below the number of
/// ranks, some ranks have nothing to do, and where n is a prime one rank has all.
class AnyLongLine {
 public:
  /// Collective; throws Error alike on all ranks. The options are those of a plan, for both of its
  /// parts, except `input`, `output`, `grid`, `batch`, `components` and `placement`, which must be
  /// left as they are. `rows`: n1, a divisor of n; 0: the one that is said above.
  AnyLongLine(MPI_Comm comm, Precision precision, Index n, const Options& options = {}, Index rows = 0);
  ~AnyLongLine();
  AnyLongLine(AnyLongLine&&) noexcept;
  AnyLongLine& operator=(AnyLongLine&&) noexcept;

  /// Collective. Complex numbers of the precision: this rank's parts of input_layout() and
  /// output_layout(), or, for backward, the reverse. Both may be one array that has room for
  /// either. The input is left alone otherwise. Allocates nothing. Throws Error on this rank for a
  /// null pointer where this rank has points.
  void forward(const void* in, void* out);
  void backward(const void* in, void* out);

  /// backward(forward(u)) * scale() = u.
  double scale() const;
  Index rows() const;
  Index columns() const;
  /// The mode, from 0 to n - 1, that the global element p of the output is. Throws Error for an
  /// element that is none.
  Index mode(Index p) const;
  const Layout& input_layout() const;   ///< of one axis of n points
  const Layout& output_layout() const;  ///< likewise
  /// This rank's part: so many elements, one behind the other, from this global one on.
  Index input_elements() const;
  Index output_elements() const;
  Index input_first() const;
  Index output_first() const;
  /// Its two parts, as plans describe themselves. Many lines.
  std::string describe() const;

 private:
  struct [[gnu::visibility("hidden")]] Body;
  std::unique_ptr<Body> body_;
};

/// A long line with its element type. Real is float or double.
template <class Real>
class LongLine : public AnyLongLine {
 public:
  LongLine(MPI_Comm comm, Index n, const Options& options = {}, Index rows = 0)
      : AnyLongLine(comm, precision_of<Real>, n, options, rows) {}
  /// As above; throws Error when a span is too short.
  void forward(std::span<const std::complex<Real>> in, std::span<std::complex<Real>> out) {
    check(in, input_elements(), "forward's input");
    check(out, output_elements(), "forward's output");
    AnyLongLine::forward(in.data(), out.data());
  }
  void backward(std::span<const std::complex<Real>> in, std::span<std::complex<Real>> out) {
    check(in, output_elements(), "backward's input");
    check(out, input_elements(), "backward's output");
    AnyLongLine::backward(in.data(), out.data());
  }

 private:
  static void check(std::span<const std::complex<Real>> given, Index needed, const char* what) {
    if (static_cast<Index>(given.size()) < needed)
      throw Error(std::string(what) + " has " + std::to_string(given.size()) + " elements; it needs " +
                  std::to_string(needed));
  }
};

}  // namespace weft
#pragma GCC visibility pop
