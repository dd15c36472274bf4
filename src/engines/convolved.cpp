#include "convolved.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "aligned.hpp"

namespace weft {
namespace {

constexpr std::array<Index, 4> small_primes{2, 3, 5, 7};

Index rough_part(Index n) {
  for (const Index p : small_primes)
    while (n % p == 0) n /= p;
  return n;
}

Index power(Index base, Index exponent, Index modulus) {
  Index result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % modulus)
    if (exponent % 2) result = result * base % modulus;
  return result;
}

/// Of a prime n.
Index primitive_root(Index n) {
  std::vector<Index> factors;
  for (Index p = 2, left = n - 1; left > 1; ++p)
    if (p * p > left || left % p == 0) {
      if (p * p > left) p = left;
      factors.push_back(p);
      while (left % p == 0) left /= p;
    }
  for (Index g = 1;; ++g)
    if (std::none_of(factors.begin(), factors.end(), [&](Index p) { return power(g, (n - 1) / p, n) == 1; })) return g;
}

/// exp(2 pi i j / n), to the last bit of Real.
template <class Real>
std::complex<Real> root(Index j, Index n) {
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n);
  return {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))};
}

/// std::complex's own product looks for infinities; here there are none to rescue.
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
class Convolved : public Lines {
 public:
  using Complex = std::complex<Real>;

  void operator()(const std::byte* in, std::byte* out, Index count) const override {
    for (Index k = 0; k < count; ++k, in += in_step_bytes(), out += out_step_bytes()) {
      auto* const line = reinterpret_cast<Complex*>(scratch() + 2 * part_);  // what is not complex becomes so here
      if (spec().in_stride > 1 || spec().out_stride > 1) {
        for (Index j = 0; j < in_length(); ++j) line[j] = reinterpret_cast<const Complex*>(in)[j * spec().in_stride];
        transform(line, line);
        for (Index j = 0; j < out_length(); ++j) reinterpret_cast<Complex*>(out)[j * spec().out_stride] = line[j];
      } else if (spec().kind == Kind::c2c) {
        transform(reinterpret_cast<const Complex*>(in), reinterpret_cast<Complex*>(out));
      } else if (spec().kind == Kind::r2c) {
        std::copy_n(reinterpret_cast<const Real*>(in), in_length(), line);
        transform(line, line);
        line[0].imag(0);
        if (out_length() * 2 > spec().length + 1) line[out_length() - 1].imag(0);
        std::copy_n(line, out_length(), reinterpret_cast<Complex*>(out));
      } else {
        std::copy_n(reinterpret_cast<const Complex*>(in), in_length(), line);
        for (Index j = in_length(); j < spec().length; ++j) line[j] = std::conj(line[spec().length - j]);
        transform(line, line);
        std::transform(line, line + out_length(), reinterpret_cast<Real*>(out),
                       [](const Complex& value) { return value.real(); });
      }
    }
  }

 protected:
  Convolved(const LineSpec& spec, std::shared_ptr<const Lines> inner)
      : Lines(spec, 2 * Aligned::padded(inner->in_bytes()) +
                        Aligned::padded(static_cast<std::size_t>(spec.length) * sizeof(Complex))),
        inner_(std::move(inner)),
        length_(inner_->spec().length),
        part_(Aligned::padded(inner_->in_bytes())) {}

  /// What `spectrum` multiplies by: the transform of `values`, divided by its length.
  void set_kernel(const std::vector<Complex>& values) {
    const Aligned in(inner_->in_bytes()), out(inner_->in_bytes());
    std::copy(values.begin(), values.end(), reinterpret_cast<Complex*>(in.data()));
    (*inner_)(in.data(), out.data(), 1);
    const auto* first = reinterpret_cast<const Complex*>(out.data());
    kernel_.assign(first, first + length_);
    for (Complex& value : kernel_) value /= static_cast<Real>(length_);
  }
  /// The line laid out for the convolution, and where its spectrum goes.
  Complex* values() const { return reinterpret_cast<Complex*>(scratch()); }
  Complex* spectrum() const { return reinterpret_cast<Complex*>(scratch() + part_); }
  void to_spectrum() const { (*inner_)(scratch(), scratch() + part_, 1); }
  /// The spectrum times the kernel, conjugated: its forward transform is the conjugate of the
  /// convolution.
  void multiply() const {
    Complex* const s = spectrum();
    for (Index i = 0; i < length_; ++i) s[i] = std::conj(product(s[i], kernel_[static_cast<std::size_t>(i)]));
  }
  void from_spectrum() const { (*inner_)(scratch() + part_, scratch(), 1); }

  Real sign() const { return spec().direction == Direction::forward ? Real(-1) : Real(1); }
  Index length() const { return length_; }

