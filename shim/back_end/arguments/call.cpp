#include "call.hpp"

#include "words.hpp"

#include <utility>

namespace switchyard::shim {

namespace {

#define SWITCHYARD_COLLECTIVE(name, function, words, ...)                                                    \
    static_assert(number_of_words(Collective::name) == (words), "collectives.def: the words of " #name);
#include "algorithms/collectives.def"

template <Collective collective, bool large_count, typename Function, std::size_t... i>
int forward(Function function, const CallArgs& call, std::index_sequence<i...>) {
    const auto words = words_of<collective, large_count>(call);
    return function(words[i]...);
}

template <Collective collective, typename Function>
int forward(Function function, Function large, const CallArgs& call) {
    constexpr std::make_index_sequence<number_of_words(collective)> positions;
    return call.large_count ? forward<collective, true>(large, call, positions)
                            : forward<collective, false>(function, call, positions);
}

} // namespace

int call_native(const LoadedMpi& loaded, const CallArgs& call) {
    const MpiFunctions& mpi = functions_for(loaded, call.binding);
    switch (call.collective) {
#define SWITCHYARD_COLLECTIVE(name, function, ...)                                                           \
    case Collective::name:                                                                                   \
        return forward<Collective::name>(mpi.function, mpi.function##_c, call);
#include "algorithms/collectives.def"
    }
    return MPI_ERR_OTHER;
}

} // namespace switchyard::shim
