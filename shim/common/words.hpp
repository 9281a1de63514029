// Texts as people write them, in messages and help texts.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace switchyard::shim {

// `a`, `a or b`, `a, b or c`
std::string in_words(std::span<const std::string_view> words, std::string_view conjunction = "or");

// `alltoallv, alltoall or allgather`
std::string collectives_in_words(std::string_view conjunction = "or");
// `MPI_Alltoallv, MPI_Alltoall or MPI_Allgather`
std::string functions_in_words(std::string_view conjunction = "or");

} // namespace switchyard::shim
