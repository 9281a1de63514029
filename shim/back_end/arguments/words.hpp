// A collective's arguments as machine words, as the entry has them, and as a CallArgs: one conversion for all
// collectives, generated from the lines of collectives.def at compile time.
#pragma once

#include "call.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace switchyard::shim {

// The order of the MPI standard: for each side a buffer, then a count, or an array of counts and an array of
// displacements, then a datatype or an array of datatypes; last the communicator.
constexpr bool has_arrays(const algorithms::CollectiveTraits& traits, bool sends) {
    return sends ? traits.sends_count_arrays() : traits.has_count_arrays();
}
constexpr std::size_t number_of_words(Collective collective) {
    const auto& traits = algorithms::traits_of(collective);
    const auto side = [&](bool sends) { return has_arrays(traits, sends) ? std::size_t{4} : std::size_t{3}; };
    return side(true) + side(false) + 1;
}
template <Collective collective>
using Words = std::array<Word, number_of_words(collective)>;

// Handles are addresses in one MPI and numbers in another; both fit a word.
template <typename Handle>
Handle handle_of(Word word) {
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(word);
    else
        return static_cast<Handle>(word);
}
template <typename Handle>
Word word_of(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Word>(handle);
    else
        return static_cast<Word>(handle);
}

template <bool large_count>
Numbers array_of(Word word) {
    if constexpr (large_count)
        return Numbers::of_wide(handle_of<const void*>(word));
    else
        return Numbers::of(handle_of<const int*>(word));
}

// Only the lower half of an int's word is significant.
template <bool large_count>
Numbers number_of(Word word) {
    if constexpr (large_count)
        return Numbers::one(static_cast<std::int64_t>(word));
    else
        return Numbers::one(static_cast<int>(word));
}

template <bool large_count, bool arrays, bool type_arrays>
CallArgs::Side side_of(const Word*& words) {
    const Word* first = words;
    words += arrays ? 4 : 3;
    if constexpr (type_arrays)
        return {handle_of<void*>(first[0]), array_of<large_count>(first[1]), array_of<large_count>(first[2]),
                MPI_DATATYPE_NULL, handle_of<const MPI_Datatype*>(first[3])};
    else if constexpr (arrays)
        return {handle_of<void*>(first[0]), array_of<large_count>(first[1]), array_of<large_count>(first[2]),
                handle_of<MPI_Datatype>(first[3])};
    else
        return {handle_of<void*>(first[0]), number_of<large_count>(first[1]), Numbers::none(),
                handle_of<MPI_Datatype>(first[2])};
}

template <Collective collective, bool large_count>
CallArgs call_of(const Words<collective>& words, Binding binding) {
    constexpr const auto& traits = algorithms::traits_of(collective);
    const Word* next = words.data();
    return {collective, // braces: from the first word to the last
            binding,
            large_count,
            side_of<large_count, has_arrays(traits, true), traits.has_type_arrays()>(next),
            side_of<large_count, has_arrays(traits, false), traits.has_type_arrays()>(next),
            handle_of<MPI_Comm>(*next)};
}

template <bool large_count>
Word word_of_array(const Numbers& numbers) {
    if constexpr (large_count)
        return word_of(numbers.wide());
    else
        return word_of(numbers.ints());
}

template <bool large_count, bool arrays, bool type_arrays>
void add_side(const CallArgs::Side& side, Word*& words) {
    *words++ = word_of(side.buffer);
    if constexpr (arrays) {
        *words++ = word_of_array<large_count>(side.counts);
        *words++ = word_of_array<large_count>(side.displacements);
    } else {
        *words++ = static_cast<Word>(side.counts.value());
    }
    if constexpr (type_arrays)
        *words++ = word_of(side.types);
    else
        *words++ = word_of(side.type);
}

template <Collective collective, bool large_count>
Words<collective> words_of(const CallArgs& call) {
    constexpr const auto& traits = algorithms::traits_of(collective);
    Words<collective> words{};
    Word* next = words.data();
    add_side<large_count, has_arrays(traits, true), traits.has_type_arrays()>(call.send, next);
    add_side<large_count, has_arrays(traits, false), traits.has_type_arrays()>(call.recv, next);
    *next = word_of(call.comm);
    return words;
}

} // namespace switchyard::shim
