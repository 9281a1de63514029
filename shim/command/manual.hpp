// What is written for people and shells from the command line itself, so that it cannot say anything else than
// the command does.
#pragma once

#include <CLI/CLI.hpp>

#include <ostream>

namespace switchyard::shim::command {

// The manual page switchyard(1), in roff: subcommands, options, settings, files.
void write_manual(const CLI::App& app, std::ostream& out);

// A completion for bash: subcommands, their options, the words of options that take one of a few, and files.
void write_completion(const CLI::App& app, std::ostream& out);

} // namespace switchyard::shim::command
