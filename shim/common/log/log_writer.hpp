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
    // A new file, or an existing one from its start. Where it cannot be written, failed() says so and lines
    // go nowhere: whoever writes a log together with other ranks must go on.
    explicit LogWriter(const std::string& path);
    ~LogWriter();
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    void line(const std::string& text);
    // Hands everything to the file system; false: some of it is not there, the disk is full for one.
    bool finish();

  private:
    std::unique_ptr<spdlog::logger> logger_;
    bool failed_ = false;
};

} // namespace switchyard::shim::log
