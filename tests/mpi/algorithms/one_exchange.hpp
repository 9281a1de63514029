// One exchange by an algorithm, compared with the MPI library's Alltoallv.
#pragma once

#include "cases.hpp"
#include "test.hpp"

#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>
#include <vector>

namespace switchyard::tests {

using namespace algorithms;

// The two sides of an exchange on this rank, and what must be in the receive buffer afterwards.
struct Sides {
    Placement send, recv;
    std::vector<std::byte> sent, untouched, expected;
    std::size_t max_block = 0;
    std::size_t scratch_block = 0; // that workspaces depend on: Traits::scratch_bytes
};

Sides sides_of(const Test& test, Collective collective, const Case& of_pairs);

// Every byte of the receive buffer.
void compare(Test& test, const Sides& sides, const std::vector<std::byte>& received);

std::size_t scratch_of(const NodeMap& map, const Traits& traits, std::size_t block,
                       const Parameters& parameters);

// Contents of both buffers, scratch memory, and messages where there is a formula.
void run_one(Test& test, const Traits& traits, const Parameters& parameters, const Case& c,
             const Sides& sides, Workspace& workspace, Wire& wire);

// With the own block already in its place, for collectives that send one block.
void run_in_place(Test& test, const Traits& traits, const Parameters& parameters, const Sides& sides,
                  Workspace& workspace, Wire& wire);

} // namespace switchyard::tests
