#include "name_of_system.hpp"

#include <array>
#include <fcntl.h>
#include <functional>
#include <string_view>
#include <unistd.h>

namespace switchyard::shim {

std::uint64_t name_of_system() noexcept {
    std::array<char, 512> name{};
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t number = file < 0 ? 0 : read(file, name.data(), 64);
    if (file >= 0) close(file);
    const auto used = static_cast<std::size_t>(number > 0 ? number : 0);
    gethostname(name.data() + used, name.size() - used - 1);
    return std::hash<std::string_view>{}(name.data());
}

} // namespace switchyard::shim
