// Files: every layout reads what every other has written, NumPy agrees, and whatever is wrong with
// a file is the same error on every rank.
#include <weft/file.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <sys/resource.h>
#include <unistd.h>

#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "support/fails.hpp"
#include "support/oracle.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using mpi::Communicator;

/// A folder of all ranks, gone with its contents at the end.
class Folder {
 public:
  explicit Folder(const Communicator& world) : world_(world) {
    std::string path = (fs::temp_directory_path() / "weft-XXXXXX").string();
    if (world.rank() == 0 && !mkdtemp(path.data())) ADD_FAILURE() << "cannot make " << path;
    world.bcast(path);
    path_ = path;
    if (world.rank() == 0) fs::permissions(path_, fs::perms(0755));  // for whom a test pretends to be
    world.barrier();
  }
  ~Folder() {
    world_.barrier();
    if (world_.rank() == 0) fs::remove_all(path_);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Rank 0 makes a file.
  std::string put(const std::string& name, const std::string& content) const {
    if (world_.rank() == 0) std::ofstream(path_ / name, std::ios::binary) << content;
    world_.barrier();
    return *this / name;
  }
  std::string content(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Files here, once nobody makes or removes any.
  long count() const {
    world_.barrier();
    const long files = std::distance(fs::directory_iterator(path_), fs::directory_iterator());
    world_.barrier();
    return files;
  }

 private:
  const Communicator& world_;
  fs::path path_;
};

class Files : public testing::Test {
 protected:
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  Folder folder{world};
  int ranks = world.size(), rank = world.rank();

  /// f must throw the same Error on every rank, and its message hold all of `words`; nothing may be
  /// left in the folder that was not there.
  void fails(const std::function<void()>& f, const std::vector<std::string>& words) {
    const long before = folder.count();
    weft::fails(world, f, words);
    EXPECT_EQ(folder.count(), before);
  }

  /// Boxes in several orders, padded, on few ranks, and lists of runs.
  std::vector<Layout> layouts(const Shape& shape) const {
    std::vector<Layout> all;
    Order back = c_order(shape.size());
    std::reverse(back.begin(), back.end());
    for (int a = 0; a < shape.size(); ++a) all.push_back(Layout::slab(shape, a, ranks));
    all.push_back(Layout::slab(shape, 0, ranks, Split::blocks(), back));
    all.push_back(Layout::slab(shape, shape.size() - 1, ranks).ordered(back, Shape::filled(shape.size(), 2)));
    std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box::whole(Shape::filled(shape.size(), 0)));
    boxes.back() = Box::whole(shape);  // all of it on the last rank
    all.emplace_back(shape, boxes);
    const Layout slab = Layout::slab(shape, 0, ranks);
    for (int r = 0; r < ranks; ++r) boxes[static_cast<std::size_t>(r)] = slab.box(r);
    all.push_back(Layout::checkerboard(shape, boxes));
    std::vector<std::vector<weft::Run>> runs(boxes.size());  // dealt out backwards in runs of three
    for (Index first = (volume(shape) - 1) / 3 * 3; first >= 0; first -= 3)
      runs[static_cast<std::size_t>(first / 3 % ranks)].push_back({first, std::min<Index>(3, volume(shape) - first)});
    all.push_back(Layout::runs(shape, runs));
    return all;
  }

  template <class T>
  std::vector<T> values(const Layout& layout) const {
    std::vector<T> all;
    for (const Index index : oracle::global_indices(layout, rank))
      all.push_back(static_cast<T>(static_cast<double>(index % 120)));
    return all;
  }

  template <class T>
  void round_trips(const std::string& type, const Shape& shape, const std::string& name) {
    const auto all = layouts(shape);
    for (const Layout& from : all) {
      write(world.raw(), folder / name, from, type, values<T>(from).data());
      if (rank == 0) {
        std::string whole;
        for (Index i = 0; i < volume(shape); ++i) {
          const T value = static_cast<T>(static_cast<double>(i % 120));
          whole.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        EXPECT_TRUE(folder.content(name).ends_with(whole)) << from.describe();
        EXPECT_EQ((folder.content(name).size() - whole.size()) % 64, 0u);
      }
      for (const Layout& to : all) {
        std::vector<T> got(static_cast<std::size_t>(to.elements(rank)), T(-1));
        read(world.raw(), folder / name, to, type, got.data());
        EXPECT_EQ(got, values<T>(to)) << from.describe() << " -> " << to.describe();
      }
    }
    EXPECT_EQ(folder.count(), 1);
  }
};

TEST_F(Files, EveryLayoutReadsWhatEveryOtherWrote) {
  round_trips<double>("f8", {5, 3, 7}, "a.npy");
  EXPECT_EQ(inspect(world.raw(), folder / "a.npy").shape, (Shape{5, 3, 7}));
  EXPECT_EQ(inspect(world.raw(), folder / "a.npy").type, "f8");
}
TEST_F(Files, Raw) { round_trips<float>("f4", {4, 9}, "a.raw"); }
TEST_F(Files, Complex) { round_trips<std::complex<double>>("c16", {2, 3, 1, 5}, "a.npy"); }
TEST_F(Files, Bytes) { round_trips<unsigned char>("u1", {13}, "a.npy"); }
TEST_F(Files, Shorts) { round_trips<short>("i2", {1, 1, 6}, "a.npy"); }

TEST_F(Files, TinyHaloReadsWhatLiesInside) {
  const Shape shape{6, 5};
  const Layout slab = Layout::slab(shape, 0, ranks), halo = slab.grown({1, 2});
  write(world.raw(), folder / "a.npy", slab, "f8", values<double>(slab).data());
  std::vector<double> got(static_cast<std::size_t>(halo.elements(rank)), -1.0);
  read(world.raw(), folder / "a.npy", halo, "f8", got.data());
  EXPECT_EQ(got, values<double>(halo));
}

TEST_F(Files, PrecisionsAreConverted) {
  const Shape shape{5, 3, 4};
  for (const Layout& from : layouts(shape)) {
    write(world.raw(), folder / "small.npy", from, "f4", values<double>(from).data());
    write(world.raw(), folder / "large.npy", from, "c16", values<std::complex<float>>(from).data());
    EXPECT_EQ(inspect(world.raw(), folder / "small.npy").type, "f4");
    EXPECT_EQ(inspect(world.raw(), folder / "large.npy").type, "c16");
    for (const Layout& to : layouts(shape)) {
      std::vector<double> doubles(static_cast<std::size_t>(to.elements(rank)), -1.0);
      read(world.raw(), folder / "small.npy", to, "f4", std::span(doubles));
      EXPECT_EQ(doubles, values<double>(to)) << from.describe() << " -> " << to.describe();
      std::vector<std::complex<float>> complexes(doubles.size(), -1.0f);
      read(world.raw(), folder / "large.npy", to, "c16", complexes.data());
      EXPECT_EQ(complexes, values<std::complex<float>>(to)) << from.describe() << " -> " << to.describe();
    }
  }
  // a halo beyond the shape keeps what it has, with all its digits
  const Layout slab = Layout::slab(shape, 0, ranks), halo = slab.grown({1, 0, 2});
  std::vector<double> got(static_cast<std::size_t>(halo.elements(rank)), 0.1);
  read(world.raw(), folder / "small.npy", halo, "f4", got.data());
  std::vector<double> expected = values<double>(halo);
  for (double& value : expected)
    if (value < 0) value = 0.1;
  EXPECT_EQ(got, expected);
  std::vector<float> floats(static_cast<std::size_t>(slab.elements(rank)));
  fails([&] { read(world.raw(), folder / "large.npy", slab, floats.data()); }, {"'c16'", "'f4'"});
  fails([&] { read(world.raw(), folder / "small.npy", slab, values<double>(slab).data()); },
        {"'f4'", "'f8'", "to have them converted"});
}

TEST_F(Files, CountsBeyondAnInt) {
  const Index limit = std::exchange(mpi::count_limit, 2);
  round_trips<double>("f8", {7, 3, 5}, "a.npy");
  mpi::count_limit = limit;
}

TEST_F(Files, ManyRounds) {  // more than MPI's buffers of collective writing hold, in pieces that interleave
  const Shape shape{64, 128, 640};
  const Layout pencil = Layout::slab(shape, 2, ranks), slab = Layout::slab(shape, 0, ranks);
  write(world.raw(), folder / "a.npy", pencil, "f8", values<double>(pencil).data());
  std::vector<double> got(static_cast<std::size_t>(slab.elements(rank)));
  read(world.raw(), folder / "a.npy", slab, "f8", got.data());
  EXPECT_EQ(got, values<double>(slab));
}

TEST_F(Files, NumPyAgrees) {
  std::string python;
  if (rank == 0)
    for (const char* name : {"python3", "/usr/bin/python3"})
      if (python.empty() && std::system((std::string(name) + " -c 'import numpy' 2>/dev/null").c_str()) == 0)
        python = name;
  world.bcast(python);
  if (python.empty()) GTEST_SKIP() << "there is no Python with NumPy";
  const auto run = [&](const std::string& script) {
    const int code = rank == 0 ? std::system((python + " -c \"import sys, numpy as np\nsys.argv = [0, '" +
                                              folder / "']\nhere = sys.argv[1]\n" + script + "\"")
                                                 .c_str())
                               : 0;
    ASSERT_EQ(world.max(code), 0);
  };
  run("a = np.arange(3 * 4 * 5.).reshape(3, 4, 5)\n"
      "np.save(here + 'c.npy', a)\n"
      "np.save(here + 'fortran.npy', np.asfortranarray(a))\n"
      "np.lib.format.write_array(open(here + 'v2.npy', 'wb'), a, version=(2, 0))\n"
      "np.save(here + 'zero.npy', np.zeros((0, 3), 'i4'))\n"
      "np.save(here + 'scalar.npy', np.float32(1))\n");
  const Shape shape{3, 4, 5};
  for (const std::string name : {"c.npy", "fortran.npy", "v2.npy"}) {
    EXPECT_EQ(inspect(world.raw(), folder / name).shape, shape);
    for (const Layout& layout : layouts(shape)) {
      std::vector<double> got(static_cast<std::size_t>(layout.elements(rank)), -1.0);
      const auto work = [&] { read(world.raw(), folder / name, layout, "f8", got.data()); };
      if (name == "fortran.npy" && !layout.has_boxes()) {
        fails(work, {name, "Fortran"});
      } else {
        work();
        EXPECT_EQ(got, values<double>(layout)) << name << ": " << layout.describe();
      }
    }
  }
  EXPECT_EQ(inspect(world.raw(), folder / "zero.npy").shape, (Shape{0, 3}));
  EXPECT_EQ(inspect(world.raw(), folder / "scalar.npy").shape, Shape{});
  EXPECT_EQ(inspect(world.raw(), folder / "scalar.npy").type, "f4");

  const Layout three = Layout::slab({4, 2, 3}, 1, ranks), one = Layout::slab({5}, 0, ranks);
  write(world.raw(), folder / "three.npy", three, "c8", values<std::complex<float>>(three).data());
  write(world.raw(), folder / "one.npy", one, "u1", values<unsigned char>(one).data());
  run("a = np.load(here + 'three.npy')\n"
      "assert a.dtype == np.complex64 and a.flags.c_contiguous and (a == np.arange(24).reshape(4, 2, 3)).all()\n"
      "a = np.load(here + 'one.npy')\n"
      "assert a.dtype == np.uint8 and (a == np.arange(5)).all()\n");
}

/// Version 1, with the dictionary given and room for `bytes` bytes of data.
std::string npy(const std::string& dictionary, std::size_t bytes) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dictionary.size() & 255) +
         static_cast<char>(dictionary.size() >> 8) + dictionary + std::string(bytes, '\0');
}

