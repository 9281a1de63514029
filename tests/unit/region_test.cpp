// Regions inside a node, as hwloc sees a machine that is made up for it.
#include "tests/support/catch.hpp"

#include "shim/common/region.hpp"

#include <cstdlib>
#include <sched.h>
#include <string>
#include <vector>

using switchyard::shim::find_region;
using switchyard::shim::Region;

namespace {

// hwloc takes this machine for one with a socket and a NUMA domain for each
// processor, until the test is over.
class PretendedMachine {
  public:
    explicit PretendedMachine(int processors) {
        const std::string machine = "package:" + std::to_string(processors) + " [numa] core:1 pu:1";
        setenv("HWLOC_SYNTHETIC", machine.c_str(), 1);
        setenv("HWLOC_THISSYSTEM", "1", 1);
        unsetenv("HWLOC_COMPONENTS"); // hwloc would ignore the two above
    }
    ~PretendedMachine() {
        unsetenv("HWLOC_SYNTHETIC");
        unsetenv("HWLOC_THISSYSTEM");
    }
    PretendedMachine(const PretendedMachine&) = delete;
    PretendedMachine& operator=(const PretendedMachine&) = delete;
};

// This thread may run on these processors only, until the test is over.
class Bound {
  public:
    explicit Bound(const std::vector<int>& processors) {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
        good_ = sched_setaffinity(0, sizeof set, &set) == 0;
    }
    ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    bool good() const { return good_; }

  private:
    cpu_set_t before_{};
    bool good_ = false;
};

std::vector<int> processors_here() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> processors;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(static_cast<std::size_t>(i), &set)) processors.push_back(i);
    return processors;
}

} // namespace

TEST_CASE("a process bound to one socket is in its region", "[region]") {
    const auto processors = processors_here();
    if (processors.size() < 2 || processors.back() > 255) return;
    const PretendedMachine machine(processors.back() + 1);
    for (const int processor : {processors.front(), processors[1], processors.back()}) {
        const Bound bound({processor});
        REQUIRE(bound.good());
        for (const char* kind : {"package", "numa"}) {
            const auto region = find_region(kind);
            CHECK(region.problem == "");
            CHECK(region.number == processor);
        }
    }
    const Bound bound({processors.front(), processors.back()});
    for (const char* kind : {"package", "numa"}) {
        CHECK(find_region(kind).number == Region::none);
        CHECK(find_region(kind).problem == "");
    }
}

TEST_CASE("whatever this machine is, the answer is one", "[region]") {
    for (const char* kind : {"package", "numa"}) {
        const auto region = find_region(kind);
        CHECK(region.number >= Region::none);
        CHECK(region.problem == "");
    }
}

TEST_CASE("without hwloc there are no regions, and the reason is told", "[region]") {
    for (const char* library : {"libhwloc-that-nobody-has.so", "libdl.so.2", "libc.so.6"}) {
        const auto region = find_region("package", library);
        CHECK(region.number == Region::none);
        CHECK_FALSE(region.problem.empty());
    }
}
