#include "int_limit.hpp"

#include <algorithm>
#include <cstdlib>

namespace switchyard::shim {

namespace {

using What = IntLimit::What;

bool is_near(std::int64_t value) {
    return static_cast<std::uint64_t>(std::abs(value)) >= near_int_limit;
}

// What the numbers of one side say.
class SideNumbers {
  public:
    // `is_one_block`: a side with one block for everybody has no arrays.
    SideNumbers(const CallArgs::Side& side, bool is_sent, int blocks, bool is_one_block)
        : side_(side), is_sent_(is_sent), is_one_block_(is_one_block), blocks_(blocks) {}

    void look_at_arguments(IntLimit& found) const {
        const auto& displacements = side_.displacements;
        if (side_.counts.is_array() && side_.counts.is_null()) return;
        for (int i = 0; i < numbers(); ++i) {
            const auto count = side_.counts[i];
            if (count <= overflowed_count) keep(found, What::negative_count, i, count);
            if (is_near(count)) keep(found, What::count, i, count);
            if (!displacements.is_array() || displacements.is_null() || count == 0) continue;
            if (is_near(displacements[i])) keep(found, What::displacement, i, displacements[i]);
        }
    }

    // `item(i)`: bytes of an item of block i, which has items.
    template <typename Item>
    void look_at_bytes(IntLimit& found, const Item& item) const {
        std::int64_t all = 0;
        for (int i = 0; i < numbers(); ++i) {
            const auto bytes = side_.counts[i] > 0 ? side_.counts[i] * item(i) : 0;
            if (is_near(bytes)) keep(found, What::block_bytes, i, bytes);
            all += bytes;
        }
        if (!side_.counts.is_array() && !is_one_block_) all *= blocks_;
        if (is_near(all)) keep(found, What::all_bytes, 0, all);
    }

  private:
    // In the arguments.
    int numbers() const { return side_.counts.is_array() ? blocks_ : 1; }

    // The kind of number that stands first in What; of these the largest.
    void keep(IntLimit& found, What what, int block, std::int64_t value) const {
        if (found && (found.what < what || (found.what == what && std::abs(found.value) >= std::abs(value))))
            return;
        found = {what, is_sent_, block, value};
    }

    const CallArgs::Side& side_;
    bool is_sent_, is_one_block_;
    int blocks_;
};

} // namespace

IntLimit int_limit_of(const CallArgs& call, const Peers& peers, const CallTypes* types) {
    IntLimit found;
    if (call.large_count) return found; // its numbers are of 64 bits
    const bool sends_one = algorithms::traits_of(call.collective).sends_one_block();
    const SideNumbers received(call.recv, false, peers.received, false);
    const SideNumbers sent(call.send, true, peers.sent, sends_one);
    received.look_at_arguments(found);
    if (!call.in_place()) sent.look_at_arguments(found);
    if (found || types == nullptr) return found;
    const auto look = [&](const SideNumbers& numbers, const CallArgs::Side& side, const TypeArray& each) {
        if (side.types != nullptr)
            return numbers.look_at_bytes(found,
                                         [&](int i) { return static_cast<std::int64_t>(each[i].size); });
        const auto item = std::max<std::int64_t>(size_of(side.type), 0);
        numbers.look_at_bytes(found, [&](int) { return item; });
    };
    look(received, call.recv, types->received);
    if (!call.in_place()) look(sent, call.send, types->sent);
    return found;
}

} // namespace switchyard::shim
