// The index arithmetic of the algorithms, for all ranks up to 64 and all radices, compared with plain
// computation, digit by digit. The workspace formulas, the vocabulary and the registry.
#include "algorithms/allgather/dissemination_scratch.hpp"
#include "algorithms/allgather/recursive_doubling_scratch.hpp"
#include "algorithms/alltoall/blocks_scratch.hpp"
#include "algorithms/alltoall/parameterized_bruck_scratch.hpp"
#include "algorithms/forwarding/tuna/tuna_schedule.hpp"
#include "algorithms/patterns/batches.hpp"
#include "algorithms/patterns/radix.hpp"
#include "algorithms/traits.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace switchyard::algorithms;
using namespace switchyard::algorithms::patterns;
using namespace switchyard::algorithms::forwarding;
using namespace switchyard::algorithms::alltoall;
using namespace switchyard::algorithms::allgather;

namespace {

constexpr int most_ranks = 64;

template <typename Check>
void for_all_ranks_and_radices(Check&& check) {
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        for (int radix = 2; radix <= std::max(2, ranks); ++radix) {
            INFO("ranks " << ranks << ", radix " << radix);
            check(ranks, radix);
        }
    }
}

int power(int base, int exponent) {
    int result = 1;
    while (exponent-- > 0) {
        result *= base;
    }
    return result;
}

int digit(int offset, int radix, int x) {
    return offset / power(radix, x) % radix;
}

// w = ceil(log_r P)
int digits(int ranks, int radix) {
    int w = 0;
    for (std::int64_t reach = 1; reach < ranks; reach *= radix) {
        ++w;
    }
    return w;
}

struct SeenBlocks {
    std::vector<OffsetRange> ranges;
    std::vector<int> offsets;
};

SeenBlocks look_at(const Round& round) {
    SeenBlocks seen;
    round.for_each_range([&](OffsetRange range) {
        seen.ranges.push_back(range);
        for (int offset = range.begin; offset < range.end; ++offset) {
            seen.offsets.push_back(offset);
        }
    });
    return seen;
}

// The paper's K and D, counted.
int blocks_moved(int ranks, int radix) {
    int moved = 0;
    for (Round round(ranks, radix); round.valid(); round.advance()) {
        moved += round.blocks();
    }
    return moved;
}

} // namespace

TEST_CASE("a round moves exactly the offsets whose digit x is z, in rising order") {
    for_all_ranks_and_radices([](int ranks, int radix) {
        std::set<std::pair<int, int>> rounds_seen;
        for (Round round(ranks, radix); round.valid(); round.advance()) {
            std::vector<int> expected;
            for (int offset = 1; offset < ranks; ++offset) {
                if (digit(offset, radix, round.x()) == round.z()) {
                    expected.push_back(offset);
                }
            }
            const SeenBlocks seen = look_at(round);
            REQUIRE(round.distance() == round.z() * power(radix, round.x()));
            REQUIRE(seen.offsets == expected);
            REQUIRE(round.blocks() == static_cast<int>(expected.size()));
            REQUIRE(round.index() == static_cast<int>(rounds_seen.size()));
            REQUIRE(rounds_seen.insert({round.x(), round.z()}).second);
        }
        // So every offset is sent once for each of its non-zero digits.
        int hops = 0;
        for (int offset = 1; offset < ranks; ++offset) {
            for (int x = 0; x < digits(ranks, radix); ++x) {
                hops += digit(offset, radix, x) != 0 ? 1 : 0;
            }
        }
        REQUIRE(blocks_moved(ranks, radix) == hops);
    });
}

TEST_CASE("ranges separate first hops from later hops, and arriving blocks from blocks that go on") {
    for_all_ranks_and_radices([](int ranks, int radix) {
        for (Round round(ranks, radix); round.valid(); round.advance()) {
            const int weight = power(radix, round.x());
            for (const OffsetRange& range : look_at(round).ranges) {
                for (int offset = range.begin; offset < range.end; ++offset) {
                    REQUIRE((offset == range.begin) == (offset % weight == 0));
                    REQUIRE(round.is_first_hop(offset) == (offset == range.begin));
                    REQUIRE((range.begin == round.distance()) == (offset / weight < radix));
                }
            }
        }
    });
}

