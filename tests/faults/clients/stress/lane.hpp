// One thread's steps. Everything that its ranks have to do together follows from the seed, the lane, the
// number of the step and the communicators that live.
#pragma once

#include "call.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "pending.hpp"

#include <memory>
#include <vector>

namespace stress {

struct Counts {
    unsigned long long calls = 0;     // of whole communicators, each counted by one rank
    unsigned long long made = 0;      // by this rank
    unsigned long long structure = 0; // a hash of what was drawn: equal for equal runs
};

class Lane {
  public:
    // `root`: the communicator of this lane's own that all others come from. `control`: for
    // the lane's own agreements.
    Lane(const Options& options, int number, MPI_Comm root, MPI_Comm control);
    ~Lane();

    void run();
    // One burst of calls; also on communicators that are not the lane's.
    void burst(const Member& member, std::uint64_t key);
    const Counts& counts() const { return counts_; }

  private:
    // A communicator on each rank that has a place in it: after a split there are several of one family.
    struct Family {
        int number;
        Member member;
        bool may_be_inter, lasts;
        struct Waiting {
            std::uint64_t due;
            std::unique_ptr<Pending> pending;
            std::unique_ptr<Messages> messages;
        };
        std::vector<Waiting> waiting;

        bool has_messages() const;
    };

    bool goes_on();
    void step();
    void make();
    void add(MPI_Comm comm, bool may_be_inter, bool lasts);
    void free_one();
    void release(Family& family);
    void wait_beside();
    void calls();
    void finish_due();
    void finish_all(Family& family);
    void be_late(Stream& own);
    void spawn();
    Form draw_form(Collective collective, Stream& own) const;
    Stream own_stream(std::uint64_t purpose) const;
    std::uint64_t group_key(const Member& member, std::uint64_t purpose) const;
    void take_place(const Member& member, int family, const char* what) const;

    const Options& options_;
    int number_, rank_ = 0;
    MPI_Comm root_, control_;
    std::uint64_t step_ = 0, spawned_ = 0;
    int families_made_ = 0;
    double begin_;
    Stream common_{0}; // of this step
    std::vector<Family> families_;
    LayoutPool pool_;
    Counts counts_;
};

} // namespace stress
