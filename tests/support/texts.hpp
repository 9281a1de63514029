// Parts and lines of the texts that tests look at, and the text of a file.
#pragma once

#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace switchyard::tests {

inline bool has(const std::string& text, std::string_view part) {
    UNSCOPED_INFO(text); // for the CHECK that calls it
    return text.find(part) != std::string::npos;
}

// A whole line, without its end.
inline bool has_line(const std::string& text, const std::string& line) {
    return has('\n' + text, '\n' + line + '\n');
}

inline std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// The part must be there.
inline std::string without(std::string text, std::string_view part) {
    const auto at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.erase(at, part.size());
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

inline std::string file_text(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(text).str();
}

} // namespace switchyard::tests
