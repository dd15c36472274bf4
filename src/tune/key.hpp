// Keys of wisdom: what a choice, or what is known of a machine, holds for.
#pragma once

#include <string>
#include <vector>

#include <weft/plan.hpp>

#include "mpi/communicator.hpp"
#include "tune/json.hpp"

namespace weft {

/// 16 hexadecimal digits.
std::string hash_of(const std::string& text);
/// Of an entry without the hash that it has.
std::string hash_without_hash(const Json& entry);

/// Where ranks are: their number, those of each node, the MPI, and this process's processor, for
/// which rank 0 speaks. Local; `node_of` as `Communicator::nodes` gives it.
Json::Members place_of(const std::vector<int>& node_of);
bool same_place(const Json& a, const Json& b);

/// All that a choice depends on but for the place.
std::string problem_key(const AnyProblem& problem, Options options);
/// Lists of G-vectors are each rank's own: a word for each. Collective.
std::string lists_key(const mpi::Communicator& comm, const AnyProblem& problem);
Json key_of(const std::string& problem, Json::Members place);

}  // namespace weft
