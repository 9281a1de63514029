#include "announcements.hpp"

#include "algorithms/small_messages.hpp"
#include "all_manage.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::shim {

namespace {

constexpr int announcement_tag = 5;
constexpr std::size_t most_in_message = algorithms::largest_own_message / sizeof(Announcement);

// Sums over all ranks, in small messages.
void add_up(const std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& sums, MPI_Comm comm) {
    constexpr std::size_t most = algorithms::largest_own_message / sizeof(std::uint64_t);
    for (std::size_t done = 0; done < numbers.size(); done += most)
        PMPI_Allreduce(numbers.data() + done, sums.data() + done,
                       static_cast<int>(std::min(numbers.size() - done, most)), MPI_UINT64_T, MPI_SUM, comm);
}

class Announcing {
  public:
    explicit Announcing(MPI_Comm world) : world_(world) {
        PMPI_Comm_rank(world, &rank_);
        PMPI_Comm_size(world, &ranks_);
    }

    void prepare(const log::Names& names, const log::SlotReader& reader) {
        counts_.resize(static_cast<std::size_t>(ranks_));
        sums_.resize(counts_.size());
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
    // How many each leader will hear.
    void exchange_counts() { add_up(counts_, sums_, world_); }
    void make_room() { heard_.resize(sums_[static_cast<std::size_t>(rank_)]); }
    void exchange_items() noexcept {
        send_all();
        std::size_t heard = 0;
        while (heard < heard_.size() && hear_some(heard)) {
        }
        heard_.resize(heard);
        for (auto& request : sent_) PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    std::vector<Announcement> heard() { return std::move(heard_); }
    std::uint64_t lost() const { return lost_; }

  private:
    bool is_led(const log::CommunicatorName& name) const { return name.leader >= 0 && name.leader < ranks_; }
    Announcement announcement(const log::CommunicatorName& name, const log::SlotSpan& span) const {
        return {name.leader_number, name.number, rank_,     name.rank,
                span.last_sequence, 0,           span.left, span.first_begin};
    }
    // Room for the requests is there.
    void send_all() noexcept {
        const auto* next = going_.data();
        for (int leader = 0; leader < ranks_; ++leader) {
            for (std::uint64_t left = counts_[static_cast<std::size_t>(leader)]; left > 0;) {
                const auto some = std::min<std::uint64_t>(left, most_in_message);
                PMPI_Isend(next, static_cast<int>(some * sizeof *next), MPI_BYTE, leader, announcement_tag,
                           world_, &sent_.emplace_back(MPI_REQUEST_NULL));
                next += some;
                left -= some;
            }
        }
    }
    // False: none can come any more.
    bool hear_some(std::size_t& heard) noexcept {
        const auto room = std::min(heard_.size() - heard, most_in_message);
        MPI_Status status;
        int bytes = 0;
        if (PMPI_Recv(heard_.data() + heard, static_cast<int>(room * sizeof heard_.front()), MPI_BYTE,
                      MPI_ANY_SOURCE, announcement_tag, world_, &status) != MPI_SUCCESS)
            return false;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        heard += static_cast<std::size_t>(bytes) / sizeof heard_.front();
        return true;
    }

    MPI_Comm world_;
    int rank_ = 0, ranks_ = 1;
    std::vector<std::uint64_t> counts_, sums_; // by leader: of this rank, of all
    std::vector<Announcement> going_, heard_;  // going: in the order of leaders
    std::vector<MPI_Request> sent_;
    std::uint64_t lost_ = 0;
};

} // namespace

bool announce(const log::Names& names, const log::SlotReader& reader, MPI_Comm world,
              std::vector<Announcement>& heard, std::uint64_t& lost) {
    Announcing announcing(world);
    if (!all_manage(world, [&] { announcing.prepare(names, reader); })) return false;
    announcing.exchange_counts();
    if (!all_manage(world, [&] { announcing.make_room(); })) return false;
    announcing.exchange_items();
    heard = announcing.heard();
    lost = announcing.lost();
    return true;
}

} // namespace switchyard::shim
