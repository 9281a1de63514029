#include "what_moves.hpp"

#include "group_sentences.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <span>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t most_rows_of_moves = 10;

std::optional<double> ratio(double part, double whole) {
    if (whole <= 0) return std::nullopt;
    return part / whole;
}

// In alltoall and allgather every rank gets as much as the rank itself, so the share says nothing.
bool keeps_much(const CallGroup& group, const WhatMoves& moves) {
    return moves.own_share && group.kind.ranks > 1 && *moves.own_share >= 0.25 &&
           *moves.own_share >= 2.0 / group.kind.ranks;
}

bool is_sparse(const CallGroup& group, const WhatMoves& moves) {
    constexpr int fewest_ranks = 8;
    return !is_among_neighbors(group.kind) && group.kind.ranks >= fewest_ranks && moves.empty_share &&
           *moves.empty_share >= 0.75 && moves.partners && *moves.partners > 0;
}

bool sends_large_blocks_directly(const CallKind& kind) {
    return kind.parameters.find("direct_from=") != std::string::npos;
}

// Blocks that differ are sent by algorithms of alltoallv; direct_from is a parameter of theirs. On one node they go
// through its memory, and nothing is forwarded.
bool is_skewed(const CallGroup& group, const WhatMoves& moves) {
    constexpr double much = 8;
    return moves.skew && *moves.skew >= much && group.kind.collective == "alltoallv" &&
           group.kind.nodes > 1 && group.largest_block > 1024 && !sends_large_blocks_directly(group.kind);
}

void advise(const CallGroup& group, std::vector<std::string>& sentences) {
    const auto moves = what_moves_in(group);
    const auto name = name_of(group.kind);
    if (keeps_much(group, moves))
        sentences.push_back(
            formatted("{}: {} of a rank's bytes go to the rank itself, which no network carries: a "
                      "program that leaves them in place copies and packs less",
                      name, known_share(moves.own_share)));
    if (is_sparse(group, moves))
        sentences.push_back(
            formatted("{}: {} of the blocks are empty, a rank sends to {} others: look at a "
                      "neighbourhood collective (MPI_Neighbor_alltoallv) or at messages of its own",
                      name, known_share(moves.empty_share), known_number(moves.partners)));
    if (is_skewed(group, moves))
        sentences.push_back(formatted("{}: the largest block has {} times the mean: try direct_from, with "
                                      "which large blocks take no detour and the others are forwarded",
                                      name, known_number(moves.skew)));
}

} // namespace

WhatMoves what_moves_in(const CallGroup& group) {
    const auto& moved = group.moved;
    WhatMoves moves;
    if (moved.looks > 0) {
        moves.own_share = ratio(moved.own_bytes, moved.own_bytes + moved.sent);
        moves.empty_share = ratio(moved.empty_blocks, moved.empty_blocks + moved.partners);
        moves.partners = moved.partners / moved.looks;
        moves.most_partners = moved.most_partners;
    }
    moves.skew = ratio(group.skew, static_cast<double>(group.skewed_calls));
    moves.in_flight = ratio(static_cast<double>(group.messages), static_cast<double>(group.rounds));
    return moves;
}

std::vector<WhatMovesRow> what_moves_rows(const Profile& profile) {
    std::vector<WhatMovesRow> rows;
    for (const auto& group : profile.groups) {
        const auto moves = what_moves_in(group);
        if (moves.own_share || moves.partners || moves.in_flight) rows.push_back({&group, moves});
        if (rows.size() == most_rows_of_moves) break;
    }
    return rows;
}

std::string known_share(const std::optional<double>& share) {
    return share ? share_text(*share, 1.0) : "-";
}

std::string known_number(const std::optional<double>& number) {
    if (!number) return "-";
    return *number < 100 ? formatted("{:.1f}", *number) : count_text(static_cast<std::uint64_t>(*number));
}

std::vector<std::string> moves_advice(const Profile& profile) {
    std::vector<std::string> sentences;
    for (const auto& group : profile.groups)
        if (is_worth_a_sentence(profile, profile.time_us(group))) advise(group, sentences);
    constexpr std::size_t most = 10;
    if (sentences.size() > most) sentences.resize(most);
    return sentences;
}

} // namespace switchyard::shim::report
