// Who runs the native calls: what follows from the MPI's variables and the environment, and its way through
// run.json.
#include "tests/support/catch.hpp"

#include "shim/common/log/native_json.hpp"
#include "shim/common/native_facts.hpp"

#include <nlohmann/json.hpp>

using namespace switchyard::shim;
using nlohmann::json;

namespace {

constexpr const char* openmpi_4 = "Open MPI v4.1.4, package: Debian OpenMPI";
constexpr const char* mpich_4 = "MPICH Version:\t4.0.2";
const char* const nothing_set[] = {"HOME=/root", "no_value", nullptr};
constexpr const char* only_dynamic =
    "Which alltoallv algorithm is used. Only relevant if coll_tuned_use_dynamic_rules is true.";

// As Open MPI 4.1.4 says it.
std::vector<McaVariable> variables(const std::vector<std::string>& more = {}) {
    std::vector<McaVariable> found;
    std::vector<std::string> lines = {"coll= (default)",
                                      "coll_basic_priority=10 (default)",
                                      "coll_tuned_priority=30 (default)",
                                      "coll_self_priority=75 (default)",
                                      "coll_han_reduce_priority=7 (default)",
                                      "btl_tcp_priority=1 (default)"};
    lines.insert(lines.end(), more.begin(), more.end());
    for (const auto& line : lines)
        if (auto variable = collective_variable(line)) {
            if (variable->is_set()) variable->help = only_dynamic;
            found.push_back(*variable);
        }
    return found;
}

json run_json_with(const NativeFacts& facts) {
    return {{"native", log::native_json(facts)}};
}

} // namespace

TEST_CASE("a variable of Open MPI is read as it says it, whatever its value", "[native]") {
    const auto plain = collective_variable("coll_tuned_priority=30 (default)");
    REQUIRE(plain);
    CHECK(plain->name == "coll_tuned_priority");
    CHECK(plain->value == "30");
    CHECK_FALSE(plain->is_set());
    const auto by_file =
        collective_variable("coll_tuned_dynamic_rules_filename=/a=b (c) (file (/etc/openmpi (1)/x.conf))");
    REQUIRE(by_file);
    CHECK(by_file->value == "/a=b (c)");
    CHECK(by_file->source == "file (/etc/openmpi (1)/x.conf)");
    CHECK(by_file->is_set());
    CHECK(collective_variable("coll=^han (environment)")->value == "^han");
    for (const auto* other : {"", "coll", "coll_x=3", "coll_x=)", "btl_tcp_if_include=lo (environment)",
                              "collect_x=1 (environment)", "(default)=coll_x"})
        CHECK_FALSE(collective_variable(other));
}

TEST_CASE("Open MPI's components come in the order of their priority", "[native]") {
    const auto facts = native_facts(openmpi_4, variables(), nothing_set, {});
    REQUIRE(facts.components.size() == 3);
    CHECK(facts.components[0].name == "self");
    CHECK(facts.components[1].name == "tuned");
    CHECK(facts.components[1].priority == 30);
    CHECK(facts.components[2].name == "basic");
    CHECK(facts.settings.empty());
    CHECK(facts.forced.empty());
}

TEST_CASE("an algorithm that Open MPI was told to take is forced only where its condition holds",
          "[native]") {
    const std::string algorithm = "coll_tuned_alltoallv_algorithm=pairwise (environment)";
    const auto idle = native_facts(
        openmpi_4, variables({algorithm, "coll_tuned_use_dynamic_rules=false (default)"}), nothing_set, {});
    CHECK(idle.forced.empty());
    REQUIRE(idle.settings.size() == 1);
    CHECK(idle.settings[0].value == "pairwise");
    CHECK(idle.settings[0].no_effect == "coll_tuned_use_dynamic_rules is false");

    const auto active = native_facts(
        openmpi_4, variables({algorithm, "coll_tuned_use_dynamic_rules=true (file (/a))"}), nothing_set, {});
    CHECK(active.forced == std::map<std::string, std::string>{{"alltoallv", "pairwise"}});
    REQUIRE(active.settings.size() == 2);
    CHECK(active.settings[0].no_effect.empty());
    CHECK(active.settings[1].from == "file (/a)");

    for (const auto* none : {"coll_tuned_alltoallv_algorithm=ignore (environment)",
                             "coll_tuned_alltoallv_algorithm_count=2 (environment)",
                             "coll_tuned_nonsense_algorithm=2 (environment)"})
        CHECK(native_facts(openmpi_4, variables({none}), nothing_set, {}).forced.empty());
}

