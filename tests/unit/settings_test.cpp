// What the environment says, and what of it counts.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

#include "algorithms/collective.hpp"
#include "policy/text/lists.hpp"
#include "policy/text/printable.hpp"
#include "shim/common/network.hpp"
#include "shim/common/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <utility>

using namespace switchyard;
using shim::Detail;
using shim::Setting;
using shim::Settings;
using switchyard::tests::has;
using switchyard::tests::TemporaryFolder;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

// The environment has these variables that start with SWITCHYARD and no others, until the test is over.
class Environment {
  public:
    explicit Environment(const Variables& variables) {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            const std::string line = *entry;
            if (line.starts_with("SWITCHYARD"))
                before_.emplace_back(line.substr(0, line.find('=')), line.substr(line.find('=') + 1));
        }
        for (const auto& [name, value] : before_) unsetenv(name.c_str());
        for (const auto& [name, value] : variables) {
            setenv(name.c_str(), value.c_str(), 1);
            set_.push_back(name);
        }
    }
    ~Environment() {
        for (const auto& name : set_) unsetenv(name.c_str());
        for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    Variables before_;
    std::vector<std::string> set_;
};

struct Read {
    Settings settings;
    std::vector<std::string> complaints;
};

Read read(const Variables& variables) {
    const Environment environment(variables);
    Read result;
    result.settings = Settings::from_environment(result.complaints);
    return result;
}

} // namespace

TEST_CASE("without variables the defaults hold", "[settings]") {
    const auto [settings, complaints] = read({});
    CHECK(complaints.empty());
    CHECK(settings.enabled());
    CHECK(settings.logs());
    CHECK(settings.detail() == Detail::calls);
    CHECK(settings.value(Setting::log) == "switchyard-logs");
    CHECK(settings.value(Setting::verbose) == "warn");
    CHECK(settings.value(Setting::force).empty());
    CHECK(settings.value(Setting::ranks_per_node).empty());
    CHECK(settings.value(Setting::ranks_per_region).empty());
    CHECK(settings.value(Setting::region) == "package");
    CHECK(std::filesystem::path(settings.value(Setting::policy)).filename() == "default.policy.json");
    for (std::size_t i = 0; i < shim::setting_count; ++i)
        CHECK_FALSE(settings.given(static_cast<Setting>(i)));
}

TEST_CASE("the table is the contract's list, in the order of the enum", "[settings]") {
    const std::vector<std::string> expected = {"SWITCHYARD",
                                               "SWITCHYARD_POLICY",
                                               "SWITCHYARD_FORCE",
                                               "SWITCHYARD_LOG",
                                               "SWITCHYARD_LOG_MODE",
                                               "SWITCHYARD_DETAIL",
                                               "SWITCHYARD_RANKS_PER_NODE",
                                               "SWITCHYARD_REGION",
                                               "SWITCHYARD_RANKS_PER_REGION",
                                               "SWITCHYARD_NETWORK",
                                               "SWITCHYARD_SHARED_BYTES",
                                               "SWITCHYARD_IN_FLIGHT_LIMIT",
                                               "SWITCHYARD_GPU",
                                               "SWITCHYARD_GPU_AWARE",
                                               "SWITCHYARD_VERBOSE"};
    std::vector<std::string> names;
    for (const auto& traits : shim::setting_table()) names.emplace_back(traits.variable);
    CHECK(names == expected);
    CHECK(shim::setting_table()[static_cast<std::size_t>(Setting::ranks_per_node)].variable ==
          "SWITCHYARD_RANKS_PER_NODE");
}

TEST_CASE("given values are in force", "[settings]") {
    const auto [settings, complaints] = read({{"SWITCHYARD", "off"},
                                              {"SWITCHYARD_POLICY", "/a b/=c.json"},
                                              {"SWITCHYARD_FORCE", "alltoallv:tuna:radix=4;allgather:ring"},
                                              {"SWITCHYARD_LOG", "off"},
                                              {"SWITCHYARD_DETAIL", "summary"},
                                              {"SWITCHYARD_RANKS_PER_NODE", "3,1,4"},
                                              {"SWITCHYARD_REGION", "numa"},
                                              {"SWITCHYARD_RANKS_PER_REGION", "cyclic:2"},
                                              {"SWITCHYARD_GPU", "on"},
                                              {"SWITCHYARD_GPU_AWARE", "no"},
                                              {"SWITCHYARD_VERBOSE", "debug"}});
    CHECK(complaints.empty());
    CHECK(settings.gpu() == shim::Gpu::on);
    CHECK(settings.gpu_aware() == shim::GpuAware::no);
    CHECK(read({}).settings.gpu() == shim::Gpu::detect);
    CHECK(read({}).settings.gpu_aware() == shim::GpuAware::detect);
    CHECK_FALSE(settings.enabled());
    CHECK_FALSE(settings.logs());
    CHECK(settings.detail() == Detail::summary);
    CHECK(settings.value(Setting::policy) == "/a b/=c.json");
    CHECK(settings.value(Setting::force) == "alltoallv:tuna:radix=4;allgather:ring");
    CHECK(settings.value(Setting::ranks_per_node) == "3,1,4");
    CHECK(settings.value(Setting::region) == "numa");
    CHECK(settings.value(Setting::ranks_per_region) == "cyclic:2");
    CHECK(settings.given(Setting::verbose) == "debug");
    CHECK(read({{"SWITCHYARD_DETAIL", "ranks"}}).settings.detail() == Detail::ranks);
    CHECK(read({{"SWITCHYARD_DETAIL", "all"}}).settings.detail() == Detail::all);
}

