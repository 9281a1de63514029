// What a call leaves behind in the call path: one fixed-size record in a mapped file, nothing formatted, nothing
// allocated. `calls.jsonl` is made of these at the end of the run, or by `switchyard report` when there was no end.
#pragma once

#include <cstdint>

namespace switchyard::shim::log {

enum class RecordKind : std::uint32_t { none, call };

// Times in nanoseconds, sizes in bytes, all of this rank alone unless said otherwise.
struct CallRecord {
    std::uint32_t communicator = 0;  // this rank's number for it, see Names
    std::uint32_t sequence = 0;      // of the call on its communicator, from 1; the same on all its ranks
    std::uint32_t decision = 0;      // this rank's number for what was chosen and why, see Names
    std::uint32_t calls = 1;         // more than one where calls are summed up (detail `summary`)
    std::uint64_t number = 0;        // of the record on this rank, from 0
    std::uint64_t begin = 0;         // since the run's start
    std::uint64_t elapsed = 0;       // of the call as the application sees it
    std::uint64_t agree = 0;         // in the agreement
    std::uint64_t stage = 0;         // packing and unpacking
    std::uint64_t exchange = 0;      // in the algorithm or the MPI library
    std::uint64_t max_block = 0;     // largest block: agreed by all ranks where the call agreed, else this rank's own
    std::uint64_t sent = 0;          // to other ranks, as the application asked for
    std::uint64_t wire_bytes = 0;    // that our algorithm handed to MPI; 0 for native
    std::uint64_t messages = 0;      // likewise
    std::uint64_t rounds = 0;        // how often the algorithm waited
    std::uint8_t collective = 0;     // algorithms::Collective
    std::uint8_t binding = 0;        // shim::Binding
    std::uint8_t in_place = 0;
    std::uint8_t large_count = 0;    // an MPI-4 `_c` function
    std::uint8_t unused[16] = {};
    RecordKind kind = RecordKind::none; // written last: a record without it was never finished
};
static_assert(sizeof(CallRecord) == 128);

// First 128 bytes of a rank's record file.
struct RecordFileHeader {
    char magic[16] = "switchyard rec1";
    std::uint32_t version = 1;
    std::uint32_t record_size = sizeof(CallRecord);
    std::int32_t rank = 0;
    std::int32_t ranks = 0;
    char unused[96] = {};
};
static_assert(sizeof(RecordFileHeader) == sizeof(CallRecord));

} // namespace switchyard::shim::log
