// Random problems by FFTW's rules, each done by the drop-in and by FFTW's own MPI transforms in the
// same processes: extents, blocks, kinds, howmany, in and out of place, transposed before and
// after, scrambled lines, new arrays, old and new entries.
//
//     problems FFTW3_MPI FFTW3F_MPI COUNT [SEED]
//
// Local sizes must be the same, results to rounding. Arrays are as large as local sizes say and not
// a byte larger: behind them lies a pattern that must still be there. Inputs that FFTW preserves
// must be as they were.
#include <fftw3-mpi.h>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using Size = std::ptrdiff_t;
enum class What { c2c, r2c, c2r, r2r, transpose };

int rank_here, ranks;
int problems, differences, without_plan;

template <class Real>
struct Calls;
#define CALLS(REAL, X)                                                     \
  template <>                                                              \
  struct Calls<REAL> {                                                     \
    using Complex = X##_complex;                                           \
    using Plan = X##_plan;                                                 \
    using Kind = X##_r2r_kind;                                             \
    static constexpr auto local_size = X##_mpi_local_size_many_transposed; \
    static constexpr auto line_size = X##_mpi_local_size_1d;               \
    static constexpr auto dft = X##_mpi_plan_many_dft;                     \
    static constexpr auto r2c = X##_mpi_plan_many_dft_r2c;                 \
    static constexpr auto c2r = X##_mpi_plan_many_dft_c2r;                 \
    static constexpr auto r2r = X##_mpi_plan_many_r2r;                     \
    static constexpr auto transpose = X##_mpi_plan_many_transpose;         \
    static constexpr auto execute = X##_execute;                           \
    static constexpr auto execute_dft = X##_execute_dft;                   \
    static constexpr auto execute_r2c = X##_execute_dft_r2c;               \
    static constexpr auto execute_c2r = X##_execute_dft_c2r;               \
    static constexpr auto execute_r2r = X##_execute_r2r;                   \
    static constexpr auto mpi_execute_dft = X##_mpi_execute_dft;           \
    static constexpr auto mpi_execute_r2c = X##_mpi_execute_dft_r2c;       \
    static constexpr auto mpi_execute_c2r = X##_mpi_execute_dft_c2r;       \
    static constexpr auto mpi_execute_r2r = X##_mpi_execute_r2r;           \
    static constexpr auto destroy = X##_destroy_plan;                      \
    static constexpr auto print = X##_sprint_plan;                         \
    static constexpr const char* prefix = #X;                              \
  };
CALLS(double, fftw)
CALLS(float, fftwf)
#undef CALLS

void* libraries[2];

