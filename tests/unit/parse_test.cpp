// The text of a policy: valid texts are accepted, and each problem of others has its place and its message.
#include "tests/support/catch.hpp"
#include "tests/support/policy_texts.hpp"
#include "tests/support/texts.hpp"

#include "policy/file.hpp"
#include "policy/keys.hpp"
#include "policy/match.hpp"
#include "policy/parse.hpp"
#include "policy/prune.hpp"
#include "policy/rule_name.hpp"
#include "policy/spelling.hpp"
#include "policy/synonyms.hpp"
#include "policy/without_reasons.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

using namespace switchyard;
using policy::Policy;
using policy::Problem;
using switchyard::tests::file_text;
using switchyard::tests::with_rules;
namespace fs = std::filesystem;

namespace {

const fs::path source_folder = SWITCHYARD_SOURCE_DIR;
const fs::path policies = source_folder / "tests" / "unit" / "policies";

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<Problem> problems_of(std::string_view text) {
    const auto parsed = policy::parse(text);
    const auto* problems = parsed.error();
    return problems == nullptr ? std::vector<Problem>{} : *problems;
}

std::string listed(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) text += problem.pointer + ": " + problem.message + '\n';
    return text;
}

// The JSON pointer, or the place in a text that is not JSON.
std::string place_of(const Problem& problem) {
    if (problem.column == 0) return problem.pointer;
    return "line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column);
}

