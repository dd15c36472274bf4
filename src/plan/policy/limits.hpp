// Every threshold of a plan that depends on what machines are like, in bytes unless its name says
// otherwise. Each is explained, with its range and the evidence for it, in docs/memory_policy.md.
#pragma once

#include <weft/box.hpp>

namespace weft::limits {

constexpr Index kib = Index{1} << 10, mib = Index{1} << 20;

// how work is cut
constexpr Index block = 128 * kib;            // between the passes of a block
constexpr Index batch = 256 * kib;            // of lines that are transformed at once
constexpr Index long_line = 32 * kib;         // from here on batches may be wider, up to
constexpr Index long_batch = 3 * mib;         // this, and to
constexpr Index long_batch_array_share = 32;  // one part in so many of the array, all threads together
constexpr Index batch_across = 512;           // of a batch at one point of its lines
constexpr Index part = 64 * kib;              // of a batch that is transformed and scattered in parts
constexpr Index part_across = 256;            // of a part at one point of its lines
constexpr Index pipeline = 256 * kib;         // that a stage hands to the next at once

// what is prefetched
constexpr Index prefetched_block = 512 * kib;  // the most that the second-level cache holds beside another block
constexpr Index shortest_row = 256;
constexpr Index longest_run = 2 * kib;  // of memory that is one page's, and at most half of one

// when memory is asked, or told, more than the caches need
constexpr Index from_memory = 8 * mib;       // what is read lies in no cache from here on
constexpr Index streaming = 8 * mib;         // results that are taken to be in no cache when they are read
constexpr Index may_stream = 16 * kib;       // from here on a stage before an exchange tries both stores
constexpr Index streamed_is_read = 1 * mib;  // where so much goes past the caches, what is read is in none either
// what callers get streams where it is more than this part of the last level
constexpr Index caller_cache_share = 8;
// and what a first stage leaves for others where it is more than this one
constexpr Index stage_cache_share = 16;

// rows that fall on the same few sets of a first-level cache
constexpr Index cache_sets = 4 * kib;  // that go once around all sets
constexpr Index cache_ways = 8;        // rows that a set holds

// where arrays lie
constexpr Index small_array = 1 * mib;         // input and output up to this are memory of their own (M1)
constexpr Index least_plane = 8 * kib;         // of such an array, that is whole in what is sent from
constexpr Index stays_in_output = 512 * kib;   // what stays on a rank waits in the output from here on
constexpr Index stays_overwritten = 16 * mib;  // and, where the input is overwritten, up to here
constexpr Index stays_cache_share = 10;        // or to this part of the last level

// which transforms share a stage
constexpr Index fused_plane = 1 * mib;   // two axes of a block
constexpr Index fused_cube = 256 * kib;  // three

// how lines lie
constexpr Index plane = 1 * mib;             // rows and columns that are transformed in one block
constexpr Index plane_in_place = 144 * kib;  // that are transformed where they are going
constexpr Index crossing_points = 256;       // the most of a line that stays a column between planes
constexpr Index row_across = 128;            // a batch of columns across rows

}  // namespace weft::limits
