#include "types.hpp"

#include "exported.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace switchyard::tests::threads {

namespace {

using Piece = MPI_ABI_Datatype::Piece;

// 0: the type is none of these.
std::size_t bytes_of_basic(MPI_Datatype type) {
    if (type == MPI_BYTE || type == MPI_CHAR) return 1;
    if (type == MPI_INT || type == MPI_UNSIGNED) return sizeof(int);
    if (type == MPI_LONG || type == MPI_UINT64_T || type == MPI_UNSIGNED_LONG_LONG) return sizeof(long);
    return 0;
}

std::ptrdiff_t extent_of(MPI_Datatype type) {
    const std::size_t basic = bytes_of_basic(type);
    return basic > 0 ? static_cast<std::ptrdiff_t>(basic) : type->extent;
}

// Calls use(address, bytes) for each piece, in order.
template <typename Use>
void for_each_piece(const Items& items, const Use& use) {
    if (items.count == 0) return;
    const auto count = static_cast<std::size_t>(items.count);
    if (const std::size_t basic = bytes_of_basic(items.type); basic > 0)
        return use(items.buffer, count * basic);
    for (std::size_t i = 0; i < count; ++i)
        for (const Piece& piece : items.type->pieces)
            use(items.buffer + static_cast<std::ptrdiff_t>(i) * items.type->extent + piece.offset,
                piece.bytes);
}

} // namespace

bool is_basic(MPI_Datatype type) {
    return bytes_of_basic(type) > 0;
}

std::size_t Items::bytes() const {
    std::size_t sum = 0;
    for_each_piece(*this, [&](std::byte*, std::size_t bytes) { sum += bytes; });
    return sum;
}

Items Items::from(std::ptrdiff_t items, int how_many) const {
    return {buffer + items * extent_of(type), how_many, type};
}

void Items::copy_to(std::byte* packed) const {
    for_each_piece(*this, [&](const std::byte* from, std::size_t bytes) {
        std::memcpy(packed, from, bytes);
        packed += bytes;
    });
}

void Items::take_from(std::span<const std::byte> packed) const {
    for_each_piece(*this, [&](std::byte* to, std::size_t bytes) {
        const std::size_t some = std::min(bytes, packed.size());
        if (some > 0) std::memcpy(to, packed.data(), some);
        packed = packed.subspan(some);
    });
}

} // namespace switchyard::tests::threads

SWITCHYARD_EXPORTED int PMPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint offsets[],
                                                  MPI_Datatype type, MPI_Datatype* created) {
    if (type != MPI_BYTE) return MPI_ERR_OTHER;
    auto* const made = new MPI_ABI_Datatype{};
    std::ptrdiff_t begin = count > 0 ? offsets[0] : 0, end = begin;
    for (int i = 0; i < count; ++i) {
        made->pieces.push_back({offsets[i], static_cast<std::size_t>(lengths[i])});
        begin = std::min<std::ptrdiff_t>(begin, offsets[i]);
        end = std::max<std::ptrdiff_t>(end, offsets[i] + lengths[i]);
    }
    made->extent = end - begin;
    *created = made;
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Type_commit(MPI_Datatype*) {
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Type_free(MPI_Datatype* type) {
    delete *type;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Get_address(const void* location, MPI_Aint* address) {
    *address = reinterpret_cast<MPI_Aint>(location);
    return MPI_SUCCESS;
}
