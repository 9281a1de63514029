#include "merge.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace switchyard::shim::log {

namespace {

void most(auto& kept, auto value) {
    kept = std::max<std::remove_reference_t<decltype(kept)>>(kept, value);
}

} // namespace

// A rank's slots may come in either order.
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
    exchange_sum += record.exchange; // 0 where a detail slot says it
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
    if (!record.has_nodes) add_nodes(record); // else a slot of its own says it
}

void MergedCall::add_nodes(const CallRecord& record) {
    most(messages_inter_max, record.messages_inter);
    most(wire_bytes_inter_max, record.wire_bytes_inter);
    most(messages_intra_max, record.messages - record.messages_inter);
    most(wire_bytes_intra_max, record.wire_bytes - record.wire_bytes_inter);
}

void CommunicatorCalls::add(const Slot& slot, int rank_in_communicator) {
    if (slot.sequence == 0) return;
    if (calls_.size() < slot.sequence) calls_.resize(slot.sequence);
    calls_[slot.sequence - 1].add(slot, rank_in_communicator);
}

std::vector<MergedCall> CommunicatorCalls::take() {
    std::erase_if(calls_, [](const MergedCall& call) { return call.ranks_seen == 0; });
    return std::move(calls_);
}

std::string CommunicatorName::to_line() const {
    nlohmann::json line = {
        {"communicator", number}, {"id", id},       {"leader", leader}, {"leader_number", leader_number},
        {"rank", rank},           {"ranks", ranks}, {"nodes", nodes},   {"ranks_per_node", ranks_per_node}};
    if (regions > 0) line["regions"] = regions;
    if (!members.empty()) line["members"] = members;
    return line.dump();
}

std::string DecisionName::to_line() const {
    return nlohmann::json{{"decision", number}, {"text", text}}.dump();
}

Names Names::parse(std::string_view lines) {
    Names names;
    while (!lines.empty()) {
        auto end = std::min(lines.find('\n'), lines.size());
        auto json = nlohmann::json::parse(lines.substr(0, end), nullptr, false);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (!json.is_object()) continue;
        try {
            if (json.contains("decision")) {
                names.decisions.push_back({json["decision"], json["text"]});
            } else {
                CommunicatorName name;
                name.number = json.at("communicator");
                name.id = json.at("id");
                name.leader = json.at("leader");
                name.leader_number = json.at("leader_number");
                name.rank = json.at("rank");
                name.ranks = json.at("ranks");
                name.nodes = json.at("nodes");
                name.ranks_per_node = json.at("ranks_per_node");
                name.regions = json.value("regions", 0);
                if (json.contains("members")) name.members = json["members"].get<std::vector<int>>();
                names.communicators.push_back(std::move(name));
            }
        } catch (const nlohmann::json::exception&) {
            continue; // a file that something else wrote to
        }
    }
    auto by_number = [](const auto& left, const auto& right) { return left.number < right.number; };
    std::sort(names.communicators.begin(), names.communicators.end(), by_number);
    std::sort(names.decisions.begin(), names.decisions.end(), by_number);
    return names;
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