 private:
  virtual void transform(const Complex* in, Complex* out) const = 0;  // may be the same

  std::shared_ptr<const Lines> inner_;
  Index length_;
  std::size_t part_;
  std::vector<Complex> kernel_;
};

/// With j = g^q and k = g^-p, y_k = x_0 + sum_q x_(g^q) w^(g^(q-p)).
template <class Real>
class Rader final : public Convolved<Real> {
  using typename Convolved<Real>::Complex;

 public:
  Rader(const LineSpec& spec, std::shared_ptr<const Lines> inner)
      : Convolved<Real>(spec, std::move(inner)), order_(powers(spec.length)) {
    std::vector<Complex> roots;
    for (const int k : order_.back) {
      const Complex w = root<Real>(k, spec.length);
      roots.emplace_back(w.real(), this->sign() * w.imag());
    }
    this->set_kernel(roots);
  }

 private:
  void transform(const Complex* in, Complex* out) const override {
    const Complex first = in[0];
    Complex* const a = this->values();
    for (std::size_t q = 0; q < order_.there.size(); ++q) a[q] = in[order_.there[q]];
    this->to_spectrum();
    out[0] = first + this->spectrum()[0];
    this->multiply();
    this->spectrum()[0] += std::conj(first);  // a constant in the convolution
    this->from_spectrum();
    for (std::size_t p = 0; p < order_.back.size(); ++p) out[order_.back[p]] = std::conj(a[p]);
  }

  Powers order_;
};

/// With c_j = exp(+-pi i j^2 / n), y_k = c_k sum_j (x_j c_j) conj(c_(k-j)).
template <class Real>
class Bluestein final : public Convolved<Real> {
  using typename Convolved<Real>::Complex;

 public:
  Bluestein(const LineSpec& spec, std::shared_ptr<const Lines> inner) : Convolved<Real>(spec, std::move(inner)) {
    const Index n = spec.length;
    std::vector<Complex> conjugates(static_cast<std::size_t>(this->length()), 0);
    for (Index j = 0; j < n; ++j) {
      const Complex w = root<Real>(j * j % (2 * n), 2 * n);
      chirp_.emplace_back(w.real(), this->sign() * w.imag());
      conjugates[static_cast<std::size_t>(j)] = std::conj(chirp_.back());
      if (j > 0) conjugates[static_cast<std::size_t>(this->length() - j)] = std::conj(chirp_.back());
    }
    this->set_kernel(conjugates);
  }

 private:
  void transform(const Complex* in, Complex* out) const override {
    Complex* const a = this->values();
    for (std::size_t j = 0; j < chirp_.size(); ++j) a[j] = product(in[j], chirp_[j]);
    std::fill(a + chirp_.size(), a + this->length(), Complex(0));
    this->to_spectrum();
    this->multiply();
    this->from_spectrum();
    for (std::size_t k = 0; k < chirp_.size(); ++k) out[k] = product(std::conj(a[k]), chirp_[k]);
  }

  std::vector<Complex> chirp_;
};

template <template <class> class Way>
std::shared_ptr<const Lines> made(const LineSpec& spec, std::shared_ptr<const Lines> inner) {
  if (spec.precision == Precision::single_) return std::make_shared<Way<float>>(spec, std::move(inner));
  return std::make_shared<Way<double>>(spec, std::move(inner));
}

}  // namespace

bool is_prime(Index n) {
  for (Index p = 2; p * p <= n; ++p)
    if (n % p == 0) return false;
  return n > 1;
}

Powers powers(Index n) {
  Powers order;
  const Index g = primitive_root(n), inverse = power(g, n - 2, n);
  for (Index q = 0, j = 1, k = 1; q < n - 1; ++q, j = j * g % n, k = k * inverse % n) {
    order.there.push_back(static_cast<int>(j));
    order.back.push_back(static_cast<int>(k));
  }
  return order;
}

Index rader_length(Index n) {
  return n > 7 && n <= longest_convolved && rough_part(n - 1) == 1 && is_prime(n) ? n - 1 : 0;
}

Index bluestein_length(Index n) {
  Index least = 0;
  for (Index m : {1, 3, 5, 7}) {
    while (m < 2 * n - 1) m *= 2;
    if (least == 0 || m < least) least = m;
  }
  return least;
}

std::shared_ptr<const Lines> rader(const LineSpec& spec, std::shared_ptr<const Lines> inner) {
  return made<Rader>(spec, std::move(inner));
}
std::shared_ptr<const Lines> bluestein(const LineSpec& spec, std::shared_ptr<const Lines> inner) {
  return made<Bluestein>(spec, std::move(inner));
}

}  // namespace weft