TEST_CASE("the slots of the temporary buffer are a bijection that leaves out the direct blocks") {
    for_all_ranks_and_radices([](int ranks, int radix) {
        std::map<int, int> slot_of;
        int direct = 0;
        for (Round round(ranks, radix); round.valid(); round.advance()) {
            for (const OffsetRange& range : look_at(round).ranges) {
                for (int offset = range.begin; offset < range.end; ++offset) {
                    if (offset == round.distance()) {
                        ++direct;
                        continue;
                    }
                    const int slot = offset - range.shift;
                    REQUIRE(slot_of.emplace(offset, slot).first->second == slot); // the same in every round

                    // Section III-C: t = o - 1 - dx * (r - 1) - dz, dx the highest
                    // digit's place and dz its value.
                    int dx = 0;
                    while (offset / power(radix, dx) >= radix) {
                        ++dx;
                    }
                    REQUIRE(slot == offset - 1 - dx * (radix - 1) - digit(offset, radix, dx));
                }
            }
        }
        std::set<int> used;
        for (auto [offset, slot] : slot_of) {
            used.insert(slot);
        }
        REQUIRE(direct == rounds(ranks, radix));
        REQUIRE(slots(ranks, radix) == ranks - (rounds(ranks, radix) + 1));
        REQUIRE(static_cast<int>(slot_of.size()) == slots(ranks, radix));
        REQUIRE(static_cast<int>(used.size()) == slots(ranks, radix));
        REQUIRE((used.empty() || (*used.begin() == 0 && *used.rbegin() == slots(ranks, radix) - 1)));
    });
}

TEST_CASE("rounds and blocks stay within the paper's bounds") {
    for_all_ranks_and_radices([](int ranks, int radix) {
        const int w = digits(ranks, radix);
        int count = 0;
        int most = 0;
        for (Round round(ranks, radix); round.valid(); round.advance()) {
            ++count;
            most = std::max(most, round.blocks());
        }
        REQUIRE(rounds(ranks, radix) == count);
        REQUIRE(most_blocks(ranks, radix) == most);
        REQUIRE(count <= w * (radix - 1));
        if (w > 0) {
            REQUIRE(most <= power(radix, w - 1));
            REQUIRE(blocks_moved(ranks, radix) <= w * (radix - 1) * power(radix, w - 1));
        }
    });
    // Figure 3: P = 8 with radix 2, 3 and 4.
    CHECK(slots(8, 2) == 4);
    CHECK(slots(8, 3) == 3);
    CHECK(slots(8, 4) == 3);
    // "When r exceeds P - 2, no temporary buffer is needed."
    CHECK(slots(8, 7) == 0);
    CHECK(slots(8, 8) == 0);
}

TEST_CASE("large numbers of ranks do not overflow") {
    const int ranks = 1 << 20;
    CHECK(rounds(ranks, ranks) == ranks - 1);
    CHECK(rounds(ranks, ranks - 1) == ranks - 1);
    CHECK(rounds(ranks, 2) == 20);
    CHECK(most_blocks(ranks, ranks) == 1);
    CHECK(most_blocks(ranks, ranks - 1) == 1);
    CHECK(most_blocks(ranks, ranks - 2) == 2);
    CHECK(slots(ranks, ranks) == 0);
    int last = 0;
    for (Round round(ranks, ranks - 1); round.valid(); round.advance()) {
        last = round.distance();
    }
    CHECK(last == ranks - 1);
}

TEST_CASE("the rounds left in a digit lead to the next digit") {
    for (int ranks = 1; ranks <= 64; ++ranks) {
        for (int radix = 2; radix <= std::max(2, ranks); ++radix) {
            for (Round round(ranks, radix); round.valid(); round.advance()) {
                Round last = round;
                for (int i = 1; i < round.left_in_digit(); ++i) last.advance();
                CHECK((last.valid() && last.x() == round.x()));
                last.advance();
                CHECK((!last.valid() || last.x() == round.x() + 1));
            }
        }
    }
}

