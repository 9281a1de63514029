// Messages between ranks that live in one process. wire_without_mpi.cpp stands in for wire*.cpp,
// which needs MPI.
#pragma once

#include <functional>

namespace switchyard::tests {

// Called where MPI would work on its messages: a test lets another of its ranks go on. Each thread
// has its own.
inline thread_local std::function<void()> at_probe;

} // namespace switchyard::tests
