// The main program of every GoogleTest program that runs under MPI.
//
// Rank 0 prints the usual listing and every other rank only its own failures, with its number.
// After each test all ranks agree on its outcome: a test passes everywhere or nowhere, and no rank
// enters the next one while another is still in this one. A rank that takes longer than
// WEFT_TEST_SECONDS (60) for a test says so and ends the whole run, and so does one that failed and
// waits in vain for the others, which may be stuck in a message it never sent.
#include <mpi.h>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

constexpr unsigned patience_seconds = 10;  // of a rank that failed, with the others

char alarm_text[512];  // written beforehand: a signal handler may not format

void ring(int) {
  // A rank inside MPI may hold a lock that MPI_Abort wants: then the second alarm ends the process,
  // and MPI the rest.
  std::signal(SIGALRM, SIG_DFL);
  alarm(5);
  const std::string_view text(alarm_text);
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(1);
  sleep(1);  // the others' alarms ring now, and their messages matter as well
  MPI_Abort(MPI_COMM_WORLD, 1);
}

unsigned limit_seconds() {
  const char* const text = std::getenv("WEFT_TEST_SECONDS");
  if (!text) return 60;
  char* end = nullptr;
  const unsigned long seconds = std::strtoul(text, &end, 10);
  if (*end || seconds == 0 || seconds > 86400) {
    std::fprintf(stderr, "WEFT_TEST_SECONDS=%s: give a number of seconds from 1 to 86400\n", text);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return static_cast<unsigned>(seconds);
}

class Agreement : public testing::EmptyTestEventListener {
 public:
  explicit Agreement(MPI_Comm world) : world_(world), limit_seconds_(limit_seconds()) {
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &ranks_);
  }

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    std::snprintf(alarm_text, sizeof alarm_text, "rank %d of %d: %s.%s did not end (limit: WEFT_TEST_SECONDS=%u)\n",
                  rank_, ranks_, test.test_suite_name(), test.name(), limit_seconds_);
    std::signal(SIGALRM, ring);
    alarm(limit_seconds_);
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (rank_ == 0 || agreeing_ || !result.failed()) return;
    std::fprintf(stderr, "rank %d of %d: %s:%d: %s\n", rank_, ranks_, result.file_name() ? result.file_name() : "",
                 result.line_number(), result.message());
  }

  // Listeners hear the end of a test last one first: a failure added here is still part of the test
  // that is printed.
  void OnTestEnd(const testing::TestInfo& test) override {
    const int failed = test.result()->Failed();
    if (failed) {
      std::snprintf(alarm_text, sizeof alarm_text, "rank %d of %d: %s.%s failed here, and other ranks did not end it\n",
                    rank_, ranks_, test.test_suite_name(), test.name());
      const unsigned left_seconds = alarm(patience_seconds);
      if (left_seconds < patience_seconds) alarm(left_seconds);
    }
    std::vector<int> outcomes(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&failed, 1, MPI_INT, outcomes.data(), 1, MPI_INT, world_);
    alarm(0);
    std::string where;
    for (int r = 0; r < ranks_; ++r)
      if (outcomes[static_cast<std::size_t>(r)]) where.append(1, ' ').append(std::to_string(r));
    agreeing_ = true;
    if (!where.empty() && (rank_ == 0 || !failed)) ADD_FAILURE() << "failed on rank(s)" << where << " of " << ranks_;
    agreeing_ = false;
  }

  MPI_Comm world_;
  unsigned limit_seconds_;
  int rank_ = 0, ranks_ = 0;
  bool agreeing_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  const bool single = std::getenv("WEFT_TEST_THREAD_LEVEL");  // one level a process: it needs a run of its own
  MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  MPI_Comm world;  // of our own, so that agreeing never meets a test's messages
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  int rank = 0;
  MPI_Comm_rank(world, &rank);

  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Agreement(world));

  int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    if (rank == 0) std::fprintf(stderr, "no test matches the filter\n");
    failed = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, world);
  MPI_Comm_free(&world);
  MPI_Finalize();
  return failed;
}
