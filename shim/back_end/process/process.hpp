// What holds for this process for the whole run: settings and policy (rank 0's, on all ranks), where it runs,
// its part of the log.
#pragma once

#include "algorithms/transport/memory/core_set.hpp"
#include "algorithms/transport/memory/node_memory.hpp"
#include "memory_reserve.hpp"
#include "policy/parse.hpp"
#include "shim/back_end/device/devices.hpp"
#include "shim/back_end/device/gpu_aware.hpp"
#include "shim/common/log/counted_sums.hpp"
#include "shim/common/log/folder.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/log/run_directory.hpp"
#include "shim/common/region.hpp"
#include "shim/common/settings.hpp"
#include "shim/entry/abi.hpp"
#include "ulfm.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <string>

namespace switchyard::shim {

struct Process {
    const LoadedMpi* loaded = nullptr;
    Settings settings;
    policy::Policy policy; // native for everything where the text has a problem
    policy::Force force;
    std::string policy_text;

    // Equal on ranks that started together and so have the same settings and policy; different otherwise.
    std::uint64_t run = 0;
    std::uint64_t node = 0;                         // equal on ranks of one node, different otherwise
    policy::Network network = policy::Network::tcp; // as this rank's machine, or SWITCHYARD_NETWORK, says
    bool looks_at_regions = false; // some rule has `levels` 2; the same on all ranks of the run
    int region = Region::none;     // this rank's region of the node, where a rule looks at regions
    device::Devices devices;
    bool devices_may_come = false; // a driver may be loaded into this process
    device::MpiSupport mpi_support;
    std::atomic<int> world_rank{-1}; // sessions have no world: then the rank in the first communicator
    int world_ranks = 1;
    std::int64_t start_seconds = 0;
    // Our own, for start and end and for the messages of all communicators; null where MPI_Init was not seen.
    MPI_Comm world = MPI_COMM_NULL;
    int largest_tag = 0; // on `world`
    // Tags up to this one are for the messages of communicators, larger ones for the
    // communicators that OwnRanks makes.
    int largest_message_tag() const { return largest_tag / 2; }
    bool some_have_threads = true; // that may call MPI at the same time; the same on all ranks of the world
    const Ulfm* ulfm = nullptr;    // null where no process may die; the same on all ranks of the world
    std::atomic<bool> warned_of_int_limit{false};   // once is enough
    std::atomic<bool> refuses_aliases{false};       // this MPI does, so it gets such calls itself
    std::unique_ptr<algorithms::NodeMemory> memory; // null where nothing that runs here shares memory
    algorithms::CoreSet cores;                      // that this rank may run on
    int comm_keyval = MPI_KEYVAL_INVALID, datatype_keyval = MPI_KEYVAL_INVALID;

    log::RunInfo run_info;                     // complete on rank 0 only
    std::string log_directory;                 // "" where nothing is logged
    log::Folder log_folder;                    // the same folder, once it is there
    std::unique_ptr<log::Recorder> recorder;   // null where nothing is logged
    std::unique_ptr<log::CountedSums> counted; // likewise
    MemoryReserve reserve;                     // for the merge of the log
    bool summary = false;                      // SWITCHYARD_DETAIL=summary
    bool times_phases = false;                 // SWITCHYARD_DETAIL=phases, all
    std::atomic<bool> recording{false};
    std::atomic<std::uint32_t> communicators_met{0}; // numbers all but the world
    std::atomic<std::uint64_t> own_ranks_made{0};    // by OwnRanks, between two groups
    std::atomic<int> private_communicators{0};       // alive; see has_own_carriers
    std::atomic<bool> merged_groups{false};          // MPI_Intercomm_merge was called: ranks of
                                                     // other jobs may be there
    std::atomic<std::uint32_t> named_communicators{0}, named_decisions{0}; // in the log, so far
    std::mutex naming;  // names stand in the order of numbers
    std::mutex opening; // of the recorder, where the first communicator decides where it writes

    // True: each communicator's messages travel on a communicator made for them. False: on `world`, which no
    // communicator may take down.
    bool has_own_carriers() const { return world == MPI_COMM_NULL || ulfm != nullptr; }
};

// Opens this rank's part of the log. Warns on stderr if the disk does not take it. May throw.
void open_recorder(Process& self, const std::string& directory, int rank, int ranks);

} // namespace switchyard::shim
