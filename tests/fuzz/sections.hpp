// Several files in one input: a line of ==== stands between them.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

namespace switchyard::fuzz {

constexpr std::string_view between_files = "\n====\n";

// The next file of the input, which then begins behind it.
inline std::string_view take_file(std::string_view& input) {
    const auto end = input.find(between_files);
    const auto file = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + between_files.size());
    return file;
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

// Files that the input does not have are not made.
inline void write_files(std::string_view input, const std::filesystem::path& folder,
                        std::span<const std::string_view> names) {
    for (const auto name : names)
        if (!input.empty()) write_file(folder / name, take_file(input));
}

} // namespace switchyard::fuzz