TEST_CASE("an impossible value is named, with what would do, and does not count", "[settings]") {
    const struct {
        Setting setting;
        const char *variable, *value, *would_do;
    } cases[] = {
        {Setting::enabled, "SWITCHYARD", "OFF", "on or off"},
        {Setting::enabled, "SWITCHYARD", "0", "on or off"},
        {Setting::detail, "SWITCHYARD_DETAIL", "everything", "calls, ranks, summary, phases or all"},
        {Setting::verbose, "SWITCHYARD_VERBOSE", "loud", "debug"},
        {Setting::ranks_per_node, "SWITCHYARD_RANKS_PER_NODE", "0", "cyclic:4"},
        {Setting::ranks_per_node, "SWITCHYARD_RANKS_PER_NODE", "4,", "3,1,4"},
        {Setting::shared_bytes, "SWITCHYARD_SHARED_BYTES", "-1", "a number of bytes, at most 1073741824"},
        {Setting::shared_bytes, "SWITCHYARD_SHARED_BYTES", "1M", "a number of bytes, at most 1073741824"},
        {Setting::shared_bytes, "SWITCHYARD_SHARED_BYTES", "1073741825", "a number of bytes"},
        {Setting::ranks_per_region, "SWITCHYARD_RANKS_PER_REGION", "two", "3,1,4"},
        {Setting::region, "SWITCHYARD_REGION", "socket", "none, numa or package"},
        {Setting::in_flight_limit, "SWITCHYARD_IN_FLIGHT_LIMIT", "0",
         "a whole number of messages, 1 or more"},
        {Setting::network, "SWITCHYARD_NETWORK", "ethernet", "detect, tcp or rdma"},
    };
    for (const auto& wrong : cases) {
        INFO(wrong.variable << '=' << wrong.value);
        const auto [settings, complaints] = read({{wrong.variable, wrong.value}});
        REQUIRE(complaints.size() == 1);
        CHECK(has(complaints.front(), std::string(wrong.variable) + "=" + wrong.value));
        CHECK(has(complaints.front(), wrong.would_do));
        CHECK_FALSE(settings.given(wrong.setting));
        CHECK(settings.value(wrong.setting) == read({}).settings.value(wrong.setting));
    }
}

TEST_CASE("a machine with a device for remote memory access has an rdma network", "[settings]") {
    const TemporaryFolder root;
    CHECK_FALSE(shim::has_rdma_device(root.path()));
    for (const char* const place : {"sys/class/infiniband", "sys/class/cxi", "dev/tofu"}) {
        INFO(place);
        std::filesystem::create_directories(root.path() / place);
        CHECK_FALSE(shim::has_rdma_device(root.path())); // a driver without a device
        std::filesystem::create_directories(root.path() / place / "mlx5_0");
        CHECK(shim::has_rdma_device(root.path()));
        std::filesystem::remove_all(root.path() / place);
    }
    const auto found = shim::has_rdma_device() ? policy::Network::rdma : policy::Network::tcp;
    CHECK(read({}).settings.network() == found);
    CHECK(read({{"SWITCHYARD_NETWORK", "tcp"}}).settings.network() == policy::Network::tcp);
    CHECK(read({{"SWITCHYARD_NETWORK", "rdma"}}).settings.network() == policy::Network::rdma);
}

TEST_CASE("set to nothing is not set", "[settings]") {
    for (const auto& traits : shim::setting_table()) {
        const auto [settings, complaints] = read({{std::string(traits.variable), ""}});
        CHECK(complaints.empty());
        CHECK(settings.serialized() == read({}).settings.serialized());
    }
}

