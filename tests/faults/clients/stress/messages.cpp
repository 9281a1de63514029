#include "messages.hpp"

#include "own_faults.hpp"
#include "watch.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace stress {

namespace {

constexpr std::size_t room = 16; // bytes behind a message, which nobody may touch
constexpr unsigned char untouched = 0xA5;

int largest_tag() {
    void* value = nullptr;
    int has = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &has);
    return has != 0 ? *static_cast<int*>(value) : 32767;
}

unsigned char byte_of(std::uint64_t key, int at) {
    return static_cast<unsigned char>(key >> (at % 8 * 8)) ^ static_cast<unsigned char>(at / 8);
}

} // namespace

Messages::Messages(const Member& member, std::uint64_t key) : member_(member) {
    draw(Stream(key));
    if (posts_first_) post();
    if (sends_first_) send();
}

// With wildcards the messages of one source are received in the order in which they were sent, so each rank
// knows what comes.
void Messages::draw(Stream group) {
    style_ = static_cast<Style>(group.between(0, 2));
    const int order = group.between(0, 2);
    posts_first_ = order != 1;
    sends_first_ = order != 0;
    sending_side_ = member_.is_inter ? group.between(0, 1) : 0;
    const bool am_sending = member_.side == sending_side_;
    const int senders = am_sending ? member_.ranks : member_.others;
    const int receivers = am_sending ? member_.others : member_.ranks;
    const std::array tags = {0, 1, 17, 32767, largest_tag(), largest_tag() - 1};
    const int number = group.between(1, 3 * std::max(senders, receivers));
    for (int i = 0; i < number; ++i) {
        Message message{};
        message.source = group.between(0, senders - 1);
        message.destination = group.between(0, receivers - 1);
        if (!member_.is_inter && message.source == message.destination && !own_faults::has_messages_to_itself)
            continue;
        message.tag = group.pick(tags);
        message.bytes = group.pick(std::array{0, 1, 8, 100, 1000, 5000, 70'000});
        message.key = group.next();
        messages_.push_back(message);
    }
}

bool Messages::sends(const Message& message) const {
    return member_.side == sending_side_ && member_.rank == message.source;
}

bool Messages::receives(const Message& message) const {
    return (!member_.is_inter || member_.side != sending_side_) && member_.rank == message.destination;
}

void Messages::send() {
    for (const auto& message : messages_) {
        if (!sends(message)) continue;
        std::vector<unsigned char> bytes(static_cast<std::size_t>(message.bytes) + 1);
        for (int i = 0; i < message.bytes; ++i) bytes[static_cast<std::size_t>(i)] = byte_of(message.key, i);
        sent_.push_back(std::move(bytes));
        MPI_Request request;
        must(MPI_Isend(sent_.back().data(), message.bytes, MPI_BYTE, message.destination, message.tag,
                       member_.comm, &request),
             "MPI_Isend");
        sends_.push_back(request);
    }
}

void Messages::post() {
    int longest = 0;
    for (const auto& message : messages_) longest = std::max(longest, message.bytes);
    for (const auto& message : messages_) {
        if (!receives(message)) continue;
        const int bytes = style_ == directed ? message.bytes : longest;
        received_.push_back({std::vector(static_cast<std::size_t>(bytes) + room, untouched), &message});
        MPI_Request request;
        must(MPI_Irecv(received_.back().buffer.data(), bytes, MPI_BYTE,
                       style_ == any_source ? MPI_ANY_SOURCE : message.source,
                       style_ == directed ? message.tag : MPI_ANY_TAG, member_.comm, &request),
             "MPI_Irecv");
        receives_.push_back(request);
    }
}

void Messages::finish() {
    if (!sends_first_) send();
    if (!posts_first_) post();
    std::vector<MPI_Status> statuses(receives_.size());
    must(MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), statuses.data()), "MPI_Waitall");
    must(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    check(statuses);
    // A rank that is done may send again; nothing of that is for a receive of the others that still waits.
    if (style_ == any_source) must(MPI_Barrier(member_.comm), "MPI_Barrier");
}

void Messages::check(const std::vector<MPI_Status>& statuses) {
    std::map<int, std::vector<const Message*>> coming; // by source, in the order of sending
    for (const auto& message : messages_)
        if (receives(message)) coming[message.source].push_back(&message);
    std::map<int, std::size_t> taken;
    for (std::size_t i = 0; i < received_.size(); ++i) {
        const auto& status = statuses[i];
        const Message* message = received_[i].expected;
        if (style_ == any_source) {
            const auto& from = coming[status.MPI_SOURCE];
            const auto next = taken[status.MPI_SOURCE]++;
            if (next >= from.size()) {
                fail("a message from rank %d which nobody sent", status.MPI_SOURCE);
                continue;
            }
            message = from[next];
        }
        check(received_[i], *message, status);
    }
}

void Messages::check(const Received& received, const Message& message, const MPI_Status& status) const {
    int bytes = -1;
    must(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (status.MPI_SOURCE != message.source || status.MPI_TAG != message.tag || bytes != message.bytes)
        return fail(
            "a message from rank %d with tag %d of %d bytes came from rank %d with tag %d and %d bytes",
            message.source, message.tag, message.bytes, status.MPI_SOURCE, status.MPI_TAG, bytes);
    for (int i = 0; i < static_cast<int>(received.buffer.size()); ++i) {
        const auto expected = i < message.bytes ? byte_of(message.key, i) : untouched;
        const auto got = received.buffer[static_cast<std::size_t>(i)];
        if (got == expected) continue;
        return fail("a message from rank %d of %d bytes: byte %d is %d, expected %d", message.source,
                    message.bytes, i, got, expected);
    }
}

} // namespace stress
