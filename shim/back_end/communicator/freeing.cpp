#include "freeing.hpp"

#include "comm_state.hpp"

#include <new>
#include <utility>

namespace switchyard::shim {

thread_local constinit Freeing::Note* Freeing::innermost_ = nullptr;

// Notes that an exception left behind: their frames lay deeper in the stack than the present one. Where a
// program runs its work on stacks of its own, this may drop a note that still counts.
void Freeing::drop_left(const void* frame) noexcept {
    while (innermost_ != nullptr && innermost_->frame < frame)
        delete std::exchange(innermost_, innermost_->outer);
}

Freeing::Freeing(MPI_Comm comm, Communicators& home) noexcept {
    const void* const frame = __builtin_frame_address(0);
    drop_left(frame);
    note_ = new (std::nothrow) Note{comm, frame, innermost_};
    if (note_ != nullptr) innermost_ = note_;
    CommState::end_of(comm, home);
}

void Freeing::end() const noexcept {
    for (Note** place = &innermost_; *place != nullptr; place = &(*place)->outer) {
        if (*place != note_) continue;
        *place = note_->outer;
        delete note_;
        return;
    }
}

bool Freeing::is_under_way(MPI_Comm comm) noexcept {
    if (innermost_ == nullptr) [[likely]]
        return false;
    drop_left(__builtin_frame_address(0));
    for (const Note* note = innermost_; note != nullptr; note = note->outer)
        if (note->comm == comm) return true;
    return false;
}

} // namespace switchyard::shim
