#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim::report {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
    throw std::runtime_error(path + " cannot be written: " + std::strerror(error) +
                             "; nothing was left of it");
}

} // namespace

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), unfinished_(path_ + "." + std::to_string(getpid()) + ".unfinished") {
    // What a rename would replace, or not: a folder, or /dev/stdout, which is to stay what it is.
    if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_))
        unfinished_ = std::filesystem::is_directory(path_) ? path_ : "";
    errno = 0;
    file_.open(unfinished_.empty() ? path_ : unfinished_, std::ios::binary);
    if (!file_) fail(path_, errno);
}

OutputFile::~OutputFile() {
    file_.close();
    if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

void OutputFile::keep() {
    errno = 0;
    file_.close();
    if (!file_) fail(path_, errno != 0 ? errno : ENOSPC);
    if (unfinished_.empty()) return;
    std::error_code error;
    std::filesystem::rename(unfinished_, path_, error);
    if (error) fail(path_, error.value());
    unfinished_.clear();
}

} // namespace switchyard::shim::report
