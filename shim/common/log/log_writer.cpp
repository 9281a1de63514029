#include "log_writer.hpp"

namespace switchyard::shim::log {

void LogWriter::line(const std::string& text) {
    if (failed_) return;
    waiting_ += text;
    waiting_ += '\n';
    if (waiting_.size() >= enough) finish();
}

bool LogWriter::finish() {
    if (!failed_ && !waiting_.empty()) failed_ = !file_.append(waiting_.data(), waiting_.size());
    waiting_.clear();
    return !failed_;
}

} // namespace switchyard::shim::log
