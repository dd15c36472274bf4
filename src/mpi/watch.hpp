// The time limit: a rank that waits too long for others says where, and ends the job.
//
// WEFT_TIMEOUT=seconds in the environment sets it. Always true: without it nothing is noted, no
// thread is made and no clock is read.
#pragma once

#include <atomic>
#include <string>

namespace weft::mpi {

/// Whether there is a limit.
inline std::atomic<bool> watching{false};

/// Reads WEFT_TIMEOUT, which may have changed, and does what it says from here on. Throws Error
/// when that is not a number of seconds, or no thread can be made for it. Local; part of every
/// Communicator::agree.
void heed_time_limit();
/// The same where nobody can say yet what is wrong with it: the next `agree` does, on all ranks.
void mind_time_limit() noexcept;

/// What the calling thread is about while the object lives; what is noted inside belongs to it.
/// Notes of a thread end in reverse order.
class Note {
 public:
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;

 protected:
  Note(const char* what, const char* of, int exchange, int tile, bool waits) {
    if (watching.load(std::memory_order_relaxed)) begin(what, of, exchange, tile, waits);
  }
  ~Note() {
    if (begun_) end();
  }

 private:
  friend class Watched;
  void begin(const char* what, const char* of, int exchange, int tile, bool waits);
  void end();

  const char *what_ = nullptr, *of_ = nullptr;
  int exchange_ = -1, tile_ = -1;
  bool waits_ = false, begun_ = false;
  const Note* outer_ = nullptr;
};

/// A call of a user's: what is done, and to what (a plan, a file; may be empty). The texts must
/// live as long.
class Task : public Note {
 public:
  Task(const char* what, const std::string& of) : Note(what, of.c_str(), -1, -1, false) {}
};

/// A collective call of a user's that may be the first one to hear of the limit.
class Entry : public Task {
 public:
  Entry(const char* what, const std::string& of) : Task((mind_time_limit(), what), of) {}
};

/// The thread may be waiting for other ranks, in a call of MPI or a verb of an exchange. The text
/// must live as long.
class Wait : public Note {
 public:
  explicit Wait(const char* what, int exchange = -1, int tile = -1) : Note(what, "", exchange, tile, true) {}
};

/// Calls f, which may wait for other ranks.
template <class F>
auto awaited(const char* what, F&& f) {
  const Wait wait(what);
  return f();
}

}  // namespace weft::mpi
