// A file that processes share has one address in a process whose ranks are threads. To thread sanitizer, the
// same bytes at two addresses would be two memories. A linked program's calls come here by the linker's
// --wrap.
#include "exported.hpp"
#include "seen_by_sanitizers.hpp"
#include "spin_lock.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace switchyard::tests::threads;

namespace {

struct Mapping {
    dev_t device;
    ino_t inode;
    off_t offset;
    std::size_t bytes;
    void* address;
    int users;
};

SpinLock lock_of_mappings;
std::array<Mapping, 4096> mappings; // without users: free

} // namespace

SWITCHYARD_EXPORTED void* __wrap_mmap(void* wish, std::size_t bytes, int protection, int flags, int file,
                                      off_t offset) {
    struct stat facts {};
    if ((flags & MAP_SHARED) == 0 || file < 0 || fstat(file, &facts) != 0)
        return mmap(wish, bytes, protection, flags, file, offset);
    const std::lock_guard lock(lock_of_mappings);
    const auto known = std::ranges::find_if(mappings, [&](const Mapping& one) {
        return one.users > 0 && one.device == facts.st_dev && one.inode == facts.st_ino &&
               one.offset == offset && one.bytes == bytes;
    });
    if (known != mappings.end()) {
        ++known->users;
        return known->address;
    }
    void* const address = mmap(wish, bytes, protection, flags, file, offset);
    const auto place = std::ranges::find(mappings, 0, &Mapping::users);
    if (place == mappings.end()) std::abort();
    if (address != MAP_FAILED) *place = {facts.st_dev, facts.st_ino, offset, bytes, address, 1};
    return address;
}

SWITCHYARD_EXPORTED int __wrap_munmap(void* address, std::size_t bytes) {
    const std::lock_guard lock(lock_of_mappings);
    const auto known = std::ranges::find_if(
        mappings, [&](const Mapping& one) { return one.users > 0 && one.address == address; });
    if (known != mappings.end() && --known->users > 0) return 0;
    return munmap(address, bytes);
}

// The kernel reads another rank's memory, which is this process's, too.
SWITCHYARD_EXPORTED ssize_t __wrap_process_vm_readv(pid_t process, const iovec* here,
                                                    unsigned long here_count, const iovec* there,
                                                    unsigned long there_count, unsigned long flags) {
    if (process == getpid())
        for (const iovec& part : std::span(there, there_count)) is_read(part.iov_base, part.iov_len);
    return process_vm_readv(process, here, here_count, there, there_count, flags);
}
