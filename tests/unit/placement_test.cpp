// Placements made by hand: which node a world rank is on.
#include "tests/support/catch.hpp"

#include "shim/common/placement.hpp"

#include <limits>
#include <string>
#include <vector>

using switchyard::shim::Placement;

namespace {

std::vector<int> nodes(const std::string& text, int ranks) {
    const auto placement = Placement::parse(text);
    REQUIRE(placement);
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(placement->node_of(rank, ranks));
    return all;
}

} // namespace

TEST_CASE("blocks of equal size", "[placement]") {
    CHECK(nodes("4", 8) == std::vector{0, 0, 0, 0, 1, 1, 1, 1});
    CHECK(nodes("4", 6) == std::vector{0, 0, 0, 0, 1, 1});
    CHECK(nodes("1", 3) == std::vector{0, 1, 2});
    CHECK(nodes("100", 3) == std::vector{0, 0, 0});
}

TEST_CASE("ragged blocks, repeated when the ranks are more", "[placement]") {
    CHECK(nodes("3,1,4", 8) == std::vector{0, 0, 0, 1, 2, 2, 2, 2});
    CHECK(nodes("3,1,4", 5) == std::vector{0, 0, 0, 1, 2});
    CHECK(nodes("3,1,4", 13) == std::vector{0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5});
    CHECK(nodes("1,2", 7) == std::vector{0, 1, 1, 2, 3, 3, 4});
}

TEST_CASE("round robin over as many nodes as are needed", "[placement]") {
    CHECK(nodes("cyclic:2", 4) == std::vector{0, 1, 0, 1});
    CHECK(nodes("cyclic:2", 5) == std::vector{0, 1, 2, 0, 1});
    CHECK(nodes("cyclic:4", 16) == std::vector{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
    CHECK(nodes("cyclic:4", 3) == std::vector{0, 0, 0});
    CHECK(nodes("cyclic:1", 3) == std::vector{0, 1, 2});
}

TEST_CASE("no node has more ranks than the placement says", "[placement]") {
    for (int each = 1; each <= 5; ++each)
        for (int ranks = 1; ranks <= 23; ++ranks)
            for (const std::string kind : {"", "cyclic:"}) {
                std::vector<int> on_node(static_cast<std::size_t>(ranks));
                for (int node : nodes(kind + std::to_string(each), ranks))
                    ++on_node.at(static_cast<std::size_t>(node));
                for (int here : on_node) CHECK(here <= each);
            }
}

TEST_CASE("anything else is no placement", "[placement]") {
    for (const char* text : {"",
                             " ",
                             "0",
                             "-1",
                             "+4",
                             "4 ",
                             " 4",
                             "4,",
                             ",4",
                             "4,,4",
                             "4,0",
                             "4,-2",
                             "4;4",
                             "4x",
                             "4.0",
                             "0x4",
                             "four",
                             "cyclic",
                             "cyclic:",
                             "cyclic:0",
                             "cyclic:-1",
                             "cyclic:2,2",
                             "cyclic:2x",
                             "Cyclic:2",
                             "cyclic:cyclic:2",
                             "2147483648",
                             "99999999999999999999",
                             "3,1,2147483648"})
        CHECK_FALSE(Placement::parse(text));
    CHECK_FALSE(Placement::parse(std::string_view("4\0", 2)));
}

TEST_CASE("nodes larger than any machine are no trouble", "[placement]") {
    const auto largest = std::to_string(std::numeric_limits<int>::max());
    CHECK(nodes(largest, 4) == std::vector{0, 0, 0, 0});
    CHECK(nodes(largest + "," + largest, 4) == std::vector{0, 0, 0, 0});
    const auto cyclic = Placement::parse("cyclic:" + largest);
    REQUIRE(cyclic);
    // Ranks and block together are more than an int holds; a division by zero would end the host.
    CHECK(nodes("cyclic:" + largest, 1) == std::vector{0});
    CHECK(nodes("cyclic:" + largest, 4) == std::vector{0, 0, 0, 0});
}
