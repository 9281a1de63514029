// Which part of its node this process runs in: a socket or a NUMA domain, as hwloc sees it. hwloc is opened at
// run time, by whoever asks; no object of ours is linked with it. No MPI here.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim {

struct Region {
    static constexpr int none = -1; // the process may run in several regions of its node

    int number = none;   // equal on processes of one region; means nothing on other nodes
    std::string problem; // not empty: it could not be found, and why
};

// `kind`: package or numa. What the process is bound to decides. `library`: anything but hwloc's is for tests.
Region find_region(std::string_view kind, const char* library = "libhwloc.so.15") noexcept;

} // namespace switchyard::shim
