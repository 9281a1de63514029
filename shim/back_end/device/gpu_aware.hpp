// Whether this process's MPI takes pointers to device memory.
#pragma once

#include "runtime.hpp"
#include "shim/common/settings.hpp"

#include <mutex>

namespace switchyard::shim::device {

// What the MPI library says of itself; false where it says nothing.
bool mpi_claims_gpu_support();

// Whether it is so: a message from device memory to device memory, from this process to itself, on a
// communicator of its own. A library that touches what it cannot touch is caught at it. Once in a process, from
// one thread; not where MPI is used by several threads at once, since what the library had locked it would keep:
// there it is believed.
bool mpi_moves_device_memory(const Runtime& runtime, const Location& location);

// The answer of this process, found out at the first need.
class MpiSupport {
  public:
    bool takes(const Runtime& runtime, const Location& location, GpuAware setting);

  private:
    std::once_flag asked_;
    bool takes_ = false;
};

} // namespace switchyard::shim::device
