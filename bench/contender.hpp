// A library with one set of options, planned for one case, with data of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "case.hpp"

/// This rank's part of an array: the batch's axis first, and how it lies in memory. Padding counts
/// as elements.
struct Part {
  std::shared_ptr<std::byte> memory;
  weft::View view;
  weft::Index elements = 0;
};

struct Contender {
  Part in, out;                             ///< may be the same memory
  std::function<void()> forward, backward;  ///< the whole batch, collectively, in to out and out to in
  std::vector<weft::GVector> vectors;       ///< plane waves: of `out`, whose axes are the batch and these
  /// Alike on all ranks: whether it still finds out what suits the machine; empty: no
  std::function<bool()> trying;
  weft::Index bytes_owned = 0;  ///< memory of the library's own beside `in` and `out`, where it tells
};

/// One way to plan.
struct Candidate {
  std::string options;
  std::function<Contender()> make;  ///< throws weft::Declined alike on all ranks when it cannot
};

/// One row of the table. The fastest of its candidates runs.
struct Entry {
  std::string name;
  std::string group;  ///< what it is compared with: see report.cpp
  bool peer = false;
  bool alone = false;  ///< on rank 0 only, while the other ranks sleep
  Case what;
  std::vector<Candidate> candidates;
};

/// How often a peer is planned: its plans differ from time to time.
inline constexpr int plans_of_a_peer = 3;

std::vector<Candidate> repeated(const Candidate& candidate, int times = plans_of_a_peer);

/// Memory for a caller's array: zeroed, aligned, in huge pages where it is large, as a careful
/// program would have it.
std::shared_ptr<std::byte> memory(std::size_t bytes);

/// A part of an array of `what` with dense arrays of the batch behind each other. `box` is without
/// the batch's axis; `order` and `padding` as in weft::dense_view; `apart` is the distance of
/// arrays, in elements (0: dense).
Part part(const Case& what, const weft::Box& box, const weft::Order& order, const weft::Shape& padding = {},
          weft::Index apart = 0);

/// The same for coefficients of plane waves.
Part coefficients(const Case& what, const std::vector<weft::GVector>& vectors);

/// All of weft's ways, and the list of peers.
std::vector<Entry> weft_entries(const World& world, const Case& what);
std::vector<Entry> peer_entries(const World& world, const Case& what);
