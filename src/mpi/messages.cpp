#include "mpi/messages.hpp"

#include <algorithm>
#include <cstring>

// The persistent form of a collective, where there is one.
#if MPI_VERSION >= 4
#define WEFT_INIT(collective) MPI_##collective##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define WEFT_INIT(collective) MPIX_##collective##_init
#endif

namespace weft::mpi {
namespace {

Index largest(const Parts& parts) {
  Index most = 0;
  for (const auto* numbers : {&parts.counts, &parts.offsets})
    for (const Index number : *numbers) most = std::max(most, number);
  return most;
}

/// What the counts and offsets of a call are given in: bytes where elements are dense and the
/// largest of them fits, and else elements. A rank's own choice: both are bytes as MPI matches
/// types.
struct Unit {
  Unit(const Datatype& element, Index most, bool large_call) {
    if (element.dense() && (large_call || most <= count_limit / element.size()))
      each = element.size();
    else
      type = element.raw();
  }
  template <class Number>
  void into(std::vector<Number>& numbers, const std::vector<Index>& elements) const {
    numbers.clear();
    for (const Index number : elements) numbers.push_back(static_cast<Number>(number * each));
  }

  MPI_Datatype type = MPI_BYTE;
  Index each = 1;
};

}  // namespace

Amount::Amount(Index count, const Datatype& element) : bytes_(count * element.size()) {
  if (element.dense() && bytes_ <= count_limit) {
    count_ = static_cast<int>(bytes_);
    return;
  }
  const bool fits = count <= count_limit;
  if (!fits) all_ = element.repeated(count);
  type_ = fits ? element.raw() : all_.raw();
  count_ = fits ? static_cast<int>(count) : 1;
}

void send(const Communicator& comm, const void* data, const Amount& amount, int to, int tag) {
  check((synchronous_sends ? MPI_Ssend : MPI_Send)(data, amount.count(), amount.type(), to, tag, comm.raw()),
        "MPI_Send");
  comm.count(1, amount.bytes());
}

void receive(const Communicator& comm, void* data, const Amount& amount, int from, int tag) {
  check(MPI_Recv(data, amount.count(), amount.type(), from, tag, comm.raw(), MPI_STATUS_IGNORE), "MPI_Recv");
  comm.count(0, 0);
}

void isend(const Communicator& comm, const void* data, const Amount& amount, int to, int tag, Requests& requests) {
  check((synchronous_sends ? MPI_Issend : MPI_Isend)(data, amount.count(), amount.type(), to, tag, comm.raw(),
                                                     requests.add()),
        "MPI_Isend");
  comm.count(1, amount.bytes());
}

void ireceive(const Communicator& comm, void* data, const Amount& amount, int from, int tag, Requests& requests) {
  check(MPI_Irecv(data, amount.count(), amount.type(), from, tag, comm.raw(), requests.add()), "MPI_Irecv");
  comm.count(0, 0);
}

void prepare_send(const Communicator& comm, const void* data, const Amount& amount, int to, int tag,
                  Prepared& prepared) {
  check((synchronous_sends ? MPI_Ssend_init : MPI_Send_init)(data, amount.count(), amount.type(), to, tag, comm.raw(),
                                                             prepared.add(1, amount.bytes())),
        "MPI_Send_init");
}

void prepare_receive(const Communicator& comm, void* data, const Amount& amount, int from, int tag,
                     Prepared& prepared) {
  check(MPI_Recv_init(data, amount.count(), amount.type(), from, tag, comm.raw(), prepared.add(0, 0)), "MPI_Recv_init");
}

void sendrecv(const Communicator& comm, const void* data, const Amount& amount, int to, void* into,
              const Amount& arrives, int from, int tag) {
  check(MPI_Sendrecv(data, amount.count(), amount.type(), to, tag, into, arrives.count(), arrives.type(), from, tag,
                     comm.raw(), MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
  comm.count(1, amount.bytes());
}

void sendrecv_replace(const Communicator& comm, void* data, const Amount& amount, int peer, int tag) {
  for (Index at = 0; at < amount.bytes(); at += count_limit)
    check(MPI_Sendrecv_replace(static_cast<std::byte*>(data) + at,
                               static_cast<int>(std::min(amount.bytes() - at, count_limit)), MPI_BYTE, peer, tag, peer,
                               tag, comm.raw(), MPI_STATUS_IGNORE),
          "MPI_Sendrecv_replace");
  comm.count(1, amount.bytes());
}

Parts Parts::of(const std::vector<int>& ranks) const {
  Parts some;
  for (const int r : ranks) {
    some.counts.push_back(counts[static_cast<std::size_t>(r)]);
    some.offsets.push_back(offsets[static_cast<std::size_t>(r)]);
  }
  return some;
}

Alltoall Alltoall::even(const Communicator& comm, Index count, const Datatype& element) {
  Alltoall made;
  made.block_ = Amount(count, element);
  made.messages_ = count > 0 ? comm.size() - 1 : 0;
  made.bytes_ = made.messages_ * made.block_.bytes();
  return made;
}

std::vector<Alltoall> Alltoall::uneven(const Communicator& comm, const std::vector<Parts>& send,
                                       const std::vector<Parts>& receive, const Datatype& element) {
  Index most = 0;
  for (const auto* side : {&send, &receive})
    for (const Parts& parts : *side) most = std::max(most, largest(parts));
  const bool large = comm.max(most) > count_limit;  // the ranks have to make the same call

  std::vector<Alltoall> calls(send.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Alltoall& made = calls[i];
    made.call_ = !large ? Call::alltoallv : MPI_VERSION >= 4 ? Call::alltoallv_large : Call::alltoallw;
    const Unit unit(element, std::max(largest(send[i]), largest(receive[i])), large);
    made.element_ = unit.type;
    for (int r = 0; r < comm.size(); ++r)
      if (const Index count = send[i].counts[static_cast<std::size_t>(r)]; r != comm.rank() && count > 0) {
        ++made.messages_;
        made.bytes_ += count * element.size();
      }
    for (auto [side, parts] : {std::pair{&made.send_, &send[i]}, std::pair{&made.receive_, &receive[i]}}) {
      if (made.call_ == Call::alltoallv) {
        unit.into(side->counts, parts->counts);
        unit.into(side->offsets, parts->offsets);
      } else if (made.call_ == Call::alltoallv_large) {
        unit.into(side->large_counts, parts->counts);
        unit.into(side->large_offsets, parts->offsets);
      } else {
        std::vector<Datatype> types;
        for (std::size_t r = 0; r < parts->counts.size(); ++r)
          types.push_back(
              Datatype::of(View{Box::whole({parts->counts[r]}), -1, parts->offsets[r], {1}}, element.size()));
        *side = typed_side(std::move(types));
      }
    }
  }
  return calls;
}

Alltoall Alltoall::uneven(const Communicator& comm, const Parts& send, const Parts& receive, const Datatype& element) {
  return std::move(uneven(comm, std::vector{send}, std::vector{receive}, element).front());
}

Alltoall Alltoall::typed(const Communicator& comm, std::vector<Datatype> send, std::vector<Datatype> receive) {
  Alltoall made;
  made.call_ = Call::alltoallw;
  for (int r = 0; r < comm.size(); ++r)
    if (const Index bytes = send[static_cast<std::size_t>(r)].size(); r != comm.rank() && bytes > 0) {
      ++made.messages_;
      made.bytes_ += bytes;
    }
  made.send_ = typed_side(std::move(send));
  made.receive_ = typed_side(std::move(receive));
  return made;
}

Alltoall::Side Alltoall::typed_side(std::vector<Datatype> types) {
  Side side;
  side.offsets.assign(types.size(), 0);
  for (const Datatype& type : types) {
    side.counts.push_back(type.size() > 0);
    side.raw_types.push_back(type.raw());
  }
  side.types = std::move(types);
  return side;
}

void Alltoall::operator()(const Communicator& comm, const void* send, void* receive) const {
  const Wait wait("MPI_Alltoall");
  switch (call_) {
    case Call::alltoall:
      check(MPI_Alltoall(send, block_.count(), block_.type(), receive, block_.count(), block_.type(), comm.raw()),
            "MPI_Alltoall");
      break;
    case Call::alltoallv:
      check(MPI_Alltoallv(send, send_.counts.data(), send_.offsets.data(), element_, receive, receive_.counts.data(),
                          receive_.offsets.data(), element_, comm.raw()),
            "MPI_Alltoallv");
      break;
    case Call::alltoallv_large:
#if MPI_VERSION >= 4
      check(MPI_Alltoallv_c(send, send_.large_counts.data(), send_.large_offsets.data(), element_, receive,
                            receive_.large_counts.data(), receive_.large_offsets.data(), element_, comm.raw()),
            "MPI_Alltoallv_c");
#endif
      break;
    case Call::alltoallw:
      check(MPI_Alltoallw(send, send_.counts.data(), send_.offsets.data(), send_.raw_types.data(), receive,
                          receive_.counts.data(), receive_.offsets.data(), receive_.raw_types.data(), comm.raw()),
            "MPI_Alltoallw");
      break;
  }
  comm.count(messages_, bytes_);
}

void Alltoall::start(const Communicator& comm, const void* send, void* receive, Requests& requests) const {
  switch (call_) {
    case Call::alltoall:
      check(MPI_Ialltoall(send, block_.count(), block_.type(), receive, block_.count(), block_.type(), comm.raw(),
                          requests.add()),
            "MPI_Ialltoall");
      break;
    case Call::alltoallv:
      check(MPI_Ialltoallv(send, send_.counts.data(), send_.offsets.data(), element_, receive, receive_.counts.data(),
                           receive_.offsets.data(), element_, comm.raw(), requests.add()),
            "MPI_Ialltoallv");
      break;
    case Call::alltoallv_large:
#if MPI_VERSION >= 4
      check(MPI_Ialltoallv_c(send, send_.large_counts.data(), send_.large_offsets.data(), element_, receive,
                             receive_.large_counts.data(), receive_.large_offsets.data(), element_, comm.raw(),
                             requests.add()),
            "MPI_Ialltoallv_c");
#endif
      break;
    case Call::alltoallw:
      check(MPI_Ialltoallw(send, send_.counts.data(), send_.offsets.data(), send_.raw_types.data(), receive,
                           receive_.counts.data(), receive_.offsets.data(), receive_.raw_types.data(), comm.raw(),
                           requests.add()),
            "MPI_Ialltoallw");
      break;
  }
  comm.count(messages_, bytes_);
}

void Alltoall::prepare(const Communicator& comm, const void* send, void* receive, Prepared& prepared) const {
#if defined(WEFT_INIT)
  MPI_Request* const request = prepared.add(messages_, bytes_);
  comm.hear();
  switch (call_) {
    case Call::alltoall:
      check(WEFT_INIT(Alltoall)(send, block_.count(), block_.type(), receive, block_.count(), block_.type(), comm.raw(),
                                MPI_INFO_NULL, request),
            "MPI_Alltoall_init");
      break;
    case Call::alltoallv:
      check(WEFT_INIT(Alltoallv)(send, send_.counts.data(), send_.offsets.data(), element_, receive,
                                 receive_.counts.data(), receive_.offsets.data(), element_, comm.raw(), MPI_INFO_NULL,
                                 request),
            "MPI_Alltoallv_init");
      break;
    case Call::alltoallv_large:
#if MPI_VERSION >= 4
      check(MPI_Alltoallv_init_c(send, send_.large_counts.data(), send_.large_offsets.data(), element_, receive,
                                 receive_.large_counts.data(), receive_.large_offsets.data(), element_, comm.raw(),
                                 MPI_INFO_NULL, request),
            "MPI_Alltoallv_init_c");
#endif
      break;
    case Call::alltoallw:
      check(WEFT_INIT(Alltoallw)(send, send_.counts.data(), send_.offsets.data(), send_.raw_types.data(), receive,
                                 receive_.counts.data(), receive_.offsets.data(), receive_.raw_types.data(), comm.raw(),
                                 MPI_INFO_NULL, request),
            "MPI_Alltoallw_init");
      break;
  }
#else
  static_cast<void>(comm), static_cast<void>(send), static_cast<void>(receive), static_cast<void>(prepared);
  throw Error("this MPI has no persistent collectives, which come with MPI-4; take another strategy");
#endif
}

Rooted::Rooted(const Communicator& comm, Index own, const Parts& all, const Datatype& element) : own_(own, element) {
  const bool root = comm.rank() == 0;
  const Index most = root ? std::max(largest(all), own) : own;
  if (comm.max(most) > count_limit) call_ = MPI_VERSION >= 4 ? Call::large : Call::apart;
  const Unit unit(element, most, call_ != Call::plain);
  element_ = unit.type;
  own_count_ = own * unit.each;
  if (!root) return;
  for (std::size_t r = 0; r < all.counts.size(); ++r) {
    const Index count = all.counts[r];
    if (r > 0 && count > 0) ++messages_, bytes_ += count * element.size();
    if (call_ == Call::apart) {
      amounts_.emplace_back(count, element);
      places_.push_back(all.offsets[r] * element.size());
    }
  }
  if (call_ == Call::plain) {
    unit.into(counts_, all.counts);
    unit.into(offsets_, all.offsets);
  } else if (call_ == Call::large) {
    unit.into(large_counts_, all.counts);
    unit.into(large_offsets_, all.offsets);
  }
}

void Rooted::gather(const Communicator& comm, const void* own, void* all) const {
  const bool root = comm.rank() == 0;
  switch (call_) {
    case Call::plain:
      check(MPI_Gatherv(own, own_.count(), own_.type(), all, counts_.data(), offsets_.data(), element_, 0, comm.raw()),
            "MPI_Gatherv");
      break;
    case Call::large:
#if MPI_VERSION >= 4
      check(MPI_Gatherv_c(own, own_count_, element_, all, large_counts_.data(), large_offsets_.data(), element_, 0,
                          comm.raw()),
            "MPI_Gatherv_c");
#endif
      break;
    case Call::apart:
      if (!root) check(MPI_Send(own, own_.count(), own_.type(), 0, 0, comm.raw()), "MPI_Send");
      for (std::size_t r = 0; r < amounts_.size(); ++r) {
        std::byte* const place = static_cast<std::byte*>(all) + places_[r];
        if (r == 0)
          std::memcpy(place, own, static_cast<std::size_t>(own_.bytes()));
        else
          check(MPI_Recv(place, amounts_[r].count(), amounts_[r].type(), static_cast<int>(r), 0, comm.raw(),
                         MPI_STATUS_IGNORE),
                "MPI_Recv");
      }
      break;
  }
  const bool sends = !root && own_count_ > 0;
  comm.count(sends, sends ? own_.bytes() : 0);
}

void Rooted::scatter(const Communicator& comm, const void* all, void* own) const {
  switch (call_) {
    case Call::plain:
      check(MPI_Scatterv(all, counts_.data(), offsets_.data(), element_, own, own_.count(), own_.type(), 0, comm.raw()),
            "MPI_Scatterv");
      break;
    case Call::large:
#if MPI_VERSION >= 4
      check(MPI_Scatterv_c(all, large_counts_.data(), large_offsets_.data(), element_, own, own_count_, element_, 0,
                           comm.raw()),
            "MPI_Scatterv_c");
#endif
      break;
    case Call::apart:
      if (comm.rank() > 0)
        check(MPI_Recv(own, own_.count(), own_.type(), 0, 0, comm.raw(), MPI_STATUS_IGNORE), "MPI_Recv");
      for (std::size_t r = 0; r < amounts_.size(); ++r) {
        const std::byte* const place = static_cast<const std::byte*>(all) + places_[r];
        if (r == 0)
          std::memcpy(own, place, static_cast<std::size_t>(own_.bytes()));
        else
          check(MPI_Send(place, amounts_[r].count(), amounts_[r].type(), static_cast<int>(r), 0, comm.raw()),
                "MPI_Send");
      }
      break;
  }
  comm.count(messages_, bytes_);
}

NeighborAlltoall::Side::Side(const Parts& parts, const Datatype& element, bool large) {
  // some MPIs refuse null pointers also where there are no neighbours
  counts.reserve(1), offsets.reserve(1), large_counts.reserve(1), large_offsets.reserve(1), types.reserve(1);
  const Unit unit(element, largest(parts), large);
  type = unit.type;
  if (!large) {
    unit.into(counts, parts.counts);
    unit.into(offsets, parts.offsets);
  } else if (MPI_VERSION >= 4) {
    unit.into(large_counts, parts.counts);
    unit.into(large_offsets, parts.offsets);
  } else {
    for (std::size_t i = 0; i < parts.counts.size(); ++i) {
      const Amount& amount = amounts.emplace_back(parts.counts[i], element);
      counts.push_back(amount.count());
      large_offsets.push_back(parts.offsets[i] * element.size());
      types.push_back(amount.type());
    }
  }
}

NeighborAlltoall::NeighborAlltoall(const Communicator& graph, const Parts& send, const Parts& receive,
                                   const Datatype& element)
    : large_(graph.max(std::max(largest(send), largest(receive))) > count_limit),
      send_(send, element, large_),
      receive_(receive, element, large_) {
  for (const Index count : send.counts) {
    messages_ += count > 0;
    bytes_ += count * element.size();
  }
}

void NeighborAlltoall::start(const Communicator& graph, const void* send, void* receive, Requests& requests) const {
  if (!large_) {
    check(MPI_Ineighbor_alltoallv(send, send_.counts.data(), send_.offsets.data(), send_.type, receive,
                                  receive_.counts.data(), receive_.offsets.data(), receive_.type, graph.raw(),
                                  requests.add()),
          "MPI_Ineighbor_alltoallv");
  } else {
#if MPI_VERSION >= 4
    check(MPI_Ineighbor_alltoallv_c(send, send_.large_counts.data(), send_.large_offsets.data(), send_.type, receive,
                                    receive_.large_counts.data(), receive_.large_offsets.data(), receive_.type,
                                    graph.raw(), requests.add()),
          "MPI_Ineighbor_alltoallv_c");
#else
    check(MPI_Ineighbor_alltoallw(send, send_.counts.data(), send_.large_offsets.data(), send_.types.data(), receive,
                                  receive_.counts.data(), receive_.large_offsets.data(), receive_.types.data(),
                                  graph.raw(), requests.add()),
          "MPI_Ineighbor_alltoallw");
#endif
  }
  graph.count(messages_, bytes_);
}

}  // namespace weft::mpi
