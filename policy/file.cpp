#include "file.hpp"
#include "rule_name.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

namespace switchyard::policy {

namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

Problem cannot_read(int error) {
    return {"", "cannot be read: " + std::generic_category().message(error)};
}

text::Result<std::string, Problem> read_regular_file(const std::filesystem::path& path) {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
    if (!file) return cannot_read(errno);
    // In pieces: to clear memory for the largest policy takes milliseconds, in which all ranks of a run wait.
    std::string text;
    std::array<char, 16384> piece;
    for (std::size_t bytes = piece.size(); bytes == piece.size() && text.size() <= largest_policy_bytes;) {
        bytes = std::fread(piece.data(), 1, piece.size(), file.get());
        text.append(piece.data(), bytes);
    }
    if (std::ferror(file.get()) != 0) return cannot_read(errno);
    if (text.size() > largest_policy_bytes)
        return Problem{"",
                       "is larger than a policy may be, " + std::to_string(largest_policy_bytes) + " bytes"};
    return text;
}

// The rule that a JSON pointer leads into, from 0; nothing if it leads to no rule.
std::optional<std::size_t> rule_at(std::string_view pointer) {
    constexpr std::string_view head = "/rules/";
    if (!pointer.starts_with(head)) return std::nullopt;
    pointer.remove_prefix(head.size());
    std::size_t rule = 0;
    const auto [end, error] = std::from_chars(pointer.data(), pointer.data() + pointer.size(), rule);
    return error == std::errc{} ? std::optional(rule) : std::nullopt;
}

} // namespace

text::Result<std::string, Problem> read_file(const std::filesystem::path& path) {
    try {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (status.type() == std::filesystem::file_type::not_found)
            return Problem{"", "there is no such file"};
        if (error) return cannot_read(error.value());
        if (std::filesystem::is_directory(status)) return Problem{"", "is a directory, not a policy file"};
        // Opening a pipe could wait for its other end for ever.
        if (!std::filesystem::is_regular_file(status)) return Problem{"", "is not a regular file"};
        return read_regular_file(path);
    } catch (const std::exception& error) {
        return Problem{"", std::string("cannot be read: ") + error.what()};
    }
}

std::string told(std::string_view file, const Problem& problem) {
    std::string text(file);
    if (problem.line > 0) text += ':' + std::to_string(problem.line);
    if (problem.column > 0) text += ':' + std::to_string(problem.column);
    text += ": ";
    if (!problem.pointer.empty()) {
        text += problem.pointer;
        if (const auto rule = rule_at(problem.pointer)) text += " (" + name_by_number(*rule + 1) + ')';
        text += ": ";
    }
    return text + problem.message;
}

} // namespace switchyard::policy
