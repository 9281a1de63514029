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

// What becomes of the ranks' values of a field.
template <typename T>
struct First {
    T value{};
    void add(T more, bool is_first) { value = is_first ? more : value; }
    operator T() const { return value; }
};
template <typename T>
struct Least {
    T value{};
    void add(T more, bool is_first) { value = is_first || more < value ? more : value; }
    operator T() const { return value; }
};
template <typename T>
struct Most {
    T value{};
    void add(T more, bool /*is_first*/) { value = more > value ? more : value; }
    operator T() const { return value; }
};
template <typename T>
using Any = Most<T>; // of flags
template <typename T>
struct Sum {
    T sum{};
    void add(T more, bool /*is_first*/) { sum += more; }
};
template <typename T>
struct Spread {
    T min{}, sum{}, max{};
    void add(T more, bool is_first) {
        min = is_first || more < min ? more : min;
        sum += more;
        max = more > max ? more : max;
    }
};
template <typename T>
struct Unmerged {
    void add(T /*more*/, bool /*is_first*/) {}
};

struct MergedCall {
    std::uint32_t communicator = 0, sequence = 0; // numbers of the merging rank, as `decision`
    std::uint32_t ranks_seen = 0;
    std::int32_t slowest_rank = 0; // in the communicator
#define SWITCHYARD_HEAD(type, name, initial, place, merged) merged<type> name;
#define SWITCHYARD_FLAG(name, slot, bit, merged) [[no_unique_address]] merged<std::uint8_t> name;
#define SWITCHYARD_PHASE(name, slot, place, when) Sum<std::uint64_t> name;
#define SWITCHYARD_COUNT(name, slot, place, when) Most<std::uint64_t> name;
#define SWITCHYARD_SPLIT(name, place, place_of_all) Most<std::uint64_t> name##_inter, name##_intra;
#define SWITCHYARD_INSIDE(name, slot, place) Sum<std::uint64_t> name;
#define SWITCHYARD_MOVED(name, place, merged) merged<std::uint64_t> name;
#include "fields.def"

    void add(const Slot& slot, int rank_in_communicator);

  private:
    template <SlotKind kind>
    void add_fields(const CallRecord& record, bool is_first);
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
