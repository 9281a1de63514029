#include "check_wire.hpp"

#include "cases.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "algorithms/workspace.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::tests {

using namespace algorithms;

void check_wire(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    failures.set_place("wire");
    constexpr std::size_t bytes = 1000;
    const auto up = static_cast<std::uint64_t>(group.up(1 % group.size));
    for (auto [limit, messages] :
         {std::pair{std::size_t{64}, 16U}, {std::size_t{1000}, 1U}, {std::size_t{999}, 2U}}) {
        Wire wire(group, limit);
        const auto out = filled(bytes, static_cast<std::uint64_t>(group.rank));
        auto in = filled(bytes, 99);
        failures.check(wire.exchange(group.down(1 % group.size), out.data(), bytes, static_cast<int>(up),
                                     in.data(), bytes)
                           .ok(),
                       "exchange");
        failures.check(in == filled(bytes, up), "contents");
        failures.check_equal(wire.traffic().messages, messages, "messages");
        failures.check_equal(wire.traffic().bytes, bytes, "bytes");
        failures.check_equal(wire.traffic().rounds, 1, "rounds");
        failures.check(wire.exchange(0, nullptr, 0, 0, nullptr, 0).ok(), "empty exchange");
        failures.check_equal(wire.traffic().messages, messages, "messages after an empty exchange");
        failures.check_equal(wire.traffic().rounds, 1, "rounds after an empty exchange");
        wire.reset();
        failures.check_equal(wire.traffic().bytes, 0, "bytes after reset");
    }
}

void check_wire_parts(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    constexpr std::size_t bytes = 300;
    const int up = group.up(1 % group.size), down = group.down(1 % group.size);
    for (std::size_t limit : {Wire::largest_message, std::size_t{300}, std::size_t{64}, std::size_t{1}}) {
        if (limit == 1 && is_large_simulation(test)) continue; // 300 messages for each transfer
        failures.set_place("wire, parts, limit " + std::to_string(limit));
        Wire wire(group, limit);
        auto out = filled(bytes, static_cast<std::uint64_t>(group.rank));
        const auto from_up = filled(bytes, static_cast<std::uint64_t>(up));
        const Part backwards[] = {
            {out.data() + 100, 200}, {out.data(), 0}, {out.data() + 3, 97}, {out.data(), 3}};
        std::vector<std::byte> expected(from_up.begin() + 100, from_up.end());
        expected.insert(expected.end(), from_up.begin() + 3, from_up.begin() + 100);
        expected.insert(expected.end(), from_up.begin(), from_up.begin() + 3);

        std::vector<std::byte> in(bytes);
        wire.receive(up, in.data(), bytes);
        wire.send_parts(down, backwards);
        failures.check(wire.wait_all().ok() && in == expected, "parts into contiguous bytes");
        failures.check_equal(wire.traffic().messages, (bytes + limit - 1) / limit, "messages");
        failures.check_equal(wire.traffic().bytes, bytes, "bytes");

        std::vector<std::byte> scattered(bytes + 10, std::byte{7});
        const Part apart[] = {{scattered.data() + 200, 110}, {scattered.data() + 5, 190}};
        wire.receive_parts(up, apart);
        wire.send(down, out.data(), bytes);
        failures.check(wire.wait_all().ok(), "contiguous bytes into parts");
        failures.check(std::equal(from_up.begin(), from_up.begin() + 110, scattered.begin() + 200) &&
                           std::equal(from_up.begin() + 110, from_up.end(), scattered.begin() + 5),
                       "contents");
        failures.check(scattered[4] == std::byte{7} && scattered[195] == std::byte{7}, "between the parts");
        wire.receive_parts(up, {});
        wire.send_parts(down, {});
        failures.check(wire.is_idle() && wire.wait_all().ok(), "no parts");
    }
}