// One malformed policy per message: the file's name, the place, and a part of the message.
struct Malformed {
    const char* name;
    const char* place;
    const char* message;
};
constexpr Malformed malformed[] = {
    {"algorithm_not_a_string", "/rules/0/use/algorithm", "algorithm is a string; found true"},
    {"algorithm_of_another_collective", "/rules/0/use/algorithm",
     "\"ring\" is an algorithm of allgather, not of alltoallv; alltoallv has native, "},
    {"because_not_a_string", "/rules/0/because", "because is a string; found an array"},
    {"because_too_long", "/rules/0/because", "because has 10001 bytes; the limit is 10000 bytes"},
    {"blank", "", "the policy is empty"},
    {"block_count_zero", "/rules/0/use/block_count",
     "block_count 0 is out of range; it is a whole number, 1 to "},
    {"bytes_negative", "/rules/0/when/max_block_bytes/max",
     "max -1 is out of range; it is a whole number, 0 to 9007199254740991"},
    {"collective_not_a_string", "/rules/0/when/collective",
     "collective is one of alltoallv, alltoall, allgather, allgatherv, alltoallw, neighbor_alltoallv, "
     "neighbor_alltoall, neighbor_allgather, neighbor_allgatherv; found an array"},
    {"barrier_of_a_word", "/rules/0/use/barrier_before", "barrier_before"},
    {"limit_of_nothing", "/rules/0/use/in_flight_limit",
     "in_flight_limit 0 is out of range; it is a whole number, 1 to 2147483647"},
    {"limit_on_native", "/rules/0/use/in_flight_limit",
     "native takes no \"in_flight_limit\": the MPI library starts its own messages"},
    {"chunk_of_nothing", "/rules/0/use/chunk_bytes",
     "chunk_bytes 0 is out of range; it is a whole number, 1 to 9007199254740991"},
    {"comma_in_a_key", "line 2, column 85", "not valid JSON: syntax error while parsing value"},
    {"comma_twice", "line 2, column 16", "not valid JSON: syntax error while parsing object key"},
    {"comment_not_closed", "line 4, column 1", "invalid comment; missing closing '*/'"},
    {"comment_with_hash", "line 2, column 17", "a comment begins with // here, not with #"},
    {"direct_and_copies", "/rules/0/use/transfer",
     "tuna of alltoallv copies bytes itself and takes no transfer \"direct\"; use \"staged\", or one of "
     "native, "
     "spread_out, pairwise, scattered, linear, "},
    {"direct_and_copies_somewhere", "/otherwise/transfer", "shared of alltoallv copies bytes itself"},
    {"direct_from_a_word", "/rules/0/use/direct_from",
     "direct_from is a whole number, 1 to 2147483648, or \"auto\"; found \"always\""},
    {"direct_from_too_large", "/rules/0/use/direct_from",
     "direct_from 2147483649 is out of range; it is a whole number, 1 to 2147483648, or \"auto\""},
    {"direct_from_zero", "/rules/0/use/direct_from",
     "direct_from 0 is out of range; it is a whole number, 1 to 2147483648, or \"auto\""},
    {"empty", "", "the policy is empty"},
    {"hidden_by_one", "/rules/1", "can never fire: rule 1 \"few\" takes every call it could take"},
    {"hidden_by_two", "/rules/3",
     "can never fire: rule 1 \"small\" and rule 3 \"large\" together take every call it could take"},
    {"hidden_with_nodes", "/rules/1", "can never fire: rule 1 \"many\" takes every call it could take"},
    {"hidden_without_names", "/rules/1", "can never fire: rule 1 takes every call it could take"},
    {"in_place_not_a_boolean", "/rules/0/when/in_place", "in_place is true or false; found \"yes\""},
    {"key_twice", "/rules/0/use/radix", "key \"radix\" is given twice"},
    {"key_with_slash", "/a~1b~0c",
     "unknown key \"a/b~c\"; the keys here are $schema, version, rules, otherwise"},
    {"memory_limit_negative", "/rules/0/use/memory_limit_bytes", "memory_limit_bytes -5 is out of range"},
    {"metadata_as_a_number", "/rules/0/use/metadata", "metadata is one of separate, fused; found 1"},
    {"missing_algorithm", "/rules/0/use", "\"algorithm\" is missing"},
    {"missing_otherwise", "",
     "\"otherwise\" is missing, for example \"otherwise\": {\"algorithm\": \"native\"}"},
    {"missing_rules", "", "\"rules\" is missing"},
    {"missing_use", "/rules/0", "\"use\" is missing"},
    {"missing_version", "", "\"version\" is missing, for example \"version\": 1"},
    {"name_empty", "/rules/0/name", "name is empty"},
    {"name_not_a_string", "/rules/0/name", "name is a string; found 3"},
    {"name_too_long", "/rules/0/name", "name has 1001 bytes; the limit is 1000 bytes"},
    {"name_of_a_rule_without_name", "/rules/1",
     "this rule has no name, and \"rule 2\" is also the name of rule 1"},
    {"name_twice", "/rules/1/name", "name \"same\" is also the name of rule 1"},
    {"nested_deeply", "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0", "nested more than 16 deep"},
    {"never_few_nodes_for_the_radices", "/rules/0",
     "its radices are for at most 16 nodes, and nodes.min is 20"},
    {"never_few_ranks_for_the_radices", "/rules/0",
     "its radices are for at most 48 ranks, and ranks.min is 49"},
    {"never_enough_ranks", "/rules/0", "hold at most 32 ranks, and ranks.min is 33"},
    {"never_ranks_for_the_radix", "/rules/0", "hold at most 32 ranks, and its parameters need at least 64"},
    {"never_one_node", "/rules/0", "its algorithm needs all ranks on one node, and nodes.min is 2"},
    {"never_too_many_nodes", "/rules/0", "hold at least 40 ranks, and ranks.max is 32"},
    {"never_too_many_per_node", "/rules/0", "hold at least 64 ranks, and ranks.max is 32"},
    {"nodes_fractional", "/rules/0/when/nodes/min", "min is a whole number, 1 to 2147483647; found 1.5"},
    {"not_an_object", "", "a policy is an object; found an array"},
    {"not_utf8", "line 4, column 18", "ill-formed UTF-8"},
    {"nul_byte", "line 6, column 1", "a NUL byte"},
    {"number_overflow", "line 2, column 18", "number overflow"},
    {"number_too_large", "/rules/0/when/ranks_per_node/min", "found 99999999999999999999"},
    {"only_a_comment", "line 2, column 1", "unexpected end of input"},
    {"otherwise_not_an_object", "/otherwise", "use is an object; found \"native\""},
    {"parameter_not_taken", "/rules/0/use/radix",
     "scattered of alltoallv takes no parameter \"radix\"; it takes block_count"},
    {"parameter_of_native", "/otherwise/radix",
     "native of alltoallv takes no parameter \"radix\"; it takes none"},
    {"radices_empty", "/rules/0/use/radix",
     "radix is a list of 0; a list has 2 to 8 entries, one for each digit"},
    {"radices_not_a_list", "/rules/0/use/radix", "a list of them, such as [8, 6], or \"auto\"; found \"8x\""},
    {"radices_of_one_digit", "/rules/0/use/radix", "radix is a list of 1; a list has 2 to 8 entries"},
    {"radices_too_large", "/rules/0/use/radix/7",
     "radix 128 is out of range; it is a whole number, 2 to 127 in a list of 8"},
    {"radices_too_many", "/rules/0/use/radix", "radix is a list of 9; a list has 2 to 8 entries"},
    {"radices_with_a_one", "/rules/0/use/radix/1",
     "radix 1 is out of range; it is a whole number, 2 to 268435455"},
    {"radices_with_a_word", "/rules/0/use/radix/1", "2 to 268435455 in a list of 2; found \"six\""},
    {"radices_with_a_zero", "/rules/0/use/radix",
     "radix 0 is out of range; it is a whole number, 2 to 268435455"},
    {"radix_not_a_number", "/rules/0/use/radix", "radix is a whole number, 2 to "},
    {"radix_over_the_ranks", "/rules/0/use/radix",
     "radix 64 is out of range; it is a whole number, 2 to 32, as "},
    {"radix_too_small", "/rules/0/use/radix", "radix 1 is out of range; it is a whole number, 2 to "},
    {"range_empty", "/rules/0/when/ranks", "empty range: min 8 is more than max 4"},
    {"range_not_an_object", "/rules/0/when/ranks",
     "ranks is a range, {\"min\": ..., \"max\": ...}; found 64"},
    {"range_of_strings", "/rules/0/when/max_block_bytes/min", "found \"4k\""},
    {"range_without_ends", "/rules/0/when/ranks", "ranks needs \"min\" or \"max\" or both"},
    {"ranks_zero", "/rules/0/when/ranks/min", "min 0 is out of range; it is a whole number, 1 to "},
    {"rule_not_an_object", "/rules/0", "a rule is an object; found \"tuna\""},
    {"rules_too_many", "/rules", "rules has 1001 entries; the limit is 1000"},
    {"rules_not_an_array", "/rules", "rules is an array of rules; found an object"},
    {"schema_not_a_string", "/$schema", "$schema is a string; found 7"},
    {"trailing_comma", "line 4, column 39",
     "a trailing comma: nothing follows it before the closing bracket"},
    {"trailing_comma_after_a_number", "line 3, column 15", "a trailing comma"},
    {"trailing_comma_after_an_address", "line 4, column 96", "a trailing comma"},
    {"trailing_comma_and_comments", "line 4, column 54", "a trailing comma"},
    {"truncated", "line 1, column 52", "missing closing quote"},
    {"two_documents", "line 6, column 1", "expected end of input"},
    {"unknown_algorithm", "/rules/0/use/algorithm",
     "unknown algorithm \"tunna\", did you mean \"tuna\"? alltoallv has native, "},
    {"unknown_algorithm_adaptive", "/rules/0/use/algorithm",
     "; `switchyard tune --program` measures which one is the fastest, and writes a policy"},
    {"unknown_algorithm_anywhere", "/rules/0/use/algorithm",
     "unknown algorithm \"quicksort\"; alltoallv has "},
    {"unknown_buffer", "/rules/0/when/buffer",
     "unknown buffer \"gpu\", did you mean \"device\"? it is one of host, device"},
    {"unknown_collective", "/rules/0/when/collective",
     "unknown collective \"alltoalv\", did you mean \"alltoallv\"? it is one of "},
    {"unknown_key", "/rulez", "unknown key \"rulez\", did you mean \"rules\"? the keys here are "},
    {"unknown_metadata", "/rules/0/use/metadata", "unknown metadata \"fuzed\", did you mean \"fused\"?"},
    {"unknown_range_key", "/rules/0/when/ranks/maximum",
     "unknown key \"maximum\", did you mean \"max\"? the keys here are min, max"},
    {"unknown_rule_key", "/rules/0/becuase", "did you mean \"because\"?"},
    {"unknown_transfer", "/rules/0/use/transfer", "did you mean \"staged\"?"},
    {"unknown_use_key", "/rules/0/use/radiks", "did you mean \"radix\"?"},
    {"unknown_when_key", "/rules/0/when/rank", "did you mean \"ranks\"?"},
    {"use_not_an_object", "/rules/0/use", "use is an object; found \"tuna\""},
    {"version_2", "/version", "version 2 is not known; this switchyard reads version 1"},
    {"version_as_string", "/version", "version is a whole number"},
    {"when_not_an_object", "/rules/0/when", "when is an object; found null"},
};

} // namespace

