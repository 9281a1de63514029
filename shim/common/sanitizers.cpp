#include "sanitizers.hpp"

#include <algorithm>
#include <array>

namespace switchyard::shim {

namespace {

constexpr std::string_view link_order = "verify_asan_link_order=";
constexpr std::array<std::string_view, 6> sanitizers{"asan", "hwasan", "lsan", "msan", "tsan", "ubsan"};

// libasan.so.8, libclang_rt.asan-x86_64.so, libclang_rt.ubsan_standalone.so
bool names(std::string_view file, std::string_view beginning, std::string_view sanitizer) {
    if (!file.starts_with(beginning)) return false;
    file.remove_prefix(beginning.size());
    if (!file.starts_with(sanitizer)) return false;
    file.remove_prefix(sanitizer.size());
    return file.empty() || std::string_view(".-_").find(file.front()) != std::string_view::npos;
}

} // namespace

bool is_sanitizer_runtime(std::string_view object) {
    const auto file = object.substr(object.rfind('/') + 1); // npos + 1 is 0
    return std::ranges::any_of(sanitizers, [file](auto sanitizer) {
        return names(file, "lib", sanitizer) || names(file, "libclang_rt.", sanitizer);
    });
}

// If a key appears twice, the last value counts, so ours comes first.
std::string asan_options(const char* given) {
    const std::string_view options = given != nullptr ? given : "";
    if (options.find(link_order) != std::string_view::npos) return std::string(options);
    return std::string(link_order) + '0' + (options.empty() ? "" : ":") + std::string(options);
}

} // namespace switchyard::shim
