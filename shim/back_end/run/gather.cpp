#include "gather.hpp"

namespace switchyard::shim {

std::vector<std::string> gather_texts(const std::string& text, MPI_Comm comm) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const int size = static_cast<int>(text.size());
    std::vector<int> sizes(static_cast<std::size_t>(ranks)), offsets(sizes.size());
    PMPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm);
    std::string all;
    if (rank == 0) {
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] = offsets[i - 1] + sizes[i - 1];
        all.resize(static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(sizes.back()));
    }
    PMPI_Gatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), offsets.data(), MPI_CHAR, 0, comm);
    std::vector<std::string> texts;
    if (rank != 0) return texts;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(sizes[i])));
    return texts;
}

} // namespace switchyard::shim