TEST_CASE("each malformed policy has one problem, with its place", "[parse]") {
    for (const Malformed& expected : malformed) {
        const auto problems =
            problems_of(file_text(policies / "invalid" / (std::string(expected.name) + ".json")));
        INFO(expected.name << '\n' << listed(problems));
        REQUIRE(problems.size() == 1);
        CHECK(place_of(problems.front()) == expected.place);
        CHECK(problems.front().message.find(expected.message) != std::string::npos);
    }
}

TEST_CASE("every malformed policy is in the table", "[parse]") {
    std::set<std::string> in_table;
    for (const Malformed& expected : malformed) in_table.insert(expected.name);
    for (const fs::path& file : files_in(policies / "invalid"))
        CHECK(in_table.count(file.stem().string()) == 1);
}

TEST_CASE("valid policies, our own among them, have no problems", "[parse]") {
    auto files = files_in(policies / "valid");
    for (const fs::path& file : files_in(source_folder / "config"))
        if (file.string().ends_with(".policy.json")) files.push_back(file);
    CHECK(files.size() >= 12);
    for (const fs::path& file : files) {
        const auto problems = problems_of(file_text(file));
        INFO(file << '\n' << listed(problems));
        CHECK(problems.empty());
    }
}

TEST_CASE("without its reasons a policy says the same in fewer bytes", "[parse]") {
    auto files = files_in(policies / "valid");
    files.push_back(source_folder / "config" / "default.policy.json");
    for (const fs::path& file : files) {
        INFO(file);
        const auto text = file_text(file), shorter = policy::without_reasons(text);
        CHECK(shorter.size() < text.size());
        CHECK(shorter.find("because") == std::string::npos);
        const auto whole = policy::parse(text), rest = policy::parse(shorter);
        REQUIRE(rest.value().rules.size() == whole.value().rules.size());
        CHECK(rest.value().otherwise.algorithm == whole.value().otherwise.algorithm);
        CHECK(rest.value().otherwise.parameters == whole.value().otherwise.parameters);
        for (std::size_t i = 0; i < rest.value().rules.size(); ++i) {
            const policy::Rule &one = rest.value().rules[i], &other = whole.value().rules[i];
            CHECK(one.name == other.name);
            for (const policy::Key& key : policy::when_keys())
                CHECK(key.wanted(one.when) == key.wanted(other.when));
            CHECK(one.use.algorithm == other.use.algorithm);
            CHECK(one.use.parameters == other.use.parameters);
            CHECK(one.use.transfer == other.use.transfer);
            CHECK(one.use.memory_limit_bytes == other.use.memory_limit_bytes);
            CHECK(one.use.chunk_bytes == other.use.chunk_bytes);
            CHECK(one.use.barrier_before == other.use.barrier_before);
            CHECK(one.use.in_flight_limit == other.use.in_flight_limit);
        }
    }
    CHECK(policy::without_reasons("no JSON") == "no JSON");
    CHECK(policy::without_reasons("[1]") == "[1]");
}

