#include "merge.hpp"

#include "shim/common/formatted.hpp"

#include "algorithms/traits.hpp"
#include "shim/common/whole_number.hpp"
#include "shim/entry/abi.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace switchyard::shim::log {

namespace {

bool is_possible(const Slot& slot) {
    return static_cast<std::size_t>(slot.kind) < slot_kinds &&
           slot.collective < algorithms::collective_count &&
           slot.binding <= static_cast<std::uint8_t>(Binding::fortran_by_pmpi);
}

} // namespace

template <SlotKind kind>
void MergedCall::add_fields(const CallRecord& record, bool is_first) {
#define SWITCHYARD_VALUE(type, name, slot, place)                                                            \
    if constexpr (kind == SlotKind::slot) name.add(record.name, is_first);
#define SWITCHYARD_FLAG(name, slot, bit, merged) SWITCHYARD_VALUE(bool, name, slot, bit)
#define SWITCHYARD_SPLIT(name, place, place_of_all)                                                          \
    if constexpr (kind == SlotKind::nodes) {                                                                 \
        name##_inter.add(record.name##_inter, is_first);                                                     \
        name##_intra.add(record.name - record.name##_inter, is_first);                                       \
    }
#include "fields.def"
}

// A rank's slots may come in any order.
void MergedCall::add(const Slot& slot, int rank_in_communicator) {
    CallRecord record;
    slot.tell(record);
    const bool is_first = ranks_seen == 0;
    if (slot.kind == SlotKind::call) {
        if (is_first || record.elapsed > elapsed.max) slowest_rank = rank_in_communicator;
        if (is_first) communicator = record.communicator;
        if (is_first) sequence = record.sequence;
        add_fields<SlotKind::call>(record, is_first);
        exchange.add(record.exchange, is_first); // 0 if a detail slot has it
        ++ranks_seen;
    }
    if (slot.kind == SlotKind::detail) add_fields<SlotKind::detail>(record, is_first);
    // A call on one node has no slot for it.
    if (slot.kind == SlotKind::nodes || (slot.kind == SlotKind::detail && !record.has_nodes))
        add_fields<SlotKind::nodes>(record, is_first);
    if (slot.kind == SlotKind::copies) add_fields<SlotKind::copies>(record, is_first);
    if (slot.kind == SlotKind::moves) add_fields<SlotKind::moves>(record, is_first);
    if (slot.kind == SlotKind::phases) add_fields<SlotKind::phases>(record, is_first);
    if (slot.kind == SlotKind::more_phases) add_fields<SlotKind::more_phases>(record, is_first);
}

bool CommunicatorCalls::add(const Slot& slot, int rank_in_communicator) {
    if (slot.sequence == 0 || !is_possible(slot)) return false;
    ++added_;
    call_of(slot.sequence).add(slot, rank_in_communicator);
    return true;
}

// A damaged sequence number must not take memory for all the numbers below it: memory
// grows only with the slots.
MergedCall& CommunicatorCalls::call_of(std::uint32_t sequence) {
    constexpr std::size_t widest_gap = 64; // a log may have as many communicators as slots
    if (calls_.size() < sequence) {
        if (sequence > 2 * added_ + widest_gap) return far_[sequence];
        calls_.resize(sequence);
        while (!far_.empty() && far_.begin()->first <= sequence) {
            calls_[far_.begin()->first - 1] = far_.begin()->second;
            far_.erase(far_.begin());
        }
    }
    return calls_[sequence - 1];
}

std::vector<MergedCall> CommunicatorCalls::take() {
    for (const auto& [sequence, call] : far_) calls_.push_back(call);
    far_.clear();
    std::erase_if(calls_, [](const MergedCall& call) { return call.ranks_seen == 0; });
    return std::move(calls_);
}

// Not as JSON objects: destroying one takes memory, and without memory the library ends the program.
std::string CommunicatorName::to_line() const {
    auto line =
        formatted(R"({{"communicator":{},"id":"{}","leader":{},"leader_number":{},"rank":{},"ranks":{},)"
                  R"("nodes":{},"ranks_per_node":{})",
                  number, id, leader, leader_number, rank, ranks, nodes, ranks_per_node);
    if (regions > 0) line += formatted(R"(,"regions":{})", regions);
    if (!members.empty()) {
        line += R"(,"members":)";
        for (std::size_t i = 0; i < members.size(); ++i)
            line += (i == 0 ? "[" : ",") + std::to_string(members[i]);
        line += "]";
    }
    return line + "}";
}

std::string DecisionName::to_line() const {
    return formatted(R"({{"decision":{},"text":{}}})", number, nlohmann::json(text).dump());
}

namespace {

CommunicatorName communicator_of(const nlohmann::json& line) {
    CommunicatorName name;
    name.number = whole_number<std::uint32_t>(line.at("communicator"));
    name.id = line.at("id");
    name.leader = whole_number<int>(line.at("leader"));
    name.leader_number = whole_number<std::uint32_t>(line.at("leader_number"));
    name.rank = whole_number<int>(line.at("rank"));
    name.ranks = whole_number<int>(line.at("ranks"));
    name.nodes = whole_number<int>(line.at("nodes"));
    name.ranks_per_node = whole_number<int>(line.at("ranks_per_node"));
    if (line.contains("regions")) name.regions = whole_number<int>(line["regions"]);
    if (line.contains("members")) name.members = whole_numbers<int>(line["members"]);
    return name;
}

} // namespace

Names Names::parse(std::string_view lines) {
    Names names;
    while (!lines.empty()) {
        const auto end = std::min(lines.find('\n'), lines.size());
        names.add(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    names.sort();
    return names;
}

void Names::add(std::string_view line) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return;
    try {
        if (json.contains("decision"))
            decisions.push_back({whole_number<std::uint32_t>(json["decision"]), json.at("text")});
        else
            communicators.push_back(communicator_of(json));
    } catch (const std::exception&) { // a file that something else wrote to
    }
}

void Names::sort() {
    std::ranges::sort(communicators, {}, &CommunicatorName::number);
    std::ranges::sort(decisions, {}, &DecisionName::number);
}

namespace {

template <typename Name>
const Name* find_number(const std::vector<Name>& names, std::uint32_t number) {
    auto found =
        std::lower_bound(names.begin(), names.end(), number,
                         [](const Name& name, std::uint32_t wanted) { return name.number < wanted; });
    return found != names.end() && found->number == number ? &*found : nullptr;
}

} // namespace

const CommunicatorName* Names::communicator(std::uint32_t number) const {
    return find_number(communicators, number);
}

const std::string& Names::decision(std::uint32_t number) const {
    static const std::string lost =
        R"("algorithm":null,"parameters":{},"rule":null,"reason":"lost with the run's end")";
    const auto* name = find_number(decisions, number);
    return name != nullptr ? name->text : lost;
}

} // namespace switchyard::shim::log