TEST_CASE("a setting that Open MPI does not know is said to have no effect", "[native]") {
    const char* const environment[] = {"OMPI_MCA_coll_tuned_priority=90",
                                       "OMPI_MCA_coll_tuned_alltoalv_algorithm=1", "OMPI_MCA_pml=ob1",
                                       "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks", nullptr};
    const auto facts = native_facts(openmpi_4, variables(), environment, {});
    REQUIRE(facts.settings.size() == 1);
    CHECK(facts.settings[0].name == "OMPI_MCA_coll_tuned_alltoalv_algorithm");
    CHECK_FALSE(facts.settings[0].no_effect.empty());
    // An Open MPI that cannot be asked: nobody knows what it knows.
    const auto mute = native_facts(openmpi_4, {}, environment, {});
    REQUIRE(mute.settings.size() == 2);
    CHECK(mute.settings[0].no_effect.empty());
    CHECK(mute.forced.empty());
}

TEST_CASE("of MPICH and its relatives the environment says what was set about collectives", "[native]") {
    const char* const environment[] = {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise",
                                       "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=auto",
                                       "MPIR_CVAR_ALLTOALLV_INTER_ALGORITHM=nb",
                                       "MPICH_COLL_SYNC=1",
                                       "MPIR_CVAR_NOLOCAL=1",
                                       "MPICH_VERSION_DISPLAY=1",
                                       "I_MPI_ADJUST_ALLTOALLV=2",
                                       "OMPI_MCA_coll_tuned_priority=90",
                                       nullptr};
    const auto facts = native_facts(mpich_4, {}, environment, {});
    std::vector<std::string> names;
    for (const auto& setting : facts.settings) {
        names.push_back(setting.name);
        CHECK(setting.from == "environment");
        CHECK(setting.no_effect.empty());
    }
    CHECK(names == std::vector<std::string>{
                       "I_MPI_ADJUST_ALLTOALLV", "MPICH_COLL_SYNC", "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM",
                       "MPIR_CVAR_ALLTOALLV_INTER_ALGORITHM", "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"});
    CHECK(facts.forced == std::map<std::string, std::string>{{"alltoall", "pairwise"}});
    CHECK(facts.components.empty());
    CHECK(native_facts("Some other MPI", {}, environment, {}).settings.empty());
    CHECK(native_facts(mpich_4, {}, nullptr, {}).settings.empty());
}

TEST_CASE("the settings of a collective library count where it is loaded", "[native]") {
    CHECK(is_collective_library("/opt/mellanox/hcoll/lib/libhcoll.so.1"));
    CHECK(is_collective_library("libucc.so.1"));
    CHECK_FALSE(is_collective_library("/usr/lib/libuccx.so"));
    CHECK_FALSE(is_collective_library("/opt/libhcoll.so.1/libother.so"));
    CHECK_FALSE(is_collective_library(""));
    const char* const environment[] = {"HCOLL_MAIN_IB=mlx5_0:1", "UCC_TLS=ucp", nullptr};
    const auto facts = native_facts(mpich_4, {}, environment, {"libucc.so.1"});
    REQUIRE(facts.settings.size() == 1);
    CHECK(facts.settings[0].name == "UCC_TLS");
    CHECK(facts.libraries == std::vector<std::string>{"libucc.so.1"});
}

TEST_CASE("what run.json says of native calls is read as it was written", "[native]") {
    const auto facts = native_facts(openmpi_4,
                                    variables({"coll_tuned_alltoallv_algorithm=pairwise (environment)",
                                               "coll_tuned_use_dynamic_rules=false (default)",
                                               "coll_tuned_allgather_algorithm=ring (file (/a))"}),
                                    nothing_set, {"libhcoll.so.1"});
    const auto written_json = run_json_with(facts);
    const auto read = log::native_in(written_json);
    REQUIRE(read);
    CHECK(run_json_with(*read) == written_json);
    CHECK(read->settings[1].no_effect == "coll_tuned_use_dynamic_rules is false");
}

TEST_CASE("a damaged entry about native calls is left out, and the others are read", "[native]") {
    CHECK_FALSE(log::native_in(json::object()));
    for (const auto* other : {"3", "null", "[]", "\"tuned\""})
        CHECK_FALSE(log::native_in(json::parse(R"({"native":)" + std::string(other) + "}")));
    const auto damaged = log::native_in(
        json::parse(R"({"native":{"components":[3,{"name":7},{"name":"tuned","priority":1e300},)"
                    R"({"name":"basic","priority":"x"}],"settings":7,"forced":{"alltoall":3},)"
                    R"("libraries":[null,"libucc.so.1"]}})"));
    REQUIRE(damaged);
    REQUIRE(damaged->components.size() == 2);
    CHECK(damaged->components[0].priority == 1'000'000'000);
    CHECK(damaged->components[1].priority == 0);
    CHECK(damaged->settings.empty());
    CHECK(damaged->forced.empty());
    CHECK(damaged->libraries == std::vector<std::string>{"libucc.so.1"});
    CHECK(log::native_in(json::parse(R"({"native":{}})")));
}