TEST_CASE("a list of radices is one value") {
    const std::vector<std::vector<std::int64_t>> lists = {
        {8, 6},
        {2, Radices::largest_in_list(2)},
        {Radices::largest_in_list(3), 2, Radices::largest_in_list(3)},
        {2, 3, 4, 5},
        {2, 2, 2, 2, 3},
        {511, 510, 509, 508, 507, 506},
        {2, 3, 4, 5, 6, 7, 255},
        {127, 2, 127, 2, 127, 2, 127, 2}};
    std::set<std::int64_t> values;
    for (const auto& list : lists) {
        const Radices radices = Radices::of_list(list);
        const std::string text = text_of(radices);
        INFO(text);
        REQUIRE(radices.is_list());
        REQUIRE(radices.count() == list.size());
        std::string expected;
        std::int64_t product = 1;
        for (std::size_t digit = 0; digit < list.size(); ++digit) {
            CHECK(radices.at(digit) == list[digit]);
            expected += (digit > 0 ? "x" : "") + std::to_string(list[digit]);
            product = std::min<std::int64_t>(product * list[digit], 1000);
        }
        CHECK(text == expected);
        CHECK(radices.product(1000) == product);
        CHECK(radices.at(list.size() + 3) == list.back());
        CHECK(values.insert(radices.value()).second);
        CHECK(radices.value() != automatic);
    }
    for (const std::int64_t number :
         {std::int64_t{2}, std::int64_t{INT32_MAX}, Radices::least_list - 1, std::int64_t{-1}, automatic}) {
        CHECK_FALSE(Radices(number).is_list());
        CHECK(text_of(Radices(number)) == std::to_string(number));
    }
}

TEST_CASE("the lists that a search tries are balanced, and multiply to the number") {
    const auto lists = [](int number) {
        std::string text;
        for (const std::int64_t list : balanced_lists(number)) {
            CHECK(Radices(list).product(number + 1) == number);
            text += (text.empty() ? "" : " ") + text_of(Radices(list));
        }
        return text;
    };
    CHECK(lists(96) == "8x12 12x8 4x4x6");
    CHECK(lists(12) == "3x4 4x3 2x2x3");
    CHECK(lists(64) == ""); // 8 and 4 say it
    CHECK(lists(97) == ""); // a prime number
    CHECK(lists(94) == ""); // 2 times a prime number
    CHECK(lists(48) == "6x8 8x6 3x4x4");
    for (int number = 1; number < 200; ++number) CHECK(balanced_lists(number).size() <= 3);
}

namespace {

template <typename Check>
void for_all_ranks_and_lists(Check&& check) {
    for (const auto& list : {std::vector<std::int64_t>{2, 3},
                             {3, 2},
                             {8, 6},
                             {2, 2, 16},
                             {5, 2, 3, 2},
                             {2, 40},
                             {40, 2},
                             {2, 3, 2, 2, 3, 2}}) {
        const Radices radices = Radices::of_list(list);
        for (int ranks = 1; ranks <= radices.product(most_ranks); ++ranks) {
            INFO("ranks " << ranks << ", radices " << text_of(radices));
            check(ranks, radices);
        }
    }
}

} // namespace

