#include "reachable.hpp"

#include <array>
#include <cerrno>
#include <sys/uio.h>
#include <unistd.h>

namespace switchyard::shim::device {

// The kernel reads for us: it reports an error where we would get a signal.
bool are_readable(std::span<const void* const> addresses) {
    std::array<iovec, 8> from{};
    std::array<char, 8> bytes{};
    std::size_t count = 0;
    for (const void* address : addresses)
        if (count < from.size()) from[count++] = {const_cast<void*>(address), 1};
    if (count == 0) return true;
    iovec to{bytes.data(), count};
    const auto read = process_vm_readv(getpid(), &to, 1, from.data(), count, 0);
    if (read < 0) return errno != EFAULT;
    return static_cast<std::size_t>(read) == count;
}

} // namespace switchyard::shim::device
