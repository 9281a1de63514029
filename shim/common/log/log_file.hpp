// Opens the files of a log for reading. Somebody may have copied, cut or made the log, so any file may be a
// pipe, a device or a folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace switchyard::shim::log {

// A line that a rank wrote where numbers came near the end of an int. Most runs have no such file.
inline constexpr const char* int_limit_file = "int_limit.txt";

// Throws std::runtime_error with a sentence for people if the path exists but is no readable file. The stream
// is closed if nothing is there.
std::ifstream open_log_file(const std::filesystem::path& path);

// The whole text; "" if nothing is there.
std::string text_of_log_file(const std::filesystem::path& path);

} // namespace switchyard::shim::log
