// One rank alone is refused memory, a mapping, a file, a thread or a call of MPI, at every place
// where it asks while planning: all ranks throw the same, or all go on, and afterwards everything
// works. Some of the places each time; all of them where WEFT_TEST_THOROUGH is set, as it is for
// one rank.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "support/injector.hpp"
#include "support/plans.hpp"

#include "mpi/communicator.hpp"
#include "mpi/window.hpp"
#include "tune/json.hpp"

namespace weft {
namespace {

class Injected : public testing::Test {
 protected:
  mpi::Communicator all = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  int places = 0, thrown = 0;
  long turn = 0;

  ~Injected() override {
    if (all.rank() == 0) std::printf("%d places, at %d of them all ranks failed\n", places, thrown);
  }

  bool failed() const { return all.max(HasFailure() ? 1 : 0) > 0; }

  // f, with request number `nth` of one rank refused. Returns whether there was one.
  template <class F>
  bool refuse(inject::Kind kind, long nth, int victim, F&& f) {
    std::string outcome = "it went on";
    if (all.rank() == victim) inject::arm(kind, nth);
    try {
      f();
    } catch (const Error& error) {
      outcome = error.what();
    } catch (const std::exception& error) {
      outcome = std::string("no Error of weft: ") + error.what();
    }
    const bool asked = all.rank() == victim && inject::disarm() > nth;
    const std::vector<std::string> outcomes = all.gather_all(outcome);
    for (const std::string& other : outcomes) {
      const std::string where =
          std::string(inject::name(kind)) + " " + std::to_string(nth) + ", from " + inject::place();
      EXPECT_EQ(other, outcomes.front()) << where;
      EXPECT_FALSE(other.starts_with("no Error")) << other << ", " << where;
    }
    const bool any = all.max(asked ? 1 : 0) > 0;
    places += any;
    thrown += any && outcome != "it went on";
    return any;
  }

  // Every place of f, or every `step`-th allocation from another one on each time.
  template <class F>
  void at_every_place(F&& f) {
    const long step = std::getenv("WEFT_TEST_THOROUGH") ? 1 : 61;
    f();  // what is made once is made now
    const mpi::Handles before = mpi::live_handles();
    for (const inject::Kind kind : inject::heard) {
      const long each = kind == inject::Kind::allocation ? step : 1;
      for (long nth = 7 * turn % each; refuse(kind, nth, static_cast<int>((nth / each + turn) % all.size()), f);
           nth += each)
        if (failed()) return;
    }
    const mpi::Handles now = mpi::live_handles();
    for (const auto member :
         {&mpi::Handles::communicators, &mpi::Handles::datatypes, &mpi::Handles::requests, &mpi::Handles::windows})
      EXPECT_EQ(now.*member, before.*member);
    ++turn;
  }

