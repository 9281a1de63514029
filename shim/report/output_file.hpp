// A file that is there as a whole or not at all.
#pragma once

#include <fstream>
#include <string>

namespace switchyard::shim::report {

// Written beside its name and moved there by `keep`; without that it goes. Throws std::runtime_error with the
// system's reason where it cannot be written.
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    std::ostream& stream() { return file_; }
    void keep();

  private:
    std::string path_, unfinished_;
    std::ofstream file_;
};

} // namespace switchyard::shim::report
