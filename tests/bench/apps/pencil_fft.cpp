// A Fourier transform of three dimensions, of any size, on pencils: FFTW transforms the lines along one axis
// after the other, and between them the ranks of a row or of a column of the process grid exchange points.
//
//   mpirun -n 4 build/bin/switchyard-app-pencil-fft-openmpi --size 64 60 56 --exchange alltoallw
//
// The first and the last transform must give the spectrum that a formula says, and the last way back must
// give the wave. The times are those of the transforms, without the checks. The exit code is 1 where
// something is wrong.
#include "command_line.hpp"
#include "exchange.hpp"
#include "hash.hpp"
#include "plane_wave.hpp"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

namespace {

using namespace apps;

struct Options {
    std::array<int, 3> size = {30, 22, 26};
    bool typed = false; // MPI_Alltoallw
    int iterations = 4;
};

struct FreeByFftw {
    void operator()(void* memory) const { fftw_free(memory); }
};
using Points = std::unique_ptr<Complex[], FreeByFftw>;

Points room_for(std::size_t points) {
    return Points(static_cast<Complex*>(fftw_malloc(std::max<std::size_t>(points, 1) * sizeof(Complex))));
}

// All lines of a box along one axis, there or back, in place.
class Lines {
  public:
    Lines(const Box& box, std::size_t axis, Complex* points, int sign) {
        if (box.points() == 0) return;
        const auto dimension = [&](std::size_t i) {
            return fftw_iodim{box.axes[i].size, box.stride(i), box.stride(i)};
        };
        const fftw_iodim line = dimension(axis);
        const std::array others = {dimension((axis + 1) % 3), dimension((axis + 2) % 3)};
        auto* in = reinterpret_cast<fftw_complex*>(points);
        plan_ = fftw_plan_guru_dft(1, &line, 2, others.data(), in, in, sign, FFTW_ESTIMATE);
    }
    Lines(Lines&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
    Lines& operator=(Lines&&) = delete;
    ~Lines() {
        if (plan_) fftw_destroy_plan(plan_);
    }
    void transform() const {
        if (plan_) fftw_execute(plan_);
    }

  private:
    fftw_plan plan_ = nullptr;
};

// The process grid, with communicators of this rank's row and column.
struct Grid {
    explicit Grid(int ranks) {
        MPI_Dims_create(ranks, 2, size.data());
        const int rank = rank_in(MPI_COMM_WORLD);
        row = rank / size[1];
        column = rank % size[1];
        MPI_Comm_split(MPI_COMM_WORLD, row, column, &along_row);
        MPI_Comm_split(MPI_COMM_WORLD, column, row, &along_column);
    }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;
    ~Grid() {
        MPI_Comm_free(&along_row);
        MPI_Comm_free(&along_column);
    }

    std::array<int, 2> size = {0, 0};
    int row, column;
    MPI_Comm along_row, along_column;
};

class PencilFft {
  public:
    explicit PencilFft(const Options& options)
        : typed_(options.typed), grid_(size_of(MPI_COMM_WORLD)), pencils_{options.size, grid_.size} {
        for (int stage = 0; stage < 3; ++stage)
            box_[index(stage)] = pencils_.box(stage, grid_.row, grid_.column);
        outer_ = room_for(std::max(box_[0].points(), box_[2].points()));
        middle_ = room_for(box_[1].points());
        for (int stage = 0; stage < 3; ++stage) {
            forward_.push_back(lines(stage, FFTW_FORWARD));
            backward_.push_back(lines(stage, FFTW_BACKWARD));
        }
        to_middle_ = exchange(grid_.along_row, 0, 1);
        to_spectrum_ = exchange(grid_.along_column, 1, 2);
        from_spectrum_ = exchange(grid_.along_column, 2, 1);
        from_middle_ = exchange(grid_.along_row, 1, 0);
    }

    // The wave is in `points()` before, and the spectrum after.
    void forward(TimedCollectives& collectives) {
        forward_[0].transform();
        to_middle_->run(outer_.get(), middle_.get(), collectives);
        forward_[1].transform();
        to_spectrum_->run(middle_.get(), outer_.get(), collectives);
        forward_[2].transform();
    }
    // Back again, scaled.
    void backward(TimedCollectives& collectives) {
        backward_[2].transform();
        from_spectrum_->run(outer_.get(), middle_.get(), collectives);
        backward_[1].transform();
        from_middle_->run(middle_.get(), outer_.get(), collectives);
        backward_[0].transform();
        const double scale = 1 / all_points();
        std::for_each_n(points(), space().points(), [&](Complex& value) { value *= scale; });
    }

    Complex* points() { return outer_.get(); }
    const Box& space() const { return box_[0]; }
    const Box& spectrum() const { return box_[2]; }
    const Grid& grid() const { return grid_; }
    double all_points() const {
        return std::accumulate(pencils_.size.begin(), pencils_.size.end(), 1.0, std::multiplies<>());
    }

  private:
    static std::size_t index(int stage) { return static_cast<std::size_t>(stage); }

