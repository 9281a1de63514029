// Not in settings.cpp: the plug-in of Slurm needs the names of the settings, but not
// the code that reads them.
#include "settings.hpp"

namespace switchyard::shim {

const std::array<SettingTraits, setting_count>& setting_table() {
    static constexpr std::array<SettingTraits, setting_count> table = {{
        {"SWITCHYARD", "off: every call goes to the MPI library untouched; the same on all ranks", "on"},
        {"SWITCHYARD_POLICY", "policy file", ""},
        {"SWITCHYARD_FORCE",
         "alltoallv:tuna:radix=4[;allgather:ring]: these run instead of what the policy says; for "
         "experiments",
         ""},
        {"SWITCHYARD_LOG", "folder for the logs of runs, or off: no log", "switchyard-logs"},
        {"SWITCHYARD_LOG_MODE",
         "mode of the log's files, less the umask: 0644 (all may read them), 0640 (the group) or 0600 (you "
         "alone)",
         "0644"},
        {"SWITCHYARD_DETAIL",
         "calls: a line for each call; ranks: also a line for each rank and call; summary: a line for each "
         "kind of calls; all: as ranks, also a line for each call that is only counted",
         "calls"},
        {"SWITCHYARD_RANKS_PER_NODE", "emulate this placement of the world's ranks: 4, 3,1,4 or cyclic:4",
         ""},
        {"SWITCHYARD_REGION",
         "regions of a node, for rules with levels=2: package (a socket), numa (a NUMA domain) or none",
         "package"},
        {"SWITCHYARD_RANKS_PER_REGION", "emulate these regions of each node's ranks: 4, 3,1,4 or cyclic:4",
         ""},
        {"SWITCHYARD_NETWORK",
         "network between nodes, for rules with network: detect (rdma where a node has a device for remote "
         "memory access), tcp or rdma",
         "detect"},
        {"SWITCHYARD_SHARED_BYTES",
         "bytes that each rank shares with its node, for each communicator; 0: none", "2097152"},
        {"SWITCHYARD_IN_FLIGHT_LIMIT",
         "most sends, and most receives, that an algorithm of ours has under way at once on a rank, where "
         "the "
         "rule has no in_flight_limit",
         "512"},
        {"SWITCHYARD_GPU",
         "device buffers: detect (recognised where the program loaded a GPU's driver), off (never), on "
         "(ranks ask each other from the first call on)",
         "detect"},
        {"SWITCHYARD_GPU_AWARE", "whether the MPI takes device buffers: detect, yes or no", "detect"},
        {"SWITCHYARD_VERBOSE",
         "messages on stderr from this level on: trace, debug, info, warn, err, critical, off", "warn"},
    }};
    return table;
}

} // namespace switchyard::shim
