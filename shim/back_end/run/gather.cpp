#include "gather.hpp"

#include "algorithms/transport/messages/small_messages.hpp"
#include "all_manage.hpp"
#include "quiet_wait.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace switchyard::shim {

namespace {

constexpr int text_tag = 4;
constexpr std::size_t most_bytes = algorithms::largest_own_message;

// A message that is not full is the last one of its text. So nobody needs to know sizes in advance.
void send(const std::string& text, MPI_Comm comm) noexcept {
    for (std::size_t done = 0; done <= text.size(); done += most_bytes)
        PMPI_Send(text.data() + done, static_cast<int>(std::min(text.size() - done, most_bytes)), MPI_BYTE, 0,
                  text_tag, comm);
}

// False: there was no memory for part of the text. All its messages are received nevertheless.
bool receive(int rank, std::string& text, MPI_Comm comm) noexcept {
    std::array<char, most_bytes> piece;
    bool has_room = true;
    for (int bytes = static_cast<int>(most_bytes); bytes == static_cast<int>(most_bytes);) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        if (PMPI_Irecv(piece.data(), bytes, MPI_BYTE, rank, text_tag, comm, &request) != MPI_SUCCESS ||
            wait_quietly(request, &status) != MPI_SUCCESS)
            return false;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        has_room = has_room && manages([&] { text.append(piece.data(), static_cast<std::size_t>(bytes)); });
    }
    return has_room;
}

} // namespace

bool gather_texts(const std::string& text, MPI_Comm comm, std::vector<std::string>& texts) noexcept {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (rank != 0) {
        send(text, comm);
        return true;
    }
    bool has_room = manages([&] {
        texts.assign(static_cast<std::size_t>(ranks), {});
        texts.front() = text;
    });
    std::string passing;
    for (int other = 1; other < ranks; ++other) {
        passing.clear();
        has_room = receive(other, passing, comm) && has_room;
        if (has_room) texts[static_cast<std::size_t>(other)] = std::exchange(passing, {});
    }
    return has_room;
}

} // namespace switchyard::shim
