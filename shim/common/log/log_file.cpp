#include "log_file.hpp"

#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace switchyard::shim::log {

namespace fs = std::filesystem;

std::ifstream open_log_file(const fs::path& path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return {};
    // Opening a pipe waits for its other end, and a device may have no end.
    if (fs::status_known(status) && !fs::is_regular_file(status))
        throw std::runtime_error(path.string() + " is not a regular file, so it is not read");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error(path.string() +
                                 " cannot be read: " + std::generic_category().message(errno));
    return file;
}

std::string text_of_log_file(const fs::path& path) {
    std::ostringstream text;
    if (auto file = open_log_file(path); file.is_open()) text << file.rdbuf();
    return text.str();
}

} // namespace switchyard::shim::log
