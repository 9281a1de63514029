// Where LD_PRELOAD cannot hold the path of an installation, a link stands in for it.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/preload_path.hpp"
#include "shim/common/sanitizers.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using switchyard::shim::preload_path;
using switchyard::tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string folder_of_user(const TemporaryFolder& folder) {
    return folder / ("switchyard-" + std::to_string(geteuid()));
}

} // namespace

TEST_CASE("a path without spaces and colons is taken as it is", "[preload]") {
    const TemporaryFolder links;
    CHECK(preload_path("/opt/lib/libswitchyard.so", {links.path().string()}) == "/opt/lib/libswitchyard.so");
    CHECK(fs::is_empty(links.path()));
}

TEST_CASE("a link stands in for a path with a space, a colon or a dollar sign, the same at every run",
          "[preload]") {
    const TemporaryFolder installed, links;
    for (const std::string name : {"my tools", "a:b", "$LIB"}) {
        const auto lib = installed / (name + "/lib");
        fs::create_directories(lib);
        std::ofstream(lib + "/libswitchyard.so") << name;
        const auto path = preload_path(lib + "/libswitchyard.so", {links.path().string()});
        CHECK(path.starts_with(folder_of_user(links) + '/'));
        CHECK(path.find_first_of(" :$") == std::string::npos);
        CHECK(fs::equivalent(path, lib + "/libswitchyard.so"));
        CHECK(preload_path(lib + "/libswitchyard.so", {links.path().string()}) == path);
    }
    CHECK(std::distance(fs::directory_iterator(folder_of_user(links)), fs::directory_iterator{}) == 3);
}

TEST_CASE("a folder that others can write to, or that is not ours, gets no link", "[preload]") {
    const TemporaryFolder installed, first, second;
    const auto object = installed / "my tools/lib/libswitchyard.so";
    const auto folders = {first.path().string(), second.path().string()};
    SECTION("others can write to it") {
        fs::create_directory(folder_of_user(first));
        fs::permissions(folder_of_user(first), fs::perms::all);
    }
    SECTION("a link to another folder") {
        fs::create_directory_symlink("/", folder_of_user(first));
    }
    SECTION("a file") {
        std::ofstream(folder_of_user(first)) << "";
    }
    SECTION("another target") {
        const auto path = preload_path(object, folders);
        fs::remove(fs::path(path).parent_path());
        fs::create_directory_symlink("/elsewhere", fs::path(path).parent_path());
    }
    CHECK(preload_path(object, folders).starts_with(second.path().string()));
}

TEST_CASE("where there is no folder for a link there is no path", "[preload]") {
    const TemporaryFolder folder;
    CHECK(preload_path("/my tools/libswitchyard.so", {}).empty());
    CHECK(preload_path("/my tools/libswitchyard.so", {folder / "none", "", "relative"}).empty());
    fs::create_directory(folder / "a b");
    CHECK(preload_path("/my tools/libswitchyard.so", {folder / "a b"}).empty());
    CHECK(preload_path("/tools/lib switchyard.so", {folder.path().string()}).empty());
}

TEST_CASE("the preload object is found in lib, in lib64, and in a folder for the architecture", "[preload]") {
    for (const std::string lib : {"lib", "lib64", "lib/x86_64-linux-gnu"}) {
        const TemporaryFolder prefix;
        fs::create_directories(prefix / "lib/other");
        fs::create_directories(prefix / lib);
        std::ofstream(prefix / (lib + "/libswitchyard.so")) << "";
        CHECK(switchyard::shim::preload_object(prefix.path().string()) ==
              prefix / (lib + "/libswitchyard.so"));
    }
    const TemporaryFolder prefix;
    CHECK(switchyard::shim::preload_object(prefix.path().string()) == prefix / "lib/libswitchyard.so");
}

TEST_CASE("we stand before other preloaded objects", "[preload]") {
    CHECK(switchyard::shim::preload_list("/a.so", nullptr) == "/a.so");
    CHECK(switchyard::shim::preload_list("/a.so", "") == "/a.so");
    CHECK(switchyard::shim::preload_list("/a.so", "b.so c.so") == "/a.so:b.so c.so");
}

TEST_CASE("runtimes of sanitizers that are preloaded first stay first", "[preload]") {
    using switchyard::shim::preload_list;
    CHECK(preload_list("/a.so", "libasan.so.8") == "libasan.so.8:/a.so");
    CHECK(preload_list("/a.so", "/usr/lib/libasan.so.8 /b/libubsan.so.1:b.so c.so") ==
          "/usr/lib/libasan.so.8 /b/libubsan.so.1:/a.so:b.so c.so");
    CHECK(preload_list("/a.so", " :libtsan.so.2: b.so") == " :libtsan.so.2:/a.so:b.so");
    CHECK(preload_list("/a.so", "b.so:libasan.so.8") == "/a.so:b.so:libasan.so.8");
    CHECK(preload_list("/a.so", " : ") == "/a.so");
}

TEST_CASE("the runtimes of GCC's and Clang's sanitizers are known by their names", "[preload]") {
    using switchyard::shim::is_sanitizer_runtime;
    for (const std::string file :
         {"libasan.so", "libasan.so.8", "libtsan.so.2", "liblsan.so.0", "libubsan.so.1", "libhwasan.so.0",
          "libclang_rt.asan-x86_64.so", "libclang_rt.asan.so", "libclang_rt.tsan-x86_64.so",
          "libclang_rt.ubsan_standalone-x86_64.so", "libclang_rt.hwasan_aliases.so", "libclang_rt.msan.so"}) {
        INFO(file);
        CHECK(is_sanitizer_runtime(file));
        CHECK(is_sanitizer_runtime("/usr/lib/" + file));
    }
    for (const std::string file : {"", "libasan/b.so", "libasanas.so", "libc.so.6", "libclang_rt.profile.so",
                                   "libswitchyard.so", "mylibasan.so", "/libtsan.so/"}) {
        INFO(file);
        CHECK_FALSE(is_sanitizer_runtime(file));
    }
}

TEST_CASE("AddressSanitizer does not ask for the first place, unless the user says so", "[preload]") {
    using switchyard::shim::asan_options;
    CHECK(asan_options(nullptr) == "verify_asan_link_order=0");
    CHECK(asan_options("") == "verify_asan_link_order=0");
    CHECK(asan_options("detect_leaks=0") == "verify_asan_link_order=0:detect_leaks=0");
    for (const std::string given : {"verify_asan_link_order=0", "detect_leaks=0:verify_asan_link_order=1"})
        CHECK(asan_options(given.c_str()) == given);
}