TEST_CASE("a name that is no setting gets one complaint, with the nearest name", "[settings]") {
    const auto [settings, complaints] = read({{"SWITCHYARD_POLICI", "x"}, {"SWITCHYARD_", "y"}});
    REQUIRE(complaints.size() == 2);
    const auto close = std::find_if(complaints.begin(), complaints.end(),
                                    [](const auto& text) { return text.starts_with("SWITCHYARD_POLICI "); });
    REQUIRE(close != complaints.end());
    CHECK(has(*close, "did you mean"));
    CHECK(has(*close, "SWITCHYARD_POLICY"));
    CHECK_FALSE(settings.given(Setting::policy));
    CHECK(read({{"SWITCHYARD_policy", "x"}}).complaints.size() == 1);
}

TEST_CASE("other people's variables are left alone", "[settings]") {
    CHECK(read({{"SWITCHYARDS", "off"}, {"SWITCHYARD2_POLICY", "x"}}).complaints.empty());
    CHECK(read({{"MY_SWITCHYARD_POLICY", "x"}}).complaints.empty());
}

TEST_CASE("settings arrive on the other ranks as they left rank 0", "[settings]") {
    const Variables awkward[] = {
        {},
        {{"SWITCHYARD_POLICY", "3:abc;-;\n"}, {"SWITCHYARD_FORCE", ";;-;12:"}},
        {{"SWITCHYARD_VERBOSE", "off"}},
        {{"SWITCHYARD_LOG", std::string(100'000, 'x')}, {"SWITCHYARD_DETAIL", "ranks"}},
        {{"SWITCHYARD", "on"}, {"SWITCHYARD_POLICY", "\xff\xfe"}, {"SWITCHYARD_RANKS_PER_NODE", "cyclic:2"}},
    };
    for (const auto& variables : awkward) {
        const auto sent = read(variables).settings;
        const auto arrived = Settings::deserialized(sent.serialized());
        for (std::size_t i = 0; i < shim::setting_count; ++i)
            CHECK(arrived.given(static_cast<Setting>(i)) == sent.given(static_cast<Setting>(i)));
    }
}

TEST_CASE("text that is no settings does no harm", "[settings]") {
    for (const char* text : {"", "-", "-;", "x", "5:ab;", "99999999999999999999:a;",
                             "18446744073709551615:a;", "1", "1:", "-;-;-;-;-;-;-;-;-;-;"})
        CHECK_NOTHROW(Settings::deserialized(text));
}

TEST_CASE("files of an installation are found from where an object lies", "[settings]") {
    const tests::TemporaryFolder prefix;
    std::filesystem::create_directories(prefix / "share/switchyard");
    std::ofstream(prefix / "share/switchyard/default.policy.json") << "{}";
    for (const char* object :
         {"lib/libswitchyard.so", "bin/switchyard", "lib/x86_64-linux-gnu/libswitchyard.so"})
        CHECK(shim::installed_file(prefix / object, "default.policy.json") ==
              prefix / "share/switchyard/default.policy.json");
    CHECK(
        shim::installed_file("libswitchyard.so", "no such file").ends_with("share/switchyard/no such file"));
    CHECK_NOTHROW(shim::installed_file("", "default.policy.json"));
}

TEST_CASE("the path of an object is known from an address in it", "[settings]") {
    CHECK(std::filesystem::path(shim::object_path_of(reinterpret_cast<const void*>(&shim::setting_table))) ==
          std::filesystem::canonical("/proc/self/exe"));
    CHECK(shim::object_path_of(nullptr).empty());
}

TEST_CASE("names are listed as people write them", "[settings]") {
    using text::enumerated;
    using Words = std::vector<std::string_view>;
    CHECK(enumerated(Words{}).empty());
    CHECK(enumerated(Words{"a"}) == "a");
    CHECK(enumerated(Words{"a", "b"}, "or") == "a or b");
    CHECK(enumerated(Words{"a", "b", "c"}) == "a, b and c");
}

TEST_CASE("an MPI's name for itself fits into a line", "[settings]") {
    CHECK(text::first_line("MPICH Version:\t4.0.2\nMPICH Release date:\tThu") == "MPICH Version: 4.0.2");
    CHECK(text::first_line("MPICH Version:      \t 5.0.2\r\nmore") == "MPICH Version: 5.0.2");
    CHECK(text::first_line("Open MPI v4.1.4, package") == "Open MPI v4.1.4, package");
    CHECK(text::first_line(" \t Some\x01\x1b[2J MPI\x7f\t") == "Some [2J MPI");
    CHECK(text::first_line(" \t Some\x01\x1bMPI\x7f\t") == "Some MPI");
    CHECK(text::first_line("").empty());
    CHECK(text::first_line("\nsecond").empty());
}
