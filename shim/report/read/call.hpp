// The calls of a log: from lines of calls.jsonl, summary.jsonl or rank-<N>.jsonl, or from the records of a
// killed run.
#pragma once

#include "shim/common/log/read.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace switchyard::shim::report {

// Calls of one kind look the same to a person: one collective, one algorithm with one reason, one shape of
// communicator, one kind of buffer, blocks up to the same power of two.
struct CallKind {
    std::string collective;
    std::string algorithm;  // "?" where the log does not say
    std::string parameters; // `radix=2 metadata=fused`
    std::string rule;       // "": none
    std::string reason;     // `rule`, `otherwise`, `forced`, or the reason for a fallback
    std::string buffer;     // `host`, `device`
    std::string transfer;   // of device buffers; "" for host buffers
    int ranks = 0, nodes = 0, ranks_per_node = 0;
    unsigned block_bits = 0; // the largest block has at most 2^block_bits bytes
    bool in_place = false;

    auto operator<=>(const CallKind&) const = default;
    bool operator==(const CallKind&) const = default;
    std::string algorithm_text() const; // `tuna radix=2 metadata=fused`
};

struct CallKindHash {
    std::size_t operator()(const CallKind& kind) const;
};

// 0 for blocks of 0 and 1 byte; n for blocks of 2^(n-1) + 1 to 2^n bytes.
unsigned block_bits_of(std::uint64_t bytes);

// What moved in the calls that were looked at: sums over ranks and calls.
struct Moved {
    double looks = 0, own_bytes = 0, sent = 0, partners = 0, empty_blocks = 0;
    double most_partners = 0; // of a rank
    Moved& operator+=(const Moved& other);
    bool operator==(const Moved&) const = default;
};

// One line. Times in microseconds, sizes in bytes. In a line of one rank smallest, mean and largest are
// equal. If `calls` is more than one, the values are sums over the calls.
struct Call {
    CallKind kind;
    std::string comm;
    std::uint64_t number = 0, sequence = 0, calls = 1;
    std::uint64_t max_block_bytes = 0;
    double sent_bytes = 0; // mean over the ranks
    double most_sent = 0;  // by a rank
    double time_min = 0, time_mean = 0, time_max = 0;
    double begin = 0; // since the run's start
    int slowest_rank = 0;
    Moved moved{};
    bool near_int_limit = false; // some number in the arguments of some rank
    int ranks_seen = 0;          // ranks that recorded the call; in a killed run maybe not all
    int world_rank = -1;         // in a line of one rank; else -1
    double copy() const { return copy_in + copy_out; }
    bool operator==(const Call&) const = default;
#define SWITCHYARD_PHASE(name, slot, place, when) double name = 0; // mean over the ranks
#define SWITCHYARD_INSIDE(name, slot, place) double name = 0;      // likewise
#define SWITCHYARD_COUNT(name, slot, place, when) std::uint64_t name = 0;
#include "shim/common/log/fields.def"
};

// Reads one line into `call`, whose memory is used again. False: the line is not from a log, and `call` has
// no meaning. Unknown fields are skipped. Missing fields get their default.
bool parse_call(std::string_view line, Call& call);

// Bytes that a rank sends to others in one of the calls, on the rank that sends most.
double most_sent_in_a_call(const Call& call);
// As a policy's `skew`, not rounded: the largest block over the mean of the rank that sends most. Where a rank sends
// one block to everybody, over the mean of all ranks' blocks. 0: nothing was sent.
double skew_of(const Call& call);

// Makes calls of records, as if their lines had been written and read.
class RecordReader {
  public:
    // False: what was chosen is no text of ours, and `call` has no meaning.
    bool read(const log::RecordedCall& recorded, Call& call);

  private:
    const CallKind* decided(const std::string& decision); // null: no text of ours

    std::unordered_map<const std::string*, std::optional<CallKind>> decided_;
};

// All calls of a log in the order of time; `unreadable` for each line or record that is none.
void for_each_call(const log::LoggedRun& run, const std::function<void(const Call&)>& use,
                   const std::function<void()>& unreadable);

} // namespace switchyard::shim::report