TEST_CASE("with a radix for each digit, a round moves exactly the offsets with its digit") {
    for_all_ranks_and_lists([](int ranks, Radices radices) {
        int seen_rounds = 0, most = 0, most_rounds = 0;
        for (Round round(ranks, radices); round.valid(); round.advance()) {
            std::int64_t weight = 1;
            for (std::size_t x = 0; x < static_cast<std::size_t>(round.x()); ++x) weight *= radices.at(x);
            std::vector<int> expected;
            for (int offset = 1; offset < ranks; ++offset)
                if (offset / weight % radices.at(static_cast<std::size_t>(round.x())) == round.z())
                    expected.push_back(offset);
            const SeenBlocks seen = look_at(round);
            REQUIRE(round.distance() == round.z() * weight);
            REQUIRE(seen.offsets == expected);
            REQUIRE(round.blocks() == static_cast<int>(expected.size()));
            REQUIRE(round.index() == seen_rounds++);
            for (const OffsetRange& range : seen.ranges)
                for (int offset = range.begin; offset < range.end; ++offset)
                    REQUIRE(round.is_first_hop(offset) == (offset % weight == 0));
            most = std::max(most, round.blocks());
            most_rounds = std::max(most_rounds, round.left_in_digit());
        }
        REQUIRE(rounds(ranks, radices) == seen_rounds);
        REQUIRE(most_blocks(ranks, radices) == most);
        REQUIRE(most_in_digit(ranks, radices) == most_rounds);
        REQUIRE(slots(ranks, radices) == ranks - 1 - seen_rounds);
    });
}

TEST_CASE("a list of equal radices is the radix") {
    for (int radix : {2, 3, 5})
        for (int ranks = 1; ranks <= power(radix, 3); ++ranks) {
            Round one(ranks, radix);
            for (Round list(ranks, Radices::of_list(std::vector<std::int64_t>(3, radix))); list.valid();
                 list.advance(), one.advance()) {
                REQUIRE(one.valid());
                REQUIRE(list.distance() == one.distance());
                REQUIRE(list.left_in_digit() == one.left_in_digit());
                REQUIRE(look_at(list).offsets == look_at(one).offsets);
            }
            REQUIRE_FALSE(one.valid());
        }
}

TEST_CASE("the whole exchange, index by index, delivers every block to its destination") {
    struct Message {
        int source, destination;
    };
    const auto check = [](int ranks, Radices radix) {
        const auto n = static_cast<std::size_t>(ranks);
        const auto t = static_cast<std::size_t>(slots(ranks, radix));
        std::vector<std::vector<std::optional<Message>>> temporary(n, std::vector<std::optional<Message>>(t));
        std::vector<std::set<int>> received(n);
        bool misdelivered = false;
        bool missing = false;

        for (Round round(ranks, radix); round.valid(); round.advance()) {
            std::vector<std::vector<Message>> sent(n);
            for (int rank = 0; rank < ranks; ++rank) {
                const auto self = static_cast<std::size_t>(rank);
                round.for_each_range([&](OffsetRange range) {
                    sent[self].push_back({rank, (rank - range.begin + ranks) % ranks});
                    for (int offset = range.begin + 1; offset < range.end; ++offset) {
                        auto& slot = temporary[self].at(static_cast<std::size_t>(offset - range.shift));
                        missing = missing || !slot.has_value();
                        sent[self].push_back(slot.value_or(Message{-1, -1}));
                        slot.reset();
                    }
                });
            }
            for (int rank = 0; rank < ranks; ++rank) {
                const auto self = static_cast<std::size_t>(rank);
                auto next = sent[static_cast<std::size_t>((rank + round.distance()) % ranks)].begin();
                round.for_each_range([&](OffsetRange range) {
                    for (int offset = range.begin; offset < range.end; ++offset, ++next) {
                        if (range.begin == round.distance()) {
                            misdelivered = misdelivered || next->destination != rank ||
                                           next->source != (rank + offset) % ranks;
                            received[self].insert(next->source);
                        } else {
                            auto& slot = temporary[self].at(static_cast<std::size_t>(offset - range.shift));
                            misdelivered = misdelivered || slot.has_value(); // another block is still there
                            slot = *next;
                        }
                    }
                });
            }
        }
        REQUIRE_FALSE(misdelivered);
        REQUIRE_FALSE(missing);
        for (int rank = 0; rank < ranks; ++rank) {
            const auto& from = received[static_cast<std::size_t>(rank)];
            REQUIRE(static_cast<int>(from.size()) == ranks - 1);
            REQUIRE(from.count(rank) == 0);
        }
    };
    for_all_ranks_and_radices(check);
    for_all_ranks_and_lists(check);
}