void check_wire_any(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    const int partners = std::min(group.size, 16); // the simulator's time grows with their cube
    for (const bool tests : {false, true}) {
        for (std::size_t limit : {std::size_t{100}, std::size_t{30}}) {
            failures.set_place(std::string(tests ? "test_any" : "wait_any") + ", limit " +
                               std::to_string(limit));
            Wire wire(group, limit);
            failures.check(!wire.wait_any() && !wire.test_any(), "nothing under way");
            std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(group.size));
            const auto out = filled(100, static_cast<std::uint64_t>(group.rank));
            for (int distance = 0; distance < partners; ++distance) {
                auto& place = in[static_cast<std::size_t>(distance)];
                place.resize(100);
                wire.receive(group.down(distance), place.data(), place.size());
                wire.send(group.up(distance), out.data(), out.size());
            }
            std::vector<int> landed(2 * static_cast<std::size_t>(group.size), 0);
            while (!wire.is_idle()) {
                const auto one = tests ? wire.test_any() : wire.wait_any();
                if (one) ++landed[2 * static_cast<std::size_t>(one->peer) + (one->sent ? 1 : 0)];
            }
            failures.check(std::ranges::count(landed, 1) == 2 * partners, "each transfer once");
            failures.check(wire.wait_all().ok(), "no error");
            failures.check_equal(wire.traffic().rounds, 2 * static_cast<std::uint64_t>(partners), "rounds");
            for (int distance = 0; distance < partners; ++distance) {
                failures.check(in[static_cast<std::size_t>(distance)] ==
                                   filled(100, static_cast<std::uint64_t>(group.down(distance))),
                               "contents");
            }
        }
    }
}

void check_second_channel(Test& test) {
    Failures& failures = test.failures;
    const Group& group = test.group;
    failures.set_place("second channel");
    Wire wire(group, 100);
    Wire& second = wire.take_second_channel();
    const int up = group.up(1 % group.size), down = group.down(1 % group.size);
    const auto out = filled(250, static_cast<std::uint64_t>(group.rank)), short_out = filled(60, 7);
    auto in = filled(250, 99), short_in = filled(60, 99);
    second.receive(up, in.data(), in.size());
    second.send(down, out.data(), out.size());
    failures.check(wire.exchange(down, short_out.data(), 60, up, short_in.data(), 60).ok(), "exchange");
    failures.check(short_in == filled(60, 7), "contents");
    second.wait_for_sends();
    failures.check_equal(second.under_way(), 3, "receives under way");
    failures.check(second.wait_all().ok() && in == filled(250, static_cast<std::uint64_t>(up)),
                   "contents of the second channel");
    failures.check_equal(wire.traffic().messages, 4, "messages");
    failures.check_equal(wire.traffic().bytes, 310, "bytes");
    failures.check_equal(wire.traffic().rounds, 3, "rounds");
    failures.check_equal(wire.traffic().most_under_way, 8, "most under way");

    failures.set_place("wire, cancel");
    auto untouched = filled(250, 5);
    second.receive(up, untouched.data(), untouched.size());
    second.cancel_receive(up);
    failures.check(second.wait_all().ok(), "no error");
    failures.check(untouched == filled(250, 5), "nothing arrived");
    wire.take_second_channel();
    second.receive(up, in.data(), 100);
    second.send(down, short_out.data(), 60);
    failures.check(second.wait_all().ok() && std::equal(short_out.begin(), short_out.end(), in.begin()),
                   "the next message");
    PMPI_Barrier(test.oracle);
}

void check_wire_alltoall(Test& test) {
    Failures& failures = test.failures;
    const auto ranks = static_cast<std::size_t>(test.group.size);
    const auto rank = static_cast<std::size_t>(test.group.rank);
    failures.set_place("wire, alltoall");
    constexpr std::size_t block = 13;
    Wire wire(test.group, 5); // the limit does not count for MPI's own collective
    auto out = filled(block * ranks, rank);
    std::vector<std::byte> in(block * ranks);
    failures.check(wire.alltoall(out.data(), in.data(), block).ok(), "status");
    for (std::size_t source = 0; source < ranks; ++source) {
        const auto theirs = filled(block * ranks, source);
        failures.check(std::equal(theirs.begin() + static_cast<std::ptrdiff_t>(rank * block),
                                  theirs.begin() + static_cast<std::ptrdiff_t>((rank + 1) * block),
                                  in.begin() + static_cast<std::ptrdiff_t>(source * block)),
                       "contents");
    }
    failures.check_equal(wire.traffic().messages, ranks - 1, "messages");
    failures.check_equal(wire.traffic().bytes, (ranks - 1) * block, "bytes");
    failures.check_equal(wire.traffic().rounds, ranks > 1 ? 1 : 0, "rounds");
    failures.check(wire.alltoall(nullptr, nullptr, 0).ok(), "nothing to exchange");
    failures.check_equal(wire.traffic().rounds, ranks > 1 ? 1 : 0, "rounds after that");
}

