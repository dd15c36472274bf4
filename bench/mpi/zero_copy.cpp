// weft-zero-copy: what MPI makes of derived datatypes in a 2-D transform. For implementers of MPI:
// one file, nothing but MPI and FFTW.
//
//     mpicxx -O2 -std=c++20 zero_copy.cpp -lfftw3 -o weft-zero-copy
//     mpirun -n 2 weft-zero-copy --shape 2000x2000 --repeat 5 --json rows.json
//
// N x N complex doubles, rows distributed, b = N/P a rank, result distributed as the input. Three
// variants of the same transform:
//
//   manual   transform rows, pack, MPI_Alltoall, unpack and transpose, transform columns, pack,
//            MPI_Alltoall, unpack and transpose
//   types    a vector datatype packs what is sent; what arrives lies behind one another and is
//            transposed by a copy
//   zero     a vector datatype packs, and the receive type transposes: no copy of ours
//
// Always true: all three run the same FFTW plan on two arrays of a rank, start and end in the same
// one, and give the same bits. Source: Hoefler & Gottlieb, "Parallel zero-copy algorithms for fast
// Fourier transform and conjugate gradient using MPI datatypes", EuroMPI 2010,
// doi:10.1007/978-3-642-15646-5_14.
#include <fftw3.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../tools/weft/median.hpp"

namespace {

using Complex = std::complex<double>;
using Index = std::int64_t;
enum Part { transform, exchange, copy, parts };
constexpr std::array<const char*, 3> variants{"manual", "types", "zero"};

struct Asked {
  int n = 2000, repeats = 5;
  std::string json;
};

Asked read(int argc, char** argv) {
  Asked asked;
  const auto number = [](const std::string& option, const std::string& text, std::size_t* end) {
    try {
      const int value = std::stoi(text, end);
      if (value >= 1) return value;
    } catch (const std::logic_error&) {
    }
    throw std::runtime_error(option + " " + text + ": give a whole number of at least 1");
  };
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option != "--shape" && option != "--repeat" && option != "--json")
      throw std::runtime_error("unknown option " + option + "; there are --shape NxN, --repeat R and --json FILE");
    if (++i == argc) throw std::runtime_error(option + " needs a value");
    const std::string value = argv[i];
    std::size_t end = 0;
    if (option == "--json") {
      asked.json = value;
    } else if (option == "--repeat") {
      asked.repeats = number(option, value, &end);
      if (end != value.size()) throw std::runtime_error("--repeat " + value + ": give a whole number of at least 1");
    } else {
      asked.n = number(option, value, &end);
      if (value.substr(end) != "x" + std::to_string(asked.n))
        throw std::runtime_error("--shape " + value + ": give a square, as 2000x2000");
    }
  }
  return asked;
}

class Transform {
 public:
  explicit Transform(int n) : n_(n) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (n % ranks_ != 0)
      throw std::runtime_error("--shape " + std::to_string(n) +
                               ": the extent must be a multiple of the number of ranks, " + std::to_string(ranks_));
    b_ = n / ranks_;
    for (auto* array : {&a, &work_})
      array->reset(reinterpret_cast<Complex*>(fftw_alloc_complex(static_cast<std::size_t>(size()))));
    fftw_set_timelimit(10);  // seconds of search
    rows_ = fftw_plan_many_dft(1, &n, b_, raw(a.get()), nullptr, 1, n, raw(a.get()), nullptr, 1, n, FFTW_FORWARD,
                               FFTW_MEASURE);

