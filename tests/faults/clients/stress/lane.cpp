#include "lane.hpp"

#include "attributes.hpp"
#include "children.hpp"
#include "communicators.hpp"
#include "own_faults.hpp"
#include "watch.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <unistd.h>

namespace stress {

namespace {

constexpr std::size_t most_families = 20;
constexpr std::uint64_t steps_between_controls = 8;
constexpr std::uint64_t most_spawned = 3;

enum Purpose : std::uint64_t { for_common, for_own, for_making, for_waiting, for_calls };

double seconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void spin(double seconds) {
    for (const double end = seconds_now() + seconds; seconds_now() < end;) {
    }
}

// Mostly few, at times enough for what is learned or remembered of calls that repeat.
int draw_length(Stream& group, int most_units) {
    const int kind = group.between(0, 99);
    const int length = kind < 45   ? group.between(1, 2)
                       : kind < 80 ? group.between(3, 12)
                                   : group.between(20, 200);
    return most_units < 4096 ? length : std::min(length, 4);
}

} // namespace

Lane::Lane(const Options& options, int number, MPI_Comm root, MPI_Comm control)
    : options_(options), number_(number), root_(root), control_(control), begin_(seconds_now()) {
    MPI_Comm_rank(root, &rank_);
    add(root, false, true);
    if (number == 0) add(MPI_COMM_SELF, false, true);
}

Lane::~Lane() {
    for (auto& family : families_) release(family);
}

bool Lane::Family::has_messages() const {
    return std::ranges::any_of(waiting, [](const Waiting& one) { return one.messages != nullptr; });
}

std::uint64_t Lane::group_key(const Member& member, std::uint64_t purpose) const {
    return mixed(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(number_), step_,
                 purpose, member.key);
}

Stream Lane::own_stream(std::uint64_t purpose) const {
    return Stream(mixed(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(number_), step_,
                        purpose, static_cast<std::uint64_t>(rank_) + (std::uint64_t{1} << 32)));
}

void Lane::take_place(const Member& member, int family, const char* what) const {
    place().what = what;
    place().family = family;
    place().ranks = member.ranks;
}

void Lane::run() {
    while (goes_on()) {
        ++step_;
        place().step = step_;
        ++place().progress;
        step();
    }
    for (auto& family : families_) finish_all(family);
}

// All ranks alike: rank 0's clock decides, and a failure of any rank ends the run.
bool Lane::goes_on() {
    if (step_ % steps_between_controls != 0) return true;
    take_place({.comm = control_}, -1, "agreement on going on");
    const bool is_over = options_.steps > 0
                             ? step_ >= static_cast<std::uint64_t>(options_.steps)
                             : rank_ == 0 && seconds_now() - begin_ >= static_cast<double>(options_.seconds);
    int ends = is_over || has_failed() ? 1 : 0, some_end = 0;
    must(MPI_Allreduce(&ends, &some_end, 1, MPI_INT, MPI_MAX, control_), "MPI_Allreduce");
    return some_end == 0;
}

void Lane::step() {
    common_ = Stream(mixed(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(number_),
                           step_, for_common));
    finish_due();
    const int kind = common_.between(0, 99);
    if (kind < 12 && families_.size() < most_families) return make();
    if (kind < 22 && families_.size() > 4) return free_one();
    if (kind < 36) return wait_beside();
    if (kind == 36 && options_.spawn != 0 && number_ == 0) return spawn();
    calls();
}

void Lane::add(MPI_Comm comm, bool may_be_inter, bool lasts) {
    families_.push_back({families_made_++, member_of(comm, root_), may_be_inter, lasts, {}});
    counts_.structure += mixed(step_, families_.back().member.key, static_cast<std::uint64_t>(rank_));
}

void Lane::make() {
    auto making = static_cast<Making>(common_.below(static_cast<std::uint64_t>(Making::makings)));
    if (making == Making::between && !own_faults::may_make_between(options_.threads)) making = Making::dup;
    auto& parent = families_[common_.below(families_.size())];
    if (sends_on_parent(making)) finish_all(parent);
    const bool may_be_inter = may_make_inter(making, parent.may_be_inter);
    MPI_Comm comm = MPI_COMM_NULL;
    auto own = own_stream(for_making);
    be_late(own);
    if (parent.member) {
        tell("kind %d", static_cast<int>(making));
        take_place(parent.member, parent.number, "making a communicator");
        Stream group(group_key(parent.member, for_making));
        comm = make_communicator(making, parent.member, group);
    }
    if (comm != MPI_COMM_NULL && options_.attributes != 0) call_when_freed(comm, counts_.calls, counts_.made);
    add(comm, may_be_inter, false);
}

void Lane::free_one() {
    const auto at = common_.below(families_.size());
    if (families_[at].lasts) return;
    release(families_[at]);
    families_.erase(families_.begin() + static_cast<std::ptrdiff_t>(at));
}

void Lane::release(Family& family) {
    finish_all(family);
    if (family.lasts || !family.member) return;
    auto own = own_stream(for_making);
    be_late(own);
    take_place(family.member, family.number, "MPI_Comm_free");
    must(MPI_Comm_free(&family.member.comm), "MPI_Comm_free");
}

void Lane::wait_beside() {
    auto& family = families_[common_.below(families_.size())];
    const bool sends = common_.percent(50);
    const auto due = step_ + common_.below(25) + 1;
    if (!family.member || step_ < static_cast<std::uint64_t>(options_.from)) return;
    const auto key = group_key(family.member, for_waiting);
    auto own = own_stream(for_waiting);
    be_late(own);
    if (sends && options_.messages != 0 && !family.has_messages()) {
        take_place(family.member, family.number, "messages");
        family.waiting.push_back({due, nullptr, std::make_unique<Messages>(family.member, key)});
    } else if (options_.pending != 0 && family.waiting.size() < 4) {
        take_place(family.member, family.number, "a nonblocking collective");
        family.waiting.push_back(
            {due, std::make_unique<Pending>(family.member, options_.block_bytes / 8, pool_, key, own),
             nullptr});
    }
}

void Lane::finish_due() {
    for (auto& family : families_)
        for (auto one = family.waiting.begin(); one != family.waiting.end();) {
            if (one->due > step_) {
                ++one;
                continue;
            }
            take_place(family.member, family.number,
                       one->pending ? "the end of a nonblocking collective" : "the end of messages");
            if (one->pending) one->pending->finish();
            if (one->messages) one->messages->finish();
            one = family.waiting.erase(one);
        }
}

void Lane::finish_all(Family& family) {
    for (auto& one : family.waiting) one.due = 0;
    finish_due();
}

void Lane::calls() {
    const auto& family = families_[common_.below(families_.size())];
    if (!family.member || step_ < static_cast<std::uint64_t>(options_.from)) return;
    place().family = family.number;
    place().ranks = family.member.ranks;
    burst(family.member, group_key(family.member, for_calls));
}

Form Lane::draw_form(Collective collective, Stream& own) const {
    return options_.large_counts != 0 && own.one_in(6) && has_large(collective) ? Form::large : Form::plain;
}

// Calls that repeat: with the same buffers, with others, with other sizes, or with everything else.
void Lane::burst(const Member& member, std::uint64_t key) {
    enum Change { data, buffers, sizes, everything };
    Stream group(key);
    auto own = own_stream(for_calls);
    const auto change = static_cast<Change>(group.below(4));
    auto shape = std::make_unique<Shape>(draw_shape(member, options_.block_bytes, group));
    const int length = draw_length(group, shape->sizes.most() * std::max(shape->signature.unit_bytes, 1));
    auto call = std::make_unique<Call>(member, *shape, pool_, own);
    for (int i = 0; i < length; ++i) {
        if (i > 0 && change >= sizes)
            shape = std::make_unique<Shape>(
                change == sizes ? draw_shape_of(shape->collective, member, options_.block_bytes, group)
                                : draw_shape(member, options_.block_bytes, group));
        if (i > 0 && change >= buffers) call = std::make_unique<Call>(member, *shape, pool_, own);
        const auto data_key = group.next();
        const bool is_compared = group.one_in(20);
        counts_.structure += mixed(data_key, static_cast<std::uint64_t>(shape->sizes.most()),
                                   static_cast<std::uint64_t>(shape->collective));
        call->fill(data_key);
        be_late(own);
        place().what = name_of(shape->collective);
        if (is_compared) call->compare_with_bare();
        call->make(draw_form(shape->collective, own));
        ++place().progress;
        call->check();
        if (member.is_logged) ++counts_.made;
        if (member.counts()) ++counts_.calls;
    }
}

// Now and then a rank comes late, sleeping or working.
void Lane::be_late(Stream& own) {
    if (options_.delays == 0 || !own.one_in(12)) return;
    const auto microseconds = own.below(own.one_in(10) ? 20'000 : 500);
    if (own.percent(50))
        usleep(static_cast<useconds_t>(microseconds));
    else
        spin(1e-6 * static_cast<double>(microseconds));
}

void Lane::spawn() {
    if (spawned_ == most_spawned || step_ < static_cast<std::uint64_t>(options_.from)) return;
    ++spawned_;
    take_place(families_[0].member, 0, "spawned processes");
    exchange_with_children(*this, root_, options_, step_);
}

} // namespace stress
