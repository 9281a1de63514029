// Everything that `switchyard` makes of a log.
#pragma once

#include <string>

namespace switchyard::fuzz {

// Reads the log in the folder, and checks all forms of a report on it. A log may be refused with a sentence.
void check_report_of(const std::string& folder);
// The same with the text alone, which takes a tenth of the time.
void check_text_of(const std::string& folder);

} // namespace switchyard::fuzz