    MPI_Datatype element, vector, column;
    MPI_Type_contiguous(2, MPI_DOUBLE, &element);
    MPI_Type_vector(b_, b_, n, element, &vector);
    MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(sizeof(Complex)) * b_, &send_);
    MPI_Type_commit(&send_);
    MPI_Type_free(&vector);
    MPI_Type_vector(b_, 1, n, element, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(Complex), &column);
    MPI_Type_contiguous(b_, column, &receive_);
    MPI_Type_commit(&receive_);
    MPI_Type_contiguous(b_, element, &column_of_block_);
    MPI_Type_contiguous(b_, column_of_block_, &block_);
    MPI_Type_commit(&block_);
    for (MPI_Datatype* type : {&element, &vector, &column, &column_of_block_}) MPI_Type_free(type);
  }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  ~Transform() {
    for (MPI_Datatype* type : {&send_, &receive_, &block_}) MPI_Type_free(type);
    fftw_destroy_plan(rows_);
  }

  Index size() const { return static_cast<Index>(b_) * n_; }
  Index row(Index at) const { return rank_ * static_cast<Index>(b_) + at / n_; }
  Index column(Index at) const { return at % n_; }

  /// Transforms `a` in place of itself; `seconds` grows by what each part took.
  void run(std::size_t variant, std::array<double, parts>& seconds) {
    Complex *x = a.get(), *y = work_.get();
    for (int half = 0; half < 2; ++half) {  // rows, then columns, which lie as rows by then
      const auto time = [&](Part part, auto&& work) {
        const double start = MPI_Wtime();
        work();
        seconds[part] += MPI_Wtime() - start;
      };
      time(transform, [&] { fftw_execute_dft(rows_, raw(x), raw(x)); });
      if (variant == 0) {
        time(copy, [&] { pack(x, y); });
        time(exchange, [&] { MPI_Alltoall(y, 1, block_, x, 1, block_, MPI_COMM_WORLD); });
        time(copy, [&] { transpose(x, y); });
        std::swap(x, y);
      } else if (variant == 1) {
        time(exchange, [&] { MPI_Alltoall(x, 1, send_, y, 1, block_, MPI_COMM_WORLD); });
        time(copy, [&] { transpose(y, x); });
      } else {
        time(exchange, [&] { MPI_Alltoall(x, 1, send_, y, 1, receive_, MPI_COMM_WORLD); });
        std::swap(x, y);
      }
    }
  }

  /// Changes with any bit and any place of what lies in `a`: comparing it needs no third array.
  std::uint64_t digest() const {
    std::uint64_t all = 0;
    for (Index k = 0; k < size(); ++k)
      for (const double part : {a[k].real(), a[k].imag()})
        all = (all ^ std::bit_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15u + (all >> 31);
    return all;
  }

 private:
  struct Free {
    void operator()(Complex* memory) const { fftw_free(memory); }
  };
  static fftw_complex* raw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

  /// b rows of N to P blocks of b x b.
  void pack(const Complex* from, Complex* to) const {
    for (Index p = 0; p < ranks_; ++p)
      for (Index i = 0; i < b_; ++i) to = std::copy_n(from + i * n_ + p * b_, b_, to);
  }
  /// N rows of b to b rows of N, in tiles that the first-level cache holds.
  void transpose(const Complex* from, Complex* to) const {
    constexpr Index tile = 16;
    for (Index i = 0; i < n_; i += tile)
      for (Index j = 0; j < b_; j += tile)
        for (Index jj = j; jj < std::min<Index>(j + tile, b_); ++jj)
          for (Index ii = i; ii < std::min<Index>(i + tile, n_); ++ii) to[jj * n_ + ii] = from[ii * b_ + jj];
  }

  int n_, b_ = 0, rank_ = 0, ranks_ = 1;
  fftw_plan rows_ = nullptr;
  MPI_Datatype send_, receive_, column_of_block_, block_;

 public:
  std::unique_ptr<Complex[], Free> a;

 private:
  std::unique_ptr<Complex[], Free> work_;
};

double largest(double here) {
  MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return here;
}

/// An impulse becomes a wave that is known everywhere, so no block may be in another's place.
double impulse_error(Transform& fft, Index n, std::size_t variant) {
  const Index row = 1 % n, column = 3 % n;
  for (Index k = 0; k < fft.size(); ++k) fft.a[k] = fft.row(k) == row && fft.column(k) == column ? 1 : 0;
  std::array<double, parts> seconds{};
  fft.run(variant, seconds);
  double error = 0;
  for (Index k = 0; k < fft.size(); ++k) {
    const auto turn = static_cast<double>((row * fft.row(k) + column * fft.column(k)) % n) / static_cast<double>(n);
    error = std::max(error, std::abs(fft.a[k] - std::polar(1.0, -2 * std::numbers::pi * turn)));
  }
  return largest(error);
}

