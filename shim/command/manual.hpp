// The manual page, generated from the command's own options.
#pragma once

#include <iosfwd>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace switchyard::shim::command {

// The subcommands that are not hidden.
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);

bool takes_value(const CLI::Option& option);

// The manual page switchyard(1), in roff: the help of each subcommand, settings, files.
void write_manual(const CLI::App& app, std::ostream& out);

} // namespace switchyard::shim::command
