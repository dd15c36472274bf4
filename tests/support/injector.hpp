// Makes the n-th request to the system fail once: memory, mappings, anonymous files, threads, calls
// of MPI. Linked into a test program, before the libraries that would answer.
#pragma once

#include <string>

namespace inject {

/// What is refused. `local`: calls of MPI by which planning prepares something on this rank alone,
/// which return an error and do nothing. `collective`: those by which ranks communicate; the others
/// wait in them for this rank.
enum class Kind { allocation, other_thread, mapping, file, thread, local, collective };
/// Kinds of what fails on one rank and is heard of by all.
inline constexpr Kind heard[] = {Kind::allocation, Kind::other_thread, Kind::mapping,
                                 Kind::file,       Kind::thread,       Kind::local};
const char* name(Kind kind);

/// From here on the calling thread's requests of this kind are counted from 0, and number `nth`
/// fails. `other_thread`: allocations of all threads but the calling one.
void arm(Kind kind, long nth);
/// How many requests there were; nothing fails any more.
long disarm();

/// Where the request was made that failed, as addresses for addr2line.
std::string place();

}  // namespace inject