TEST_F(Files, BadHeaders) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
  const std::map<std::string, std::pair<std::string, std::string>> bad = {
      {"empty.npy", {"", "no npy file"}},
      {"text.npy", {"once upon a time", "no npy file"}},
      {"version.npy", {std::string("\x93NUMPY\x09\x00\x10\x00", 10), "version 9"}},
      {"short.npy", {npy(good, 0).substr(0, 40), "truncated"}},
      {"long.npy", {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "corrupt"}},
      {"truncated.npy", {npy(good, 47), "truncated: 2x3 elements of 'f8' need"}},
      {"other.npy", {npy("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }", 48), "byte order"}},
      {"object.npy", {npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", 48), "'O' is no element type"}},
      {"object8.npy",
       {npy("{'descr': '|O8', 'fortran_order': False, 'shape': (2, 3), }", 48), "'O8' is no element type"}},
      {"fields.npy", {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", 48), "structured"}},
      {"missing.npy", {npy("{'descr': '<f8', 'fortran_order': False, }", 48), "corrupt"}},
      {"order.npy", {npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3), }", 48), "corrupt"}},
      {"negative.npy", {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, -3), }", 48), "corrupt"}},
      {"huge.npy",
       {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 999999999999), }", 48),
        "more points than can be counted"}},
      {"axes.npy",
       {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", 48), "more than 8 axes"}},
      {"tail.npy", {npy(good + "and more", 48), "corrupt"}},
      {"open.npy", {npy("{'descr': '<f8", 48), "corrupt"}},
  };
  double array[6];
  const Layout layout = Layout::slab({2, 3}, 0, ranks);
  for (const auto& [name, file] : bad) {
    const std::string path = folder.put(name, file.first);
    fails([&] { inspect(world.raw(), path); }, {name, file.second});
    fails([&] { read(world.raw(), path, layout, "f8", array); }, {name, file.second});
  }
  // in another order, with other quotes and without the last comma it is as good
  EXPECT_EQ(
      inspect(world.raw(), folder.put("good.npy", npy("{ \"shape\":(6,),'fortran_order':False,'descr':'<f8'}", 48)))
          .shape,
      (Shape{6}));
}

TEST_F(Files, WrongFiles) {
  const Layout layout = Layout::slab({2, 3}, 0, ranks);
  double array[6] = {};
  const auto reads = [&](const std::string& path, const std::string& type = "f8") {
    return [&, path, type] { read(world.raw(), path, layout, type, array); };
  };
  fails(reads(folder / "absent.npy"), {"absent.npy", "No such file"});
  fails(reads(folder / "absent/a.raw"), {"a.raw", "No such file"});
  fails([&] { inspect(world.raw(), folder / "absent.npy"); }, {"absent.npy", "No such file"});
  fails(reads(folder / ""), {"no regular file"});
  fails(reads(folder.put("a.raw", std::string(47, ' '))), {"a.raw", "need 48 bytes, the file has 47"});
  fails(reads(folder.put("b.raw", std::string(49, ' '))), {"b.raw", "need 48 bytes, the file has 49"});
  const std::string good =
      folder.put("good.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", 48));
  fails(reads(good), {"good.npy", "3x2", "2x3"});
  fails(reads(good, "c16"), {"good.npy", "'f8'", "'c16'"});
  fails(reads(good, "f4"), {"good.npy", "elements are 'f8', and 'f4' was asked for"});
  fails(reads(good, "f12"), {"'f12' is no element type"});
  fails([&] { read(world.raw(), good, Layout::slab({3, 2}, 0, ranks + 1), "f8", array); }, {"ranks"});
  fails([&] { read(world.raw(), good, Layout::slab({3, 2}, 0, ranks), "f8", nullptr); }, {"null"});
}

TEST_F(Files, WhatCannotBeWritten) {
  const Layout layout = Layout::slab({2, 3}, 0, ranks);
  const double array[6] = {};
  const auto writes = [&](const std::string& path, const Layout& of) {
    return [&, path, of] { write(world.raw(), path, of, "f8", array); };
  };
  fails(writes(folder / "absent/a.npy", layout), {"absent/a.npy", "No such file"});
  fails(writes(folder / "", layout), {"no regular file"});
  fails(writes("/dev/full", layout), {"/dev/full", "no regular file"});
  fails(writes(folder / "a.npy",
               Layout::runs({2, 3}, std::vector<std::vector<weft::Run>>(static_cast<std::size_t>(ranks)))),
        {"a.npy", "no rank"});
  if (ranks > 1) fails(writes(folder / "a.npy", Layout::replicated({2, 3}, ranks)), {"a.npy", "ranks 0 and 1"});
  fails([&] { write(world.raw(), folder / "a.npy", layout, "c32", array); }, {"'c32' is no element type"});
  EXPECT_THROW(write(MPI_COMM_NULL, folder / "a.npy", layout, "f8", array), Error);

  const uid_t root = geteuid();  // whom nothing is forbidden
  if (rank == 0)
    fs::create_directory(folder / "locked"),
        fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  world.barrier();
  if (root == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  fails(writes(folder / "locked/a.npy", layout), {"locked/a.npy", "Permission denied"});
  if (root == 0) {
    ASSERT_EQ(seteuid(root), 0);
  }
}

TEST_F(Files, TinyFullDiskLeavesTheOldFileAlone) {
  const Shape small{4, 8}, large{512, 1024};
  const Layout layout = Layout::slab(small, 0, ranks), big = Layout::slab(large, 0, ranks);
  write(world.raw(), folder / "a.npy", layout, "f8", values<double>(layout).data());
  const std::string before = folder.content("a.npy");

  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit tight{1 << 20, limit.rlim_max};
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  if (rank == 0) setrlimit(RLIMIT_FSIZE, &tight);  // the other ranks could go on
  fails([&] { write(world.raw(), folder / "a.npy", big, "f8", values<double>(big).data()); },
        {"a.npy", "no room for 4194432 bytes"});
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, former);
  EXPECT_EQ(folder.content("a.npy"), before);
}

TEST_F(Files, TinyRanksThatDisagree) {
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  const bool last = rank == ranks - 1;
  const Layout layout = Layout::slab({2, 3}, 0, ranks);
  double array[6] = {};
  folder.put("a.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48));
  folder.put("b.npy", "");
  const std::string path = folder / "a.npy", last_rank = "rank " + std::to_string(ranks - 1);
  fails([&] { read(world.raw(), last ? folder / "b.npy" : path, layout, "f8", array); }, {"name", last_rank});
  fails([&] { read(world.raw(), path, layout, last ? "f4" : "f8", array); }, {"type", last_rank});
  fails(
      [&] {
        read(world.raw(), path, last ? Layout::slab({2, 3}, 1, ranks) : layout, "f8", array);
      },
      {"layout", last_rank});
  fails(
      [&] {
        write(world.raw(), path, last ? Layout::slab({2, 3}, 1, ranks) : layout, "f8", array);
      },
      {"layout", last_rank});
  fails([&] { inspect(world.raw(), last ? folder / "b.npy" : path); }, {"name", last_rank});
  if (layout.elements(0) > 0)
    fails([&] { write(world.raw(), path, layout, "f8", rank == 0 ? nullptr : array); }, {"rank 0", "null"});
}

}  // namespace
}  // namespace weft