TEST_CASE("batches cover every distance once, in order") {
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        for (std::int64_t size : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{ranks},
                                  std::int64_t{INT32_MAX}, std::int64_t{INT64_MAX}}) {
            INFO("ranks " << ranks << ", size " << size);
            int next = 1;
            for (Batch batch(ranks, size); batch.valid(); batch.advance()) {
                REQUIRE(batch.first() == next);
                REQUIRE(batch.last() > batch.first());
                REQUIRE(batch.last() - batch.first() <= size);
                next = batch.last();
            }
            REQUIRE(next == ranks);
        }
    }
}

TEST_CASE("the workspace of tuna is whole alignment units, and none where nothing travels") {
    Parameters parameters;
    parameters[Parameter::radix] = 2;
    parameters[Parameter::in_flight] = 1;
    for (Metadata metadata : {Metadata::separate, Metadata::fused}) {
        parameters[Parameter::metadata] = static_cast<std::int64_t>(metadata);
        CHECK(tuna_scratch_bytes(1, 100, parameters) == 0);
        CHECK(tuna_scratch_bytes(64, 0, parameters) == 0);
        // Four slots of 100 bytes and their sizes, two messages of four sizes and blocks.
        const std::size_t size = metadata == Metadata::separate ? 4 : 1;
        CHECK(tuna_scratch_bytes(8, 100, parameters) == Workspace::rounded(4 * 100) +
                                                            Workspace::rounded(4 * size) +
                                                            2 * Workspace::rounded(4 * (size + 100)));
        CHECK(TunaLayout(TunaShape(8, parameters), 256, parameters).size_bytes ==
              2 * (metadata == Metadata::separate ? 2 : 1));
        CHECK(TunaLayout(TunaShape(8, parameters), 65536, parameters).size_bytes == 4);
        CHECK(TunaLayout(TunaShape(8, parameters), std::size_t{1} << 33, parameters).size_bytes == 8);
    }
    // Three rounds of the first digit at a time, and no more than the digit has.
    parameters[Parameter::radix] = 4;
    parameters[Parameter::in_flight] = 3;
    CHECK(TunaShape(16, parameters).in_flight == 3);
    CHECK(TunaShape(3, parameters).in_flight == 2);
    parameters[Parameter::in_flight] = 1000;
    CHECK(TunaShape(16, parameters).in_flight == 3);
    // Of the digit with the most rounds.
    parameters[Parameter::radix] = Radices::of_list(std::array<std::int64_t, 3>{2, 6, 3}).value();
    CHECK(TunaShape(36, parameters).in_flight == 5);
    parameters[Parameter::radix] = 5000;
    CHECK(TunaShape(5000, parameters).in_flight == largest_batch);
    parameters[Parameter::in_flight] = 1;
    parameters[Parameter::radix] = 8;
    CHECK(tuna_scratch_bytes(8, 100, parameters) == 0); // fused: direct blocks only
    parameters[Parameter::metadata] = static_cast<std::int64_t>(Metadata::separate);
    CHECK(tuna_scratch_bytes(8, 100, parameters) == 2 * Workspace::alignment);
}

// A block on its way: who sent it, and to whom.
using Traveller = std::pair<int, int>;

