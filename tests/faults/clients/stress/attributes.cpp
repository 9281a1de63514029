#include "attributes.hpp"

#include "communicators.hpp"
#include "watch.hpp"

#include <vector>

namespace stress {

namespace {

struct CallCounts {
    unsigned long long *calls, *made;
};

int call(MPI_Comm comm, int, void* attribute, void*) {
    const auto* const counts = static_cast<CallCounts*>(attribute);
    int rank = 0, is_inter = 0, ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &is_inter);
    is_inter != 0 ? MPI_Comm_remote_size(comm, &ranks) : MPI_Comm_size(comm, &ranks);
    std::vector<int> received(static_cast<std::size_t>(ranks), -1);
    place().what = "allgather in a delete function";
    must(MPI_Allgather(&rank, 1, MPI_INT, received.data(), 1, MPI_INT, comm), "MPI_Allgather");
    for (int source = 0; source < ranks; ++source)
        if (received[static_cast<std::size_t>(source)] != source)
            fail("block of rank %d is %d", source, received[static_cast<std::size_t>(source)]);
    ++*counts->made;
    if (rank == 0 && is_inter == 0) ++*counts->calls;
    delete counts;
    return MPI_SUCCESS;
}

} // namespace

void call_when_freed(MPI_Comm comm, unsigned long long& calls, unsigned long long& made) {
    int is_inter = 0;
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter != 0) return;
    static const int key = [] {
        int made_key = MPI_KEYVAL_INVALID;
        must(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call, &made_key, nullptr),
             "MPI_Comm_create_keyval");
        return made_key;
    }();
    must(MPI_Comm_set_attr(comm, key, new CallCounts{&calls, &made}), "MPI_Comm_set_attr");
}

} // namespace stress
