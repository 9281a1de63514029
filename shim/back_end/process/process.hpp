// What holds for this process for the whole run: settings and policy (rank 0's, on all ranks), where it runs,
// its log.
#pragma once

#include "shim/common/learning/lesson.hpp"
#include "shim/back_end/arguments/call.hpp"
#include "clock.hpp"
#include "shim/back_end/device/devices.hpp"
#include "shim/back_end/device/gpu_aware.hpp"
#include "shim/common/log/merge.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/log/run_directory.hpp"
#include "shim/back_end/communicator/plan.hpp"
#include "policy/match.hpp"
#include "policy/parse.hpp"
#include "shim/common/region.hpp"
#include "shim/common/settings.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <string>

namespace switchyard::shim {

class CommState;

struct Process {
    const Host* host = nullptr;
    Settings settings;
    policy::Policy policy; // native for everything when the text was not good
    policy::Force force;
    std::string policy_text;

    // Equal on ranks that started together, hence have the same settings and policy; different otherwise.
    std::uint64_t run = 0;
    std::uint64_t node = 0;        // equal on ranks of one node, different otherwise
    bool looks_at_regions = false; // some rule does; the same on all ranks of the run
    int region = Region::none;     // of the node, where a rule looks at it
    device::Devices devices;
    bool devices_may_come = false; // to this process
    device::MpiSupport mpi_support;
    int world_rank = -1, world_ranks = 1;
    std::int64_t start_seconds = 0;
    MPI_Comm world = MPI_COMM_NULL; // private, for start and end; null when MPI_Init was not seen
    int comm_keyval = MPI_KEYVAL_INVALID, datatype_keyval = MPI_KEYVAL_INVALID;

    log::RunInfo run_info;                   // complete on rank 0 only
    std::string log_directory;               // "" where nothing is logged
    std::unique_ptr<log::Recorder> recorder; // null where nothing is logged
    bool summary = false;                    // SWITCHYARD_DETAIL=summary
    std::atomic<bool> recording{false};
    std::atomic<std::uint32_t> communicators_met{0}; // other than the world; numbers them
    std::atomic<int> private_communicators{0};       // alive
    std::atomic<bool> merged_groups{
        false}; // MPI_Intercomm_merge was called: there may be ranks of other jobs
    std::atomic<std::uint32_t> communicators{0}, decisions{0}; // named in the log so far

    // One for each shape of communicator seen so far.
    std::mutex plans_mutex;
    std::map<Plan::Key, std::shared_ptr<Plan>> plans;

    // Living communicators; and the calls on those that are gone which this process was to count: every call
    // counts on the leader of its communicator.
    std::mutex states_mutex;
    std::vector<CommState*> states;
    std::uint64_t calls_seen = 0, calls_routed = 0;
    adaptive::Lessons learned; // of communicators that this process leads
};

// The process, once it has started and until its MPI ends; null otherwise: then everything is forwarded.
Process* process();

// Right after MPI_Init: collective over MPI_COMM_WORLD. Never throws.
void start_with_world(const Host& host) noexcept;
// At the first call of a program whose MPI_Init was not seen (sessions). Never throws.
void start_alone(const Host& host) noexcept;

// Opens this rank's part of the log; says so on stderr where it cannot be had on disk. May throw.
void open_recorder(Process& self, const std::string& directory, int rank, int ranks);

// At the end of the run, called by MPI when it frees MPI_COMM_SELF's attributes: merges the log.
void finish() noexcept;

// True when it holds on all ranks; collective.
bool all_agree(bool here, MPI_Comm comm);

// A communicator of our own with the ranks of `comm`, which must be an intracommunicator: none of the
// application's attributes travel along, and errors are returned. MPI_COMM_NULL where MPI has no more;
// collective.
MPI_Comm create_private(MPI_Comm comm);

} // namespace switchyard::shim
