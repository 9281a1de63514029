#include "whole_file.hpp"

#include <cerrno>
#include <filesystem>
#include <unistd.h>

namespace switchyard::shim {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
    throw std::system_error(error, std::generic_category(), path + " cannot be written");
}

} // namespace

WholeFile::WholeFile(std::string path)
    : path_(std::move(path)), unfinished_(path_ + "." + std::to_string(getpid()) + ".unfinished") {
    std::error_code unknown; // opening the file tells more
    if (std::filesystem::is_directory(path_, unknown)) fail(path_, EISDIR);
    if (std::filesystem::exists(path_, unknown) && !std::filesystem::is_regular_file(path_, unknown))
        unfinished_.clear();
    errno = 0;
    file_.open(unfinished_.empty() ? path_ : unfinished_, std::ios::binary);
    if (!file_) fail(path_, errno);
}

WholeFile::~WholeFile() {
    file_.close();
    if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

void WholeFile::keep() {
    errno = 0;
    file_.close();
    if (!file_) fail(path_, errno != 0 ? errno : ENOSPC);
    if (unfinished_.empty()) return;
    std::error_code error;
    std::filesystem::rename(unfinished_, path_, error);
    if (error) fail(path_, error.value());
    unfinished_.clear();
}

std::error_code write_whole(const std::string& path, std::string_view text) {
    try {
        WholeFile file(path);
        file.stream() << text;
        file.keep();
        return {};
    } catch (const std::system_error& error) {
        return error.code();
    }
}

} // namespace switchyard::shim
