#include "merge.hpp"

#include "shim/common/formatted.hpp"

#include "algorithms/traits.hpp"
#include "shim/common/whole_number.hpp"
#include "shim/entry/abi.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace switchyard::shim::log {

namespace {

void most(auto& kept, auto value) {
    kept = std::max<std::remove_reference_t<decltype(kept)>>(kept, value);
}

bool is_possible(const Slot& slot) {
    return static_cast<std::size_t>(slot.kind) < slot_kinds &&
           slot.collective < algorithms::collective_count &&
           slot.binding <= static_cast<std::uint8_t>(Binding::fortran_by_pmpi);
}

} // namespace

// A rank's slots may come in any order.
void MergedCall::add(const Slot& slot, int rank_in_communicator) {
    if (slot.kind == SlotKind::call) add_call(slot, rank_in_communicator);
    if (slot.kind == SlotKind::detail) add_detail(slot);
    CallRecord record;
    slot.tell(record);
    if (slot.kind == SlotKind::nodes) add_nodes(record);
    copy_in_sum += record.copy_in;
    copy_out_sum += record.copy_out;
}

void MergedCall::add_call(const Slot& slot, int rank_in_communicator) {
    CallRecord record;
    slot.tell(record);
    bool first = ranks_seen == 0;
    auto least = [first](auto& kept, auto value) { kept = first ? value : std::min(kept, value); };
    if (first || record.elapsed > elapsed_max) slowest_rank = rank_in_communicator;
    least(begin, record.begin);
    least(sent_min, record.sent);
    least(elapsed_min, record.elapsed);
    most(sent_max, record.sent);
    most(elapsed_max, record.elapsed);
    most(max_block, record.max_block);
    most(calls, record.calls);
    sent_sum += record.sent;
    elapsed_sum += record.elapsed;
    on_device |= record.on_device ? 1 : 0;
    is_staged |= record.is_staged ? 1 : 0;
    is_mapped |= record.is_mapped ? 1 : 0;
    exchange_sum += record.exchange; // 0 if a detail slot has it
    if (first) {
        communicator = record.communicator;
        sequence = record.sequence;
        decision = record.decision;
        collective = record.collective;
        binding = record.binding;
        in_place = record.in_place;
        large_count = record.large_count;
    }
    ++ranks_seen;
}

void MergedCall::add_detail(const Slot& slot) {
    CallRecord record;
    slot.tell(record);
    agree_sum += record.agree;
    stage_sum += record.stage;
    exchange_sum += record.exchange;
    most(messages_max, record.messages);
    most(wire_bytes_max, record.wire_bytes);
    most(rounds_max, record.rounds);
    if (!record.has_nodes) add_nodes(record); // else a slot of its own has it
}

void MergedCall::add_nodes(const CallRecord& record) {
    most(messages_inter_max, record.messages_inter);
    most(wire_bytes_inter_max, record.wire_bytes_inter);
    most(messages_intra_max, record.messages - record.messages_inter);
    most(wire_bytes_intra_max, record.wire_bytes - record.wire_bytes_inter);
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
