// Words of the field that a policy does not have, but that people type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

// The word of `known` for which `word` is another name: max_block_bytes for block_size. "": there is none.
std::string_view synonym_in(std::string_view word, const std::vector<std::string_view>& known);

// `; `switchyard tune --program` measures ...` for `auto` and other words that leave the algorithm to us. ""
// if the word is none of these.
std::string how_to_find_fastest(std::string_view word);

// `switchyard routes MPI_Alltoallv, ... and MPI_Alltoallw; MPI_Gatherv is not routed` for `gatherv` and other
// collectives of MPI, however they are written. "" if the word is no such collective.
std::string why_not_routed(std::string_view word);

} // namespace switchyard::policy