TEST_CASE("the rounds of a schedule bring every block home, in the order of its message") {
    std::vector<std::int64_t> radices = {2, 3, 8, 40};
    for (const auto& list : {std::vector<std::int64_t>{2, 3, 7}, {10, 4}, {3, 14}})
        radices.push_back(Radices::of_list(list).value());
    for (int ranks : {2, 3, 5, 8, 13, 27, 40})
        for (std::int64_t radix : radices) {
            Parameters parameters;
            parameters[Parameter::radix] =
                Radices(radix).is_list() ? radix : std::min<std::int64_t>(radix, ranks);
            parameters[Parameter::in_flight] = 1;
            std::vector<std::unique_ptr<TunaSchedule>> schedules;
            for (int rank = 0; rank < ranks; ++rank)
                schedules.push_back(std::make_unique<TunaSchedule>(ranks, rank, parameters));
            std::vector<std::map<int, Traveller>> waiting(static_cast<std::size_t>(ranks));
            std::set<Traveller> home;
            for (std::size_t k = 0; k < schedules[0]->rounds().size(); ++k) {
                std::map<int, std::vector<Traveller>> messages; // by destination
                for (int rank = 0; rank < ranks; ++rank) {
                    const TunaRound& round = schedules[static_cast<std::size_t>(rank)]->rounds()[k];
                    auto& message = messages[round.destination];
                    CHECK(message.empty());
                    for (const int destination : round.from_s) message.push_back({rank, destination});
                    for (const int slot : round.from_t) {
                        auto& slots = waiting[static_cast<std::size_t>(rank)];
                        REQUIRE(slots.contains(slot));
                        message.push_back(slots[slot]);
                        slots.erase(slot);
                    }
                    CHECK(message.size() == round.blocks());
                }
                for (int rank = 0; rank < ranks; ++rank) {
                    const TunaRound& round = schedules[static_cast<std::size_t>(rank)]->rounds()[k];
                    CHECK(schedules[static_cast<std::size_t>(round.source)]->rounds()[k].destination == rank);
                    auto next = messages[rank].begin();
                    const auto keep = [&](std::span<const int> slots) {
                        for (const int slot : slots) {
                            CHECK(static_cast<std::size_t>(slot) < schedules[0]->shape().slots);
                            CHECK(waiting[static_cast<std::size_t>(rank)].emplace(slot, *next++).second);
                        }
                    };
                    keep(round.to_t);
                    for (const int source : round.to_r) {
                        CHECK(*next == Traveller{source, rank});
                        home.insert(*next++);
                    }
                    keep(round.stays);
                    CHECK(next == messages[rank].end());
                }
            }
            CHECK(home.size() == static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1));
        }
}

TEST_CASE("the workspace of uniform exchanges is messages, blocks on their way, and parts") {
    Parameters parameters;
    for (int radix : {7, 8}) { // direct blocks only
        parameters[Parameter::radix] = radix;
        CHECK(parameterized_bruck_scratch_bytes(8, 100, parameters) == 0);
    }
    parameters[Parameter::radix] = 2;
    CHECK(parameterized_bruck_scratch_bytes(8, 100, parameters) == 2 * Workspace::rounded(4 * 100));
    CHECK(packed_bruck_scratch_bytes(8, 100, parameters) == 2 * Workspace::rounded(4 * 100));
    CHECK(packed_bruck_scratch_bytes(2, 100, parameters) == 2 * Workspace::rounded(100));
    CHECK(typed_bruck_scratch_bytes(8, 100, parameters) ==
          Workspace::rounded(7 * 100) + Workspace::rounded(4 * sizeof(Part)));
    CHECK(dissemination_scratch_bytes(8, 100, parameters) == Workspace::rounded(4 * sizeof(Part)));
    CHECK(recursive_doubling_scratch_bytes(8, 100, parameters) == Workspace::rounded(7 * sizeof(Part)));
    for (auto* scratch_bytes :
         {&parameterized_bruck_scratch_bytes, &packed_bruck_scratch_bytes, &typed_bruck_scratch_bytes,
          &dissemination_scratch_bytes, &recursive_doubling_scratch_bytes}) {
        CHECK(scratch_bytes(1, 100, parameters) == 0);
    }
}

