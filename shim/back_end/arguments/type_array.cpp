#include "type_array.hpp"

namespace switchyard::shim {

namespace {

Datatype unknown() {
    return {MPI_DATATYPE_NULL, 0, 0, true, true};
}

} // namespace

void TypeArray::make_room(int blocks) noexcept {
    if (known_.size() == static_cast<std::size_t>(blocks)) return;
    try {
        known_.assign(static_cast<std::size_t>(blocks), unknown());
    } catch (...) {
        known_.clear();
    }
}

void TypeArray::forget_freed() {
    const auto freed = types_freed();
    if (freed == freed_) return;
    for (Datatype& type : known_) type = unknown();
    freed_ = freed;
}

// A handle of MPI_DATATYPE_NULL never gets here.
const Datatype& TypeArray::decoded(int i) {
    Datatype& type = known_[static_cast<std::size_t>(i)];
    // Only a committed type is sure to have the attribute.
    if (type.handle != types_[i] || !type.is_committed) type = inspect(types_[i], keyval_);
    return type;
}

void TypeArray::note(const Datatype& type) {
    are_dense_ = are_dense_ && type.dense;
    are_committed_ = are_committed_ && type.is_committed;
}

void TypeArray::look(const CallArgs::Side& side, int blocks, int datatype_keyval) noexcept {
    types_ = side.types;
    keyval_ = datatype_keyval;
    has_null_ = false;
    are_dense_ = are_committed_ = true;
    make_room(blocks);
    forget_freed();
    for (int i = 0; i < blocks; ++i) {
        if (side.counts[i] <= 0) continue;
        if (types_[i] == MPI_DATATYPE_NULL)
            has_null_ = true;
        else if (known_.empty())
            note(inspect(types_[i], keyval_));
        else
            note(decoded(i));
    }
}

} // namespace switchyard::shim
