#include "devices.hpp"

#include "shim/entry/clock_ns.hpp"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <unistd.h>

namespace switchyard::shim::device {

namespace {

// Looks for drivers among the loaded objects, if the loader has added objects since the last search.
struct Search {
    unsigned long long loads_seen = 0;
    bool is_first = true;
    std::string cuda, hip;
};

bool is_library(const char* path, const char* name) {
    const char* slash = std::strrchr(path, '/');
    return std::strncmp(slash == nullptr ? path : slash + 1, name, std::strlen(name)) == 0;
}

int visit(dl_phdr_info* object, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (search.is_first) {
        search.is_first = false;
        if (search.loads_seen == object->dlpi_adds) return 1; // the loader has added nothing: the usual case
        search.loads_seen = object->dlpi_adds;
    }
    const char* path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    if (search.cuda.empty() && is_library(path, "libcuda.so")) search.cuda = path;
    if (search.hip.empty() && is_library(path, "libamdhip64.so")) search.hip = path;
    return 0;
}

using Make = std::unique_ptr<Runtime> (*)(void*);

std::unique_ptr<Runtime> open(const std::string& path, Make make) {
    if (path.empty()) return nullptr;
    void* library = dlopen(path.c_str(),
                           RTLD_LAZY | RTLD_NOLOAD); // the library stays loaded even if the program closes it
    return library != nullptr ? make(library) : nullptr;
}

} // namespace

// Walks the list of loaded objects and touches no file. Asking the loader by name would make it search its
// folders each time.
bool Devices::look(std::uint64_t now) {
    last_look_.store(now, std::memory_order_relaxed);
    if (off_) return false;
    std::lock_guard lock(looking_);
    if (runtime() != nullptr) return true;
    try {
        Search search;
        search.loads_seen = loads_seen_;
        dl_iterate_phdr(visit, &search);
        loads_seen_ = search.loads_seen;
        owner_ = open(search.cuda, cuda_runtime);
        if (!owner_) owner_ = open(search.hip, hip_runtime);
    } catch (...) { // no memory: counts as no driver
    }
    runtime_.store(owner_.get(), std::memory_order_release);
    return owner_ != nullptr;
}

bool Devices::are_here() {
    return runtime() != nullptr || look(coarse_ns());
}

bool Devices::may_come() {
    // NVIDIA's, AMD's, NVIDIA's on Tegra, and either vendor's under WSL.
    for (const char* file : {"/dev/nvidiactl", "/dev/kfd", "/dev/nvhost-ctrl-gpu", "/dev/dxg"})
        if (access(file, F_OK) == 0) return true;
    return false;
}

} // namespace switchyard::shim::device
