#include "object_path.hpp"

#include <cerrno> // program_invocation_name
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace switchyard::shim {

namespace {

// The loader's name of the object; null if there is none.
const char* name_of_object(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) != 0) return info.dli_fname;
    // A statically linked program has no loader to ask, and no other object that an address could be in.
    return address != nullptr ? program_invocation_name : nullptr;
}

} // namespace

std::string object_path_of(const void* address) {
    const char* name = name_of_object(address);
    if (name == nullptr) return {};
    // For the program itself the loader may know only argv[0]: a word that was found on the PATH. A file of
    // the same name in the current folder is not the program.
    std::error_code error;
    std::filesystem::path path = name;
    if (!path.has_parent_path() || !std::filesystem::exists(path, error)) path = "/proc/self/exe";
    auto real = std::filesystem::canonical(path, error);
    return error ? path.string() : real.string();
}

} // namespace switchyard::shim
