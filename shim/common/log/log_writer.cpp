#include "log_writer.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

namespace switchyard::shim::log {

LogWriter::LogWriter(const std::string& path) {
    try {
        auto sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(path, true);
        sink->set_pattern("%v");
        logger_ = std::make_unique<spdlog::logger>("log", sink);
        logger_->set_error_handler([this](const std::string&) { failed_ = true; });
    } catch (const spdlog::spdlog_ex&) {
        failed_ = true;
    }
}

LogWriter::~LogWriter() {
    finish();
}

void LogWriter::line(const std::string& text) {
    if (!failed_) logger_->info(spdlog::string_view_t(text));
}

bool LogWriter::finish() {
    if (logger_) logger_->flush();
    return !failed_;
}

} // namespace switchyard::shim::log