  // What is planned now is right.
  void all_is_well(const Options& options) const {
    const Shape shape{4, 6, 5};
    Plan fft(MPI_COMM_WORLD, c2c<double>(shape), options);
    const auto u = fft.input(), u_hat = fft.output();
    u.fill([](const Shape& p) { return 1.0 + static_cast<double>(p[0] % 2); });
    fft.forward(u, u_hat);
    double error = 0;
    u_hat.for_each([&](const Shape& k, const Complex& v) {
      const double expected = k == Shape{0, 0, 0} ? 180 : k == Shape{2, 0, 0} ? -60 : 0;
      error = std::max(error, std::abs(v - expected));
    });
    EXPECT_LT(error, 1e-10);
  }
};

TEST_F(Injected, Plans) {
  const auto problem = c2c<double>({4, 6, 5});
  std::vector<std::string> names{"auto"};
  for (const Strategy* strategy : strategies()) names.emplace_back(strategy->name());
  for (const std::string& name : names)
    for (const bool other : {false, true}) {
      if (other && name != "direct" && name != "isend") continue;
      Options o{.strategy = name, .effort = "estimate", .threads = other ? 2 : 1};
      if (other && name == "isend") o.schedule.communicate = "thread";
      if (name == "node" || name == "hierarchical" || name == "leader")
        for (int r = 0; r < all.size(); ++r) o.nodes.push_back(r % 2);
      SCOPED_TRACE(name + (other ? ", 2 threads" : ""));
      try {
        at_every_place([&] { AnyPlan fft(MPI_COMM_WORLD, problem, o); });
      } catch (const Declined&) {
        continue;
      }
      if (failed()) return;
      all_is_well(o);
    }
  EXPECT_GT(thrown, 100);
}

// Memory that a node shares as a window of MPI is freed by all ranks together.
TEST_F(Injected, Windows) {
  const auto problem = c2c<double>({4, 6, 5});
  setenv("WEFT_SHARED_MEMORY", "window", 1);
  for (const char* name : {"direct", "hierarchical"}) {
    SCOPED_TRACE(name);
    const Options o{.strategy = name, .effort = "estimate"};
    at_every_place([&] { AnyPlan fft(MPI_COMM_WORLD, problem, o); });
    if (failed()) break;
    all_is_well(o);
  }
  unsetenv("WEFT_SHARED_MEMORY");
  EXPECT_GT(thrown, 10);
}

TEST_F(Injected, Redistributions) {
  const Layout rows = Layout::slab({8, 6}, 0, all.size()), columns = Layout::slab({8, 6}, 1, all.size());
  for (const char* name : {"alltoallv", "direct", "put", "neighbor"}) {
    SCOPED_TRACE(name);
    RedistributionOptions o;
    o.strategy = name;
    at_every_place([&] { Redistribution(MPI_COMM_WORLD, rows, columns, 8, o); });
    if (failed()) return;
  }
  EXPECT_GT(thrown, 10);
}

TEST_F(Injected, Spheres) {
  const Shape grid{8, 8, 8};
  const auto problem = sphere<double>(grid, Cutoff{.squared = 9});
  const Options o{.strategy = "isend", .effort = "estimate"};
  at_every_place([&] { AnyPlan fft(MPI_COMM_WORLD, problem, o); });
  EXPECT_GT(thrown, 5);
}

TEST_F(Injected, Files) {
  const std::string path = "weft_injected_" + std::to_string(all.max(static_cast<int>(getpid()))) + ".npy";
  const Layout rows = Layout::slab({6, 4}, 0, all.size());
  std::vector<double> array(static_cast<std::size_t>(rows.elements(all.rank())) + 1, 1.0);
  at_every_place([&] { write(MPI_COMM_WORLD, path, rows, array.data()); });
  at_every_place([&] { read(MPI_COMM_WORLD, path, rows, array.data()); });
  all.barrier();
  if (all.rank() == 0) std::filesystem::remove(path);
  EXPECT_GT(thrown, 4);
}

// Values that hold texts or lists are copied as a whole, or not at all.
TEST_F(Injected, CopiesOfValues) {
  const auto at_every_allocation = [&](auto&& f) {
    for (long nth = 0;; ++nth) {
      bool caught = false;
      inject::arm(inject::Kind::allocation, nth);
      try {
        f();
      } catch (const std::bad_alloc&) {
        caught = true;
      }
      const bool asked = inject::disarm() > nth;
      EXPECT_EQ(caught, asked) << nth;
      if (!asked) return nth;
    }
  };
  const std::string text(100, 'x');
  const Json value = Json::Members{{"text", text}, {"list", Json::List{1.0, text, true}}, {text, Json::Members{}}};
  Json other = value;
  EXPECT_GT(at_every_allocation([&] { other = Json(value); }), 4);
  EXPECT_EQ(other.dump(), value.dump());
  Options options{.nodes = {0, 1, 0}, .grid = {2, 3, 4}};
  EXPECT_GT(at_every_allocation([&] { check_options(options); }), 5);
  EXPECT_GT(at_every_allocation([&] { set(options, "nodes", std::vector<Index>{1, 1, 0}); }), 0);
  EXPECT_EQ(get(options, "nodes"), "1,1,0");
}

TEST_F(Injected, Tuning) {
  const auto problem = c2c<double>({4, 4, 4});
  Options o{.strategy = "tune", .effort = "estimate"};
  o.wisdom = false, o.tune_seconds = 0.01;
  const int every = std::getenv("WEFT_TEST_THOROUGH") ? 53 : 1997;
  for (long nth = 3; refuse(inject::Kind::allocation, nth, static_cast<int>(nth / every) % all.size(),
                            [&] { AnyPlan fft(MPI_COMM_WORLD, problem, o); });
       nth += every)
    if (failed()) return;
  all_is_well({.strategy = "alltoallv", .effort = "estimate"});
}

// What all ranks throw alike comes to the caller as it is: a strategy's refusal is a Declined, with
// no rank's name before it.
TEST_F(Injected, WhatAllThrowAlikeStays) {
  EXPECT_THROW(all.together([]() -> int { throw Declined("no"); }), Declined);
  try {
    all.together([] { throw Error("alike"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "alike");
  }
}

// What one rank declines alone all decline, whatever others are about.
TEST_F(Injected, WhatOneDeclinesAllDecline) {
  for (int one = 0; one < all.size(); ++one) {
    try {
      all.together([&] {
        if (all.rank() == one) throw Declined("no");
        all.barrier();
      });
      FAIL();
    } catch (const Declined& declined) {
      EXPECT_EQ(declined.what(), all.size() > 1 ? "rank " + std::to_string(one) + ": no" : "no");
    }
  }
}

// A rank that is alone with its failure is heard of in whatever the others wait; calls may lie in
// one another.
TEST_F(Injected, AnyCollectiveHears) {
  const int last = all.size() - 1;
  const std::vector<std::function<void()>> collectives{
      [&] { all.barrier(); },
      [&] {
        std::string text = "x";
        all.bcast(text);
      },
      [&] { all.max(1); },
      [&] {
        all.max(std::vector<double>{1, 2});
      },
      [&] { all.sum(1.0); },
      [&] { all.gather_all(Index{1}); },
      [&] { all.gather_all(std::string("x")); },
      [&] {
        all.gather_all(std::vector<Index>{1, 2});
      },
      [&] { all.agree([] {}); },
      [&] { all.same("nothing", ""); },
      [&] { all.nodes(); },
      [&] { all.split(0); },
      [&] { all.graph({}, {}); },
      [&] { all.again().together([&] { all.again().barrier(); }); },
      [] {},
  };
  for (std::size_t k = 0; k < collectives.size(); ++k)
    for (const bool deeper : {false, true}) {
      SCOPED_TRACE(k);
      const auto f = [&] {
        all.max(0);
        if (all.rank() == last) throw std::runtime_error("here it fails");
        collectives[k]();
      };
      std::string said;
      try {
        all.together([&] {
          if (deeper) {
            const mpi::Communicator other = mpi::Communicator::duplicate(all.raw());
            other.together(f);
          } else {
            f();
          }
        });
      } catch (const Error& error) {
        said = error.what();
      }
      EXPECT_EQ(said, (last == 0 ? "here it fails" : "rank " + std::to_string(last) + ": here it fails"));
      EXPECT_EQ(all.sum(1), all.size());
    }
}

// A window that goes on one rank alone is freed when all have met.
TEST_F(Injected, WindowsAreFreedByAll) {
  if (!mpi::Window::declines(all.size()).empty()) GTEST_SKIP();
  const mpi::Handles before = mpi::live_handles();
  for (int failing = 0; failing < all.size(); ++failing) {
    EXPECT_THROW(all.together([&] {
      const mpi::Window first = mpi::Window::allocate(all, 64), second = mpi::Window::allocate(all, 64);
      if (all.rank() == failing) throw Error("alone");
      all.barrier();
    }),
                 Error);
    EXPECT_EQ(mpi::live_handles(), before);
  }
}

}  // namespace
}  // namespace weft
