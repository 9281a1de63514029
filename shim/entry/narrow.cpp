#include "narrow.hpp"

#include <array>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <tuple>

namespace switchyard::shim {

namespace {

constexpr int success = 0, error_count = 2; // in every MPI

const LoadedMpi* loaded = nullptr;
int (*test_inter)(Word comm, int* is_inter) = nullptr;
int (*local_size)(Word comm, int* ranks) = nullptr;
int (*remote_size)(Word comm, int* ranks) = nullptr;
int (*call_errhandler)(Word comm, int code) = nullptr;

// The number of blocks of a call on `comm`. An error is MPI's to report, by the call itself.
int blocks_of(Word comm) {
    int is_inter = 0, blocks = 0;
    if (test_inter(comm, &is_inter) != success) return 0;
    (is_inter != 0 ? remote_size : local_size)(comm, &blocks);
    return blocks;
}

bool is_in_place(Word buffer) {
    return buffer == 1 || buffer == ~Word{0}; // Open MPI's and the standard ABI's; MPICH's
}

// Counts and displacements of one call as ints.
class Narrowed {
  public:
    explicit Narrowed(int blocks) : blocks_(blocks) {}
    Narrowed(const Narrowed&) = delete;
    Narrowed& operator=(const Narrowed&) = delete;
    ~Narrowed() {
        for (int* numbers : arrays_) std::free(numbers);
    }

    Word number(Word wide) {
        const auto value = static_cast<std::int64_t>(wide);
        if (value > INT_MAX || value < INT_MIN) fits_ = false;
        return wide;
    }
    Word array(Word wide) {
        const auto* values = reinterpret_cast<const std::int64_t*>(wide);
        if (values == nullptr) return 0;
        int* const ints = static_cast<int*>(std::malloc(static_cast<std::size_t>(blocks_ + 1) * sizeof(int)));
        if (ints == nullptr) {
            fits_ = false;
            return 0;
        }
        *next_++ = ints;
        for (int i = 0; i < blocks_; ++i) ints[i] = static_cast<int>(number(static_cast<Word>(values[i])));
        return reinterpret_cast<Word>(ints);
    }
    bool fit() const { return fits_; }

  private:
    int blocks_;
    bool fits_ = true;
    std::array<int*, 4> arrays_{};
    int** next_ = arrays_.data();
};

// One side of a call: buffer, a count or an array of counts with an array of displacements, datatype.
template <bool has_arrays>
void narrow_side(const Word*& from, Word*& to, Narrowed& narrowed, bool is_significant) {
    *to++ = *from++;
    for (int i = 0; i < (has_arrays ? 2 : 1); ++i, ++from)
        *to++ = !is_significant ? 0 : has_arrays ? narrowed.array(*from) : narrowed.number(*from);
    *to++ = *from++;
}

template <bool sends_arrays, bool receives_arrays, std::size_t count, typename Function>
int call_narrowed(Function function, const std::array<Word, count>& words) {
    const Word comm = words.back();
    Narrowed narrowed(sends_arrays || receives_arrays ? blocks_of(comm) : 0);
    std::array<Word, count> narrow{};
    const Word* from = words.data();
    Word* to = narrow.data();
    narrow_side<sends_arrays>(from, to, narrowed, !is_in_place(words.front()));
    narrow_side<receives_arrays>(from, to, narrowed, true);
    *to = comm;
    if (!narrowed.fit()) {
        call_errhandler(comm, error_count);
        return error_count;
    }
    return std::apply(function, narrow);
}

// The words of collectives.def.
constexpr bool one = false, each = true, number = false, array = true;

#define SWITCHYARD_COLLECTIVE(name, function, count, sent, counts, ...)                                      \
    template <MpiFunctions LoadedMpi::*functions, typename... Words>                                         \
    int narrowed_##function(Words... words) {                                                                \
        return call_narrowed < (sent) && (counts), (counts),                                                 \
               (count) > ((loaded->*functions).function, std::array<Word, (count)>{words...});               \
    }
#include "algorithms/collectives.def"

template <MpiFunctions LoadedMpi::*functions>
void fill_in(LoadedMpi& found) {
    MpiFunctions& mpi = found.*functions;
#define SWITCHYARD_COLLECTIVE(name, function, ...)                                                           \
    if (mpi.function##_c == nullptr && mpi.function != nullptr)                                              \
        mpi.function##_c = narrowed_##function<functions>;
#include "algorithms/collectives.def"
}

template <typename Function>
bool find(void* mpi, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(mpi, name));
    return function != nullptr;
}

} // namespace

void narrow_large_counts(LoadedMpi& found, void* mpi) {
    loaded = &found;
    if (!find(mpi, "PMPI_Comm_test_inter", test_inter) || !find(mpi, "PMPI_Comm_size", local_size) ||
        !find(mpi, "PMPI_Comm_remote_size", remote_size) ||
        !find(mpi, "PMPI_Comm_call_errhandler", call_errhandler))
        return;
    fill_in<&LoadedMpi::next>(found);
    fill_in<&LoadedMpi::mpi>(found);
}

} // namespace switchyard::shim
