// A file that is there as a whole or not at all: it is written under another name and then renamed, so a
// reader never sees half a file.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace switchyard::shim {

// Throws std::system_error, whose text names the file and the system's reason. Devices and pipes are written
// directly: a rename would replace them.
class WholeFile {
  public:
    explicit WholeFile(std::string path);
    ~WholeFile(); // without keep() nothing is left
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    std::ostream& stream() { return file_; }
    void keep(); // gives the file its name

  private:
    std::string path_, unfinished_; // unfinished_ is empty where the file is written directly
    std::ofstream file_;
};

// Writes one text as a whole file. Returns the system's error; none: the file is there.
std::error_code write_whole(const std::string& path, std::string_view text);

} // namespace switchyard::shim
