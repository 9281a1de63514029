#include "assumed.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/network.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace switchyard::shim::command {

namespace {

namespace key = policy::key;

bool looks_at(const policy::Policy& policy, key::Place place) {
    return std::ranges::any_of(policy.rules, [&](const policy::Rule& rule) {
        return policy::when_keys()[place].wanted(rule.when) != policy::Range{};
    });
}

std::string ranks_per_node_text(int ranks_per_node) {
    return formatted("{} per node, {} (--ranks-per-node)",
                     ranks_per_node == 1 ? "1 rank" : formatted("{} ranks", ranks_per_node),
                     ranks_per_node < ranks_per_node_here() ? "since this machine has a processor for each"
                                                            : "one for each processor of this machine");
}

} // namespace

int ranks_per_node_here() {
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

policy::Network network_here() {
    return has_rdma_device() ? policy::Network::rdma : policy::Network::tcp;
}

void complete(ExplainedCall& asked) {
    policy::Features& call = asked.call;
    call.in_place = call.in_place || call.overlapping;
    call.devices = call.buffer == policy::Buffer::device;
    const bool has_nodes = asked.given[key::nodes], has_per_node = asked.given[key::ranks_per_node];
    if (!has_nodes && !has_per_node) call.ranks_per_node = std::min(call.ranks, ranks_per_node_here());
    if (!asked.given[key::network]) call.network = network_here();
    if (!has_nodes) call.nodes = (call.ranks + call.ranks_per_node - 1) / call.ranks_per_node;
    if (!asked.given[key::total_bytes])
        call.total_bytes = call.max_block_bytes * static_cast<std::size_t>(std::max(0, call.ranks - 1));
    if (!has_per_node) call.ranks_per_node = (call.ranks + call.nodes - 1) / call.nodes;
}

std::string assumptions(const policy::Policy& policy, const ExplainedCall& asked) {
    const policy::Features& call = asked.call;
    std::vector<std::string> assumed;
    if (!asked.given[key::ranks_per_node] && !asked.given[key::nodes])
        assumed.push_back(ranks_per_node_text(call.ranks_per_node));
    if (!asked.given[key::max_block_bytes]) assumed.emplace_back("a largest block of 0 bytes (--max-block)");
    if (looks_at(policy, key::total_bytes) || looks_at(policy, key::skew)) {
        if (!asked.given[key::total_bytes])
            assumed.push_back(formatted("{} bytes from each rank (--total-bytes)", call.total_bytes));
        if (!asked.given[key::skew]) assumed.emplace_back("blocks of equal size (--skew)");
    }
    if (!asked.given[key::network] && call.nodes > 1 && looks_at(policy, key::network))
        assumed.push_back(formatted("this machine's network, {} (--network)",
                                    policy::network_names[static_cast<std::size_t>(call.network)]));
    if (!asked.given[key::buffer] && looks_at(policy, key::buffer))
        assumed.emplace_back("host buffers (--buffer)");
    if (!call.in_place && looks_at(policy, key::in_place))
        assumed.emplace_back("a call that is not in place (--in-place)");
    if (call.devices && !asked.gpu_aware_given)
        assumed.emplace_back("an MPI that is not GPU-aware (--gpu-aware)");
    return assumed.empty() ? "" : "assumed: " + joined(assumed, "; ") + '\n';
}

} // namespace switchyard::shim::command
