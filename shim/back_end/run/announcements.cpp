#include "announcements.hpp"

#include "algorithms/transport/messages/small_messages.hpp"
#include "all_manage.hpp"
#include "quiet_wait.hpp"
#include "shim/back_end/process/memory_reserve.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace switchyard::shim {

namespace {

constexpr int announcement_tag = 5;
constexpr std::size_t most_in_message = algorithms::largest_own_message / sizeof(Announcement);

class Announcing {
  public:
    explicit Announcing(MPI_Comm world) : world_(world) {
        PMPI_Comm_rank(world, &rank_);
        PMPI_Comm_size(world, &ranks_);
    }

    void prepare(const log::Names& names, const log::SlotReader& reader) {
        counts_.resize(static_cast<std::size_t>(ranks_));
        for (const auto& name : names.communicators)
            if (is_led(name))
                ++counts_[static_cast<std::size_t>(name.leader)];
            else
                lost_ += reader.span(name.number).left;
        auto ends = counts_;
        std::exclusive_scan(counts_.begin(), counts_.end(), ends.begin(), std::uint64_t{0});
        going_.resize(ends.back() + counts_.back());
        for (const auto& name : names.communicators)
            if (is_led(name))
                going_[ends[static_cast<std::size_t>(name.leader)]++] =
                    announcement(name, reader.span(name.number));
        const auto leaders = counts_.size() - static_cast<std::size_t>(std::ranges::count(counts_, 0U));
        sent_.reserve(leaders + going_.size() / most_in_message);
    }
    // Tells each leader how many announcements it will hear. True: all ranks are ready. The sums travel in
    // small messages, each with the number of ranks that are not ready.
    bool exchange_counts(bool is_ready) noexcept {
        constexpr std::size_t most = algorithms::largest_own_message / sizeof(std::uint64_t) - 1;
        bool are_all_ready = true;
        for (std::size_t done = 0; done < static_cast<std::size_t>(ranks_); done += most) {
            const auto some = std::min(static_cast<std::size_t>(ranks_) - done, most);
            std::array<std::uint64_t, most + 1> sums{};
            if (is_ready)
                std::copy_n(counts_.begin() + static_cast<std::ptrdiff_t>(done), some, sums.begin());
            sums[some] = is_ready ? 0 : 1;
            are_all_ready =
                add_up_quietly(std::span(sums).first(some + 1), world_) && sums[some] == 0 && are_all_ready;
            const auto own = static_cast<std::size_t>(rank_) - done;
            if (own < some) expected_ = sums[own];
        }
        return are_all_ready;
    }
    // If this rank has no room for the announcements, it receives them and drops them.
    void exchange_items(Heard& heard) noexcept {
        heard.is_all = manages([&] { heard.items.resize(expected_); });
        std::uint64_t count = keep_own(heard);
        send_to_others();
        while (count < expected_ && hear_some(heard, count)) {
        }
        if (heard.is_all) heard.items.resize(count);
        for (auto& request : sent_) wait_quietly(request);
        heard.lost = lost_;
    }

  private:
    bool is_led(const log::CommunicatorName& name) const { return name.leader >= 0 && name.leader < ranks_; }
    Announcement announcement(const log::CommunicatorName& name, const log::SlotSpan& span) const {
        return {name.leader_number, name.number, rank_,     name.rank,
                span.last_sequence, 0,           span.left, span.first_begin};
    }
    // A message to this rank itself may be the first, and UCX ends a program that has no memory for its
    // channel.
    std::uint64_t keep_own(Heard& heard) const noexcept {
        const auto own = counts_.begin() + rank_;
        const auto* const first = going_.data() + std::accumulate(counts_.begin(), own, std::uint64_t{0});
        if (heard.is_all) std::copy_n(first, *own, heard.items.data());
        return *own;
    }
    // Room for the requests has been reserved.
    void send_to_others() noexcept {
        const auto* next = going_.data();
        for (int leader = 0; leader < ranks_; ++leader) {
            std::uint64_t left = counts_[static_cast<std::size_t>(leader)];
            if (leader == rank_) next += std::exchange(left, 0);
            while (left > 0) {
                const auto some = std::min<std::uint64_t>(left, most_in_message);
                PMPI_Isend(next, static_cast<int>(some * sizeof *next), MPI_BYTE, leader, announcement_tag,
                           world_, &sent_.emplace_back(MPI_REQUEST_NULL));
                next += some;
                left -= some;
            }
        }
    }
    // False: no more can come.
    bool hear_some(Heard& heard, std::uint64_t& count) noexcept {
        std::array<Announcement, most_in_message> passing;
        const auto room = std::min<std::uint64_t>(expected_ - count, most_in_message);
        auto* const place = heard.is_all ? heard.items.data() + count : passing.data();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        int bytes = 0;
        if (PMPI_Irecv(place, static_cast<int>(room * sizeof *place), MPI_BYTE, MPI_ANY_SOURCE,
                       announcement_tag, world_, &request) != MPI_SUCCESS ||
            wait_quietly(request, &status) != MPI_SUCCESS)
            return false;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        count += static_cast<std::size_t>(bytes) / sizeof *place;
        return true;
    }

    MPI_Comm world_;
    int rank_ = 0, ranks_ = 1;
    std::vector<std::uint64_t> counts_; // of this rank's announcements, by leader
    std::vector<Announcement> going_;   // in the order of leaders
    std::vector<MPI_Request> sent_;
    std::uint64_t expected_ = 0, lost_ = 0;
};

} // namespace

Heard announce(bool has_some, const log::Names& names, const log::SlotReader* reader, MPI_Comm world,
               bool& told_by_all) noexcept {
    Announcing announcing(world);
    Heard heard;
    const bool is_ready = has_some && manages([&] {
                              announcing.prepare(names, *reader);
                              MemoryReserve::demand_room_for_messages();
                          });
    told_by_all = announcing.exchange_counts(is_ready);
    if (told_by_all) announcing.exchange_items(heard);
    return heard;
}

} // namespace switchyard::shim
