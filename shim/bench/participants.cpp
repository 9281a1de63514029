#include "participants.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "members.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace switchyard::bench {

namespace {

using algorithms::NodeMap;

int world_size() {
    int size = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

// Nodes by the names of the hosts, or emulated nodes of as many ranks as the options say.
std::vector<std::uint64_t> node_ids(int ranks_per_node) {
    std::vector<std::uint64_t> ids(static_cast<std::size_t>(world_size()));
    if (ranks_per_node > 0) {
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i / static_cast<std::size_t>(ranks_per_node);
        return ids;
    }
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    PMPI_Get_processor_name(name, &length);
    const std::uint64_t mine = std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
    PMPI_Allgather(&mine, 1, MPI_UINT64_T, ids.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    return ids;
}

NodeMap map_of(const std::vector<std::uint64_t>& ids, const std::vector<int>& members) {
    std::vector<std::uint64_t> theirs;
    for (const int member : members) theirs.push_back(ids[static_cast<std::size_t>(member)]);
    return NodeMap(theirs);
}

} // namespace

Participants::Participants(const Options& options, bool simulated)
    : simulated_(simulated), node_map_(std::vector<std::uint64_t>{}) {
    const auto ids = node_ids(options.ranks_per_node);
    const int wanted = options.communicator_ranks > 0 ? options.communicator_ranks : world_size();
    const auto members = members_of(NodeMap(ids), wanted, options.communicator_ranks_per_node);
    if (static_cast<int>(members.size()) < wanted) {
        problem_ =
            "--communicator-ranks " + std::to_string(wanted) + ": the world has only " +
            std::to_string(members.size()) +
            (options.communicator_ranks_per_node > 0 ? " with --communicator-ranks-per-node " +
                                                           std::to_string(options.communicator_ranks_per_node)
                                                     : "");
        return;
    }
    node_map_ = map_of(ids, members);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto place = std::ranges::find(members, rank);
    PMPI_Comm_split(MPI_COMM_WORLD, place == members.end() ? MPI_UNDEFINED : 0,
                    static_cast<int>(place - members.begin()), &comm_);
    group_.comm = algorithms::comm_of(comm_);
    group_.node_map = &node_map_;
    if (!takes_part()) return;
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(comm_, &group_.rank);
    PMPI_Comm_size(comm_, &group_.size);
}

Participants::~Participants() {
    if (takes_part()) PMPI_Comm_free(&comm_);
}

void Participants::rejoin() {
    if (ranks() == world_size())
        PMPI_Barrier(MPI_COMM_WORLD);
    else
        sleep_until_all_come(MPI_COMM_WORLD, simulated_);
}

// Simulated ranks take no core while they wait. Their clock advances only in MPI calls, so they cannot poll.
void sleep_until_all_come(MPI_Comm comm, bool simulated) {
    if (simulated) {
        PMPI_Barrier(comm);
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ibarrier(comm, &request);
    for (int done = 0; done == 0;) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

} // namespace switchyard::bench
