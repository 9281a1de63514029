// Messages between ranks that live in one process. wire_without_mpi.cpp stands for wire.cpp, which needs MPI.
#pragma once

#include <functional>

namespace switchyard::tests {

// What happens where MPI would work on its messages: a test lets another of its ranks go on. Of this thread.
inline thread_local std::function<void()> at_probe;

} // namespace switchyard::tests