void fill(Transform& fft, Index n) {
  for (Index k = 0; k < fft.size(); ++k) {
    const auto number = static_cast<std::uint64_t>(fft.row(k) * n + fft.column(k) + 1);
    fft.a[k] = {static_cast<double>(number * 2654435761u % 1000003u) / 1000003.0 - 0.5,
                static_cast<double>(number * 40503u % 999983u) / 999983.0 - 0.5};
  }
}

int benchmark(const Asked& asked, int rank, int ranks) {
  Transform fft(asked.n);
  std::array<double, 3> errors{};
  for (std::size_t v = 0; v < variants.size(); ++v) errors[v] = impulse_error(fft, asked.n, v);

  std::array<std::array<std::vector<double>, parts + 1>, 3> times;
  std::array<bool, 3> same{true, true, true};
  std::uint64_t first = 0;  // digest, of the first run
  for (int repeat = 0; repeat < asked.repeats; ++repeat)
    for (std::size_t v = 0; v < variants.size(); ++v) {
      fill(fft, asked.n);
      std::array<double, parts> seconds{};
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      fft.run(v, seconds);
      times[v][parts].push_back(largest(MPI_Wtime() - start));
      for (std::size_t p = 0; p < parts; ++p) times[v][p].push_back(largest(seconds[p]));
      const std::uint64_t digest = fft.digest();
      if (repeat == 0 && v == 0) first = digest;
      same[v] = same[v] && largest(digest == first ? 0 : 1) == 0;
    }

  bool right = true;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  const std::string mpi(library, std::min(std::strcspn(library, ",\n"), static_cast<std::size_t>(length)));
  std::string json;
  if (rank == 0)
    std::printf(
        "%dx%d on %d ranks, %s, medians of %d, milliseconds of the slowest rank\n\n%-8s %10s %10s %10s %10s %8s\n",
        asked.n, asked.n, ranks, mpi.c_str(), asked.repeats, "variant", "total", "transform", "exchange", "copy",
        "speedup");
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const auto seconds = [&](std::size_t part) { return median(times[v][part]); };
    const bool fine = same[v] && errors[v] < 1e-12;
    right = right && fine;
    if (rank != 0) continue;
    std::printf("%-8s %10.3f %10.3f %10.3f %10.3f %8.2f%s\n", variants[v], 1e3 * seconds(parts),
                1e3 * seconds(transform), 1e3 * seconds(exchange), 1e3 * seconds(copy),
                median(times[0][parts]) / seconds(parts),
                fine      ? ""
                : same[v] ? "  WRONG: not the transform"
                          : "  WRONG: other bits than manual");
    char row[512];
    std::snprintf(
        row, sizeof row,
        "%s\n  {\"variant\": \"%s\", \"n\": %d, \"ranks\": %d, \"repeats\": %d, \"median_seconds\": %.9f, "
        "\"transform_seconds\": %.9f, "
        "\"exchange_seconds\": %.9f, \"copy_seconds\": %.9f, \"impulse_error\": %.3g, \"right\": %s, \"mpi\": \"%s\"}",
        v ? "," : "[", variants[v], asked.n, ranks, asked.repeats, seconds(parts), seconds(transform),
        seconds(exchange), seconds(copy), errors[v], fine ? "true" : "false", mpi.substr(0, 80).c_str());
    json += row;
  }
  if (rank == 0 && !asked.json.empty()) {
    std::FILE* file = std::fopen(asked.json.c_str(), "w");
    right = file && std::fprintf(file, "%s\n]\n", json.c_str()) > 0 && right;
    if (!file || std::fclose(file) != 0)
      std::fprintf(stderr, "weft-zero-copy: cannot write %s\n", asked.json.c_str()), right = false;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, code = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    code = benchmark(read(argc, argv), rank, ranks);
  } catch (const std::runtime_error& e) {  // what was asked for is the same on every rank, and so is this
    if (rank == 0) std::fprintf(stderr, "weft-zero-copy: %s\n", e.what());
  }
  MPI_Finalize();
  return code;
}
