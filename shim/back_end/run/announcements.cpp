#include "announcements.hpp"

#include "all_manage.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <stdexcept>

namespace switchyard::shim {

namespace {

// What goes to each rank, or comes from it.
struct Traffic {
    std::vector<int> counts, offsets;
    std::vector<Announcement> items;

    explicit Traffic(int ranks) : counts(static_cast<std::size_t>(ranks)), offsets(counts.size()) {}

    // From the counts.
    void place() {
        if (std::accumulate(counts.begin(), counts.end(), 0LL) > INT_MAX)
            throw std::length_error("more announcements than MPI_Alltoallv can place");
        std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
        items.resize(static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(counts.back()));
    }
};

class Announcing {
  public:
    explicit Announcing(MPI_Comm world) : world_(world) {
        PMPI_Comm_rank(world, &rank_);
        PMPI_Comm_size(world, &ranks_);
    }

    void prepare(const log::Names& names, const log::SlotReader& reader) {
        going_ = Traffic(ranks_);
        coming_ = Traffic(ranks_);
        for (const auto& name : names.communicators)
            if (is_led(name))
                ++going_.counts[static_cast<std::size_t>(name.leader)];
            else
                lost_ += reader.span(name.number).left;
        going_.place();
        auto ends = going_.offsets;
        for (const auto& name : names.communicators)
            if (is_led(name))
                going_.items[static_cast<std::size_t>(ends[static_cast<std::size_t>(name.leader)]++)] =
                    announcement(name, reader.span(name.number));
    }
    void exchange_counts() {
        PMPI_Alltoall(going_.counts.data(), 1, MPI_INT, coming_.counts.data(), 1, MPI_INT, world_);
    }
    void make_room() { coming_.place(); }
    void exchange_items() {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        PMPI_Type_contiguous(sizeof(Announcement), MPI_BYTE, &type);
        PMPI_Type_commit(&type);
        PMPI_Alltoallv(going_.items.data(), going_.counts.data(), going_.offsets.data(), type,
                       coming_.items.data(), coming_.counts.data(), coming_.offsets.data(), type, world_);
        PMPI_Type_free(&type);
    }
    std::vector<Announcement> heard() { return std::move(coming_.items); }
    std::uint64_t lost() const { return lost_; }

  private:
    bool is_led(const log::CommunicatorName& name) const { return name.leader >= 0 && name.leader < ranks_; }
    Announcement announcement(const log::CommunicatorName& name, const log::SlotSpan& span) const {
        return {name.leader_number, name.number, rank_,     name.rank,
                span.last_sequence, 0,           span.left, span.first_begin};
    }

    MPI_Comm world_;
    int rank_ = 0, ranks_ = 1;
    Traffic going_{0}, coming_{0};
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
