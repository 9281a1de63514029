#include "check_algorithms.hpp"

#include "choices.hpp"
#include "one_exchange.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"

#include <algorithm>
#include <optional>

namespace switchyard::tests {

using namespace algorithms;

namespace {

// Blocks of 20 bytes whose receiver expects 33: they come, and the bytes behind them stay.
// `right`: the sides where the counts match.
void check_received_less(Test& test, const Sides& right, const Sides& sides,
                         const std::vector<std::byte>& received) {
    const auto at = [](const std::vector<std::byte>& bytes, std::size_t place) {
        return bytes.begin() + static_cast<std::ptrdiff_t>(place);
    };
    for (std::size_t source = 0; source < sides.recv.blocks.size(); ++source) {
        const auto [offset, size] = sides.recv.blocks[source];
        if (size != 33) continue;
        test.failures.check(std::equal(at(received, offset + 20), at(received, offset + 33),
                                       at(sides.untouched, offset + 20)),
                            "bytes behind a short block were changed");
        test.failures.check(std::equal(at(received, offset), at(received, offset + 20),
                                       at(right.expected, right.recv.blocks[source].offset)),
                            "a short block is wrong");
    }
}

} // namespace

void check_against_oracle(Test& test, Collective collective) {
    Wire wire(test.group);
    for (const Case& c : cases_of(test, collective)) {
        std::optional<Sides>
            made; // by a whole exchange of the MPI library, so only where something needs them
        for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
            if (is_large_simulation(test) && !is_worth_simulating(traits, parameters, c, test)) return;
            test.failures.set_place(described(traits, parameters) + ", " + c.name + ", " + test.map_name());
            if (!made) made = sides_of(test, collective, c);
            const Sides& sides = *made;
            Workspace workspace;
            run_one(test, traits, parameters, c, sides, workspace, wire);
            if (traits_of(collective).sends_one_block()) {
                run_in_place(test, traits, parameters, sides, workspace, wire);
            }
        });
    }
}

void check_workspace_reuse(Test& test, Collective collective) {
    Wire wire(test.group);
    const Case c = cases_of(test, collective).back();
    const Sides sides = sides_of(test, collective, c);
    Workspace workspace;
    std::size_t most = 0;
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        for (const NamedMap& named : test.maps)
            most = std::max(most, scratch_of(named.map, traits, sides.scratch_block, parameters));
    });
    test.failures.check(workspace.reserve(most), "no workspace");
    const std::size_t capacity = workspace.capacity();
    const auto garbage = workspace.take(most);
    std::ranges::fill(garbage, std::byte{0xee});
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        test.failures.set_place(described(traits, parameters) + ", " + c.name + ", kept workspace");
        run_one(test, traits, parameters, c, sides, workspace, wire);
        test.failures.check_equal(workspace.capacity(), capacity, "capacity");
    });
}

void check_small_limit(Test& test, Collective collective) {
    const Case c = traits_of(collective).has_count_arrays() ? ragged_cases(test.group.size, true).front()
                                                            : uniform_cases(true).front();
    const Sides sides = sides_of(test, collective, c);
    for (std::size_t limit : {std::size_t{128}, std::size_t{7}}) {
        if (test.reduced && limit < 128) {
            continue;
        }
        Wire wire(test.group, limit);
        for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
            // What travels padded would take thousands of messages.
            if (parameters[Parameter::direct_from] > 1000) return;
            test.failures.set_place(described(traits, parameters) + ", " + c.name + ", wire limit " +
                                    std::to_string(limit));
            Workspace workspace;
            run_one(test, traits, parameters, c, sides, workspace, wire);
        });
    }
}

void check_few_at_once(Test& test, Collective collective) {
    const Case c = traits_of(collective).has_count_arrays() ? ragged_cases(test.group.size, true).front()
                                                            : uniform_cases(true).front();
    const Sides sides = sides_of(test, collective, c);
    for (const int pairs : {2, 3}) {
        if (test.reduced && pairs > 2) continue;
        Wire wire(test.group);
        wire.limit_batch(pairs);
        for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
            test.failures.set_place(described(traits, parameters) + ", " + c.name + ", " + test.map_name() +
                                    ", " + std::to_string(pairs) + " at once");
            Workspace workspace;
            run_one(test, traits, parameters, c, sides, workspace, wire);
        });
    }
}

void check_no_workspace(Test& test, Collective collective) {
    const Case c = uniform_cases(true).front();
    std::optional<Sides> made;
    Wire wire(test.group);
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        if (traits.scratch_bytes == nullptr) return;
        if (!made) made = sides_of(test, collective, c);
        const Sides& sides = *made;
        if (scratch_of(*test.group.node_map, traits, sides.scratch_block, parameters) == 0) {
            return;
        }
        test.failures.set_place(described(traits, parameters) + ", no workspace");
        std::vector<std::byte> received = sides.untouched;
        Workspace nothing;
        const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                received.data(), sides.recv.blocks, sides.max_block};
        const auto schedule = algorithm_of(traits).prepared(test.group, parameters);
        Context context{parameters, nothing, wire, test.window(), schedule.get()};
        wire.reset();
        test.failures.check_equal(
            static_cast<std::uint64_t>(mpi_code_of(algorithm_of(traits).run(exchange, context))),
            MPI_ERR_NO_MEM, "status");
        test.failures.check_equal(wire.traffic().messages, 0, "messages");
    });
}

