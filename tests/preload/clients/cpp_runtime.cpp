// A C++ program with a libstdc++ of its own, while the shim has another one linked in: exceptions, streams,
// locales, regular expressions, dynamic casts and threads. At last the program's error handler throws through
// the MPI call, and through the shim that is in front of it.
#include <mpi.h>

#include <any>
#include <cstdint>
#include <exception>
#include <iomanip>
#include <iostream>
#include <locale>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void refuse(MPI_Comm*, int*, ...) {
    throw Refused("the handler throws");
}

// Texts that only a whole C++ runtime gets right.
std::string formatted(int rank) {
    std::ostringstream out;
    out.imbue(std::locale("C.UTF-8"));
    out << std::setprecision(17) << 1.0 / (rank + 3) << ' ' << std::hex << std::showbase << rank + 100;
    const std::regex word("([a-z]+)-([0-9]+)");
    out << ' ' << std::regex_replace("rank-" + std::to_string(rank), word, "$2 of $1");
    return out.str();
}

std::string caught() {
    try {
        static_cast<void>(std::any_cast<int>(std::any(std::string("no int"))));
    } catch (const std::bad_any_cast&) {
    }
    try {
        try {
            static_cast<void>(std::vector<int>().at(1));
        } catch (const std::out_of_range&) {
            std::throw_with_nested(Refused("nested"));
        }
    } catch (const Refused& outer) {
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::logic_error&) {
            return outer.what();
        }
    }
    return "nothing";
}

std::string caught_in_thread() {
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            throw Refused("in a thread");
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    try {
        std::rethrow_exception(thrown);
    } catch (const Refused& refused) {
        return refused.what();
    }
}

std::uint64_t exchange(int ranks, int rank) {
    std::vector<int> send(static_cast<std::size_t>(ranks)), recv(send.size());
    for (int peer = 0; peer < ranks; ++peer) send[static_cast<std::size_t>(peer)] = rank * 100 + peer;
    MPI_Alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::uint64_t sum = 0;
    for (const int value : recv) sum = sum * 31 + static_cast<std::uint64_t>(value);
    return sum;
}

std::string thrown_through_mpi() {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(refuse, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    std::string what = "nothing";
    try {
        int data = 0;
        MPI_Alltoall(&data, -1, MPI_INT, &data, -1, MPI_INT, MPI_COMM_WORLD);
    } catch (const Refused& refused) {
        what = refused.what();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    return what + (std::uncaught_exceptions() == 0 ? "" : ", and counts as uncaught");
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0, calls = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::ostringstream all;
    for (; calls < 50; ++calls)
        all << exchange(ranks, rank) << formatted(rank) << caught() << caught_in_thread();
    all << thrown_through_mpi();
    if (rank == 0)
        std::cout << "ok calls=" << calls << " digest=" << std::hex << std::hash<std::string>()(all.str())
                  << std::dec << "\nat last: " << thrown_through_mpi() << std::endl;
    else
        static_cast<void>(thrown_through_mpi());
    MPI_Finalize();
    return 0;
}
