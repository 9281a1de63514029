// Where LD_PRELOAD cannot hold the path of an installation, a link stands in for it.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/preload_path.hpp"

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
