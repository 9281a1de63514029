// Whether this process's MPI takes pointers to device memory.
#pragma once

#include "runtime.hpp"
#include "shim/common/settings.hpp"

#include <mutex>

namespace switchyard::shim::device {

// The MPI library says that it takes device buffers. False where it says nothing.
bool mpi_claims_gpu_support();

// Tries it: a message of this process to itself, from device memory to device memory, on a separate
// communicator. A library that reads device memory as if it were host memory raises a signal, which is
// caught. Once per process. With MPI_THREAD_MULTIPLE the answer is yes without a trial, since a library that
// faults would keep its locks.
bool mpi_moves_device_memory(const Runtime& runtime, const Location& location);

// The answer for this process, from a trial at the first need.
class MpiSupport {
  public:
    bool takes(const Runtime& runtime, const Location& location, GpuAware setting);

  private:
    std::once_flag asked_;
    bool takes_ = false;
};

} // namespace switchyard::shim::device
