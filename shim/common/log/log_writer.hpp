// A file of JSON lines.
#pragma once

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace switchyard::shim::log {

class LogWriter {
  public:
    // A file that exists is overwritten. Where the file cannot be written, lines are dropped and finish() returns
    // false: the caller writes the log together with other ranks and must go on.
    explicit LogWriter(const std::string& path);
    ~LogWriter();
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    void line(const std::string& text);
    // Hands all lines to the file system. False: some are lost, for example because the disk is full.
    bool finish();

  private:
    std::unique_ptr<spdlog::logger> logger_;
    bool failed_ = false;
};

} // namespace switchyard::shim::log
