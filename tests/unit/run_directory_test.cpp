// The directory of a run's log and what run.json says; logs as they lie on disk.
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/log_lines.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/log/log_writer.hpp"
#include "shim/common/log/read.hpp"
#include "shim/common/log/run_directory.hpp"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace switchyard::shim::log;
using nlohmann::json;
namespace tests = switchyard::tests;
using tests::lines_of;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

RunInfo info() {
    RunInfo run;
    run.program = "solver";
    run.started = "2026-11-21T09:30:00+0100";
    run.pid = 4711;
    run.ranks = 5;
    run.hosts = {"a", "a", "b", "b", "a"};
    run.command_line = {"./solver", "--name", "two words", ""};
    run.mpi_library = "Some MPI v1";
    run.settings = {{"SWITCHYARD", "on"}, {"SWITCHYARD_LOG", "logs"}};
    run.policy_file = "/p/policy.json";
    run.policy = "{\n \"version\": 1 }\n";
    return run;
}

json run_json_in(const std::string& directory) {
    std::ifstream file(directory + "/run.json");
    return json::parse(file);
}

// Why a directory is not opened as a log; "" where it is.
std::string refused_directory(const std::string& directory) {
    try {
        open_run(directory);
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

} // namespace

TEST_CASE("a directory is named by program, start and pid, and is new", "[run_directory]") {
    const TemporaryFolder folder;
    const auto directory = create_run_directory(folder / "not/there/yet", info()).path();
    CHECK(fs::is_directory(directory));
    CHECK(fs::is_empty(directory));
    CHECK(fs::path(directory).is_absolute());
    CHECK(fs::path(directory).parent_path() == fs::path(folder / "not/there/yet"));
    CHECK(std::regex_match(fs::path(directory).filename().string(),
                           std::regex(R"(solver\.\d{8}-\d{6}\.4711)")));
}

TEST_CASE("directories are never used twice", "[run_directory]") {
    const TemporaryFolder folder;
    std::set<std::string> names;
    std::mutex adding;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const auto directory = create_run_directory(folder / "logs", info()).path();
                std::ofstream(directory + "/run.json") << "mine";
                const std::lock_guard lock(adding);
                names.insert(directory);
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(names.size() == 80);
}

TEST_CASE("where no directory can be made there is an exception that says where", "[run_directory]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "";
    for (const auto& log : {folder / "file", folder / "file/below"}) {
        try {
            create_run_directory(log, info());
            FAIL("made a directory in " << log);
        } catch (const std::system_error& error) {
            CHECK(std::string(error.what()).find(folder / "file") != std::string::npos);
        }
    }
}

TEST_CASE("a long program name is shortened in the folder's name, and whole in run.json", "[run_directory]") {
    const TemporaryFolder folder;
    auto program = info();
    for (const auto& name : {std::string(240, 'x'), std::string(99, 'x') + "\xc3\xa4\xc3\xa4"}) {
        program.program = name;
        const auto directory = create_run_directory(folder / "logs", program).path();
        const auto folder_name = fs::path(directory).filename().string();
        CHECK(folder_name.starts_with(std::string(99, 'x')));
        CHECK(folder_name.size() < 143);                      // eCryptfs takes no longer names
        CHECK(folder_name.find('\xc3') == std::string::npos); // no half of a character
        REQUIRE(write_run_json(directory, program, nullptr));
        CHECK(run_json_in(directory)["program"] == name);
    }
}

TEST_CASE("ranks that do not talk agree on the name", "[run_directory]") {
    CHECK(run_directory_name("a", 1'000'000'000, 12) == run_directory_name("a", 1'000'000'000, 12));
    CHECK(run_directory_name("a", 1'000'000'000, 12) != run_directory_name("a", 1'000'000'001, 12));
    CHECK(run_directory_name("a", 1'000'000'000, 12) != run_directory_name("a", 1'000'000'000, 13));
}

TEST_CASE("run.json says what holds from the start", "[run_directory]") {
    const TemporaryFolder folder;
    REQUIRE(write_run_json(folder.path().string(), info(), nullptr));
    const auto run = run_json_in(folder.path().string());
    CHECK(run["complete"] == false);
    CHECK(run["switchyard"].is_string());
    CHECK(run["program"] == "solver");
    CHECK(run["command_line"] == json{"./solver", "--name", "two words", ""});
    CHECK(run["started"] == "2026-11-21T09:30:00+0100");
    CHECK(run["pid"] == 4711);
    CHECK(run["mpi_library"] == "Some MPI v1");
    CHECK(run["ranks"] == 5);
    CHECK(run["mpi_init_seen"] == true);
    CHECK(run["settings"] == json{{"SWITCHYARD", "on"}, {"SWITCHYARD_LOG", "logs"}});
    CHECK(run["policy_file"] == "/p/policy.json");
    CHECK(run["policy"] == "{\n \"version\": 1 }\n");
    CHECK(run["hosts"] ==
          json::array(
              {{{"host", "a"}, {"ranks", 2}}, {{"host", "b"}, {"ranks", 2}}, {{"host", "a"}, {"ranks", 1}}}));
    CHECK(run["units"].is_object());
    CHECK_FALSE(run.contains("calls_seen"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("and at the end what only the end tells", "[run_directory]") {
    const TemporaryFolder folder;
    const RunEnd end{100, 40, 3, 1.5};
    REQUIRE(write_run_json(folder.path().string(), info(), nullptr));
    REQUIRE(write_run_json(folder.path().string(), info(), &end));
    const auto run = run_json_in(folder.path().string());
    CHECK(run["complete"] == true);
    CHECK(run["calls_seen"] == 100);
    CHECK(run["calls_routed"] == 40);
    CHECK(run["records_dropped"] == 3);
    CHECK(run["wall_s"] == 1.5);
    CHECK(run["program"] == "solver");
    auto alone = info();
    alone.alone = true;
    REQUIRE(write_run_json(folder.path().string(), alone, nullptr));
    CHECK(run_json_in(folder.path().string())["mpi_init_seen"] == false);
}

TEST_CASE("text that is no UTF-8 does not keep run.json from being JSON", "[run_directory]") {
    const TemporaryFolder folder;
    auto run = info();
    run.policy = run.program = "\xff\xc3(";
    run.command_line = {"\xfe\x01\x1f\""};
    run.hosts = {"\x80"};
    REQUIRE(write_run_json(folder.path().string(), run, nullptr));
    CHECK_NOTHROW(run_json_in(folder.path().string()));
}

TEST_CASE("a run.json that cannot be written is told", "[run_directory]") {
    const TemporaryFolder folder;
    CHECK_FALSE(write_run_json(folder / "not there", info(), nullptr));
    CHECK_FALSE(write_run_json("/dev/full", info(), nullptr));
}

TEST_CASE("this process describes itself", "[run_directory]") {
    CHECK(program_name() == fs::canonical("/proc/self/exe").filename().string());
    REQUIRE_FALSE(command_line().empty());
    CHECK(command_line().front().find(program_name()) != std::string::npos);
    CHECK(std::regex_match(local_time(1'000'000'000), std::regex(R"(2001-09-09T\d\d:46:40[+-]\d{4})")));
}

TEST_CASE("lines reach their file, and a full disk is told", "[run_directory]") {
    const TemporaryFolder folder;
    const auto in = Folder::open(folder.path().string());
    {
        LogWriter log(in, "a.jsonl");
        for (int i = 0; i < 10'000; ++i) log.line("{\"line\":\"" + std::to_string(i) + " {} %v\"}");
        CHECK(log.finish());
    }
    std::ifstream file(folder / "a.jsonl");
    std::string line;
    int count = 0;
    while (std::getline(file, line))
        if (line != "{\"line\":\"" + std::to_string(count++) + " {} %v\"}") FAIL(line);
    CHECK(count == 10'000);

    {
        const tests::FileSizeLimit limit(1000);
        LogWriter full(in, "full.jsonl");
        for (int i = 0; i < 1000; ++i) full.line(std::string(100, 'x'));
        CHECK_FALSE(full.finish());
    }
    LogWriter again(in, "a.jsonl"); // is there already
    again.line("x");
    CHECK_FALSE(again.finish());
}

TEST_CASE("a log is opened as what it is, or refused with a sentence", "[run_directory]") {
    const TemporaryFolder folder;
    CHECK(refused_directory(folder / "none").find("not a directory") != std::string::npos);
    CHECK(refused_directory(folder.path().string()).find("no run's log") != std::string::npos);

    const auto directory = folder.path().string();
    const RunEnd end{2, 0, 0, 1};
    REQUIRE(write_run_json(directory, info(), &end));
    CHECK(refused_directory(directory).find("calls.jsonl") != std::string::npos);
    std::ofstream(directory + "/calls.jsonl") << "{\"call\":1}\n\n{\"call\":2}\n";
    auto run = open_run(directory);
    CHECK(run.complete);
    CHECK_FALSE(run.summary);
    CHECK(lines_of(run) == std::vector<std::string>{"{\"call\":1}", "{\"call\":2}"});

    REQUIRE(write_run_json(directory, info(), nullptr));
    CHECK(lines_of(open_run(directory)).size() == 2); // somebody kept the lines
    fs::remove(directory + "/calls.jsonl");
    CHECK(refused_directory(directory).find("nor records") != std::string::npos);
    fs::create_directory(directory + "/ranks");
    CHECK_FALSE(open_run(directory).complete);
    CHECK(lines_of(open_run(directory)).empty());
}

TEST_CASE("record files that are not ours, or not whole, are passed over", "[run_directory]") {
    const TemporaryFolder folder;
    const auto directory = folder.path().string();
    fs::create_directory(directory + "/ranks");
    std::ofstream(directory + "/run.json") << "{ torn";
    std::ofstream(directory + "/ranks/0.calls") << "";
    std::ofstream(directory + "/ranks/1.calls") << "switchyard rec1";
    std::ofstream(directory + "/ranks/2.calls") << std::string(1000, 'x');
    std::ofstream(directory + "/ranks/3.names") << "{\"communicator\":";
    CHECK(lines_of(open_run(directory)).empty());
}

TEST_CASE("a run whose disk was full at the last moment shows the lines that it wrote", "[run_directory]") {
    const TemporaryFolder folder;
    const auto directory = folder.path().string();
    REQUIRE(write_run_json(directory, info(), nullptr));
    const RunEnd end{2, 0, 0, 1};
    {
        const tests::FileSizeLimit limit(100);
        CHECK_FALSE(write_run_json(directory, info(), &end));
    }
    CHECK(std::distance(fs::directory_iterator(directory), fs::directory_iterator()) == 1); // no stump
    CHECK(run_json_in(directory)["complete"] == false);
    std::ofstream(directory + "/calls.jsonl") << "{\"call\":1}\n{\"call\":2}\n";
    fs::create_directory(directory + "/ranks"); // empty: the records stayed in memory
    CHECK(lines_of(open_run(directory)).size() == 2);
    std::ofstream(directory + "/ranks/3.calls") << "switchyard rec1"; // one rank of five had room
    CHECK(lines_of(open_run(directory)).size() == 2);
}

TEST_CASE("a folder that is renamed takes our files along, and a link in its place gets none",
          "[run_directory]") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "victim");
    std::ofstream(folder / "victim/run.json") << "precious";
    std::ofstream(folder / "victim/calls.jsonl") << "precious";
    const auto run = create_run_directory(folder / "logs", info());
    const auto moved = folder / "moved";
    fs::rename(run.path(), moved);
    fs::create_directory_symlink(folder / "victim", run.path());
    REQUIRE(write_run_json(run, info(), nullptr));
    {
        LogWriter log(run, "calls.jsonl");
        log.line("{}");
        CHECK(log.finish());
    }
    CHECK(fs::exists(moved + "/calls.jsonl"));
    CHECK(run_json_in(moved)["program"] == "solver");
    CHECK(fs::file_size(folder / "victim/run.json") == 8);
    CHECK(fs::file_size(folder / "victim/calls.jsonl") == 8);
    CHECK_FALSE(Folder::open(run.path()).is_open());
    CHECK_FALSE(Folder::made(run.path()).is_open());
    CHECK_FALSE(write_run_json(run.path(), info(), nullptr));
}

TEST_CASE("links inside the folder lead none of our files elsewhere", "[run_directory]") {
    const TemporaryFolder folder;
    std::ofstream(folder / "victim") << "precious";
    const auto run = create_run_directory(folder / "logs", info());
    fs::create_symlink(folder / "victim", run.path() + "/calls.jsonl");
    fs::create_directory_symlink(folder.path(), run.path() + "/ranks");
    LogWriter log(run, "calls.jsonl");
    log.line("{}");
    CHECK_FALSE(log.finish());
    CHECK_FALSE(run.inside("ranks").is_open());
    CHECK(fs::file_size(folder / "victim") == 8);
}

TEST_CASE("a log's files let others write in no case, and read where the setting says so",
          "[run_directory]") {
    const auto umask_before = umask(0);
    for (const auto mode : {0644U, 0640U, 0600U}) {
        const TemporaryFolder folder;
        auto facts = info();
        facts.file_mode = mode;
        const auto run = create_run_directory(folder / "logs", facts);
        REQUIRE(write_run_json(run, facts, nullptr));
        CHECK(LogWriter(run, "calls.jsonl").finish());
        CHECK(run.inside("ranks").create("0.calls").was_opened());
        struct stat found {};
        for (const char* name : {"/run.json", "/calls.jsonl", "/ranks/0.calls"}) {
            REQUIRE(stat((run.path() + name).c_str(), &found) == 0);
            CHECK((found.st_mode & 0777U) == mode);
        }
        REQUIRE(stat((folder / "logs").c_str(), &found) == 0);
        CHECK((found.st_mode & 0777U) == 0755U);
        REQUIRE(stat(run.path().c_str(), &found) == 0);
        CHECK((found.st_mode & 0777U) == (mode | 0100U | (mode & 0044U) >> 2));
    }
    umask(umask_before);
}
