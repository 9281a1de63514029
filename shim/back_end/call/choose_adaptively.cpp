#include "choose_adaptively.hpp"

#include "algorithms/transport/agree_on_largest.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "shim/back_end/process/clock.hpp"

namespace switchyard::shim::adaptive {

namespace {

// Made on all ranks or on none.
Learner* meet(const Question& question, const Key& key) {
    auto& book = question.book;
    Learner* learner = nullptr;
    try {
        learner = &book.add(key, question.call, question.agreed);
    } catch (...) { // out of memory
    }
    if (algorithms::all_agree(learner != nullptr, question.resources.group.comm)) return learner;
    book.forget(key);
    return nullptr;
}

// A separate agreement, only if the call has no other.
std::uint64_t settle_up(CommResources& resources, Book& book) {
    const auto start = Clock::now();
    Nanoseconds time = book.owed();
    resources.wire.reset();
    const auto end = algorithms::agree_on_largest(std::span(&time, 1), resources.group, resources.wire,
                                                  resources.window.get());
    book.tell(end.status.ok() ? time : no_time);
    return Clock::now() - start;
}

} // namespace

Answer choose(const Question& question) {
    const auto& shortlist = question.plan.shortlist();
    const std::size_t number = *shortlist.candidates[question.match.candidate].adaptive;
    const auto& adaptive = shortlist.adaptives[number];
    auto& resources = question.resources;
    auto& book = question.book;
    Answer answer{question.match};

    // At rest only this rank knows its blocks.
    const Key key = question.rests ? book.resting()->key() : key_of(question.plan, number, question.call);
    Learner* learner = book.find(key);
    if (learner == nullptr) learner = meet(question, key);
    if (learner == nullptr) return answer; // native, as the rule would have it
    if (question.agreed)
        book.count_agreed(*learner);
    else if (book.is_due(*learner))
        answer.agree = settle_up(resources, book);

    const auto candidate = [&](std::size_t i) -> const policy::Candidate& {
        return shortlist.candidates[adaptive.first + i];
    };
    const auto can_run = [&](std::size_t i) {
        return policy::why_passed_over(candidate(i), question.call) == policy::PassedOver::no;
    };
    while (true) { // native takes no memory, so this ends
        const std::size_t chosen = book.begin(*learner, can_run);
        answer.match.candidate = adaptive.first + chosen;
        answer.match.phase = learner->chooser().phase();
        if (resources.reserve_for(candidate(chosen).choice, question.call)) return answer;
        book.cancel();
    }
}

} // namespace switchyard::shim::adaptive
