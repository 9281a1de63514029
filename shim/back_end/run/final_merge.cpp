#include "final_merge.hpp"

#include "all_manage.hpp"
#include "gather.hpp"
#include "quiet_wait.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/back_end/process/memory_reserve.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/log/line.hpp"

#include <algorithm>
#include <array>
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
    kind.collective = static_cast<algorithms::Collective>(call.collective.value);
    kind.ranks = name.ranks;
    kind.nodes = name.nodes;
    kind.ranks_per_node = name.ranks_per_node;
    kind.in_place = call.in_place != 0;
    kind.devices = call.on_device != 0;
    return kind;
}

void add_to(AgreementCost& cost, const log::MergedCall& call, const log::CommunicatorName& name) {
    cost.add_time(static_cast<double>(call.elapsed.sum), static_cast<double>(call.agree.sum));
    if (call.agree.sum > 0) cost.add_cause(kind_of(call, name), static_cast<double>(call.agree.sum));
}

} // namespace

bool FinalMerge::prepare() {
    auto& recorder = *self_.recorder;
    const auto world = self_.world;
    const bool is_read = manages([&] {
        recorder.finish();
        reader_ = std::make_unique<log::SlotReader>(recorder);
        led_names_ = led_names(recorder.names(), self_.world_rank);
        MemoryReserve::demand_room_for_messages();
    });
    if (!is_read) reader_.reset(); // makes room for the vote
    bool told_by_all = false;
    Heard heard = announce(is_read, recorder.names(), reader_.get(), world, told_by_all);
    lost_ = heard.lost;
    if (!told_by_all) return false;
    const auto get_ready = [&] {
        desk_ = std::make_unique<MergeDesk>(world, *reader_);
        led_ = std::make_unique<LedCalls>(std::move(heard.items), self_.world_rank, *reader_, *desk_);
        if (self_.world_rank != 0 && led_->communicators() > 0) answer_.resize(FarCalls::most_at_once);
        MemoryReserve::demand_room_for_messages();
    };
    const bool is_ready = heard.is_all && manages(get_ready);
    std::array<std::uint64_t, 2> sums{is_ready ? 0U : 1U, is_ready ? led_->calls() : 0U};
    if (!add_up_quietly(sums, world) || sums[0] > 0) return false;
    expected_ = sums[1];
    return true;
}

void FinalMerge::add_leaders(const std::vector<std::string>& names) {
    led_names_ = {};
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
    for (auto request = desk_->take_request(); request.kind == MergeRequest::calls;
         request = desk_->take_request()) {
        const auto most = std::min<std::size_t>(request.most, answer_.size());
        std::size_t count = 0;
        for (const log::MergedCall* call = nullptr; count < most && (call = led_->next()) != nullptr;
             led_->advance())
            answer_[count++] = *call;
        desk_->answer_calls(request, answer_.data(), count);
    }
}

// On rank 0.
void FinalMerge::write_all(const std::vector<std::string>& names) {
    began_ = Clock::now();
    add_leaders(names);
    write_lines();
    if (!lines_->finish()) throw std::runtime_error("the disk is full");
}

bool FinalMerge::run(std::uint64_t& lost) {
    bool good = prepare();
    if (good) {
        std::vector<std::string> names;
        const bool are_here = gather_texts(led_names_, self_.world, names);
        desk_->open();
        if (self_.world_rank == 0) {
            good = are_here && manages([&] { write_all(names); });
            desk_->tell_end(self_.world_ranks);
        } else {
            serve();
        }
    }
    const bool all_here = good && !led_->has_failed();
    std::array<std::uint64_t, 2> sums{all_here ? 0U : 1U, self_.recorder->dropped() + lost_here()};
    const bool written = add_up_quietly(sums, self_.world) && sums[0] == 0;
    lost = sums[1];
    if (written) return true;
    std::array<std::uint64_t, 1> in_memory{self_.recorder->slots_in_memory()};
    add_up_quietly(in_memory, self_.world);
    lost += in_memory[0];
    return false;
}

std::uint64_t FinalMerge::lost_here() const {
    return lost_ + (reader_ ? reader_->nameless() : 0) + (led_ ? led_->lost() : 0);
}

} // namespace switchyard::shim
