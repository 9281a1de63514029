// What LD_PRELOAD gets: the object to preload, by a path that LD_PRELOAD can hold. The loader splits the
// variable at spaces and colons, and replaces words such as $LIB, so an installation in "/home/ann/my tools"
// needs another path.
#pragma once

#include <string>
#include <vector>

namespace switchyard::shim {

// `object` itself if LD_PRELOAD can hold it. Else a path through a link to its folder. The link lies in a
// folder of this user, inside the first of `folders` where that is possible. It stays there, and all later
// runs share it. "": there is no such path.
std::string preload_path(const std::string& object, const std::vector<std::string>& folders);

// libswitchyard.so of the installation in `prefix`, or where it should be if it is missing.
std::string preload_object(const std::string& prefix);

// LD_PRELOAD with `path` in front of what is there already, so calls come to us first. Runtimes of sanitizers
// at the front stay there: they do not start in any other place. `others` may be null.
std::string preload_list(const std::string& path, const char* others);

// $TMPDIR, /tmp and others.
std::vector<std::string> folders_for_links();

} // namespace switchyard::shim
