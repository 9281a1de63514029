// Do persistent requests make an exchange of many small messages faster? Compares rounds as `tuna` makes
// them, in one run and in turn:
//   plain       MPI_Irecv and MPI_Isend for each message, then MPI_Waitall
//   persistent  MPI_Recv_init and MPI_Send_init once, then MPI_Startall and MPI_Waitall
//   receives    persistent receives, and MPI_Isend
// A call has a step for each digit of the ranks in base `radix`, with up to radix - 1 messages to and from
// others. All messages have the same size, call after call, which persistent requests need.
//
//   mpicxx -O2 -std=c++20 tests/bench/persistent.cpp -o persistent
//   mpirun -n 8 ./persistent --radix 4 --sizes 16,1024,65536 --samples 300 --calls 20
//
// Prints for each size the medians of microseconds a call (of the slowest rank). A ratio is that to plain,
// the median over neighbouring samples; MAD is the median absolute deviation. The last column is the time to
// make and free all persistent requests of a call, in microseconds.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Options {
    int radix = 4;
    int samples = 200; // of each contender
    int calls = 10;    // in a sample
    std::vector<int> sizes = {16, 64, 256, 1024, 4096, 16384, 65536};
};

std::vector<int> numbers(const std::string& text) {
    std::vector<int> values;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) values.push_back(std::stoi(word));
    return values;
}

Options options_of(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const std::vector<int> values = numbers(argv[i + 1]);
        if (name == "--radix") options.radix = std::max(values.at(0), 2);
        if (name == "--samples") options.samples = std::max(values.at(0), 1);
        if (name == "--calls") options.calls = std::max(values.at(0), 1);
        if (name == "--sizes") options.sizes = values;
    }
    return options;
}

// The messages of one digit, which travel together.
struct Step {
    struct Message {
        int source, destination;
        std::byte *incoming, *outgoing;
    };
    std::vector<Message> messages;
    std::vector<MPI_Request> plain, persistent; // first those of the receives
};

class Exchange {
  public:
    Exchange(int radix, int size, MPI_Comm comm) : size_(size), comm_(comm) {
        int rank = 0, ranks = 1;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
        const auto room = static_cast<std::size_t>(size) * static_cast<std::size_t>(ranks * radix);
        incoming_.resize(room);
        outgoing_.assign(room, static_cast<std::byte>(rank));
        std::size_t offset = 0;
        for (int power = 1; power < ranks; power *= radix) {
            Step step;
            for (int digit = 1; digit < radix && digit * power < ranks; ++digit) {
                const int distance = digit * power;
                step.messages.push_back({(rank - distance + ranks) % ranks, (rank + distance) % ranks,
                                         incoming_.data() + offset, outgoing_.data() + offset});
                offset += static_cast<std::size_t>(size);
            }
            step.plain.resize(2 * step.messages.size(), MPI_REQUEST_NULL);
            step.persistent.resize(2 * step.messages.size(), MPI_REQUEST_NULL);
            steps_.push_back(std::move(step));
        }
    }

    void plain() {
        for (Step& step : steps_) {
            MPI_Request* request = step.plain.data();
            for (const auto& message : step.messages)
                MPI_Irecv(message.incoming, size_, MPI_BYTE, message.source, 0, comm_, request++);
            send(step, request);
            wait(step.plain);
        }
    }

    void persistent() {
        for (Step& step : steps_) {
            MPI_Startall(static_cast<int>(step.persistent.size()), step.persistent.data());
            wait(step.persistent);
        }
    }

    void persistent_receives() {
        for (Step& step : steps_) {
            const std::size_t receives = step.messages.size();
            const auto first_send = step.persistent.begin() + static_cast<std::ptrdiff_t>(receives);
            MPI_Startall(static_cast<int>(receives), step.persistent.data());
            std::copy(step.persistent.begin(), first_send, step.plain.begin());
            send(step, step.plain.data() + receives);
            wait(step.plain);
        }
    }

    void make_requests() {
        for (Step& step : steps_) {
            MPI_Request* request = step.persistent.data();
            for (const auto& message : step.messages)
                MPI_Recv_init(message.incoming, size_, MPI_BYTE, message.source, 0, comm_, request++);
            for (const auto& message : step.messages)
                MPI_Send_init(message.outgoing, size_, MPI_BYTE, message.destination, 0, comm_, request++);
        }
    }

    void free_requests() {
        for (Step& step : steps_)
            for (MPI_Request& request : step.persistent) MPI_Request_free(&request);
    }

    void forget() { std::ranges::fill(incoming_, std::byte{255}); }

