// The collectives that are routed, and their differences: the lines of collectives.def as data. No MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace switchyard::algorithms {

// In the order of collectives.def. Records of the log contain the number.
enum class Collective : std::uint8_t {
#define SWITCHYARD_COLLECTIVE(name, ...) name,
#include "collectives.def"
};

struct CollectiveTraits {
    enum class Sent : std::uint8_t { one, each };
    enum class Given : std::uint8_t { number, array };
    enum class Known : std::uint8_t { everybody, own };

    Collective collective;
    std::string_view name;     // `alltoallv`
    std::string_view function; // `MPI_Alltoallv`
    Sent sent;
    Given counts, types;
    Known block;
    Collective algorithms;           // runs the algorithms of this collective
    bool is_among_neighbors = false; // of a topology; otherwise among all ranks

    // A rank sends the same block to everybody; otherwise it sends a block of its own to each rank.
    constexpr bool sends_one_block() const { return sent == Sent::one; }
    // Counts (and displacements) are arrays where a side has a block for each rank, so blocks differ in size.
    constexpr bool has_count_arrays() const { return counts == Given::array; }
    constexpr bool has_type_arrays() const { return types == Given::array; }
    // The same for the send side. The receive side has a block for each rank in every collective.
    constexpr bool sends_count_arrays() const { return has_count_arrays() && !sends_one_block(); }
    // MPI guarantees that all ranks know the size of the largest block; otherwise they have to agree on it.
    constexpr bool block_is_known() const { return block == Known::everybody; }
};

inline constexpr std::array all_collectives = {
#define SWITCHYARD_TRAITS(neighbors_, name_, function_, words_, sent_, counts_, types_, block_, algorithms_) \
    CollectiveTraits{.collective = Collective::name_,                                                        \
                     .name = #name_,                                                                         \
                     .function = "MPI_" #function_,                                                          \
                     .sent = CollectiveTraits::Sent::sent_,                                                  \
                     .counts = CollectiveTraits::Given::counts_,                                             \
                     .types = CollectiveTraits::Given::types_,                                               \
                     .block = CollectiveTraits::Known::block_,                                               \
                     .algorithms = Collective::algorithms_,                                                  \
                     .is_among_neighbors = neighbors_},
#define SWITCHYARD_COLLECTIVE(...) SWITCHYARD_TRAITS(false, __VA_ARGS__)
#define SWITCHYARD_NEIGHBORHOOD(...) SWITCHYARD_TRAITS(true, __VA_ARGS__)
#include "collectives.def"
#undef SWITCHYARD_TRAITS
};
inline constexpr std::size_t collective_count = all_collectives.size();

constexpr const CollectiveTraits& traits_of(Collective collective) {
    return all_collectives[static_cast<std::size_t>(collective)];
}

constexpr std::string_view name_of(Collective collective) {
    return traits_of(collective).name;
}

// The collective of that name. Nothing: there is none.
constexpr std::optional<Collective> collective_of(std::string_view name) {
    for (const auto& traits : all_collectives)
        if (traits.name == name) return traits.collective;
    return std::nullopt;
}

// The names, and those of MPI's functions, in the order of the enum.
constexpr auto all_of(std::string_view CollectiveTraits::*member) {
    std::array<std::string_view, collective_count> names{};
    for (std::size_t i = 0; i < collective_count; ++i) names[i] = all_collectives[i].*member;
    return names;
}
inline constexpr auto collective_names = all_of(&CollectiveTraits::name);
inline constexpr auto function_names = all_of(&CollectiveTraits::function);

// The collectives among all ranks, and their names: what a benchmark and a model can run on any communicator.
inline constexpr std::size_t dense_collective_count = 0
#define SWITCHYARD_COLLECTIVE(...) +1
#define SWITCHYARD_NEIGHBORHOOD(...)
#include "collectives.def"
    ;
inline constexpr auto dense_collectives = std::span(all_collectives).first<dense_collective_count>();
inline constexpr auto dense_collective_names = std::span(collective_names).first<dense_collective_count>();
static_assert(!dense_collectives.back().is_among_neighbors);

} // namespace switchyard::algorithms