// The same name in FFTW's own library.
template <class Real, class F>
F* theirs(F*, const char* name) {
  const std::string all = std::string(Calls<Real>::prefix) + name;
  void* const found = dlsym(libraries[sizeof(Real) == sizeof(float)], all.c_str());
  if (!found) {
    std::fprintf(stderr, "%s is not there: %s\n", all.c_str(), dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return reinterpret_cast<F*>(found);
}

struct Problem {
  What what;
  std::vector<Size> n;
  Size howmany = 1, in_block = 0, out_block = 0;
  std::vector<int> kinds;
  int sign = FFTW_FORWARD;
  unsigned flags = FFTW_ESTIMATE;
  bool in_place = false;
  Size line_counts[2] = {};  ///< of one axis: this rank's points before and after

  bool is_line() const { return n.size() == 1; }
  bool transposed_in() const { return flags & FFTW_MPI_TRANSPOSED_IN; }
  bool transposed_out() const { return flags & FFTW_MPI_TRANSPOSED_OUT; }
  bool has_half() const { return what == What::r2c || what == What::c2r; }
  bool real_before() const { return what != What::c2c && what != What::c2r; }
  bool real_after() const { return what != What::c2c && what != What::r2c; }
  std::string text() const {
    static const char* const names[] = {"c2c", "r2c", "c2r", "r2r", "transpose"};
    std::string all = names[static_cast<int>(what)];
    for (std::size_t k = 0; k < n.size(); ++k) all += (k ? "x" : " ") + std::to_string(n[k]);
    all += ", howmany " + std::to_string(howmany) + ", blocks " + std::to_string(in_block) + " " +
           std::to_string(out_block);
    for (const int kind : kinds) all += " kind " + std::to_string(kind);
    all += sign == FFTW_BACKWARD ? ", backward" : "";
    all += in_place ? ", in place" : "";
    all += transposed_in() ? ", transposed in" : "";
    all += transposed_out() ? ", transposed out" : "";
    all += flags & FFTW_MPI_SCRAMBLED_IN ? ", scrambled in" : "";
    all += flags & FFTW_MPI_SCRAMBLED_OUT ? ", scrambled out" : "";
    all += flags & FFTW_DESTROY_INPUT ? ", destroy" : "";
    all += flags & FFTW_ESTIMATE ? "" : ", measure";
    return all + ", " + std::to_string(ranks) + " ranks";
  }
};

Size block_of(Size n, Size given) { return given ? given : (n + ranks - 1) / ranks; }

struct Part {
  Size start = 0, count = 0;
};
Part part(Size n, Size given) {
  const Size block = block_of(n, given), start = rank_here * block;
  return start < n ? Part{start, std::min(block, n - start)} : Part{};
}

// What a rank has on one side, in numbers of the real type: rows of so many, of which the first
// `used` are data.
struct Side {
  Size rows = 1, row = 0, used = 0;
};
Side side(const Problem& p, bool before) {
  if (p.is_line()) return {1, 2 * p.line_counts[before ? 0 : 1], 2 * p.line_counts[before ? 0 : 1]};
  const Size numbers = (before ? p.real_before() : p.real_after()) ? p.howmany : 2 * p.howmany;
  if (p.what == What::transpose) {
    const int axis = before ? 0 : 1;
    return {part(p.n[static_cast<std::size_t>(axis)], before ? p.in_block : p.out_block).count *
                p.n[static_cast<std::size_t>(1 - axis)],
            numbers, numbers};
  }
  std::vector<Size> extents = p.n;
  const bool real = before ? p.real_before() : p.real_after();
  if (p.has_half() && !real) extents.back() = extents.back() / 2 + 1;
  const std::size_t axis = (before ? p.transposed_in() : p.transposed_out()) ? 1 : 0;
  extents[axis] = part(extents[axis], before ? p.in_block : p.out_block).count;
  Side s;
  if (extents.size() == 2 && axis == 1) std::swap(extents[0], extents[1]);  // the last in memory is the first
  for (std::size_t k = 0; k + 1 < extents.size(); ++k) s.rows *= extents[k];
  s.used = extents.back() * numbers;
  s.row = p.has_half() && real ? 2 * (p.n.back() / 2 + 1) * numbers : s.used;
  return s;
}

template <class Real>
class Memory {
 public:
  explicit Memory(Size numbers) : numbers_(numbers), all_(static_cast<std::size_t>(numbers) + guard, pattern) {}
  Real* data() { return all_.data(); }
  void fill(unsigned seed) {
    std::minstd_rand random(seed * 977u + static_cast<unsigned>(rank_here) * 7919u + 1u);
    for (Size k = 0; k < numbers_; ++k)
      all_[static_cast<std::size_t>(k)] = static_cast<Real>(random() % 2000) / 1000 - 1;
  }
  bool guarded() const {
    return std::all_of(all_.begin() + numbers_, all_.end(), [](Real value) { return value == pattern; });
  }

 private:
  static constexpr std::size_t guard = 16;
  static constexpr Real pattern = Real(-12345.5);
  Size numbers_;
  std::vector<Real> all_;
};

template <class Real>
typename Calls<Real>::Plan plan(const Problem& p, Real* in, Real* out, bool of_theirs) {
  using C = Calls<Real>;
  const auto rank = static_cast<int>(p.n.size());
  auto* const complex_in = reinterpret_cast<typename C::Complex*>(in);
  auto* const complex_out = reinterpret_cast<typename C::Complex*>(out);
  const auto pick = [&](auto* ours, const char* name) { return of_theirs ? theirs<Real>(ours, name) : ours; };
  switch (p.what) {
    case What::c2c:
      return pick(C::dft, "_mpi_plan_many_dft")(rank, p.n.data(), p.howmany, p.in_block, p.out_block, complex_in,
                                                complex_out, MPI_COMM_WORLD, p.sign, p.flags);
    case What::r2c:
      return pick(C::r2c, "_mpi_plan_many_dft_r2c")(rank, p.n.data(), p.howmany, p.in_block, p.out_block, in,
                                                    complex_out, MPI_COMM_WORLD, p.flags);
    case What::c2r:
      return pick(C::c2r, "_mpi_plan_many_dft_c2r")(rank, p.n.data(), p.howmany, p.in_block, p.out_block, complex_in,
                                                    out, MPI_COMM_WORLD, p.flags);
    case What::r2r: {
      std::vector<typename C::Kind> kinds;
      for (const int kind : p.kinds) kinds.push_back(static_cast<typename C::Kind>(kind));
      return pick(C::r2r, "_mpi_plan_many_r2r")(rank, p.n.data(), p.howmany, p.in_block, p.out_block, in, out,
                                                MPI_COMM_WORLD, kinds.data(), p.flags);
    }
    default:
      return pick(C::transpose, "_mpi_plan_many_transpose")(p.n[0], p.n[1], p.howmany, p.in_block, p.out_block, in, out,
                                                            MPI_COMM_WORLD, p.flags);
  }
}

template <class Real>
void execute(const Problem& p, typename Calls<Real>::Plan plan, Real* in, Real* out, bool mpi_entry) {
  using C = Calls<Real>;
  auto* const complex_in = reinterpret_cast<typename C::Complex*>(in);
  auto* const complex_out = reinterpret_cast<typename C::Complex*>(out);
  switch (p.what) {
    case What::c2c:
      return (mpi_entry ? C::mpi_execute_dft : C::execute_dft)(plan, complex_in, complex_out);
    case What::r2c:
      return (mpi_entry ? C::mpi_execute_r2c : C::execute_r2c)(plan, in, complex_out);
    case What::c2r:
      return (mpi_entry ? C::mpi_execute_c2r : C::execute_c2r)(plan, complex_in, out);
    default:
      return (mpi_entry ? C::mpi_execute_r2r : C::execute_r2r)(plan, in, out);
  }
}

double most(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

void complain(const Problem& p, const char* type, const std::string& what) {
  ++differences;
  if (rank_here == 0) std::printf("%s %s: %s\n", type, p.text().c_str(), what.c_str());
}

std::string size_difference(Size mine_in_all, const Size (&mine)[4], Size their_room, const Size (&others)[4]) {
  std::string text = "local sizes " + std::to_string(mine_in_all);
  for (const Size size : mine) text += " " + std::to_string(size);
  text += ", FFTW's are " + std::to_string(their_room);
  for (const Size size : others) text += " " + std::to_string(size);
  return text;
}

// Asks both for local sizes; returns the room that arrays need, or -1 where they differ.
template <class Real>
Size room_of_line(Problem& p) {
  using C = Calls<Real>;
  Size mine[4], others[4];
  const Size one = C::line_size(p.n[0], MPI_COMM_WORLD, p.sign, p.flags, &mine[0], &mine[1], &mine[2], &mine[3]);
  const Size their_room = theirs<Real>(C::line_size, "_mpi_local_size_1d")(
      p.n[0], MPI_COMM_WORLD, p.sign, p.flags, &others[0], &others[1], &others[2], &others[3]);
  p.line_counts[0] = mine[0], p.line_counts[1] = mine[2];
  if (most(std::equal(mine, mine + 4, others) && one == their_room ? 0 : 1) == 0) return one;
  complain(p, sizeof(Real) == 4 ? "float" : "double", size_difference(one, mine, their_room, others));
  return -1;
}

// Likewise; the blocks of the two axes. Where both sides are cut along one axis, each has a block
// of its own for it, and sizes are asked for twice.
template <class Real>
Size room_of_array(const Problem& p) {
  using C = Calls<Real>;
  std::vector<Size> sized = p.n;
  if (p.has_half()) sized.back() = sized.back() / 2 + 1;
  const bool second_before = p.what != What::transpose && p.transposed_in();
  const bool second_after = p.what == What::transpose || p.transposed_out();
  Size blocks[2][2] = {};
  blocks[0][second_before] = p.in_block;
  blocks[second_before == second_after][second_after] = p.out_block;
  Size room = 0;
  for (const auto& [block0, block1] : blocks) {
    if (second_before != second_after && &block0 != &blocks[0][0]) continue;
    Size mine[4], others[4];
    const auto rank = static_cast<int>(p.n.size());
    const Size one = C::local_size(rank, sized.data(), p.howmany, block0, block1, MPI_COMM_WORLD, &mine[0], &mine[1],
                                   &mine[2], &mine[3]);
    const Size their_room = theirs<Real>(C::local_size, "_mpi_local_size_many_transposed")(
        rank, sized.data(), p.howmany, block0, block1, MPI_COMM_WORLD, &others[0], &others[1], &others[2], &others[3]);
    // Where one rank has all columns, FFTW's sizes say that every rank has them, which its own
    // plans contradict.
    const bool exception = ranks > 1 && block_of(sized[1], block1) == sized[1];
    const bool same =
        std::equal(mine, mine + (exception ? 2 : 4), others) && (one == their_room || (exception && one > their_room));
    room = std::max(room, one);
    if (most(same ? 0 : 1) == 0) continue;
    complain(p, sizeof(Real) == 4 ? "float" : "double", size_difference(one, mine, their_room, others));
    return -1;
  }
  return room;
}

template <class Real>
void compare(Problem p, unsigned seed) {
  using C = Calls<Real>;
  const char* const type = sizeof(Real) == 4 ? "float" : "double";
  const Size room = p.is_line() ? room_of_line<Real>(p) : room_of_array<Real>(p);
  if (room < 0) return;

  // FFTW 3.3.10 writes behind what its local sizes say where one rank has all of an axis: its
  // arrays have more room.
  const Size numbers = p.what == What::r2r || p.what == What::transpose ? room : 2 * room;
  const Size more = 4 * numbers + 4096;
  Memory<Real> in(numbers), out(p.in_place ? 0 : numbers), their_in(more), their_out(p.in_place ? 0 : more);
  Real *const result = p.in_place ? in.data() : out.data(), *const their_result =
                                                                p.in_place ? their_in.data() : their_out.data();
  const auto expected = plan<Real>(p, their_in.data(), their_result, true);
  if (most(expected ? 0 : 1) > 0) {
    ++without_plan;
    return;
  }
  const auto ours = plan<Real>(p, in.data(), result, false);
  if (most(ours ? 0 : 1) > 0) {
    if (ours) C::destroy(ours);
    C::destroy(expected);
    return complain(p, type, "no plan");
  }

  // Plans that were handed on are FFTW's, whose own serial entries take a wrong address for them.
  char* const printed = C::print(ours);
  const bool mpi_entry = seed % 2 == 0 || std::strncmp(printed, "(weft ", 6) != 0;
  std::free(printed);

  const Side after = side(p, false);
  const double rounding = (sizeof(Real) == 4 ? 2e-6 : 4e-15);
  // First the arrays that were planned, then others, by either name.
  for (int turn = 0; turn < 2; ++turn) {
    Memory<Real> new_in(turn ? numbers : 0), new_out(turn && !p.in_place ? numbers : 0);
    Memory<Real>& from = turn ? new_in : in;
    Memory<Real>& other = p.in_place ? from : turn ? new_out : out;
    Real* const to = other.data();
    from.fill(seed + static_cast<unsigned>(turn));
    their_in.fill(seed + static_cast<unsigned>(turn));
    Memory<Real> before = from;
    if (turn)
      execute<Real>(p, ours, from.data(), to, mpi_entry);
    else
      C::execute(ours);
    C::execute(expected);
    double largest = 1, difference = 0;
    for (Size row = 0; row < after.rows; ++row)
      for (Size k = 0; k < after.used; ++k) {
        const double value = static_cast<double>(their_result[row * after.row + k]);
        largest = std::max(largest, std::abs(value));
        const double apart = std::abs(static_cast<double>(to[row * after.row + k]) - value);
        difference = std::max(difference, apart >= 0 ? apart : 1e300);  // NaN differs
      }
    largest = most(largest);
    difference = most(difference);
    if (difference > rounding * 8 * largest)
      complain(p, type,
               (turn ? "new arrays differ by " : "differs by ") + std::to_string(difference) + " of " +
                   std::to_string(largest));
    if (most(from.guarded() && other.guarded() ? 0 : 1) > 0) complain(p, type, "writes behind its arrays");
    const bool preserved = !p.in_place && p.what != What::c2r && !(p.flags & FFTW_DESTROY_INPUT);
    if (preserved &&
        most(std::memcmp(before.data(), from.data(), static_cast<std::size_t>(numbers) * sizeof(Real)) ? 1 : 0) > 0)
      complain(p, type, "overwrites its input");
  }
  C::destroy(ours);
  C::destroy(expected);
}

Problem any(std::mt19937& random) {
  const auto pick = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  Problem p;
  if (pick(0, 7) == 0) {  // one axis: points that many divide, and any number
    p.what = What::c2c;
    // FFTW-MPI 3.3.10 crashes on one point: it writes in front of a tensor without axes.
    p.n = {std::max(2, pick(0, 2) ? pick(1, 12) * pick(1, 12) * pick(1, 4) : pick(1, 300))};
    p.sign = pick(0, 1) ? FFTW_BACKWARD : FFTW_FORWARD;
    p.in_place = pick(0, 1);
    if (pick(0, 1)) p.flags |= p.sign == FFTW_BACKWARD ? FFTW_MPI_SCRAMBLED_IN : FFTW_MPI_SCRAMBLED_OUT;
    if (pick(0, 3) == 0) p.flags |= FFTW_DESTROY_INPUT;
    if (pick(0, 15) == 0) p.flags &= ~FFTW_ESTIMATE;
    return p;
  }
  p.what = static_cast<What>(pick(0, 4));
  const int rank = p.what == What::transpose ? 2 : pick(2, pick(2, 4));
  const int largest = rank == 2 ? 24 : rank == 3 ? 12 : 6;
  for (int k = 0; k < rank; ++k) p.n.push_back(pick(0, 5) ? pick(2, largest) : 1);
  if (pick(0, 2) == 0) p.howmany = pick(2, 4);
  p.sign = p.what == What::c2c && pick(0, 1) ? FFTW_BACKWARD : FFTW_FORWARD;
  p.in_place = pick(0, 1);
  if (pick(0, 2) == 0) p.flags |= FFTW_MPI_TRANSPOSED_IN;
  if (pick(0, 1) == 0) p.flags |= FFTW_MPI_TRANSPOSED_OUT;
  if (pick(0, 3) == 0) p.flags |= FFTW_DESTROY_INPUT;
  if (pick(0, 15) == 0) p.flags &= ~FFTW_ESTIMATE;
  if (rank == 2 && p.what == What::r2c) p.flags &= ~FFTW_MPI_TRANSPOSED_IN;  // FFTW has no layout for these
  if (rank == 2 && p.what == What::c2r) p.flags &= ~FFTW_MPI_TRANSPOSED_OUT;
  // Where one of the first two axes has one point, FFTW-MPI 3.3.10 writes behind its arrays.
  for (const std::size_t axis : {0, 1}) p.n[axis] = std::max<Size>(p.n[axis], 2);
  if (p.what == What::r2r)
    for (int k = 0; k < rank; ++k) {
      const int kind = pick(0, 10);
      p.kinds.push_back(kind);
      if (kind == FFTW_REDFT00) p.n[static_cast<std::size_t>(k)] = std::max<Size>(p.n[static_cast<std::size_t>(k)], 2);
    }
  for (const bool before : {true, false}) {
    const bool moves = p.what == What::transpose;
    const std::size_t axis = (moves ? !before : before ? p.transposed_in() : p.transposed_out()) ? 1 : 0;
    Size n = p.n[axis];
    if (p.has_half() && axis + 1 == p.n.size()) n = n / 2 + 1;
    // Of c2r with two blocks for one axis FFTW-MPI 3.3.10 has wrong results, against a serial
    // transform, too.
    if (!before && p.what == What::c2r && p.transposed_in() == p.transposed_out())
      p.out_block = p.in_block;
    else if (pick(0, 2) == 0)
      (before ? p.in_block : p.out_block) = pick(static_cast<int>((n + ranks - 1) / ranks), static_cast<int>(n));
  }
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_here);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4)
    return std::fprintf(stderr, "problems FFTW3_MPI FFTW3F_MPI COUNT [SEED]\n"), MPI_Abort(MPI_COMM_WORLD, 2);
  fftw_mpi_init();
  fftwf_mpi_init();
  for (const int single : {0, 1}) libraries[single] = dlopen(argv[1 + single], RTLD_NOW | RTLD_LOCAL);
  if (!libraries[0] || !libraries[1]) return std::fprintf(stderr, "%s\n", dlerror()), MPI_Abort(MPI_COMM_WORLD, 2);
  theirs<double>(fftw_mpi_init, "_mpi_init")();
  theirs<float>(fftwf_mpi_init, "_mpi_init")();

  const int count = std::atoi(argv[3]);
  const auto seed = static_cast<unsigned>(argc > 4 ? std::atoi(argv[4]) : 1);
  std::mt19937 random(seed * 64 + static_cast<unsigned>(ranks));
  Problem p = any(random);
  for (; problems < count; ++problems) {
    if (random() % 5 != 0) p = any(random);  // else the last one again: its plan may be kept
    if (random() % 3 == 0)
      compare<float>(p, random());
    else
      compare<double>(p, random());
  }
  if (rank_here == 0)
    std::printf("%d problems on %d ranks, %d of them without a plan of FFTW's, %d differences\n", problems, ranks,
                without_plan, differences);
  fftw_mpi_cleanup();
  fftwf_mpi_cleanup();
  MPI_Finalize();
  return differences ? 1 : 0;
}
