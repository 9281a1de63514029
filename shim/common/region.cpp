#include "region.hpp"

#include <dlfcn.h>
#include <hwloc.h>
#include <memory>
#include <stdexcept>

namespace switchyard::shim {

namespace {

// The functions that we need. The library stays open, since MPI most likely uses it as well.
class Hwloc {
  public:
    explicit Hwloc(const char* library) : handle_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) throw std::runtime_error(dlerror());
        constexpr unsigned major = 16; // bits right of the major version
        if (find<decltype(hwloc_get_api_version)>("hwloc_get_api_version")() >> major !=
            static_cast<unsigned>(HWLOC_API_VERSION) >> major)
            throw std::runtime_error(std::string(library) +
                                     " has another version than the one at build time");
    }

    template <typename Function>
    Function* find(const char* name) const {
        void* function = dlsym(handle_, name);
        if (function == nullptr) throw std::runtime_error(dlerror());
        return reinterpret_cast<Function*>(function);
    }

  private:
    void* handle_;
};

#define FUNCTION(hwloc, name) (hwloc).find<decltype(name)>(#name)

void require(bool good, const char* what) {
    if (!good) throw std::runtime_error(what);
}

int number_of(const Hwloc& hwloc, hwloc_topology_t topology, hwloc_obj_type_t type) {
    const auto contains = FUNCTION(hwloc, hwloc_bitmap_isincluded);
    const auto object = FUNCTION(hwloc, hwloc_get_obj_by_depth);
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> bound(
        FUNCTION(hwloc, hwloc_bitmap_alloc)(), FUNCTION(hwloc, hwloc_bitmap_free));
    require(bound != nullptr, "no memory");
    require(FUNCTION(hwloc, hwloc_get_cpubind)(topology, bound.get(), HWLOC_CPUBIND_THREAD) == 0,
            "the system does not say on which cores the process may run");
    if (FUNCTION(hwloc, hwloc_bitmap_iszero)(bound.get()) != 0) return Region::none;
    const int depth = FUNCTION(hwloc, hwloc_get_type_depth)(topology, type);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return Region::none;
    for (unsigned i = 0;; ++i) {
        const hwloc_obj_t region = object(topology, depth, i);
        if (region == nullptr) return Region::none;
        if (contains(bound.get(), region->cpuset) != 0) return static_cast<int>(i);
    }
}

} // namespace

Region find_region(std::string_view kind, const char* library) noexcept {
    Region region;
    try {
        const Hwloc hwloc(library);
        hwloc_topology_t topology = nullptr;
        require(FUNCTION(hwloc, hwloc_topology_init)(&topology) == 0, "no memory");
        const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(
            topology, FUNCTION(hwloc, hwloc_topology_destroy));
        require(FUNCTION(hwloc, hwloc_topology_load)(topology) == 0, "hwloc cannot read the machine");
        region.number = number_of(hwloc, topology, kind == "numa" ? HWLOC_OBJ_NUMANODE : HWLOC_OBJ_PACKAGE);
    } catch (const std::exception& error) {
        try {
            region.problem = error.what();
        } catch (...) {
            // no memory even for the message: the process counts as bound to several regions
        }
    }
    return region;
}

} // namespace switchyard::shim
