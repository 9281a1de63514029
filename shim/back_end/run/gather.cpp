#include "gather.hpp"

#include "algorithms/small_messages.hpp"
#include "all_manage.hpp"

#include <cstdint>
#include <utility>

namespace switchyard::shim {

namespace {

constexpr int text_tag = 4;

} // namespace

bool gather_texts(const std::string& text, MPI_Comm comm, std::vector<std::string>& texts) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const bool gathers = rank == 0;
    std::vector<std::uint64_t> sizes;
    if (!all_manage(comm, [&] { sizes.resize(gathers ? static_cast<std::size_t>(ranks) : 0); })) return false;
    const std::uint64_t own_size = text.size();
    algorithms::gather(&own_size, sizeof own_size, sizes.data(), comm);
    const auto make_room = [&] {
        texts.clear();
        for (const auto size : sizes) texts.emplace_back(size, '\0');
        if (gathers) texts.front() = text;
    };
    if (!all_manage(comm, make_room)) return false;
    if (!gathers) algorithms::send_to(0, text.data(), text.size(), text_tag, comm);
    for (std::size_t other = 1; other < texts.size(); ++other)
        algorithms::receive_from(static_cast<int>(other), texts[other].data(), texts[other].size(), text_tag,
                                 comm);
    return true;
}

} // namespace switchyard::shim