void check_wrong_counts(Test& test, Collective collective) {
    const Case c{"20 bytes", [](int, int) { return std::size_t{20}; }, Layout::gaps, true};
    const Sides right = sides_of(test, collective, c);
    Sides sides = right;
    std::vector<std::size_t> wrong;
    bool is_sent_more = false;
    for (int source = 0; source < test.group.size; ++source) {
        wrong.push_back(source == test.group.rank ? 20 : source % 2 == 0 ? 33 : 12);
        is_sent_more = is_sent_more || wrong.back() < 20;
    }
    sides.recv = place(wrong, Layout::gaps, 5);
    sides.untouched = filled(sides.recv.bytes, 5);
    Wire wire(test.group);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // MPICH calls this handler when a wait fails
    for_each_choice(test, collective, [&](const Traits& traits, const Parameters& parameters) {
        if (!traits.has(agreed_block) && !traits.has(shared_memory)) {
            return; // MPI receives directly into the blocks and checks them
        }
        test.failures.set_place(described(traits, parameters) + ", wrong counts");
        Workspace workspace;
        workspace.reserve(scratch_of(*test.group.node_map, traits, sides.scratch_block, parameters));
        std::vector<std::byte> received = sides.untouched;
        const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                received.data(), sides.recv.blocks, sides.max_block};
        const auto schedule = algorithm_of(traits).prepared(test.group, parameters);
        Context context{parameters, workspace, wire, test.window(), schedule.get()};
        const Status status = algorithm_of(traits).run(exchange, context);
        test.failures.check(wire.is_idle() && wire.second_channel().is_idle(),
                            "something is still under way");
        // These algorithms send no sizes, or only inside a node, unless some blocks go directly.
        const bool sends_sizes = !traits.name.starts_with("padded") && !traits.has(knows_nodes);
        const bool has_direct = sends_directly(parameters);
        if (is_sent_more && (sends_sizes || has_direct)) test.failures.check(!status.ok(), "no error");
        if (has_direct) check_received_less(test, right, sides, received);
        for (const Block& block : sides.recv.blocks) {
            std::copy_n(sides.untouched.begin() + static_cast<std::ptrdiff_t>(block.offset), block.size,
                        received.begin() + static_cast<std::ptrdiff_t>(block.offset));
        }
        test.failures.check(are_same(received, sides.untouched), "bytes beside the blocks were changed");
        PMPI_Barrier(test.oracle);
    });
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void check_two_phase_is_tuna(Test& test) {
    const Traits& two_phase = *find(Collective::alltoallv, "two_phase_bruck");
    const Traits& tuna = *find(Collective::alltoallv, "tuna");
    Parameters parameters;
    parameters[Parameter::radix] = 2;
    parameters[Parameter::metadata] = static_cast<std::int64_t>(Metadata::separate);
    parameters[Parameter::in_flight] = 1;
    Wire wire(test.group);
    Workspace workspace;
    for (const Case& c : cases_of(test, Collective::alltoallv)) {
        const Sides sides = sides_of(test, Collective::alltoallv, c);
        test.failures.set_place("two_phase_bruck and tuna, " + c.name);
        run_one(test, tuna, parameters, c, sides, workspace, wire);
        const Traffic expected = wire.traffic();
        run_one(test, two_phase, parameters, c, sides, workspace, wire);
        test.failures.check_equal(wire.traffic().messages, expected.messages, "messages");
        test.failures.check_equal(wire.traffic().bytes, expected.bytes, "bytes");
        test.failures.check_equal(wire.traffic().rounds, expected.rounds, "rounds");
    }
}

void check_regions(Test& test) {
    Wire wire(test.group);
    Workspace workspace;
    for (const Traits& traits : all_traits()) {
        if (!traits.takes(Parameter::levels) || !test.is_meant(traits)) continue;
        const Case c = traits_of(traits.collective).has_count_arrays()
                           ? ragged_cases(test.group.size, test.reduced).front()
                           : uniform_cases(test.reduced)[1];
        const Sides sides = sides_of(test, traits.collective, c);
        for (const Parameters& parameters : combinations(traits, test.group.size, test.reduced)) {
            if (does_as_messages(parameters, test)) continue;
            for (std::size_t map = 0; map < test.maps.size(); ++map) {
                for (std::size_t kind = 0; kind < region_kinds.size(); ++kind) {
                    test.take_map(map, kind);
                    test.failures.set_place(described(traits, parameters) + ", " + c.name + ", " +
                                            test.map_name());
                    run_one(test, traits, parameters, c, sides, workspace, wire);
                }
            }
        }
    }
}

void check_overlaps(Test& test) {
    for (const Traits& traits : all_traits()) {
        if (!traits.has(takes_overlap) || !test.is_meant(traits)) continue;
        const OverlapCases cases = is_large_simulation(test) ? OverlapCases::few_phases
                                   : test.reduced            ? OverlapCases::reduced
                                                             : OverlapCases::all;
        check_overlap(traits, test.group, test.oracle, cases, report_to(test.failures));
    }
}

} // namespace switchyard::tests
