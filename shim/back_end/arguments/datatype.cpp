#include "datatype.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <vector>

namespace switchyard::shim {

namespace {

// MPI-4.1 wants the `_c` functions instead of these. A back end that was built with a new MPI also runs with
// an old MPI of the same family, which has no `_c`.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int get_size(MPI_Datatype type, MPI_Count* size) {
    return PMPI_Type_size_x(type, size);
}
int get_extent(MPI_Datatype type, MPI_Count* lower, MPI_Count* extent) {
    return PMPI_Type_get_extent_x(type, lower, extent);
}
#pragma GCC diagnostic pop

// How a type was made, as far as a chain of contiguous and duplicated types goes.
struct Envelope {
    int combiner = MPI_COMBINER_NAMED;
    int integers = 0;
    bool is_chain = false; // one type inside, nothing else
};

#if MPI_VERSION >= 4
// Null in an older library of the same family.
#pragma weak PMPI_Type_get_envelope_c

// Only `_c` functions may ask about a type that an MPI-4 `_c` function made; the plain function ends the
// program. Such types are packed.
bool is_large(MPI_Datatype type) {
    MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
    int combiner = 0;
    if (PMPI_Type_get_envelope_c == nullptr) return false;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &combiner);
    return large > 0;
}
#else
bool is_large(MPI_Datatype) {
    return false;
}
#endif

Envelope envelope_of(MPI_Datatype type) {
    Envelope envelope;
    int addresses = 0, types = 0;
    PMPI_Type_get_envelope(type, &envelope.integers, &addresses, &types, &envelope.combiner);
    bool is_link = envelope.combiner == MPI_COMBINER_CONTIGUOUS || envelope.combiner == MPI_COMBINER_DUP;
    envelope.is_chain = is_link && types == 1 && envelope.integers <= 1 && addresses == 0;
    return envelope;
}

// Predefined types, and types that Fortran asks for by precision: MPI owns both.
bool is_predefined(int combiner) {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

bool has_no_gaps(MPI_Datatype type) {
    MPI_Count size = 0, lower = 0, extent = 0;
    get_size(type, &size);
    get_extent(type, &lower, &extent);
    return lower == 0 && size == extent;
}

// A predefined type, or contiguous and duplicated chains of one, whose size equals its extent. Comparing size
// and extent would not be enough: an indexed type can permute its elements.
bool is_dense_chain(MPI_Datatype type) {
    if (is_large(type)) return false;
    auto envelope = envelope_of(type);
    if (is_predefined(envelope.combiner)) return has_no_gaps(type);
    if (!envelope.is_chain) return false;
    int count = 0;
    MPI_Aint address = 0;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    if (PMPI_Type_get_contents(type, envelope.integers, 0, 1, &count, &address, &inner) != MPI_SUCCESS)
        return false;
    bool dense = is_dense_chain(inner);
    if (is_large(inner) || !is_predefined(envelope_of(inner).combiner)) PMPI_Type_free(&inner);
    return dense;
}

// Remembered as the attribute's pointer value itself: nothing to allocate, nothing to free.
void* const is_dense_mark = reinterpret_cast<void*>(std::uintptr_t{1});
void* const is_sparse_mark = reinterpret_cast<void*>(std::uintptr_t{2});

// The mark of a type that is committed. Null: nobody has found out.
void* mark_of(MPI_Datatype type, int keyval) {
    void* mark = nullptr;
    int found = 0;
    if (keyval == MPI_KEYVAL_INVALID ||
        PMPI_Type_get_attr(type, keyval, static_cast<void*>(&mark), &found) != MPI_SUCCESS || found == 0)
        return nullptr;
    return mark;
}

void set_mark(MPI_Datatype type, int keyval, bool dense) {
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Type_set_attr(type, keyval, dense ? is_dense_mark : is_sparse_mark);
}

std::atomic<std::uint64_t> freed{0};

// MPI calls this when a type with our attribute goes, before its handle can come back.
int on_type_freed(MPI_Datatype, int, void*, void*) {
    freed.fetch_add(1, std::memory_order_release);
    return MPI_SUCCESS;
}

bool is_mpis_own(MPI_Datatype type) {
    return !is_large(type) && is_predefined(envelope_of(type).combiner);
}

// MPI_Pack counts bytes in int, and MPICH's refuses MPI_BOTTOM. A message to ourselves has neither limit: an
// item leaves as the application's type and arrives as bytes, or the other way round.
constexpr std::int64_t most_packed_at_once = std::int64_t{1} << 30;

MPI_Datatype create_bytes_type(std::size_t size) {
    constexpr std::size_t chunk = std::size_t{1} << 30;
    MPI_Datatype chunk_type = MPI_DATATYPE_NULL, bytes = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous(static_cast<int>(chunk), MPI_BYTE, &chunk_type);
    int lengths[] = {static_cast<int>(size / chunk), static_cast<int>(size % chunk)};
    MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(size / chunk * chunk)};
    MPI_Datatype types[] = {chunk_type, MPI_BYTE};
    PMPI_Type_create_struct(2, lengths, offsets, types, &bytes);
    PMPI_Type_commit(&bytes);
    PMPI_Type_free(&chunk_type);
    return bytes;
}

