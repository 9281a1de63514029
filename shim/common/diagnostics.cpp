#include "diagnostics.hpp"

#include <memory>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace switchyard::shim {

namespace {

// A logger of our own. It is never registered, since spdlog's registry may be the application's. It is never
// destroyed, since exit handlers may call MPI_Finalize after static objects are gone.
std::unique_ptr<spdlog::logger>& logger() {
    static auto* instance = new std::unique_ptr<spdlog::logger>;
    return *instance;
}

bool speaks = false; // this rank

void log(spdlog::level::level_enum level, const char* label, const std::string& message,
         bool is_urgent = false) noexcept {
    try {
        if (auto& out = logger(); out && (speaks || is_urgent)) {
            out->log(level, "switchyard: {}{}", label, message);
            out->flush();
        }
    } catch (...) { // stderr may be closed; there is no other place for messages
    }
}

} // namespace

void set_up_diagnostics(std::string_view level, bool speaks_here) noexcept {
    speaks = speaks_here;
    try {
        auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        sink->set_pattern("%v");
        logger() = std::make_unique<spdlog::logger>("switchyard", sink);
        auto name = level == "warning" ? "warn" : level == "error" ? "err" : std::string(level);
        logger()->set_level(spdlog::level::from_str(name));
    } catch (...) {
        logger().reset();
    }
}

void warn(const std::string& message) noexcept {
    log(spdlog::level::warn, "warning: ", message);
}
void warn_from_any_rank(const std::string& message) noexcept {
    log(spdlog::level::warn, "warning: ", message, true);
}
void inform(const std::string& message) noexcept {
    log(spdlog::level::info, "info: ", message);
}
void say(const std::string& message) noexcept {
    log(spdlog::level::warn, "", message);
}

} // namespace switchyard::shim
