// Memory that processes map into each other, without anybody waiting.
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/node_memory.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using switchyard::algorithms::NodeMemory;

namespace {

constexpr std::size_t memory_bytes = 10'000;

// Runs `work` in another process. Returns its result.
bool elsewhere(const std::function<bool()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The mapping that another process would make: this process already knows its own mapping.
std::byte* mapped_by_another(NodeMemory& other, const NodeMemory::Place& place) {
    return other.data_at(place);
}

// A place as seen by a process that cannot look into /proc.
NodeMemory::Place hidden(NodeMemory::Place place) {
    place.process = 1 << 30;
    return place;
}

std::size_t open_files() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

} // namespace

TEST_CASE("a section is one memory for its owner and for another process", "[node_memory]") {
    NodeMemory memory(memory_bytes);
    const auto place = memory.lend();
    REQUIRE(place);
    std::byte* const data = memory.data_at(place);
    REQUIRE(data != nullptr);
    REQUIRE(memory.extend(place, memory_bytes));
    std::memset(data, 1, memory_bytes);
    CHECK(elsewhere([&] {
        NodeMemory other(memory_bytes);
        std::byte* const seen = mapped_by_another(other, place);
        if (seen == nullptr || seen == data || seen[memory_bytes - 1] != std::byte{1}) return false;
        seen[memory_bytes - 1] = std::byte{2};
        return mapped_by_another(other, place) == seen; // mapped once
    }));
    CHECK(data[memory_bytes - 1] == std::byte{2});
}

TEST_CASE("a section is lent again when all users have left it, or when nobody will use it",
          "[node_memory]") {
    NodeMemory memory(memory_bytes);
    const auto first = memory.lend();
    memory.set_users(first, 2);
    std::byte* const data = memory.data_at(first);
    NodeMemory::leave(data);
    const auto second = memory.lend();
    CHECK(second.offset != first.offset);
    NodeMemory::leave(data);
    CHECK(memory.lend().offset == first.offset);
    CHECK(memory.lend().offset != first.offset);
    memory.take_back(second);
    CHECK(memory.lend().offset == second.offset);
}

TEST_CASE("a section has memory where it was extended, and no more", "[node_memory]") {
    constexpr std::size_t large = std::size_t{1} << 20;
    NodeMemory memory(large);
    const auto place = memory.lend();
    REQUIRE(place);
    const auto bytes_there = [&] {
        struct stat facts {};
        REQUIRE(fstat(place.file, &facts) == 0);
        CHECK(facts.st_size >= static_cast<off_t>(large)); // whoever maps it maps all of it
        return static_cast<std::size_t>(facts.st_blocks) * 512;
    };
    CHECK(bytes_there() < large / 8);
    CHECK(memory.extend(place, 1));
    CHECK(bytes_there() < large / 8);
    CHECK(memory.extend(place, large / 2));
    CHECK(bytes_there() >= large / 2);
    CHECK(bytes_there() < large);
    CHECK_FALSE(memory.extend(place, large + 1));
    CHECK(memory.extend(place, large));
    CHECK(bytes_there() >= large);
    CHECK_FALSE(memory.extend({}, 1));
}

TEST_CASE("a section whose file the program closed is not extended", "[node_memory]") {
    NodeMemory memory(std::size_t{1} << 20);
    const auto place = memory.lend();
    REQUIRE(place);
    REQUIRE(close(place.file) == 0);
    errno = E2BIG;
    CHECK_FALSE(memory.extend(place, std::size_t{1} << 20));
    CHECK(errno == E2BIG);
}

TEST_CASE("a process owns no more sections than the limit", "[node_memory]") {
    NodeMemory memory(64);
    for (std::size_t i = 0; i < NodeMemory::most_sections; ++i) REQUIRE(memory.lend());
    CHECK_FALSE(memory.lend());
}

TEST_CASE("over the limit of the program's files no section is lent, and no signal comes", "[node_memory]") {
    CHECK(elsewhere([] {
        const rlimit limit{2 * memory_bytes, 2 * memory_bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        NodeMemory memory(memory_bytes);
        return memory.lend() && !memory.lend();
    }));
}

TEST_CASE("a place that means another file here cannot be mapped", "[node_memory]") {
    NodeMemory memory(memory_bytes), other(memory_bytes);
    auto place = memory.lend();
    ++place.key;
    CHECK(other.data_at(place) == nullptr);
    --place.key;
    place.file = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(other.data_at(place) == nullptr);
    close(place.file);
    CHECK(other.data_at({}) == nullptr);
    CHECK(other.data_at({.key = place.key, .offset = place.offset, .process = 1 << 30, .file = 3}) ==
          nullptr);
}

TEST_CASE("a file that the program opened under the number is never written to", "[node_memory]") {
    NodeMemory memory(memory_bytes);
    const auto place = memory.lend();
    REQUIRE(place);
    const auto path = std::filesystem::temp_directory_path() / ("switchyard-" + std::to_string(getpid()));
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(dup3(file, place.file, O_CLOEXEC) == place.file);
    CHECK_FALSE(memory.lend());
    CHECK(std::filesystem::file_size(path) == 0);
    std::memset(memory.data_at(place), 1, memory_bytes); // the memory itself stays
    close(file);
    std::filesystem::remove(path);
}

TEST_CASE("processes that have met map all sections of each other", "[node_memory]") {
    NodeMemory memory(memory_bytes), other(memory_bytes);
    const auto place = hidden(memory.lend()), others = hidden(other.lend());
    REQUIRE(other.data_at(place) == nullptr);
    const auto files = open_files();
    REQUIRE(other.listen());
    REQUIRE(memory.introduce_to(others));
    REQUIRE(memory.introduce_to(others)); // again: the file is kept once
    other.meet_guests();
    CHECK(open_files() == files + 1);
    std::memset(memory.data_at(place), 1, memory_bytes);
    std::byte* const seen = other.data_at(place);
    REQUIRE(seen != nullptr);
    CHECK(seen[memory_bytes - 1] == std::byte{1});
    CHECK(other.data_at(hidden(memory.lend())) != nullptr);
}

TEST_CASE("nobody is introduced to a process that does not listen", "[node_memory]") {
    NodeMemory memory(memory_bytes), other(memory_bytes);
    CHECK_FALSE(memory.listen()); // nobody knows a process without a section
    const auto own = memory.lend(), others = other.lend();
    CHECK_FALSE(memory.introduce_to(others));
    CHECK(memory.introduce_to(own)); // known already
    REQUIRE(other.listen());
    other.meet_guests();
    CHECK_FALSE(memory.introduce_to(others));
}
