// A sort of integers by buckets, as the benchmark IS of the NAS Parallel Benchmarks describes it, with code
// of our own. Each iteration ranks the same keys: for each it finds how many keys are smaller.
//
//   mpirun -n 4 build/bin/switchyard-app-integer-sort-openmpi --keys 20 --range 16
//
// A rank counts its keys in buckets. By MPI_Allreduce all ranks know how large each bucket is, and give each
// rank neighbouring buckets with nearly equally many keys. Keys go to their buckets' owners by MPI_Alltoallv,
// and counts before them by MPI_Alltoall; the owners rank them. After each iteration the ranks put the keys
// where they belong: then they are sorted across all ranks, and none is lost or changed. The times are
// without that. The exit code is 1 where something is wrong.
#include "command_line.hpp"
#include "sorted_keys.hpp"
#include "timed.hpp"

#include <algorithm>
#include <numeric>

namespace {

using namespace apps;

struct Options {
    Keys keys;
    int iterations = 10;
};

std::vector<int> displacements_of(const std::vector<int>& counts) {
    std::vector<int> displacements(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
    return displacements;
}

// Which keys belong to a rank: the same on all ranks but for what is called mine.
struct Shares {
    std::vector<std::size_t> owners; // of the buckets; they do not fall
    Key begin = 0, end = 0;          // of my keys
    std::uint64_t before = 0;        // keys of the ranks before me

    // A bucket belongs to the rank in whose share of all keys its first key is. `sizes`: of the
    // buckets, over all ranks.
    Shares(const std::vector<std::uint32_t>& sizes, const Buckets& buckets, std::size_t rank,
           std::size_t ranks) {
        const auto all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
        std::uint64_t smaller = 0;
        for (const std::uint32_t size : sizes) {
            owners.push_back(std::min<std::size_t>(smaller * ranks / all, ranks - 1));
            if (owners.back() < rank) before += size;
            smaller += size;
        }
        const auto [first, last] = std::equal_range(owners.begin(), owners.end(), rank);
        const auto place = [&](auto at) { return static_cast<std::size_t>(at - owners.begin()); };
        begin = buckets.first_key(place(first));
        end = buckets.first_key(place(last));
    }
    bool is_mine(Key key) const { return key >= begin && key < end; }
};

class IntegerSort {
  public:
    IntegerSort(const Keys& keys, TimedCollectives& collectives)
        : keys_(keys.slice(keys.count() * rank_ / ranks_, keys.count() * (rank_ + 1) / ranks_)),
          all_keys_(keys.count()), hashes_(sum(sum_of_hashes(keys_))), buckets_(keys.range_bits),
          collectives_(collectives) {}

    void rank_keys() {
        const auto sizes = bucket_sizes();
        const Shares shares(sum_over_ranks(sizes), buckets_, rank_, ranks_);
        exchange(by_bucket(sizes), counts_for_owners(sizes, shares));
        count_smaller(shares);
        begin_ = shares.begin;
        before_ = shares.before;
    }

    // All ranks call it.
    bool is_correct() const {
        const auto keys = placed();
        std::int64_t largest = keys.empty() ? -1 : std::int64_t{keys.back()}, last = -1;
        MPI_Exscan(&largest, &last, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        if (rank_ == 0) last = -1; // MPI_Exscan gives it nothing
        const bool is_wrong = has_strays_ || !are_sorted(keys, last);
        return sum(is_wrong ? 1 : 0) == 0 && sum(keys.size()) == all_keys_ &&
               sum(sum_of_hashes(keys)) == hashes_;
    }

    // Of all keys and their places: it does not depend on the number of ranks.
    std::uint64_t digest() const {
        std::uint64_t digest = 0, place = before_;
        for (const Key key : placed()) digest += hash(hash(place++) + key);
        return digest;
    }

  private:
    std::vector<std::uint32_t> bucket_sizes() const {
        std::vector<std::uint32_t> sizes(buckets_.count);
        for (const Key key : keys_) ++sizes[buckets_.of(key)];
        return sizes;
    }

    std::vector<std::uint32_t> sum_over_ranks(const std::vector<std::uint32_t>& sizes) {
        std::vector<std::uint32_t> all(sizes.size());
        collectives_.timed([&] {
            MPI_Allreduce(sizes.data(), all.data(), static_cast<int>(sizes.size()), MPI_UINT32_T, MPI_SUM,
                          MPI_COMM_WORLD);
        });
        return all;
    }

    // My keys, bucket after bucket, and so owner after owner.
    std::vector<Key> by_bucket(const std::vector<std::uint32_t>& sizes) const {
        std::vector<std::uint32_t> next(sizes.size());
        std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), std::uint32_t{0});
        std::vector<Key> keys(keys_.size());
        for (const Key key : keys_) keys[next[buckets_.of(key)]++] = key;
        return keys;
    }

    std::vector<int> counts_for_owners(const std::vector<std::uint32_t>& sizes, const Shares& shares) const {
        std::vector<int> counts(ranks_);
        for (std::size_t bucket = 0; bucket < sizes.size(); ++bucket)
            counts[shares.owners[bucket]] += static_cast<int>(sizes[bucket]);
        return counts;
    }

    void exchange(const std::vector<Key>& keys, const std::vector<int>& sent) {
        std::vector<int> received(ranks_);
        collectives_.exchange(MPI_COMM_WORLD, [&] {
            MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
        });
        const auto from = displacements_of(sent), to = displacements_of(received);
        arrived_.resize(static_cast<std::size_t>(to.back()) + static_cast<std::size_t>(received.back()));
        collectives_.exchange(MPI_COMM_WORLD, [&] {
            MPI_Alltoallv(keys.data(), sent.data(), from.data(), MPI_UINT32_T, arrived_.data(),
                          received.data(), to.data(), MPI_UINT32_T, MPI_COMM_WORLD);
        });
    }

    // A key that arrived at a wrong rank counts nowhere.
    void count_smaller(const Shares& shares) {
        smaller_.assign(shares.end - shares.begin + std::size_t{1}, 0);
        for (const Key key : arrived_)
            if (shares.is_mine(key)) ++smaller_[key - shares.begin + 1];
        std::partial_sum(smaller_.begin(), smaller_.end(), smaller_.begin());
        has_strays_ = smaller_.back() != arrived_.size();
    }

    // The keys that arrived, each in the place that its rank says.
    std::vector<Key> placed() const {
        if (has_strays_) return {};
        auto next = smaller_;
        std::vector<Key> keys(arrived_.size());
        for (const Key key : arrived_) keys[next[key - begin_]++] = key;
        return keys;
    }

    std::size_t ranks_ = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    std::size_t rank_ = static_cast<std::size_t>(rank_in(MPI_COMM_WORLD));
    std::vector<Key> keys_;
    std::uint64_t all_keys_, hashes_; // number and hashes of the keys of all ranks
    Buckets buckets_;
    TimedCollectives& collectives_;

    std::vector<Key> arrived_;
    std::vector<std::uint32_t> smaller_; // keys here that are smaller than begin_, begin_ + 1, ...
    Key begin_ = 0;
    std::uint64_t before_ = 0; // keys of the ranks before this one
    bool has_strays_ = false;
};

int run(const Options& options) {
    TimedCollectives collectives;
    IntegerSort sort(options.keys, collectives);
    double wall = 0;
    bool is_correct = true;
    for (int i = 0; i < options.iterations; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        sort.rank_keys();
        wall += MPI_Wtime() - start;
        is_correct = sort.is_correct() && is_correct;
    }
    if (rank_in(MPI_COMM_WORLD) == 0)
        std::printf("integer sort of %llu keys below %llu, %d ranks, %d iterations\n",
                    static_cast<unsigned long long>(options.keys.count()), 1ULL << options.keys.range_bits,
                    size_of(MPI_COMM_WORLD), options.iterations);
    return report(wall, collectives, sort.digest(), is_correct);
}

void add_options(CommandLine& line, Options& options) {
    line.number("--keys", options.keys.count_bits, {0, 30, "LOG2"},
                "so many keys, as a power of two (default: 16)");
    line.number("--range", options.keys.range_bits, {1, 28, "LOG2"},
                "keys are below that power of two (default: 11)");
    line.number("--iterations", options.iterations, {1, 1'000'000},
                "rankings of the same keys (default: 10)");
    line.seed("--seed", options.keys.seed, "of the keys (default: 1)");
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    CommandLine line("Sorts integers that it makes, and checks them.");
    Options options;
    add_options(line, options);
    const auto ended = line.parse(argc, argv, rank_in(MPI_COMM_WORLD) == 0);
    const int code = ended ? *ended : run(options);
    MPI_Finalize();
    return code;
}
