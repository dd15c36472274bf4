#include "mpi/together.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "mpi/communicator.hpp"

namespace weft::mpi {
namespace {

constexpr int said_bytes = 2048;  // of what a rank that fails says of it, without allocating

thread_local Together* current = nullptr;
thread_local std::uint64_t made = 0;  // handles
thread_local Joint* left = nullptr;   // to be freed, by number

}  // namespace

Joint::Joint() : number_(++made) {}

Joint::~Joint() {
  if (!running()) return;
  if (window != MPI_WIN_NULL) {
    const Wait wait("MPI_Win_free");
    if (locked) MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    --live.windows;
  }
  if (file != MPI_FILE_NULL) {
    const Wait wait("MPI_File_close");
    MPI_File_close(&file);
  }
}

void FreeJointly::operator()(Joint* joint) const noexcept {
  if (current)
    current->leave(joint);
  else
    delete joint;
}

Together* Together::innermost() { return current; }

// All ranks of the outer one come here, each to one inner one: from here on they hear of those of
// the inner one.
Together::Together(const Communicator& comm)
    : comm_(comm), outer_(current), named_(outer_ ? outer_->named_ : comm.rank()), first_(outer_ ? made + 1 : 0) {
  if (outer_) outer_->hear();
  current = this;
}

Together::~Together() { current = outer_; }

Together::Numbers Together::most(const Communicator& comm, const Numbers& numbers) {
  if (comm.raw() != comm_.raw() && comm.size() == 1) return numbers;
  if (comm.size() != comm_.size())
    throw std::logic_error(
        "some of the ranks that plan communicate by themselves, outside of a `together` of their own");
  return word(numbers);
}

Together::Numbers Together::word(const Numbers& numbers) {
  if (parted_) throw Heard();
  Numbers all{};
  try {
    all = reduce(false, numbers);
  } catch (const Error& refused) {  // by MPI, on this rank alone: nobody in between may go on without the others
    refused_ = refused.what();
    throw Heard();
  }
  if (parted_) throw Heard();
  free_left();
  return all;
}

Together::Numbers Together::reduce(bool failed, const Numbers& numbers) {
  std::array<Index, 5> all{failed, numbers[0], numbers[1], numbers[2], numbers[3]};
  if (comm_.size() > 1) {
    const Wait wait("MPI_Allreduce");
    check(MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_MAX, comm_.raw()),
          "MPI_Allreduce");
  }
  parted_ = parted_ || all[0] != 0;
  return {all[1], all[2], all[3], all[4]};
}

void Together::end() { word({}); }

void Together::fail() {
  const char* text = nullptr;
  bool error = false, declined = false;
  try {
    throw;
  } catch (const Heard&) {
    if (!refused_.empty()) text = refused_.c_str();
  } catch (const std::exception& caught) {
    text = reason(caught);
    error = dynamic_cast<const Error*>(&caught) != nullptr;
    declined = dynamic_cast<const Declined*>(&caught) != nullptr;
  } catch (...) {
    text = "something was thrown that is no std::exception";
  }
  if (!parted_) reduce(true, {});

  // here all ranks meet
  const std::string_view own = text ? text : "";
  const auto number = static_cast<Index>(hash(own));
  const Numbers most = reduce(true, {text ? comm_.size() - comm_.rank() : 0, number, ~number, text == nullptr});
  const bool alike = most[3] == 0 && most[1] == ~most[2];
  const int first = comm_.size() - static_cast<int>(most[0]);
  const bool any_declined = !alike && reduce(true, {declined})[0] != 0;
  char said[said_bytes] = {};
  if (!alike && most[0] > 0) {
    if (comm_.rank() == first && names_rank(own))
      std::snprintf(said, sizeof said, "%s", text);
    else if (comm_.rank() == first)
      std::snprintf(said, sizeof said, "rank %d: %s", named_, text);
    const Wait wait("MPI_Bcast");
    check(MPI_Bcast(said, said_bytes, MPI_CHAR, first, comm_.raw()), "MPI_Bcast");
  }
  free_left();
  if (any_declined) throw Declined(said);
  if (!alike) throw Error(said);
  if (error) throw;
  throw Error(text);
}

void Together::leave(Joint* joint) noexcept {
  Joint** place = &left;
  while (*place && (*place)->number_ < joint->number_) place = &(*place)->next_;
  joint->next_ = *place;
  *place = joint;
}

// In the order in which they were made, which is the same on all ranks that share any.
void Together::free_left() noexcept {
  Joint** place = &left;
  while (*place && (*place)->number_ < first_) place = &(*place)->next_;
  while (Joint* const joint = *place) {
    *place = joint->next_;
    delete joint;
  }
}

}  // namespace weft::mpi
