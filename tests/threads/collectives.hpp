// Collectives, made of messages.
#pragma once

#include "communicators.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace switchyard::tests::threads {

// To and from a rank of the communicator, apart from the program's own messages.
void send_within(const MPI_ABI_Comm& comm, int to, std::vector<std::byte> bytes);
std::vector<std::byte> receive_within(const MPI_ABI_Comm& comm, int from);

// By rank.
std::vector<std::vector<std::byte>> bytes_of_all(const MPI_ABI_Comm& comm, const std::vector<std::byte>& own);

template <typename Value>
std::vector<Value> values_of_all(const MPI_ABI_Comm& comm, const Value& own) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&own);
    std::vector<Value> values;
    for (const auto& bytes : bytes_of_all(comm, {begin, begin + sizeof own})) {
        Value& value = values.emplace_back();
        std::memcpy(&value, bytes.data(), sizeof value);
    }
    return values;
}

} // namespace switchyard::tests::threads