    // Stage 0 has lines along the last axis.
    Lines lines(int stage, int sign) const {
        return {box_[index(stage)], index(2 - stage), stage == 1 ? middle_.get() : outer_.get(), sign};
    }
    // All members of a row or a column.
    std::vector<Box> boxes(bool row, int stage) const {
        std::vector<Box> boxes;
        for (int i = 0; i < grid_.size[row ? 1 : 0]; ++i)
            boxes.push_back(pencils_.box(stage, row ? grid_.row : i, row ? i : grid_.column));
        return boxes;
    }
    std::unique_ptr<Exchange> exchange(MPI_Comm comm, int from, int to) const {
        const bool row = comm == grid_.along_row;
        const auto rank = static_cast<std::size_t>(rank_in(comm));
        auto blocks = blocks_of(rank, boxes(row, from), boxes(row, to));
        if (typed_) return std::make_unique<TypedExchange>(comm, blocks);
        return std::make_unique<PackedExchange>(comm, std::move(blocks));
    }

    bool typed_;
    Grid grid_;
    Pencils pencils_;
    std::array<Box, 3> box_;
    Points outer_, middle_;
    std::vector<Lines> forward_, backward_;
    std::unique_ptr<Exchange> to_middle_, to_spectrum_, from_spectrum_, from_middle_;
};

// Calls `visit(place of the point in the whole grid, value)` for all points of a box.
template <typename Visit>
void for_each_point(const Box& box, Complex* points, Visit&& visit) {
    for_each_row(box, box, [&](std::ptrdiff_t at, int length) {
        const auto row = at / std::max(box.stride(1), 1);
        const int i = box.axes[0].first + static_cast<int>(row / box.axes[1].size);
        const int j = box.axes[1].first + static_cast<int>(row % box.axes[1].size);
        for (int k = 0; k < length; ++k) visit(std::array{i, j, box.axes[2].first + k}, points[at + k]);
    });
}

template <typename Expected>
double largest_error(const Box& box, Complex* points, Expected&& expected) {
    double error = 0;
    for_each_point(box, points, [&](const auto& place, const Complex& value) {
        const double here = std::abs(value - expected(place));
        if (!(here <= error)) error = here; // also where it is no number
    });
    return error;
}

// Of all bits of all values and where they are.
std::uint64_t digest_of(const Box& box, Complex* points) {
    std::uint64_t digest = 0;
    for_each_point(box, points, [&](const std::array<int, 3>& place, const Complex& value) {
        std::uint64_t words[2], sum = 0;
        std::memcpy(words, &value, sizeof words);
        for (const int i : place) sum = hash(sum + static_cast<std::uint64_t>(i));
        digest += hash(hash(sum + words[0]) + words[1]);
    });
    return digest;
}

class Measurement {
  public:
    explicit Measurement(const Options& options) : options_(options), fft_(options), wave_(options.size) {}

    int run() {
        for_each_point(fft_.space(), fft_.points(),
                       [&](const auto& place, Complex& v) { v = wave_.at(place); });
        for (int i = 0; i < options_.iterations; ++i) {
            timed([&] { fft_.forward(collectives_); });
            if (i == 0 || i == options_.iterations - 1) check_spectrum();
            timed([&] { fft_.backward(collectives_); });
        }
        const double way_back =
            largest_error(fft_.space(), fft_.points(), [&](auto& at) { return wave_.at(at); });
        return report_with(largest(spectrum_error_), largest(way_back));
    }

  private:
    template <typename Work>
    void timed(Work&& work) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        work();
        wall_ += MPI_Wtime() - start;
    }
    void check_spectrum() {
        const double error =
            largest_error(fft_.spectrum(), fft_.points(), [&](auto& at) { return wave_.spectrum(at); });
        if (!(error <= spectrum_error_)) spectrum_error_ = error;
        digest_ += digest_of(fft_.spectrum(), fft_.points());
    }
    // The largest value of the spectrum is near the number of points, and the smallest near 1.
    int report_with(double spectrum, double way_back) {
        const bool correct = spectrum <= 1e-12 * fft_.all_points() && way_back <= 1e-12 * options_.iterations;
        if (rank_in(MPI_COMM_WORLD) == 0)
            std::printf("fft of %d x %d x %d points by %s, %d x %d ranks, %d iterations\n"
                        "largest error   %.1e in the spectrum, %.1e after the way back\n",
                        options_.size[0], options_.size[1], options_.size[2],
                        options_.typed ? "alltoallw" : "alltoallv", fft_.grid().size[0], fft_.grid().size[1],
                        options_.iterations, spectrum, way_back);
        return report(wall_, collectives_, digest_, correct);
    }

    Options options_;
    PencilFft fft_;
    PlaneWave wave_;
    TimedCollectives collectives_;
    double wall_ = 0, spectrum_error_ = 0;
    std::uint64_t digest_ = 0;
};

void add_options(CommandLine& line, Options& options) {
    line.numbers("--size", options.size, {1, 1 << 12, "N0 N1 N2"},
                 "points along each of the three axes (default: 30 22 26)");
    line.word(
        "--exchange", {"alltoallv", "alltoallw"},
        [&options](const std::string& name) { options.typed = name == "alltoallw"; },
        "alltoallv (default) with packed blocks, or alltoallw with subarrays");
    line.number("--iterations", options.iterations, {1, 1'000'000},
                "transforms, each with its way back (default: 4)");
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    CommandLine line("Transforms a wave on a grid of three dimensions, forward and back, and checks it.");
    Options options;
    add_options(line, options);
    const auto ended = line.parse(argc, argv, rank_in(MPI_COMM_WORLD) == 0);
    const int code = ended ? *ended : Measurement(options).run();
    MPI_Finalize();
    return code;
}
