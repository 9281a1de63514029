// A wave whose length does not fit the grid, and its spectrum by formula. No two values of the spectrum are
// equal, and none is zero: so a point at a wrong place is found. No MPI.
#pragma once

#include "boxes.hpp"

#include <complex>
#include <numbers>
#include <vector>

namespace apps {

class PlaneWave {
  public:
    explicit PlaneWave(const std::array<int, 3>& size) {
        for (std::size_t axis = 0; axis < 3; ++axis) add_axis(axis, size[axis]);
    }

    std::complex<double> at(const std::array<int, 3>& point) const { return product(wave_, point); }
    std::complex<double> spectrum(const std::array<int, 3>& point) const { return product(spectrum_, point); }

  private:
    using Line = std::vector<std::complex<double>>;

    // exp(2 pi i f j), whose transform is a geometric sum.
    void add_axis(std::size_t axis, int size) {
        const double frequency = (static_cast<double>(axis) + 1.37) / size;
        for (int i = 0; i < size; ++i) {
            wave_[axis].push_back(turned(frequency * i));
            spectrum_[axis].push_back((1.0 - turned(frequency * size)) /
                                      (1.0 - turned(frequency - static_cast<double>(i) / size)));
        }
    }
    static std::complex<double> turned(double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns); }
    static std::complex<double> product(const std::array<Line, 3>& lines, const std::array<int, 3>& point) {
        std::complex<double> product = 1;
        for (std::size_t axis = 0; axis < 3; ++axis)
            product *= lines[axis][static_cast<std::size_t>(point[axis])];
        return product;
    }

    std::array<Line, 3> wave_, spectrum_;
};

} // namespace apps
