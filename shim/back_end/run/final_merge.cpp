#include "final_merge.hpp"

#include "all_manage.hpp"
#include "gather.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/log/line.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>

namespace switchyard::shim {

namespace {

constexpr std::size_t bytes_of_far_calls = std::size_t{16} << 20;
constexpr std::uint64_t long_ns = 2'000'000'000;
constexpr std::uint64_t lines_between_looks = 1024;

// Rank 0 needs the leaders' names only.
std::string led_names(const log::Names& names, int rank) {
    std::string text;
    for (const auto& name : names.communicators)
        if (name.leader == rank) text += name.to_line() + "\n";
    if (!text.empty())
        for (const auto& decision : names.decisions) text += decision.to_line() + "\n";
    return text;
}

policy::FixedFeatures kind_of(const log::MergedCall& call, const log::CommunicatorName& name) {
    policy::FixedFeatures kind;
    kind.collective = static_cast<algorithms::Collective>(call.collective);
    kind.ranks = name.ranks;
    kind.nodes = name.nodes;
    kind.ranks_per_node = name.ranks_per_node;
    kind.in_place = call.in_place != 0;
    kind.devices = call.on_device != 0;
    return kind;
}

void add_to(AgreementCost& cost, const log::MergedCall& call, const log::CommunicatorName& name) {
    cost.add_time(static_cast<double>(call.elapsed_sum), static_cast<double>(call.agree_sum));
    if (call.agree_sum > 0) cost.add_cause(kind_of(call, name), static_cast<double>(call.agree_sum));
}

} // namespace

bool FinalMerge::prepare() {
    auto& recorder = *self_.recorder;
    const auto world = self_.world;
    std::vector<Announcement> heard;
    const auto read_own = [&] {
        recorder.finish();
        reader_ = std::make_unique<log::SlotReader>(recorder);
        led_names_ = led_names(recorder.names(), self_.world_rank);
    };
    const auto get_ready = [&] {
        desk_ = std::make_unique<MergeDesk>(world, *reader_);
        led_ = std::make_unique<LedCalls>(std::move(heard), self_.world_rank, *reader_, *desk_);
        if (self_.world_rank != 0 && led_->communicators() > 0) answer_.resize(FarCalls::most_at_once);
    };
    return all_manage(world, read_own) && announce(recorder.names(), *reader_, world, heard, lost_) &&
           all_manage(world, get_ready) && gather_leaders();
}

bool FinalMerge::gather_leaders() {
    const unsigned long long here = led_->calls();
    unsigned long long all = 0;
    PMPI_Reduce(&here, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, self_.world);
    expected_ = all;
    std::vector<std::string> names;
    return gather_texts(led_names_, self_.world, names) &&
           all_manage(self_.world, [&] { add_leaders(names); });
}

void FinalMerge::add_leaders(const std::vector<std::string>& names) {
    led_names_ = {};
    if (self_.world_rank != 0) return;
    lines_ =
        std::make_unique<log::LogWriter>(self_.log_folder, self_.summary ? "summary.jsonl" : "calls.jsonl");
    if (!lines_->finish()) throw std::runtime_error("the log's file cannot be made");
    const auto far = static_cast<std::size_t>(
        std::ranges::count_if(names, [](const auto& text) { return !text.empty(); }));
    const auto room = bytes_of_far_calls / sizeof(log::MergedCall) / std::max<std::size_t>(far, 1);
    const auto most = std::clamp<std::size_t>(room, 16, FarCalls::most_at_once);
    for (std::size_t rank = 0; rank < names.size(); ++rank) {
        if (names[rank].empty()) continue;
        auto& leader = leaders_.emplace_back();
        leader.names = log::Names::parse(names[rank]);
        if (rank > 0) leader.calls = std::make_unique<FarCalls>(static_cast<int>(rank), most, *desk_);
    }
}

const log::MergedCall* FinalMerge::next_of(Leader& leader) noexcept {
    return leader.calls ? leader.calls->next() : led_->next();
}

void FinalMerge::advance(Leader& leader) noexcept {
    leader.calls ? leader.calls->advance() : led_->advance();
}

void FinalMerge::write_lines() {
    using Head = std::pair<std::uint64_t, std::size_t>; // begin, leader
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto look = [&](std::size_t i) {
        if (const auto* call = next_of(leaders_[i])) heads.emplace(call->begin, i);
    };
    for (std::size_t i = 0; i < leaders_.size(); ++i) look(i);
    for (std::uint64_t number = 1; !heads.empty(); ++number) {
        const auto i = heads.top().second;
        heads.pop();
        auto& leader = leaders_[i];
        const auto& call = *next_of(leader);
        if (const auto* name = leader.names.communicator(call.communicator)) {
            lines_->line(log::call_line(number, call, *name, leader.names.decision(call.decision)));
            add_to(agreement_cost_, call, *name);
        }
        advance(leader);
        look(i);
        if (number % lines_between_looks != 0) continue;
        if (!lines_->finish()) return; // the disk is full
        tell_of_progress(number);
    }
}

void FinalMerge::tell_of_progress(std::uint64_t lines) {
    if (told_ || Clock::now() < began_ + long_ns) return;
    told_ = true;
    inform(formatted("the log of {} calls is being merged; {} are done after two seconds", expected_, lines));
}

void FinalMerge::serve() noexcept {
    for (auto wish = desk_->take_wish(); wish.kind == Wish::calls; wish = desk_->take_wish()) {
        const auto most = std::min<std::size_t>(wish.most, answer_.size());
        std::size_t count = 0;
        for (const log::MergedCall* call = nullptr; count < most && (call = led_->next()) != nullptr;
             led_->advance())
            answer_[count++] = *call;
        desk_->answer_calls(wish, answer_.data(), count);
    }
}

bool FinalMerge::run() {
    bool good = true;
    desk_->open();
    if (self_.world_rank == 0) {
        began_ = Clock::now();
        try {
            write_lines();
            good = lines_->finish();
        } catch (...) {
            good = false;
        }
        desk_->tell_end(self_.world_ranks);
    } else {
        serve();
    }
    return algorithms::all_agree(good && !led_->has_failed(), self_.world);
}

std::uint64_t FinalMerge::lost() const {
    return lost_ + (reader_ ? reader_->nameless() : 0) + (led_ ? led_->lost() : 0);
}

} // namespace switchyard::shim
