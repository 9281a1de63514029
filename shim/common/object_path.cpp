#include "object_path.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace switchyard::shim {

std::string object_path_of(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
    // For the program itself the loader may know no more than argv[0]: a word that was found on the PATH. A file of the
    // same name in the current folder is not it.
    std::error_code error;
    std::filesystem::path path = info.dli_fname;
    if (!path.has_parent_path() || !std::filesystem::exists(path, error)) path = "/proc/self/exe";
    auto real = std::filesystem::canonical(path, error);
    return error ? path.string() : real.string();
}

} // namespace switchyard::shim
