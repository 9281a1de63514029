// The counts of slots.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

using namespace switchyard::algorithms;
using switchyard::tests::NodeInProcess;

TEST_CASE("a writer fills as many slots as there are, and goes on where one is emptied", "[node_slots]") {
    NodeInProcess node(3);
    constexpr std::size_t slots = 2;
    NodeSlots &writer = node[0].slots, &reader = node[1].slots;
    CHECK(writer.are_emptied());
    for (int turn = 0; turn < 5; ++turn) {
        for (std::size_t slot = 0; slot < slots; ++slot) {
            CHECK(writer.has_free(1, slots));
            CHECK(reader.is_filled(0) == (slot > 0));
            writer.fill(1);
        }
        CHECK_FALSE(writer.has_free(1, slots));
        CHECK(writer.has_free(2, slots)); // for another reader
        CHECK_FALSE(node[2].slots.is_filled(0));
        CHECK_FALSE(writer.are_emptied());
        reader.empty(0);
        CHECK(writer.has_free(1, slots));
        CHECK_FALSE(writer.are_emptied());
        reader.empty(0);
        CHECK_FALSE(reader.is_filled(0));
        CHECK(writer.are_emptied());
    }
    CHECK(node[2].sections.filled(0, 1).slots.load() == 10);
    CHECK(node[2].sections.emptied(0, 1).slots.load() == 10);
}

TEST_CASE("a slot for all is free once all others have emptied it", "[node_slots]") {
    NodeInProcess node(3);
    NodeSlots& writer = node[1].slots;
    CHECK(writer.has_free_for_all(1));
    writer.fill_for_all();
    CHECK_FALSE(writer.has_free_for_all(1));
    CHECK(writer.has_free_for_all(2));
    for (const int reader : {2, 0}) {
        CHECK_FALSE(writer.are_emptied());
        CHECK_FALSE(writer.has_free_for_all(1));
        CHECK(node[reader].slots.is_filled_for_all(1));
        CHECK_FALSE(node[reader].slots.is_filled(1)); // a stream only to this reader
        node[reader].slots.empty_for_all(1);
        CHECK_FALSE(node[reader].slots.is_filled_for_all(1));
    }
    CHECK(writer.has_free_for_all(1));
    CHECK(writer.are_emptied());
    CHECK(node[0].sections.filled(1, 1).slots.load() == 1);
}

TEST_CASE("both ends of two ranks count for themselves", "[node_slots]") {
    NodeInProcess node(2);
    node[0].slots.fill(1);
    CHECK(node[1].slots.is_filled(0));
    CHECK_FALSE(node[0].slots.is_filled(1));
    node[1].slots.fill(0);
    node[0].slots.empty(1);
    CHECK(node[1].slots.are_emptied());
    CHECK_FALSE(node[0].slots.are_emptied());
}
