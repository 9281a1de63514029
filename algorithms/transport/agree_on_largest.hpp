// How the ranks agree before a call: each number becomes the largest over all ranks.
#pragma once

#include "algorithms/group.hpp"
#include "messages/wire.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace switchyard::algorithms {

class NodeWindow;

// The most numbers that one agreement takes.
inline constexpr std::size_t most_agreed_numbers = 16;

struct [[nodiscard]] AgreementEnd {
    Status status;
    bool by_mpi; // MPI's own collective, which has called the communicator's error handler
};

// Replaces each number by the largest over all ranks of the group, a whole communicator. Collective. All
// ranks give the same number of numbers, at most most_agreed_numbers. Numbers are below 2^63: MPICH 4.0.2
// compares larger numbers as signed.
//
// With memory that the ranks of each node share (`window`; null: there is none): finds the largest numbers of
// each node, then of all nodes in digits of base q + 1, where q is the number of ranks on the smallest node.
// In a round local rank i exchanges with the nodes i + 1 steps away, so the ranks of a node share the
// messages: up to q + 1 nodes take one round. After each round the ranks of a node tell each other. Without
// such memory: one MPI_Allreduce.
AgreementEnd agree_on_largest(std::span<std::uint64_t> numbers, const Group& group, Wire& wire,
                              NodeWindow* window);

// Whether the ranks of the group agree only through `window`: all of them are on one node.
bool agrees_in_window(std::size_t numbers, const Group& group, const NodeWindow* window);

} // namespace switchyard::algorithms