TEST_CASE("every key arrives", "[parse]") {
    const auto parsed = policy::parse(file_text(policies / "valid" / "all_keys.json"));
    const auto& read = parsed.value();
    REQUIRE(read.rules.size() == 1);
    const policy::Rule& rule = read.rules.front();
    CHECK(rule.name == "small blocks, many ranks");
    CHECK(rule.because == "it was measured");
    CHECK(rule.when.collective == policy::Collective::alltoallv);
    CHECK(rule.when.ranks == policy::Range{64, 4096});
    CHECK(rule.when.max_block_bytes == policy::Range{0, 512});
    CHECK(rule.when.ranks_per_node == policy::Range{2, policy::Range{}.max});
    CHECK(rule.when.nodes == policy::Range{2, 1000});
    CHECK(rule.when.buffer == policy::Buffer::device);
    CHECK(rule.when.in_place == false);
    CHECK(rule.use.algorithm == "tuna");
    CHECK(rule.use.parameters[static_cast<std::size_t>(algorithms::Parameter::radix)] == 4);
    CHECK(rule.use.parameters[static_cast<std::size_t>(algorithms::Parameter::metadata)] ==
          static_cast<std::int64_t>(algorithms::Metadata::separate));
    CHECK(rule.use.transfer == policy::Transfer::staged);
    CHECK(rule.use.memory_limit_bytes == 1048576U);
    CHECK(rule.use.chunk_bytes == 65536U);
    CHECK(rule.use.barrier_before);
    CHECK(rule.use.in_flight_limit == 16U);
    CHECK(rule.when.total_bytes == policy::Range{0, 1000000});
    CHECK(rule.when.skew == policy::Range{2, 100});
    CHECK_FALSE(read.otherwise.chunk_bytes);
    CHECK(read.otherwise.transfer == policy::Transfer::direct);
    CHECK(read.otherwise.memory_limit_bytes == 0U);
}

