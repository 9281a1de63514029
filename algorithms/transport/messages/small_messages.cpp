#include "small_messages.hpp"

#include "mpi_types.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace switchyard::algorithms {

namespace {

// Cuts `bytes` bytes into pieces and calls use(offset, size) for each, until use() returns an error.
template <typename Use>
int for_each_piece(std::size_t bytes, const Use& use) {
    int code = MPI_SUCCESS;
    for (std::size_t done = 0; done < bytes && code == MPI_SUCCESS; done += largest_own_message)
        code = use(done, static_cast<int>(std::min(bytes - done, largest_own_message)));
    return code;
}

// A piece of all ranks' bytes. One rank has each byte, and the other ranks have zeros in its place. So "or"
// brings the bytes together.
class Piece {
  public:
    Piece(std::size_t begin, int size, std::size_t own_begin, const void* own, std::size_t own_bytes) {
        std::memset(bytes_.data(), 0, static_cast<std::size_t>(size));
        const std::size_t end = begin + static_cast<std::size_t>(size), own_end = own_begin + own_bytes;
        const std::size_t from = std::max(begin, own_begin), to = std::min(end, own_end);
        if (from < to)
            std::memcpy(bytes_.data() + (from - begin),
                        static_cast<const std::byte*>(own) + (from - own_begin), to - from);
    }
    const std::byte* data() const { return bytes_.data(); }

  private:
    std::array<std::byte, largest_own_message> bytes_;
};

// Calls join(piece, offset, size) for the pieces of all ranks' bytes.
template <typename Join>
int join_pieces(const void* mine, std::size_t bytes, int rank, int ranks, const Join& join) {
    const std::size_t own_begin = static_cast<std::size_t>(rank) * bytes;
    return for_each_piece(static_cast<std::size_t>(ranks) * bytes, [&](std::size_t begin, int size) {
        return join(Piece(begin, size, own_begin, mine, bytes).data(), begin, size);
    });
}

bool fit_together(std::size_t bytes, int ranks) {
    return bytes * static_cast<std::size_t>(ranks) <= largest_own_message;
}

} // namespace

int gather(const void* mine, std::size_t bytes, void* all, Comm meeting) {
    const MPI_Comm comm = mpi_of(meeting);
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const int size = static_cast<int>(bytes);
    std::array<std::byte, largest_own_message> nowhere;
    if (fit_together(bytes, ranks))
        return PMPI_Gather(mine, size, MPI_BYTE, all != nullptr ? all : nowhere.data(), size, MPI_BYTE, 0,
                           comm);
    return join_pieces(mine, bytes, rank, ranks, [&](const std::byte* piece, std::size_t begin, int count) {
        std::byte* const place = all != nullptr ? static_cast<std::byte*>(all) + begin : nowhere.data();
        return PMPI_Reduce(piece, place, count, MPI_BYTE, MPI_BOR, 0, comm);
    });
}

int gather_everywhere(const void* mine, std::size_t bytes, void* all, Comm meeting) {
    const MPI_Comm comm = mpi_of(meeting);
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const int size = static_cast<int>(bytes);
    if (fit_together(bytes, ranks)) return PMPI_Allgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, comm);
    return join_pieces(mine, bytes, rank, ranks, [&](const std::byte* piece, std::size_t begin, int count) {
        return PMPI_Allreduce(piece, static_cast<std::byte*>(all) + begin, count, MPI_BYTE, MPI_BOR, comm);
    });
}

} // namespace switchyard::algorithms