void check_wire_errors(Test& test) {
    Failures& failures = test.failures;
    Group group = test.group;
    group.node_map = nullptr; // neither a node map nor a carrier has a place for a rank that does not exist
    group.carrier = {};
    failures.set_place("wire, truncated");
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // MPICH calls this handler when a wait fails
    Wire wire(group);
    std::byte out[16] = {}, in[16] = {};
    const int down = group.down(1 % group.size);
    const int up = group.up(1 % group.size);
    const Status truncated = wire.exchange(down, out, 16, up, in, 8);
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(mpi_code_of(truncated), &error_class);
    if (group.size > 1) { // Open MPI does not check a message of a rank to itself
        failures.check_equal(static_cast<std::uint64_t>(error_class), MPI_ERR_TRUNCATE, "error class");
    }
    failures.check(wire.exchange(down, out, 16, up, in, 16).ok(), "the next exchange");
    failures.set_place("wire, no such rank");
    wire.receive(up, in, 16);
    wire.send(group.size + 5, out, 16);
    wire.send(down, out, 16);
    failures.check(!wire.wait_all().ok(), "must be reported");
    failures.check(wire.wait_all().ok(), "reported once");
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void check_workspace(Failures& failures) {
    failures.set_place("workspace");
    Workspace workspace;
    failures.check(workspace.reserve(0) && workspace.take(1).data() == nullptr, "an empty one gives nothing");
    failures.check(workspace.reserve(100), "reserve");
    failures.check_equal(workspace.capacity(), Workspace::rounded(100), "capacity");
    const auto first = workspace.take(10);
    const auto second = workspace.take_array<std::uint64_t>(5);
    failures.check(first.size() == 10 && second.size() == 5, "sizes");
    failures.check_equal(reinterpret_cast<std::uintptr_t>(second.data()) % Workspace::alignment, 0,
                         "alignment");
    failures.check_equal(workspace.taken(), 2 * Workspace::alignment, "taken");
    failures.check(!workspace.has(1) && workspace.take(1).data() == nullptr, "a full one gives nothing");
    failures.check(workspace.take(SIZE_MAX).data() == nullptr, "nor that much");
    failures.check(!workspace.reserve(SIZE_MAX), "no such memory");
    failures.check_equal(workspace.capacity(), Workspace::rounded(100), "capacity after that");
    failures.check(workspace.reserve(20) && workspace.taken() == 0, "reserving less forgets what was taken");
    failures.check(workspace.take(100).data() == first.data(), "and keeps the memory");
    for (const std::size_t bytes : {1U, 63U, 64U, 65U, 1000U, 4096U, 100'000U}) {
        Workspace other;
        failures.check(other.reserve(bytes), "reserve more");
        const auto all = other.take(other.capacity());
        failures.check_equal(reinterpret_cast<std::uintptr_t>(all.data()) % Workspace::alignment, 0,
                             "alignment of the first");
        std::ranges::fill(all, std::byte{1}); // for a sanitizer to look at
    }
}

void check_types_of_mpi(Test& test) {
    test.failures.set_place("types of MPI");
    const auto check = [&](bool good, const char* what) { test.failures.check(good, what); };
    check(!comm_of(MPI_COMM_NULL) && mpi_of(Comm()) == MPI_COMM_NULL, "no communicator");
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, test.oracle})
        check(comm_of(comm) && mpi_of(comm_of(comm)) == comm, "a communicator");
    check(mpi_code_of(Status()) == MPI_SUCCESS && Status().ok(), "no error");
    check(mpi_code_of(Status(MPI_ERR_COUNT)) == MPI_ERR_COUNT, "an error of MPI");
    check(mpi_code_of(Fault::truncated) == MPI_ERR_TRUNCATE, "a block that is too large");
    check(mpi_code_of(Fault::no_memory) == MPI_ERR_NO_MEM, "no memory");
    check(mpi_code_of(Fault::unordered) == MPI_ERR_BUFFER, "blocks without an order");
    check(mpi_code_of(Fault::lost) == MPI_ERR_OTHER, "a lost rank");
    Status first = Fault::truncated;
    first.keep(Fault::lost);
    check(!first.ok() && mpi_code_of(first) == MPI_ERR_TRUNCATE, "the first of two errors");
}

} // namespace switchyard::tests