TEST_CASE("the vocabulary and the registry are consistent") {
    REQUIRE(parameter_vocabulary().size() == parameter_count);
    for (std::size_t i = 0; i < parameter_count; ++i) {
        const ParameterTraits& parameter = parameter_vocabulary()[i];
        INFO(parameter.name);
        CHECK(static_cast<std::size_t>(parameter.parameter) == i);
        CHECK_FALSE(parameter.help.empty());
        CHECK(&traits_of(parameter.parameter) == &parameter);
        if (parameter.is_optional) CHECK(parameter.minimum > absent);
        for (int ranks : {1, 2, 3, 4, 5, 16, 17, 1000000}) {
            if (is_absent(parameter, preset_of(parameter, ranks))) continue;
            CHECK(preset_of(parameter, ranks) >= parameter.minimum);
            CHECK(preset_of(parameter, ranks) <= maximum_of(parameter, ranks));
        }
        if (!parameter.choices.empty()) {
            CHECK(parameter.minimum == 0);
            CHECK(parameter.maximum == static_cast<std::int64_t>(parameter.choices.size()) - 1);
        }
    }
    for (std::size_t i = 0; i < all_traits().size(); ++i) {
        const Traits& traits = all_traits()[i];
        INFO(name_of(traits.collective) << " " << traits.name);
        CHECK(find(traits.collective, traits.name) == &traits); // so no name is there twice
        CHECK(traits.native == (traits.name == "native"));
        CHECK(traits.native == (i < collective_count));
        CHECK_FALSE(traits.idea.empty());
        CHECK_FALSE(traits.source.empty());
    }
    CHECK(find(Collective::allgather, "tuna") == nullptr);
    CHECK(find(Collective::alltoallv, "") == nullptr);
    CHECK(find(Collective::alltoallv, "tuna")->takes(Parameter::radix));
    CHECK_FALSE(find(Collective::alltoallv, "tuna")->takes(Parameter::block_count));
    CHECK(preset_of(traits_of(Parameter::radix), 1) == 2);
    CHECK(preset_of(traits_of(Parameter::radix), 16) == 4);
    CHECK(preset_of(traits_of(Parameter::radix), 17) == 5);
    CHECK(maximum_of(traits_of(Parameter::radix), 1) == 2);
    CHECK(maximum_of(traits_of(Parameter::radix), 300) == 300);
}

TEST_CASE("a search tries admissible values, and each value once") {
    const auto grid = [](Parameter parameter, const GroupShape& shape) {
        std::string text;
        for (const std::int64_t value : grid_of(traits_of(parameter), shape))
            text += (text.empty() ? "" : " ") + text_of(traits_of(parameter), value);
        return text;
    };
    const GroupShape shape{12, 3, 4};
    CHECK(grid(Parameter::radix, shape) == "2 4 8 12");
    CHECK(grid(Parameter::radix, {16, 4, 4}) == "2 4 8 16");
    CHECK(grid(Parameter::block_count, shape) == "1 2 4 8");
    CHECK(grid(Parameter::stride, {5000, 1250, 4}) == "1 2 4 8 16 32 64 128 256 512");
    CHECK(grid(Parameter::in_flight, {5000, 1250, 4}) == "1 2 4 8");
    CHECK(grid(Parameter::lanes, shape) == "1 2 4");
    CHECK(grid(Parameter::direct_from, shape) == "256 1024 4096 16384 65536");
    CHECK(grid(Parameter::metadata, shape) == "separate");
    CHECK(grid(Parameter::intra, shape) == "shared");
    CHECK(grid(Parameter::intra, {3, 3, 1}).empty());
    for (const Parameter parameter : {Parameter::auxiliary_bytes, Parameter::buffers, Parameter::levels})
        CHECK(grid(parameter, shape).empty());
    for (const ParameterTraits& parameter : parameter_vocabulary())
        for (int ranks : {1, 2, 3, 16, 1000}) {
            INFO(parameter.name << ", ranks " << ranks);
            const auto values = grid_of(parameter, ranks);
            CHECK(std::set<std::int64_t>(values.begin(), values.end()).size() == values.size());
            for (const std::int64_t value : values) {
                CHECK(value >= parameter.minimum);
                CHECK(value <= maximum_of(parameter, ranks));
            }
        }
}

TEST_CASE("parts that touch become one") {
    std::vector<std::byte> bytes(10);
    std::vector<Part> memory(3);
    PartList list(memory);
    list.add({bytes.data(), 2});
    list.add({bytes.data() + 2, 3});
    list.add({bytes.data() + 6, 1});
    const auto parts = list.take();
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].bytes == 5);
    CHECK(parts[1].data == bytes.data() + 6);
    CHECK(list.take().empty());
}