TEST_CASE("a rule without a name is called by its number, from 1", "[parse]") {
    const auto parsed = policy::parse(file_text(policies / "valid" / "without_names.json"));
    const auto& rules = parsed.value().rules;
    REQUIRE(rules.size() == 3);
    CHECK(rules[0].name == "rule 1");
    CHECK(rules[1].name == "gathers");
    CHECK(rules[2].name == "rule 3");
    CHECK(policy::rule_called(rules[0].name) == "rule 1");
    CHECK(policy::rule_called(rules[1].name) == "rule \"gathers\"");
    CHECK(policy::rule_called("rule of thumb") == "rule \"rule of thumb\"");
    CHECK(policy::rule_called("rule ") == "rule \"rule \"");
    CHECK(policy::rule_numbered(1, rules[0].name) == "rule 1");
    CHECK(policy::rule_numbered(2, rules[1].name) == "rule 2 \"gathers\"");
    CHECK(policy::rule_numbered(3, "rule 1") == "rule 3 \"rule 1\"");
}

TEST_CASE("all problems at once, in the order of the document", "[parse]") {
    const auto problems = problems_of(R"({"version": 3, "rules": [
        {"name": "a", "use": {"algorithm": "tuna", "radix": 1, "metadata": "x", "speed": 3}},
        {"name": "a", "when": {"ranks": {"min": 5, "max": 4}, "nodes": true}, "use": {"algorithm": "nativ"}}],
        "otherwise": {"algorithm": "ring", "radix": 2}, "more": 1})");
    std::vector<std::string> pointers;
    for (const Problem& problem : problems) pointers.push_back(problem.pointer);
    CHECK(pointers == std::vector<std::string>{"/version", "/rules/0/use/radix", "/rules/0/use/metadata",
                                               "/rules/0/use/speed", "/rules/1/name", "/rules/1/when/ranks",
                                               "/rules/1/when/nodes", "/rules/1/use/algorithm",
                                               "/otherwise/radix", "/more"});
}

TEST_CASE("each problem has the line of its key, or of its value", "[parse]") {
    const auto problems = problems_of(R"({
      "version": 2, // line 2
      /* lines 3
         and 4 */
      "rules": [ // 5
        { "name": "a", "when": { "ranks":
            { "min": 8, "max": 4 } }, "use": { // 7
            "algorithm": "tuna",
            "radix": 1
          } },
        7,
        [
        ],
        { }
      ],
      "otherwise":
        null,
      "more": 1})");
    std::vector<std::pair<std::string, std::size_t>> lines;
    for (const Problem& problem : problems) lines.emplace_back(problem.pointer, problem.line);
    INFO(listed(problems));
    CHECK(lines == std::vector<std::pair<std::string, std::size_t>>{{"/version", 2},
                                                                    {"/rules/0/when/ranks", 6},
                                                                    {"/rules/0/use/radix", 9},
                                                                    {"/rules/1", 11},
                                                                    {"/rules/2", 12},
                                                                    {"/rules/3", 14},
                                                                    {"/otherwise", 16},
                                                                    {"/more", 18}});
}

TEST_CASE("a problem is told with file, line, pointer and the number of its rule", "[parse]") {
    CHECK(policy::told("my.json", {"/rules/1/use/radix", "no", policy::Spoils::rule, 4, 0}) ==
          "my.json:4: /rules/1/use/radix (rule 2): no");
    CHECK(policy::told("my.json", {"", "no", policy::Spoils::policy, 4, 7}) == "my.json:4:7: no");
    CHECK(policy::told("my.json", {"/rules", "no", policy::Spoils::policy, 4, 0}) == "my.json:4: /rules: no");
    CHECK(policy::told("my.json", {"/rules/more", "no"}) == "my.json: /rules/more: no");
    CHECK(policy::told("my.json", {"", "no"}) == "my.json: no");
}

