// Opens the files of a log for reading. A log is what somebody has copied, cut or made, so any file may be a
// pipe, a device or a folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace switchyard::shim::log {

// Throws std::runtime_error with a sentence for people where the path is there but no file that can be read.
// The stream is closed where nothing is there.
std::ifstream open_log_file(const std::filesystem::path& path);

// The whole text; "" where nothing is there.
std::string text_of_log_file(const std::filesystem::path& path);

} // namespace switchyard::shim::log