    // Every message holds the rank that it comes from.
    bool is_right() const {
        for (const Step& step : steps_)
            for (const auto& message : step.messages)
                for (int i = 0; i < size_; ++i)
                    if (message.incoming[i] != static_cast<std::byte>(message.source)) return false;
        return true;
    }

    std::size_t messages() const {
        std::size_t sum = 0;
        for (const Step& step : steps_) sum += step.messages.size();
        return sum;
    }

  private:
    void send(const Step& step, MPI_Request* request) {
        for (const auto& message : step.messages)
            MPI_Isend(message.outgoing, size_, MPI_BYTE, message.destination, 0, comm_, request++);
    }

    static void wait(std::vector<MPI_Request>& requests) {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    int size_;
    MPI_Comm comm_;
    std::vector<std::byte> incoming_, outgoing_;
    std::vector<Step> steps_;
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double deviation(std::vector<double> values) {
    const double middle = median(values);
    for (double& value : values) value = std::abs(value - middle);
    return median(values);
}

// Microseconds a call on this rank.
template <typename Call>
double sample(int calls, MPI_Comm comm, Call&& call) {
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    return (MPI_Wtime() - start) * 1e6 / calls;
}

std::vector<double> of_slowest(const std::vector<double>& mine, MPI_Comm comm) {
    std::vector<double> slowest(mine.size());
    MPI_Reduce(mine.data(), slowest.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, 0, comm);
    return slowest;
}

struct Contender {
    const char* name;
    void (Exchange::*call)();
};
constexpr Contender contenders[] = {{"plain", &Exchange::plain},
                                    {"persistent", &Exchange::persistent},
                                    {"receives", &Exchange::persistent_receives}};
constexpr int contender_count = std::size(contenders);

struct Times {
    std::vector<double> of[contender_count], making;
};

Times measure(Exchange& exchange, const Options& options, MPI_Comm comm) {
    Times times;
    const auto make_and_free = [&] {
        exchange.make_requests();
        exchange.free_requests();
    };
    for (int i = 0; i < 20; ++i) times.making.push_back(sample(1, comm, make_and_free));
    exchange.make_requests();
    for (int i = -2; i < options.samples; ++i) // the first two warm up
        for (int turn = 0; turn < contender_count; ++turn) {
            const int which = (turn + i + contender_count) % contender_count;
            const double us = sample(options.calls, comm, [&] { (exchange.*contenders[which].call)(); });
            if (i >= 0) times.of[which].push_back(us);
        }
    exchange.free_requests();
    for (auto& values : times.of) values = of_slowest(values, comm);
    times.making = of_slowest(times.making, comm);
    return times;
}

bool all_are_right(Exchange& exchange, MPI_Comm comm) {
    int right = 1, all = 0;
    exchange.make_requests();
    for (const int which : {0, 1, 1, 2, 2, 0}) { // a persistent request is started again
        exchange.forget();
        MPI_Barrier(comm); // no rank sends before all have forgotten
        (exchange.*contenders[which].call)();
        if (!exchange.is_right()) right = 0;
        MPI_Barrier(comm); // no rank forgets what it did not yet look at
    }
    exchange.free_requests();
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, comm);
    return all == 1;
}

void print_head(const Options& options, int ranks) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    library[std::strcspn(library, ",\n")] = '\0';
    std::printf("%s, %d ranks, radix %d, %zu messages a call, %d samples of %d calls\n%9s", library, ranks,
                options.radix, Exchange(options.radix, 1, MPI_COMM_WORLD).messages(), options.samples,
                options.calls, "bytes");
    for (const Contender& contender : contenders) std::printf(" %11s", contender.name);
    for (int i = 1; i < contender_count; ++i) std::printf(" %11s    MAD", contenders[i].name);
    std::printf(" %9s\n", "making");
}

void print(int size, const Times& times) {
    std::printf("%9d", size);
    for (const auto& values : times.of) std::printf(" %11.2f", median(values));
    for (int which = 1; which < contender_count; ++which) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < times.of[0].size(); ++i)
            ratios.push_back(times.of[which][i] / times.of[0][i]);
        std::printf(" %11.3f %6.3f", median(ratios), deviation(ratios));
    }
    std::printf(" %9.2f\n", median(times.making));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const Options options = options_of(argc, argv);
    if (rank == 0) print_head(options, ranks);
    for (const int size : options.sizes) {
        Exchange exchange(options.radix, size, MPI_COMM_WORLD);
        if (!all_are_right(exchange, MPI_COMM_WORLD)) {
            std::fprintf(stderr, "a message was wrong\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        const Times times = measure(exchange, options, MPI_COMM_WORLD);
        if (rank == 0) print(size, times);
    }
    MPI_Finalize();
    return 0;
}
