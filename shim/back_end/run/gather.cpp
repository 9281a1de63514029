#include "gather.hpp"

#include "all_manage.hpp"

#include <climits>
#include <stdexcept>

namespace switchyard::shim {

namespace {

// What MPI_Gatherv wants to know, on rank 0.
struct Layout {
    std::vector<int> sizes, offsets;
    std::string all;

    void place() {
        long long end = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            offsets[i] = static_cast<int>(end);
            end += sizes[i];
            if (end > INT_MAX) throw std::length_error("more text than MPI_Gatherv can place");
        }
        all.resize(static_cast<std::size_t>(end));
    }
    std::string text(std::size_t rank) const {
        return all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(sizes[rank]));
    }
};

} // namespace

bool gather_texts(const std::string& text, MPI_Comm comm, std::vector<std::string>& texts) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const auto count = rank == 0 ? static_cast<std::size_t>(ranks) : 0;
    Layout layout;
    const auto reserve = [&] {
        if (text.size() > INT_MAX) throw std::length_error("more text than MPI_Gatherv can send");
        layout.sizes.resize(count);
        layout.offsets.resize(count);
    };
    if (!all_manage(comm, reserve)) return false;
    const int size = static_cast<int>(text.size());
    PMPI_Gather(&size, 1, MPI_INT, layout.sizes.data(), 1, MPI_INT, 0, comm);
    if (!all_manage(comm, [&] { layout.place(); })) return false;
    PMPI_Gatherv(text.data(), size, MPI_CHAR, layout.all.data(), layout.sizes.data(), layout.offsets.data(),
                 MPI_CHAR, 0, comm);
    return all_manage(comm, [&] {
        for (std::size_t i = 0; i < count; ++i) texts.push_back(layout.text(i));
    });
}

} // namespace switchyard::shim
