#include "preload_path.hpp"

#include "sanitizers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace switchyard::shim {

namespace {

namespace fs = std::filesystem;

constexpr const char* preload_name = "libswitchyard.so";

bool can_be_preloaded(const std::string& path) {
    return path.starts_with('/') && path.find_first_of(" :$") == std::string::npos;
}

// A folder that nobody else can write to: whoever changes the link chooses what the program
// loads. "": there is none.
std::string own_folder_in(const std::string& folder) {
    const auto own = folder + "/switchyard-" + std::to_string(geteuid());
    mkdir(own.c_str(), 0700); // fails if the folder is there already
    struct stat info {};
    const bool is_ours = lstat(own.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                         info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    return is_ours ? own : "";
}

// FNV-1a: the same name on every run, so the folder does not fill up.
std::string name_for(const std::string& target) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : target) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
    return {digits.data(), end};
}

// Whether the link is there and leads to the target. Other ranks may make it at the same time.
bool make_link(const std::string& link, const std::string& target) {
    std::error_code error;
    fs::create_directory_symlink(target, link, error);
    return fs::read_symlink(link, error) == target && !error;
}

// lib may have a folder for the architecture. A path that cannot be read counts as missing.
std::string library_below(const fs::path& lib) {
    std::error_code error;
    if (fs::exists(lib / preload_name, error)) return (lib / preload_name).string();
    for (fs::directory_iterator entry(lib, error), end; entry != end; entry.increment(error))
        if (entry->is_directory(error) && fs::exists(entry->path() / preload_name, error))
            return (entry->path() / preload_name).string();
    return "";
}

constexpr std::string_view separators = " :"; // of LD_PRELOAD

// The end of the sanitizers' runtimes at the front.
std::size_t end_of_runtimes(std::string_view objects) {
    std::size_t end = 0;
    for (std::size_t begin = 0;
         (begin = objects.find_first_not_of(separators, end)) != std::string_view::npos;) {
        const auto next = std::min(objects.find_first_of(separators, begin), objects.size());
        if (!is_sanitizer_runtime(objects.substr(begin, next - begin))) break;
        end = next;
    }
    return end;
}

std::string without_separators_in_front(std::string_view objects) {
    return std::string(objects.substr(std::min(objects.find_first_not_of(separators), objects.size())));
}

} // namespace

std::string preload_object(const std::string& prefix) {
    for (const char* lib : {"lib", "lib64"})
        if (auto found = library_below(fs::path(prefix) / lib); !found.empty()) return found;
    return (fs::path(prefix) / "lib" / preload_name).string();
}

std::string preload_list(const std::string& path, const char* others) {
    const std::string_view objects = others != nullptr ? others : "";
    const auto runtimes = objects.substr(0, end_of_runtimes(objects));
    const auto rest = without_separators_in_front(objects.substr(runtimes.size()));
    return std::string(runtimes) + (runtimes.empty() ? "" : ":") + path + (rest.empty() ? "" : ":") + rest;
}

std::string preload_path(const std::string& object, const std::vector<std::string>& folders) {
    if (can_be_preloaded(object)) return object;
    const fs::path path(object);
    const auto target = path.parent_path().string();
    if (!can_be_preloaded('/' + path.filename().string())) return "";
    for (const auto& folder : folders) {
        if (!can_be_preloaded(folder)) continue;
        const auto own = own_folder_in(folder);
        if (own.empty()) continue;
        const auto link = own + '/' + name_for(target);
        if (make_link(link, target)) return link + '/' + path.filename().string();
    }
    return "";
}

std::vector<std::string> folders_for_links() {
    std::vector<std::string> folders;
    if (const char* chosen = std::getenv("TMPDIR"); chosen != nullptr) folders.emplace_back(chosen);
    for (const char* usual : {"/tmp", "/var/tmp", "/dev/shm"}) folders.emplace_back(usual);
    return folders;
}

} // namespace switchyard::shim
