// The command line of `switchyard run`: where its own words end, and that a program's words arrive as they are.
#include "tests/support/catch.hpp"

#include "shim/command/run.hpp"

using namespace switchyard::shim::command;

namespace {

using Line = std::vector<const char*>;

std::vector<std::string> program_of(Line line) {
    line.insert(line.begin(), {"switchyard", "run"});
    return {line.begin() + static_cast<std::ptrdiff_t>(program_in(line)), line.end()};
}

} // namespace

TEST_CASE("a program begins behind the options and their values, or behind --", "[run]") {
    for (const Line& options :
         std::vector<Line>{{},
                           {"--policy", "p.json"},
                           {"--policy=p.json"},
                           {"--log", "off", "--force=alltoallv:tuna:radix=4;allgather:ring", "--detail=all"},
                           {"--detail", "ranks", "--force", "x", "--log", "a/b c", "--policy", "/p"}})
        for (const Line& program : std::vector<Line>{{"./app"},
                                                     {"app", "--log", "x", "--", "-h", ""},
                                                     {"app", "--policy=p", "--help", "--"},
                                                     {"./app", "[1,2]", "{}", "%%", "+"}}) {
            Line line = options;
            line.insert(line.end(), program.begin(), program.end());
            CHECK(program_of(line) == std::vector<std::string>(program.begin(), program.end()));
            line.insert(line.begin() + std::ssize(options), "--");
            CHECK(program_of(line) == std::vector<std::string>(program.begin(), program.end()));
        }
    CHECK(program_of({"--", "-strange"}) == std::vector<std::string>{"-strange"});
    CHECK(program_of({"--", "--"}) == std::vector<std::string>{"--"});
}

TEST_CASE("a line without a program, and another subcommand's line, are read to their ends", "[run]") {
    for (const Line& line : std::vector<Line>{{},
                                              {"switchyard"},
                                              {"switchyard", "run"},
                                              {"switchyard", "config"},
                                              {"switchyard", "explain", "--", "x"},
                                              {"switchyard", "run", "--"},
                                              {"switchyard", "run", "--help"},
                                              {"switchyard", "run", "--log"},
                                              {"switchyard", "run", "--log", "x"},
                                              {"switchyard", "run", "--log", "x", "--"}})
        CHECK(program_in(line) == line.size());
}
