// `switchyard run` reads a command line in its usual form without CLI11, to the same result.
#include "tests/support/catch.hpp"

#include "shim/command/arguments.hpp"

#include <CLI/CLI.hpp>

#include <random>

using namespace switchyard::shim::command;

namespace {

using Line = std::vector<const char*>;

std::string quoted(const Line& line) {
    std::string text;
    for (const auto* word : line) text += (text.empty() ? "" : " ") + ('\'' + std::string(word) + '\'');
    return text;
}

// As main() asks it. nullopt: it has a sentence for the user instead.
std::optional<RunArguments> by_cli11(const Line& line) {
    CLI::App app;
    app.set_version_flag("--version", "1");
    app.require_subcommand(1);
    app.add_subcommand("check");
    RunArguments arguments;
    add_run(app, arguments);
    try {
        app.parse(static_cast<int>(line.size()), line.data());
    } catch (const CLI::ParseError&) {
        return std::nullopt;
    }
    if (!app.got_subcommand("run")) return std::nullopt;
    return arguments;
}

// Every list of `most` words, each with the fewer words before it.
template <typename Body>
void each_list(const std::vector<const char*>& words, std::size_t most, Line& line, const Body& body) {
    body(line);
    if (most == 0) return;
    for (const auto* word : words) {
        line.push_back(word);
        each_list(words, most - 1, line, body);
        line.pop_back();
    }
}

// What may stand behind `run`, good and bad, and what CLI11 could take for something else.
const std::vector<const char*> all_words{
    "--policy", "--policy=p", "--policy=",  "--log", "--log=a=b",  "--log=[a]", "--log=-a",
    "--force",  "--detail",   "--detail=x", "--",    "--polic",    "--polic=p", "--POLICY",
    "-policy",  "---log",     "--help",     "-h",    "--version",  "-",         "-5",
    "++",       "+",          "",           "run",   "check",      "program",   "./a b",
    "%%",       "--program",  "/log:a",     "--=a",  "--program=p"};

} // namespace

TEST_CASE("what is read without CLI11 is what CLI11 reads", "[run]") {
    int usual = 0, all = 0;
    const auto compare = [&](const Line& line) {
        const auto quick = usual_run(line);
        ++all;
        if (!quick) return; // then CLI11 reads it anyway
        ++usual;
        if (quick != by_cli11(line)) FAIL_CHECK(quoted(line));
    };
    SECTION("all short lines") {
        Line line{"switchyard", "run"};
        each_list(all_words, 3, line, compare);
    }
    SECTION("long lines") {
        std::mt19937 random(1);
        for (int i = 0; i < 5000; ++i) {
            Line line{"switchyard", "run"};
            for (auto more = random() % 4; more > 0; --more)
                line.insert(line.end(),
                            {all_words[random() % 4 * 3], all_words[random() % all_words.size()]});
            for (auto more = random() % 5; more > 0; --more)
                line.push_back(all_words[random() % all_words.size()]);
            compare(line);
        }
    }
    CHECK(usual > all / 100);
}

TEST_CASE("every usual form is read without CLI11", "[run]") {
    for (const Line& options :
         std::vector<Line>{{},
                           {"--policy", "p.json"},
                           {"--policy=p.json"},
                           {"--log", "off", "--force=alltoallv:tuna:radix=4;allgather:ring", "--detail=all"},
                           {"--detail", "ranks", "--force", "x", "--log", "a/b c", "--policy", "/p"}})
        for (const Line& program : std::vector<Line>{{"--", "./app"},
                                                     {"./app"},
                                                     {"--", "app", "--log", "x", "--", "-h", ""},
                                                     {"app", "--policy=p", "--help", "--"},
                                                     {"--", "-strange"},
                                                     {"--", "--"}}) {
            Line line{"switchyard", "run"};
            line.insert(line.end(), options.begin(), options.end());
            line.insert(line.end(), program.begin(), program.end());
            INFO(quoted(line));
            const auto quick = usual_run(line);
            REQUIRE(quick);
            CHECK(quick == by_cli11(line));
            CHECK(std::equal(quick->program.rbegin(), quick->program.rend(), line.rbegin()));
        }
}

TEST_CASE("what CLI11 has a sentence for is left to it", "[run]") {
    for (const Line& line : std::vector<Line>{{},
                                              {"switchyard"},
                                              {"switchyard", "run"},
                                              {"switchyard", "config"},
                                              {"switchyard", "--version", "run", "app"},
                                              {"switchyard", "run", "--"},
                                              {"switchyard", "run", "--help"},
                                              {"switchyard", "run", "--log"},
                                              {"switchyard", "run", "--log", "x"},
                                              {"switchyard", "run", "--log", "x", "--"},
                                              {"switchyard", "run", "--log=x", "--log=y", "app"},
                                              {"switchyard", "run", "--lgo=x", "--", "app"},
                                              {"switchyard", "run", "-l", "x", "--", "app"}}) {
        INFO(quoted(line));
        CHECK_FALSE(usual_run(line));
        if (!line.empty()) CHECK_FALSE(by_cli11(line));
    }
}

// CLI11 would make two words of it.
TEST_CASE("a program's words in brackets arrive whole", "[run]") {
    const Line line{"switchyard", "run", "--", "./app", "[1,2]", "{}"};
    CHECK(usual_run(line)->program == std::vector<std::string>{"./app", "[1,2]", "{}"});
}
