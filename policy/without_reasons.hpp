// The text of a policy without what only people read, for the ranks of a run.
#pragma once

#include <string>

namespace switchyard::policy {

// The same policy without `because`, `$schema`, comments and white space. `text`: a policy without problems.
// Any other text comes back as it is.
std::string without_reasons(const std::string& text);

} // namespace switchyard::policy
