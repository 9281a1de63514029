// Which way large blocks take, by the times of earlier copies.
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/node_rates.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

using switchyard::algorithms::NodeRates;
using namespace std::chrono_literals;
using Copy = NodeRates::Copy;
using Form = NodeRates::Form;

namespace {

constexpr std::size_t rated_bytes = std::size_t{256} << 10;
constexpr std::uint64_t usual_epoch = 1, trial_epoch = 60 * 8;

struct FirstRank {
    NodeRates rates;
    std::atomic<std::uint32_t> ways{0};

    void note(Copy copy, std::chrono::nanoseconds took, int times = 100, std::size_t bytes = rated_bytes) {
        for (int i = 0; i < times; ++i) rates.note(copy, bytes, bytes, took);
    }
    void note_all(std::chrono::nanoseconds in, std::chrono::nanoseconds out,
                  std::chrono::nanoseconds across) {
        note(Copy::in, in);
        note(Copy::out, out);
        note(Copy::across, across);
    }
    bool goes_across(std::uint64_t epoch = usual_epoch, int readers = 1, Form form = Form::block,
                     std::size_t bytes = rated_bytes) {
        rates.decide(ways, form, bytes, readers, epoch);
        return NodeRates::goes_across(ways, form, bytes);
    }
};

} // namespace

TEST_CASE("the way that is not known comes first", "[node_rates]") {
    FirstRank rank;
    CHECK_FALSE(rank.goes_across());
    rank.note(Copy::across, 10us);
    CHECK_FALSE(rank.goes_across()); // the memory of the node is not known
    rank.note(Copy::in, 10us);
    rank.note(Copy::out, 10us);
    CHECK(rank.goes_across());
    FirstRank other;
    other.note(Copy::in, 1us);
    other.note(Copy::out, 1us);
    CHECK(other.goes_across());
    other.note(Copy::across, 10us);
    CHECK_FALSE(other.goes_across());
}

TEST_CASE("the way in use stays until the other way is clearly faster", "[node_rates]") {
    FirstRank rank;
    rank.note_all(10us, 10us, 18us);
    CHECK_FALSE(rank.goes_across());
    rank.note(Copy::across, 14us);
    CHECK(rank.goes_across());
    rank.note(Copy::across, 17us);
    CHECK(rank.goes_across());
    rank.note(Copy::across, 22us);
    CHECK_FALSE(rank.goes_across());
}

TEST_CASE("a block for all ranks is copied in once", "[node_rates]") {
    FirstRank rank;
    rank.note_all(10us, 10us, 14us);
    CHECK(rank.goes_across(usual_epoch, 1, Form::block_for_all));
    CHECK_FALSE(rank.goes_across(usual_epoch, 7, Form::block_for_all));
    CHECK(rank.goes_across()); // the form with one reader has its own bit
}

TEST_CASE("each size has times of its own", "[node_rates]") {
    FirstRank rank;
    rank.note_all(10us, 10us, 10us);
    CHECK(rank.goes_across());
    CHECK_FALSE(rank.goes_across(usual_epoch, 1, Form::block, 4 * rated_bytes));
    CHECK_FALSE(rank.rates.listens(rated_bytes, usual_epoch));
    CHECK(rank.rates.listens(4 * rated_bytes, usual_epoch));
}

TEST_CASE("now and then comes the other way", "[node_rates]") {
    FirstRank rank;
    rank.note_all(10us, 10us, 10us);
    int trials = 0;
    for (std::uint64_t epoch = 0; epoch < 61 * 8; ++epoch)
        if (!rank.goes_across(epoch)) {
            CHECK(rank.rates.listens(rated_bytes, epoch));
            ++trials;
        }
    CHECK(trials == 8);
    CHECK_FALSE(rank.goes_across(trial_epoch));
    CHECK(rank.goes_across(usual_epoch));
}

TEST_CASE("a rank that lost its core for some copies decides as before", "[node_rates]") {
    FirstRank rank;
    rank.note_all(10us, 10us, 10us);
    CHECK(rank.goes_across());
    for (int i = 0; i < 20; ++i) {
        rank.note(Copy::across, 4ms, 1);
        rank.note(Copy::across, 10us, 2);
    }
    CHECK(rank.goes_across());
}
