// The program's messages, and requests.
#include "communicators.hpp"
#include "exported.hpp"
#include "types.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

using namespace switchyard::tests::threads;

// Of a send nothing is left to do: its message was copied.
struct MPI_ABI_Request {
    bool is_receive = false, is_cancelled = false;
    Items into{};
    std::optional<MPI_ABI_Datatype> type{}; // of `into`: the program may have freed its own
    Receive receive{};

    bool is_over() const {
        return !is_receive || is_cancelled || receive.has_come.load(std::memory_order_acquire);
    }
};

namespace {

bool is_rank_of(const MPI_ABI_Comm& comm, int rank) {
    return rank >= 0 && rank < size_of(comm);
}

Wanted wanted(const MPI_ABI_Comm& comm, int from, int tag) {
    const int source = from == MPI_ANY_SOURCE ? Wanted::any : comm.members[static_cast<std::size_t>(from)];
    return {comm.context, source, tag == MPI_ANY_TAG ? Wanted::any : tag};
}

// What came of a request that is over.
int end(MPI_Request& request, MPI_Status* status) {
    const std::unique_ptr<MPI_ABI_Request> over(std::exchange(request, MPI_REQUEST_NULL));
    int code = MPI_SUCCESS;
    if (over->is_receive && !over->is_cancelled) {
        const auto message = Mailbox::take(over->receive);
        over->into.take_from(message->bytes);
        if (message->bytes.size() > over->into.bytes()) code = MPI_ERR_TRUNCATE;
    }
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
    return code;
}

bool is_none(MPI_Request request) {
    return request == MPI_REQUEST_NULL;
}
bool is_over(MPI_Request request) {
    return !is_none(request) && request->is_over();
}

// The index of a request that is over; their number: none is.
std::size_t first_over(std::span<const MPI_Request> requests) {
    return static_cast<std::size_t>(std::ranges::find_if(requests, is_over) - requests.begin());
}

} // namespace

SWITCHYARD_EXPORTED int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                                   MPI_Comm comm, MPI_Request* request) {
    const MPI_ABI_Comm& along = object_of(comm);
    if (!is_rank_of(along, to)) return MPI_ERR_OTHER;
    const Items sent = items(buffer, count, type);
    std::unique_ptr<Message> message(
        new Message{along.context, this_rank().number, tag, std::vector<std::byte>(sent.bytes())});
    sent.copy_to(message->bytes.data());
    mailbox_of(along.members[static_cast<std::size_t>(to)]).put(std::move(message));
    *request = new MPI_ABI_Request;
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag,
                                   MPI_Comm comm, MPI_Request* request) {
    const MPI_ABI_Comm& along = object_of(comm);
    if (from != MPI_ANY_SOURCE && !is_rank_of(along, from)) return MPI_ERR_OTHER;
    *request = new MPI_ABI_Request{.is_receive = true,
                                   .into = items(buffer, count, type),
                                   .receive = {.wanted = wanted(along, from, tag)}};
    if (!is_basic(type)) (*request)->into.type = &(*request)->type.emplace(*type);
    mailbox_of(this_rank().number).begin((*request)->receive);
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                                  MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = PMPI_Isend(buffer, count, type, to, tag, comm, &request);
    return code == MPI_SUCCESS ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

SWITCHYARD_EXPORTED int PMPI_Cancel(MPI_Request* request) {
    MPI_ABI_Request& one = **request;
    if (one.is_receive && mailbox_of(this_rank().number).cancel(one.receive)) one.is_cancelled = true;
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status*) {
    *flag = mailbox_of(this_rank().number).has(wanted(object_of(comm), from, tag)) ? 1 : 0;
    return MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
    if (is_none(*request)) return MPI_SUCCESS;
    wait_until([&] { return (*request)->is_over(); });
    return end(*request, status);
}

SWITCHYARD_EXPORTED int PMPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag,
                                  MPI_Comm comm, MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = PMPI_Irecv(buffer, count, type, from, tag, comm, &request);
    return code == MPI_SUCCESS ? PMPI_Wait(&request, status) : code;
}

SWITCHYARD_EXPORTED int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    *flag = is_none(*request) || is_over(*request) ? 1 : 0;
    return is_over(*request) ? end(*request, status) : MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                                     MPI_Status* status) {
    const std::span all(requests, static_cast<std::size_t>(count));
    const std::size_t first = first_over(all);
    const bool is_some = first < all.size();
    *index = is_some ? static_cast<int>(first) : MPI_UNDEFINED;
    *flag = is_some || std::ranges::all_of(all, is_none) ? 1 : 0;
    return is_some ? end(all[first], status) : MPI_SUCCESS;
}

SWITCHYARD_EXPORTED int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    int is_over = 0, code = MPI_SUCCESS;
    wait_until([&] {
        code = PMPI_Testany(count, requests, index, &is_over, status);
        return is_over != 0;
    });
    return code;
}

SWITCHYARD_EXPORTED int PMPI_Waitsome(int count, MPI_Request requests[], int* completed, int indices[],
                                      MPI_Status statuses[]) {
    const std::span all(requests, static_cast<std::size_t>(count));
    *completed = MPI_UNDEFINED;
    if (std::ranges::all_of(all, is_none)) return MPI_SUCCESS;
    wait_until([&] { return first_over(all) < all.size(); });
    int code = MPI_SUCCESS;
    *completed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_over(all[i])) continue;
        indices[*completed] = static_cast<int>(i);
        if (end(all[i], &statuses[*completed]) != MPI_SUCCESS) code = MPI_ERR_IN_STATUS;
        ++*completed;
    }
    return code;
}
