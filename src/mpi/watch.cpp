#include "mpi/watch.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "mpi/check.hpp"

namespace weft::mpi {

using Clock = std::chrono::steady_clock;

// What one thread is about, and since when nothing has changed there.
class Watched {
 public:
  void begin(Note& note) {
    const std::lock_guard lock(mutex_);
    note.outer_ = innermost_;
    innermost_ = &note;
    changed(note);
  }
  void end(const Note& note) {
    const std::lock_guard lock(mutex_);
    innermost_ = note.outer_;
    changed(note);
  }
  /// What it waits in, when it has for longer than the limit; else empty.
  std::string overdue(Clock::time_point now, std::chrono::duration<double> limit) {
    const std::lock_guard lock(mutex_);
    if (waits_ == 0 || changes_ != seen_) {
      seen_ = changes_;
      since_ = now;
      return {};
    }
    if (now - since_ < limit) return {};
    std::string text;
    for (const Note* note = innermost_; note; note = note->outer_) {
      text += (text.empty() ? "" : ", in ") + std::string(note->what_);
      if (note->exchange_ >= 0)
        text += " of exchange " + std::to_string(note->exchange_) + ", tile " + std::to_string(note->tile_);
      if (*note->of_) text += " (" + std::string(note->of_) + ")";
    }
    return text;
  }

 private:
  void changed(const Note& note) {
    ++changes_;
    if (note.waits_) waits_ += innermost_ == &note ? 1 : -1;
  }

  std::mutex mutex_;
  const Note* innermost_ = nullptr;
  int waits_ = 0;
  std::uint64_t changes_ = 0, seen_ = 0;
  Clock::time_point since_;
};

namespace {

class Watchman {
 public:
  void add(const std::shared_ptr<Watched>& thread) {
    const std::lock_guard lock(mutex_);
    std::erase_if(threads_, [](const auto& known) { return known.expired(); });
    threads_.push_back(thread);
  }

  void heed(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (text == text_) return;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (!text.empty() && (error != std::errc() || end != text.data() + text.size() || !(seconds > 0 && seconds <= 1e6)))
      throw Error("WEFT_TIMEOUT=" + std::string(text.substr(0, 100)) +
                  ": give the seconds that a rank may wait for others, more than 0 and at most 1000000, or unset it");
    if (!text.empty() && !thread_.joinable()) {
      if (!running()) return;  // nobody waits yet; what needs MPI says that it is not there
      check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
      check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_), "MPI_Comm_size");
      start();
    }
    text_ = text;
    limit_ = std::chrono::duration<double>(seconds);
    watching = !text.empty();
    changed_.notify_all();
  }

 private:
  void start() {
    // signals are for the program's own threads
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
    } catch (const std::exception& refused) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw Error(std::string("no thread can be made that watches the time (") + refused.what() +
                  "); unset WEFT_TIMEOUT, or allow this user more threads (ulimit -u)");
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void watch(const std::stop_token& stop) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!watching) {
        changed_.wait(lock, stop, [] { return watching.load(); });
        continue;
      }
      for (const auto& known : threads_)
        if (const auto thread = known.lock())
          if (const std::string waits = thread->overdue(Clock::now(), limit_); !waits.empty()) end(waits);
      changed_.wait_for(lock, stop, std::clamp<std::chrono::duration<double>>(limit_ / 20, 10ms, 1s),
                        [] { return false; });
    }
  }

  [[noreturn]] void end(const std::string& waits) const {
    const std::string text = "weft: rank " + std::to_string(rank_) + " of " + std::to_string(ranks_) +
                             " has waited for other ranks for " + text_ + " s (WEFT_TIMEOUT) in " + waits +
                             ": the job ends\n";
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(1);
    sleep(1);  // others wait as well, and what they say matters
    // where MPI does not even abort any more, this process ends, and the launcher ends the rest
    std::signal(SIGALRM, SIG_DFL);
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
    alarm(5);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::weak_ptr<Watched>> threads_;
  std::string text_;  // what was heeded last
  std::chrono::duration<double> limit_{0};
  int rank_ = 0, ranks_ = 0;
  std::jthread thread_;
};

Watchman& watchman() {
  static Watchman only;
  return only;
}

Watched& this_thread() {
  thread_local const std::shared_ptr<Watched> own = [] {
    auto made = std::make_shared<Watched>();
    watchman().add(made);
    return made;
  }();
  return *own;
}

}  // namespace

void heed_time_limit() {
  const char* const given = std::getenv("WEFT_TIMEOUT");
  if (given || watching) watchman().heed(given ? given : "");
}

void mind_time_limit() noexcept {
  try {
    heed_time_limit();
  } catch (const std::exception&) {
  }
}

void Note::begin(const char* what, const char* of, int exchange, int tile, bool waits) {
  what_ = what, of_ = of, exchange_ = exchange, tile_ = tile, waits_ = waits, begun_ = true;
  this_thread().begin(*this);
}

void Note::end() { this_thread().end(*this); }

}  // namespace weft::mpi
