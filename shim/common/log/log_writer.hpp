// A file of JSON lines.
#pragma once

#include "own_file.hpp"

#include <string>

namespace switchyard::shim::log {

class LogWriter {
  public:
    // A new file. If it cannot be written, lines are dropped and finish() returns false: the caller writes
    // the log together with other ranks and must go on. The folder must outlive it.
    LogWriter(const Folder& folder, const std::string& name)
        : file_(folder, name), failed_(!file_.is_made()) {}
    ~LogWriter() { finish(); }
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    void line(const std::string& text);
    // Hands all lines to the file system. False: some are lost, for example because the disk is full.
    bool finish();

  private:
    static constexpr std::size_t enough = 65536; // bytes, for one write

    OwnFile file_;
    std::string waiting_;
    bool failed_;
};

} // namespace switchyard::shim::log
