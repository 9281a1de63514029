// The ranks' records of one call, made into one: minimum, mean and maximum. Used at the end of a
// run, where the ranks send their records, and by `switchyard report`, which reads them from the
// files of a run without an end.
#pragma once

#include "record.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim::log {

struct MergedCall {
    std::uint64_t begin = 0;                                               // of the first rank to arrive
    std::uint32_t communicator = 0, sequence = 0, decision = 0, calls = 0; // numbers of the merging rank
    std::uint32_t ranks_seen = 0;
    std::int32_t slowest_rank = 0; // in the communicator
    std::uint64_t max_block = 0;
    std::uint64_t sent_min = 0, sent_sum = 0, sent_max = 0;
    std::uint64_t elapsed_min = 0, elapsed_sum = 0, elapsed_max = 0;
    std::uint64_t agree_sum = 0, stage_sum = 0, exchange_sum = 0, copy_in_sum = 0, copy_out_sum = 0;
    std::uint64_t messages_max = 0, wire_bytes_max = 0, rounds_max = 0;
    std::uint64_t messages_inter_max = 0, messages_intra_max = 0; // to other nodes, and to the rank's own
    std::uint64_t wire_bytes_inter_max = 0, wire_bytes_intra_max = 0;
    std::uint8_t collective = 0, binding = 0, in_place = 0, large_count = 0;
    std::uint8_t on_device = 0, is_staged = 0, is_mapped = 0; // on any rank

    void add(const Slot& slot, int rank_in_communicator);

  private:
    void add_call(const Slot& slot, int rank_in_communicator);
    void add_detail(const Slot& slot);
    void add_nodes(const CallRecord& record);
};

// All calls of one communicator, by sequence number.
class CommunicatorCalls {
  public:
    // False: the slot has impossible values (a damaged file) and is left out.
    bool add(const Slot& slot, int rank_in_communicator);
    // In order of sequence, without calls that no rank recorded.
    std::vector<MergedCall> take();

  private:
    MergedCall& call_of(std::uint32_t sequence);

    std::vector<MergedCall> calls_;           // by sequence - 1
    std::map<std::uint32_t, MergedCall> far_; // by sequence; numbers far above all others
    std::size_t added_ = 0;
};

// A communicator as the names file has it.
struct CommunicatorName {
    std::uint32_t number = 0;        // this rank's
    std::string id;                  // for people and for matching ranks: "world" or "<leader>:<n>"
    int leader = 0;                  // world rank that merges: rank 0 of the communicator
    std::uint32_t leader_number = 0; // that rank's number for it
    int rank = 0;                    // this process's rank in it
    int ranks = 0, nodes = 0, ranks_per_node = 0;
    int regions = 0;          // inside all nodes together; 0: no rule uses them
    std::vector<int> members; // world ranks; in the leader's line only

    std::string to_line() const;
};

// What was chosen and why; the text is the middle of a log line: `"algorithm":"tuna",...,"reason":"rule"`.
struct DecisionName {
    std::uint32_t number = 0;
    std::string text;

    std::string to_line() const;
};

struct Names {
    std::vector<CommunicatorName> communicators; // by number - 1
    std::vector<DecisionName> decisions;         // by number - 1
    // Leaves out torn lines (of a killed run).
    static Names parse(std::string_view lines);
    // Adds one line. Call sort() before you look anything up.
    void add(std::string_view line);
    void sort();

    const CommunicatorName* communicator(std::uint32_t number) const; // null: no such name
    const std::string& decision(std::uint32_t number) const; // if there is no such name, a text that says so
};

} // namespace switchyard::shim::log
