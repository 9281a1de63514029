// The manual page and the completion for bash. Both are made of the command's own options, so they agree with it.
#pragma once

#include <CLI/CLI.hpp>

#include <ostream>

namespace switchyard::shim::command {

// The manual page switchyard(1), in roff: subcommands, options, settings, files.
void write_manual(const CLI::App& app, std::ostream& out);

// The completion for bash: subcommands, their options, and files.
void write_completion(const CLI::App& app, std::ostream& out);

} // namespace switchyard::shim::command
