// An exchange that gives every rank another box of the same grid of points: by MPI_Alltoallv with packed
// blocks, or by MPI_Alltoallw with subarrays as types.
#pragma once

#include "boxes.hpp"
#include "timed.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace apps {

using Complex = std::complex<double>;

// What one rank has for each rank, and gets from each.
struct Blocks {
    Box have, want;              // of this rank
    std::vector<Box> send, recv; // parts of `have`, parts of `want`
};

// `have` and `want`: of all ranks.
inline Blocks blocks_of(std::size_t rank, const std::vector<Box>& have, const std::vector<Box>& want) {
    Blocks blocks{have[rank], want[rank], {}, {}};
    for (const Box& box : want) blocks.send.push_back(have[rank].common(box));
    for (const Box& box : have) blocks.recv.push_back(want[rank].common(box));
    return blocks;
}

class Exchange {
  public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;
    virtual void run(const Complex* in, Complex* out, TimedCollectives& collectives) = 0;
};

class PackedExchange : public Exchange {
  public:
    PackedExchange(MPI_Comm comm, Blocks blocks)
        : comm_(comm), blocks_(std::move(blocks)), send_(blocks_.send), recv_(blocks_.recv) {}

    void run(const Complex* in, Complex* out, TimedCollectives& collectives) override {
        Complex* packed = send_.points.data();
        for (const Box& block : blocks_.send)
            for_each_row(blocks_.have, block, [&](std::ptrdiff_t at, int length) {
                packed = std::copy_n(in + at, length, packed);
            });
        collectives.exchange(comm_, [&] {
            MPI_Alltoallv(send_.points.data(), send_.counts.data(), send_.displacements.data(),
                          MPI_C_DOUBLE_COMPLEX, recv_.points.data(), recv_.counts.data(),
                          recv_.displacements.data(), MPI_C_DOUBLE_COMPLEX, comm_);
        });
        const Complex* arrived = recv_.points.data();
        for (const Box& block : blocks_.recv)
            for_each_row(blocks_.want, block, [&](std::ptrdiff_t at, int length) {
                std::copy_n(arrived, length, out + at);
                arrived += length;
            });
    }

  private:
    struct Side {
        explicit Side(const std::vector<Box>& blocks) : displacements(blocks.size()) {
            for (const Box& block : blocks) counts.push_back(static_cast<int>(block.points()));
            std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
            points.resize(static_cast<std::size_t>(displacements.back() + counts.back()));
        }
        std::vector<int> counts, displacements;
        std::vector<Complex> points;
    };

    MPI_Comm comm_;
    Blocks blocks_;
    Side send_, recv_;
};

class TypedExchange : public Exchange {
  public:
    TypedExchange(MPI_Comm comm, const Blocks& blocks)
        : comm_(comm), send_(blocks.have, blocks.send), recv_(blocks.want, blocks.recv) {}

    void run(const Complex* in, Complex* out, TimedCollectives& collectives) override {
        collectives.exchange(comm_, [&] {
            MPI_Alltoallw(in, send_.counts.data(), send_.displacements.data(), send_.types.data(), out,
                          recv_.counts.data(), recv_.displacements.data(), recv_.types.data(), comm_);
        });
    }

  private:
    struct Side {
        Side(const Box& box, const std::vector<Box>& blocks) : displacements(blocks.size(), 0) {
            for (const Box& block : blocks) {
                counts.push_back(block.points() > 0 ? 1 : 0);
                types.push_back(block.points() > 0 ? subarray(box, block) : MPI_C_DOUBLE_COMPLEX);
            }
        }
        Side(const Side&) = delete;
        Side& operator=(const Side&) = delete;
        ~Side() {
            for (std::size_t i = 0; i < types.size(); ++i)
                if (counts[i] > 0) MPI_Type_free(&types[i]);
        }

        static MPI_Datatype subarray(const Box& box, const Box& block) {
            std::array<int, 3> sizes, lengths, starts;
            for (std::size_t i = 0; i < 3; ++i) {
                sizes[i] = box.axes[i].size;
                lengths[i] = block.axes[i].size;
                starts[i] = block.axes[i].first - box.axes[i].first;
            }
            MPI_Datatype type;
            MPI_Type_create_subarray(3, sizes.data(), lengths.data(), starts.data(), MPI_ORDER_C,
                                     MPI_C_DOUBLE_COMPLEX, &type);
            MPI_Type_commit(&type);
            return type;
        }

        std::vector<int> counts, displacements;
        std::vector<MPI_Datatype> types;
    };

    MPI_Comm comm_;
    Side send_, recv_;
};

} // namespace apps