TEST_CASE("a rule with a problem hides no other", "[parse]") {
    const auto problems =
        problems_of(with_rules(R"({"name": "all", "use": {"algorithm": "native", "radix": 1}},
                                                    {"name": "few", "use": {"algorithm": "native"}})"));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().pointer == "/rules/0/use/radix");
}

TEST_CASE("huge and hostile texts are refused at once", "[parse]") {
    const std::size_t huge = 50U << 20U;
    for (const char c : {'[', '{', ' ', '"', '\0'}) CHECK(problems_of(std::string(huge, c)).size() == 1);
    const std::size_t just_read = policy::largest_policy_bytes;
    for (const char c : {'[', '{', ' ', '"', '\0', '1'})
        CHECK(problems_of(std::string(just_read, c)).size() == 1);
    std::string wide = "[1";
    while (wide.size() + 3 < just_read) wide += ",1";
    CHECK(problems_of(wide + "]").size() == 1);
    const std::string long_key = "{\"" + std::string(just_read - 100, 'k') + "\": 1}";
    for (const Problem& problem : problems_of(long_key)) CHECK(problem.message.size() < 1000);
}

TEST_CASE("many rules are checked in bounded time", "[parse]") {
    std::string rules;
    for (int i = 0; i < 6000; ++i)
        rules += (i > 0 ? "," : "") + (R"({"name": ")" + std::to_string(i)) +
                 R"(", "when": {"max_block_bytes": {"min": )" + std::to_string(i * 7 % 6000) +
                 R"(}, "ranks": {"max": )" + std::to_string(i + 1) + R"(}}, "use": {"algorithm": "native"}})";
    problems_of(with_rules(rules));
}

TEST_CASE("random mutations of valid texts never do harm", "[parse][fuzz]") {
    std::mt19937 random(7);
    const std::string_view pieces = "{}[]\",:0123456789-.eE \n\\u\"null true \xff\xc3";
    std::vector<std::string> seeds;
    for (const fs::path& file : files_in(policies)) seeds.push_back(file_text(file));
    for (int round = 0; round < 6000; ++round) {
        std::string text = seeds[random() % seeds.size()];
        for (auto changes = random() % 5 + 1; changes > 0 && !text.empty(); --changes) {
            const std::size_t at = random() % text.size();
            const std::size_t length = std::min<std::size_t>(random() % 12, text.size() - at);
            switch (random() % 4) {
            case 0: text[at] = pieces[random() % pieces.size()]; break;
            case 1: text.erase(at, length); break;
            case 2: text.insert(at, text.substr(random() % text.size(), length)); break;
            default: text.insert(at, 1, pieces[random() % pieces.size()]); break;
            }
        }
        const auto parsed = policy::parse(text);
        if (parsed) {
            policy::Features call;
            call.ranks = static_cast<int>(random() % 100) + 1;
            call.max_block_bytes = random() % 10000;
            const auto plan = policy::prune(parsed.value(), call);
            CHECK(policy::choose(plan, call).candidate < plan.candidates.size());
        } else {
            CHECK_FALSE(parsed.error()->empty());
        }
    }
}

TEST_CASE("the closest word is suggested, and none that is far", "[parse]") {
    const std::vector<std::string_view> known = {"ranks", "ranks_per_node", "nodes", "max_block_bytes"};
    CHECK(policy::did_you_mean("rank", known) == ", did you mean \"ranks\"?");
    CHECK(policy::did_you_mean("Ranks-Per-Node", known) == ", did you mean \"ranks_per_node\"?");
    CHECK(policy::did_you_mean("ndoes", known) == ", did you mean \"nodes\"?");
    CHECK(policy::did_you_mean("colour", known).empty());
    CHECK(policy::did_you_mean("", known).empty());
    CHECK(policy::did_you_mean(std::string(100000, 'r'), known).empty());
}

TEST_CASE("other words of the field are understood, where the key they mean is known", "[parse]") {
    const auto meant = [](std::string_view word) {
        auto known = policy::names_of_when_keys();
        return policy::did_you_mean(word, known);
    };
    for (const char* word :
         {"block_size", "Block-Size", "message_size", "msg_size", "size", "bytes", "max_size"})
        CHECK(meant(word) == ", did you mean \"max_block_bytes\"?");
    for (const char* word : {"np", "n", "nprocs", "processes", "world_size", "comm_size"})
        CHECK(meant(word) == ", did you mean \"ranks\"?");
    for (const char* word : {"ppn", "ranks_per_host", "tasks_per_node", "processes_per_node"})
        CHECK(meant(word) == ", did you mean \"ranks_per_node\"?");
    for (const char* word : {"hosts", "nnodes", "machines"})
        CHECK(meant(word) == ", did you mean \"nodes\"?");
    CHECK(policy::did_you_mean("block_size", {"algorithm", "radix"}).empty());
    CHECK(policy::synonym_in("", policy::names_of_when_keys()).empty());
    CHECK(policy::synonym_in(std::string(100000, 'n'), policy::names_of_when_keys()).empty());
}

TEST_CASE("who wants the fastest algorithm is told how to find it", "[parse][force]") {
    for (const char* word : {"adaptive", "Auto", "automatic", "fastest"})
        CHECK(policy::how_to_find_fastest(word).starts_with("; `switchyard tune --program` "));
    for (const char* word : {"native", "tuna", "adaptiv", ""})
        CHECK(policy::how_to_find_fastest(word).empty());
}

TEST_CASE("collectives that are not routed are explained, not corrected", "[parse][force]") {
    constexpr const char* routed =
        "switchyard routes MPI_Alltoallv, MPI_Alltoall, MPI_Allgather, MPI_Allgatherv, MPI_Alltoallw, "
        "MPI_Neighbor_alltoallv, MPI_Neighbor_alltoall, MPI_Neighbor_allgather and MPI_Neighbor_allgatherv; ";
    const std::pair<const char*, const char*> others[] = {
        {"reduce_scatter", "MPI_Reduce_scatter"},
        {"MPI_Gatherv", "MPI_Gatherv"},
        {"mpi_allreduce_c", "MPI_Allreduce_c"},
        {"ialltoallv", "MPI_Ialltoallv"},
        {"Ibcast", "MPI_Ibcast"},
        {"alltoallv_init", "MPI_Alltoallv_init"},
        {"ineighbor_alltoall", "MPI_Ineighbor_alltoall"},
        {"Neighbor_alltoallw", "MPI_Neighbor_alltoallw"},
    };
    for (const auto& [word, function] : others) {
        INFO(word);
        CHECK(policy::why_not_routed(word) == routed + std::string(function) + " is not routed");
    }
    for (const char* word : {"alltoallv", "MPI_Alltoallv", "alltoall_c", "allgather", "MPI_Allgatherv_c",
                             "Alltoallw", "neighbor_alltoall", "", "i", "mpi_", "_c", "_init", "alltoalv",
                             "send", "mpi_mpi_bcast", "iallgathervv"})
        CHECK(policy::why_not_routed(word).empty());
    const auto problems =
        problems_of(with_rules(R"({"when": {"collective": "gatherv"}, "use": {"algorithm": "ring"}})"));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().pointer == "/rules/0/when/collective");
    CHECK(problems.front().message == routed + std::string("MPI_Gatherv is not routed"));
}

TEST_CASE("forced algorithms", "[force]") {
    const auto parsed =
        policy::parse_force(" alltoallv : tuna : radix = 4 : metadata=fused ; allgather:ring; ");
    const auto& force = parsed.value();
    const auto& alltoallv = force.by_collective[static_cast<std::size_t>(policy::Collective::alltoallv)];
    REQUIRE(alltoallv.has_value());
    CHECK(alltoallv->algorithm == "tuna");
    CHECK(alltoallv->parameters[static_cast<std::size_t>(algorithms::Parameter::radix)] == 4);
    CHECK(alltoallv->parameters[static_cast<std::size_t>(algorithms::Parameter::metadata)] ==
          static_cast<std::int64_t>(algorithms::Metadata::fused));
    CHECK_FALSE(force.by_collective[static_cast<std::size_t>(policy::Collective::alltoall)].has_value());
    CHECK(force.by_collective[static_cast<std::size_t>(policy::Collective::allgather)]->algorithm == "ring");
}

TEST_CASE("a radix for each digit", "[parse][force]") {
    using algorithms::patterns::Radices;
    const auto given = [](const policy::Use& use) {
        return algorithms::patterns::text_of(
            use.parameters[static_cast<std::size_t>(algorithms::Parameter::radix)].value());
    };
    const auto parsed = policy::parse(file_text(policies / "valid" / "radices.json"));
    const auto& rules = parsed.value().rules;
    CHECK(given(rules[0].use) == "8x6");
    CHECK(given(rules[1].use) == "4x2x8");
    CHECK(given(rules[2].use) == "8x4");
    const auto forced =
        policy::parse_force("alltoallv:tuna:radix=8x6;alltoall:parameterized_bruck:radix=2x3x40");
    CHECK(given(*forced.value().by_collective[0]) == "8x6");
    CHECK(given(*forced.value().by_collective[1]) == "2x3x40");

    const auto automatic = policy::parse_force("alltoallv:tuna_coalesced:radix=auto:block_count=auto");
    const auto& values = automatic.value().by_collective[0]->parameters;
    CHECK(values[static_cast<std::size_t>(algorithms::Parameter::radix)] == algorithms::automatic);
    CHECK(values[static_cast<std::size_t>(algorithms::Parameter::block_count)] == algorithms::automatic);

    // What is wrong with a list, or beyond all lists, is kept as a number that is never possible.
    for (const auto& [text, kept] : {std::pair{"[8, 1]", 1L}, {"[0, 8]", 0L}, {"[8, -3]", -3L}}) {
        const auto read = policy::read(
            with_rules(R"({"name": "a", "use": {"algorithm": "tuna", "radix": )" + std::string(text) + "}}"));
        REQUIRE(read.value.has_value());
        CHECK(read.problems.size() == 1);
        CHECK(read.value->rules[0].use.parameters[static_cast<std::size_t>(algorithms::Parameter::radix)] ==
              kept);
    }
    for (const char* large : {"9223372036854775807", "18446744073709551615", "4611686018427387904"}) {
        const auto read = policy::read_force("alltoallv:tuna:radix=" + std::string(large));
        REQUIRE(read.value.has_value());
        CHECK_FALSE(Radices(*read.value->by_collective[0]
                                 ->parameters[static_cast<std::size_t>(algorithms::Parameter::radix)])
                        .is_list());
    }
}

TEST_CASE("what is wrong with a forced algorithm", "[force]") {
    struct Case {
        const char* text;
        const char* message;
    };
    const Case cases[] = {
        {"", "nothing is forced; the form is COLLECTIVE:ALGORITHM"},
        {" ; ", "nothing is forced"},
        {"alltoallv", "in \"alltoallv\": no algorithm"},
        {"alltoalv:tuna", "unknown collective \"alltoalv\", did you mean \"alltoallv\"?"},
        {"gatherv:ring", "in \"gatherv:ring\": switchyard routes MPI_Alltoallv, "},
        {"alltoallv:tunna", "in \"alltoallv:tunna\": unknown algorithm \"tunna\", did you mean \"tuna\"?"},
        {"alltoallv:ring", "\"ring\" is an algorithm of allgather, not of alltoallv"},
        {"alltoallv:tuna:radix", "\"radix\" is not PARAMETER=VALUE"},
        {"alltoallv:tuna:radix=", "radix is a whole number"},
        {"alltoallv:tuna:radix=1", "radix 1 is out of range"},
        {"alltoallv:tuna:radix=99999999999999999999", "radix is a whole number"},
        {"alltoallv:tuna:radix=8x",
         "radix is a whole number, 2 to 2147483647, a list of them, such as [8, 6], or \"auto\""},
        {"alltoallv:tuna:radix=x8", "a list of them"},
        {"alltoallv:tuna:radix=8x1", "radix 1 is out of range"},
        {"alltoallv:tuna:radix=8x99999999999999999999", "a list of them"},
        {"alltoallv:tuna:radix=8 x 6", "a list of them"},
        {"alltoallv:scattered:block_count=8x6", "block_count is a whole number"},
        {"alltoallv:tuna:radix=2:radix=3", "\"radix\" is given twice"},
        {"alltoallv:tuna:radiks=2", "unknown key \"radiks\", did you mean \"radix\"?"},
        {"alltoallv:tuna:direct_from=0", "direct_from 0 is out of range"},
        {"alltoallv:tuna:direct_from=automatic",
         "direct_from is a whole number, 1 to 2147483648, or \"auto\""},
        {"alltoallv:scattered:direct_from=auto", "takes no parameter \"direct_from\""},
        {"alltoallv:pairwise:radix=2", "takes no parameter \"radix\"; it takes none"},
        {"alltoallv:tuna;alltoallv:pairwise", "alltoallv is forced twice"},
        {"alltoallv:", "unknown algorithm \"\""},
        {":tuna", "unknown collective \"\""},
        {"\x01\xff", "unknown collective"},
    };
    for (const Case& wrong : cases) {
        const auto parsed = policy::parse_force(wrong.text);
        INFO(wrong.text);
        const auto* problems = parsed.error();
        REQUIRE(problems != nullptr);
        INFO(listed(*problems));
        CHECK(problems->size() == 1);
        CHECK(problems->front().pointer.empty());
        CHECK(problems->front().message.find(wrong.message) != std::string::npos);
    }
}

TEST_CASE("a long key is cut in pointers, so memory grows with the text, not with its square", "[parse]") {
    const std::string key(50'000, 'k');
    for (const std::string& text :
         {R"({")" + key + R"(":{"a":1,"a":2}})", R"([{")" + key + R"(":[[1,{"a":1,"a":2}]]}])"}) {
        const auto problems = problems_of(text);
        CHECK(!problems.empty());
        for (const Problem& problem : problems) {
            CHECK(problem.pointer.size() < 200);
            CHECK(problem.message.size() < 1000);
        }
    }
}

TEST_CASE("files that cannot be read", "[parse]") {
    const auto message_of = [](const fs::path& file) { return policy::read_file(file).error()->message; };
    CHECK(message_of("/there/is/nothing") == "there is no such file");
    CHECK(message_of("/") == "is a directory, not a policy file");
    CHECK(message_of("/dev/null") == "is not a regular file");
    const fs::path large = fs::temp_directory_path() / "switchyard-parse-test-large.json";
    std::ofstream(large) << '[';
    fs::resize_file(large, 50U << 20U);
    CHECK(message_of(large).find("is larger than a policy may be") == 0);
    fs::remove(large);
    CHECK(policy::read_file(policies / "valid" / "shortest.json").value().size() > 10);
}