int message_to_self(const void* from, MPI_Datatype from_type, void* to, MPI_Datatype to_type, MPI_Comm comm) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return PMPI_Sendrecv(from, 1, from_type, rank, 0, to, 1, to_type, rank, 0, comm, MPI_STATUS_IGNORE);
}

// Items that one MPI_Pack may take; 0: not even one.
int items_at_once(const Datatype& type, std::int64_t left) {
    auto size = static_cast<std::int64_t>(type.size);
    if (size > INT_MAX) return 0;
    return static_cast<int>(std::min(left, std::max<std::int64_t>(1, most_packed_at_once / size)));
}

// Walks `count` items: `few(items, bytes, n, n*size)` takes as many as MPI_Pack can, `one(items, bytes)` an
// item that MPI_Pack cannot take.
template <typename Items, typename Bytes, typename Few, typename One>
int in_pieces(Items* first, Bytes* bytes, std::int64_t count, const Datatype& type, Few few, One one) {
    auto address =
        reinterpret_cast<std::uintptr_t>(first); // of the next item; MPI_BOTTOM is no pointer to count from
    for (std::int64_t left = count; left > 0;) {
        auto* items = reinterpret_cast<Items*>(address);
        int piece = items == MPI_BOTTOM ? 0 : items_at_once(type, left);
        int code =
            piece == 0 ? one(items, bytes) : few(items, bytes, piece, static_cast<int>(type.size) * piece);
        if (code != MPI_SUCCESS) return code;
        piece = std::max(piece, 1);
        address += static_cast<std::uintptr_t>(piece * type.extent);
        bytes += static_cast<std::size_t>(piece) * type.size;
        left -= piece;
    }
    return MPI_SUCCESS;
}

} // namespace

std::int64_t size_of(MPI_Datatype type) {
    MPI_Count size = -1;
    if (type == MPI_DATATYPE_NULL || get_size(type, &size) != MPI_SUCCESS) return -1;
    return size == MPI_UNDEFINED ? -1 : size;
}

std::size_t size_of_plain(MPI_Datatype type) {
    if (is_large(type) || envelope_of(type).combiner != MPI_COMBINER_NAMED || !has_no_gaps(type)) return 0;
    return static_cast<std::size_t>(size_of(type));
}

Datatype inspect(MPI_Datatype type, int keyval) {
    MPI_Count lower = 0, extent = 0;
    get_extent(type, &lower, &extent);
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_of(type), 0));
    if (void* const mark = mark_of(type, keyval)) return {type, size, extent, mark == is_dense_mark, true};
    const bool dense = is_dense_chain(type), own = is_mpis_own(type);
    if (own) set_mark(type, keyval, dense);
    return {type, size, extent, dense, own};
}

bool is_committed(const Datatype& type, int keyval, MPI_Comm comm) {
    if (type.is_committed) return true;
    MPI_Errhandler handler{};
    if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return true;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    std::byte nothing[1] = {};
    int position = 0;
    const bool committed =
        PMPI_Pack(nothing, 0, type.handle, nothing, sizeof nothing, &position, comm) == MPI_SUCCESS;
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    if (committed) set_mark(type.handle, keyval, type.dense);
    return committed;
}

std::uint64_t types_freed() {
    return freed.load(std::memory_order_acquire);
}

int create_datatype_keyval() {
    int keyval = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_freed, &keyval, nullptr);
    return keyval;
}

int pack(const void* items, std::int64_t count, const Datatype& type, std::byte* bytes, MPI_Comm comm) {
    if (type.size == 0) return MPI_SUCCESS;
    return in_pieces(
        static_cast<const std::byte*>(items), bytes, count, type,
        [&](const std::byte* from, std::byte* to, int number, int size) {
            int position = 0;
            int code = PMPI_Pack(from, number, type.handle, to, size, &position, comm);
            return code == MPI_SUCCESS && position != size ? MPI_ERR_INTERN : code;
        },
        [&](const std::byte* from, std::byte* to) {
            auto bytes_type = create_bytes_type(type.size);
            int code = message_to_self(from, type.handle, to, bytes_type, comm);
            PMPI_Type_free(&bytes_type);
            return code;
        });
}

int unpack(const std::byte* bytes, void* items, std::int64_t count, const Datatype& type, MPI_Comm comm) {
    if (type.size == 0) return MPI_SUCCESS;
    return in_pieces(
        static_cast<std::byte*>(items), bytes, count, type,
        [&](std::byte* to, const std::byte* from, int number, int size) {
            int position = 0;
            return PMPI_Unpack(from, size, &position, to, number, type.handle, comm);
        },
        [&](std::byte* to, const std::byte* from) {
            auto bytes_type = create_bytes_type(type.size);
            int code = message_to_self(from, bytes_type, to, type.handle, comm);
            PMPI_Type_free(&bytes_type);
            return code;
        });
}

} // namespace switchyard::shim
