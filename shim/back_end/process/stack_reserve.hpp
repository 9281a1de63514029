// Stack for us and for the MPI calls that we make. The kernel maps a program's stack as the program goes
// deeper. At the program's limit (RLIMIT_AS) the kernel cannot, and kills the program. So the stack grows
// before our own mappings take what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace switchyard::shim {

constexpr std::size_t stack_reserve_bytes = std::size_t{256} << 10; // MPICH: 130 KiB in MPI_Allreduce

// Makes the stack of a process's first thread reach `stack_reserve_bytes` further, without touching its pages
// but one. Does nothing where the limits forbid it, and on the stack of another thread, which is mapped as a
// whole. [[gnu::noinline]]: the distance counts from the caller's frame.
[[gnu::noinline]] inline void reserve_stack() noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t word = (here - stack_reserve_bytes) & ~std::uintptr_t{3};
    // The kernel reads the word to compare it, which makes the stack grow or fails with EFAULT. A read of our
    // own would kill the program. Whatever the word is, the wait ends at once.
    constexpr timespec no_time{};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, &no_time, nullptr, 0);
}

} // namespace switchyard::shim
