// Which region of its node this process runs in: a socket or a NUMA domain, as hwloc sees it. hwloc is opened
// at run time, only if a region is asked for; no object of ours is linked with it. No MPI here.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim {

struct Region {
    static constexpr int none = -1; // the process may run in several regions of its node

    int number = none;   // equal on processes of one region; on other nodes it has no meaning
    std::string problem; // why the region could not be found; empty: it was found
};

// `kind`: package or numa. The cores to which the process is bound decide which region it is. Only tests give
// another `library`.
Region find_region(std::string_view kind, const char* library = "libhwloc.so.15") noexcept;

} // namespace switchyard::shim
