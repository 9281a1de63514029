// Prints the time that a call needs to find out that this process can have no device memory: with a clock
// that the call has read anyway, as with a log, and with a clock of its own. Then, where there is an NVIDIA
// GPU: the time of a question to the driver about two addresses. One row each, in the columns of `overhead`.
#include "shim/back_end/device/devices.hpp"
#include "shim/entry/clock_ns.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

using switchyard::shim::device::Devices;

constexpr int rounds = 401, checks = 10000;

double ns_now() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <typename Check>
double median_of(Check&& check) {
    static std::array<double, rounds> times;
    int found = 0;
    for (double& time : times) {
        const double start = ns_now();
        for (int i = 0; i < checks; ++i) {
            found += check(i) ? 1 : 0;
            asm volatile("" ::: "memory"); // the next check looks again
        }
        time = (ns_now() - start) / checks;
    }
    std::ranges::sort(times);
    return found > 0 ? -1 : times[rounds / 2];
}

void print(const char* label, double with, double without) {
    std::printf("%-34s %10.1f %10.1f %10.1f\n", label, with, without, with - without);
}

template <typename Function>
bool call(void* library, const char* name, Function&& with) {
    void* symbol = dlsym(library, name);
    return symbol != nullptr && with(symbol) == 0;
}

// Starts the driver as a program does, and gives device memory. 0: there is no GPU.
unsigned long long device_memory() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void* context = nullptr;
    unsigned long long memory = 0;
    if (driver == nullptr) return 0;
    const bool good =
        call(driver, "cuInit", [](void* f) { return reinterpret_cast<int (*)(unsigned)>(f)(0); }) &&
        call(driver, "cuDevicePrimaryCtxRetain",
             [&](void* f) { return reinterpret_cast<int (*)(void**, int)>(f)(&context, 0); }) &&
        call(driver, "cuCtxSetCurrent",
             [&](void* f) { return reinterpret_cast<int (*)(void*)>(f)(context); }) &&
        call(driver, "cuMemAlloc_v2", [&](void* f) {
            return reinterpret_cast<int (*)(unsigned long long*, std::size_t)>(f)(&memory,
                                                                                  std::size_t{1} << 20);
        });
    return good ? memory : 0;
}

void print_questions(const Devices& devices, const void* first, const void* second, const char* label) {
    const double loop = median_of([](int i) { return i < 0; });
    print(label, median_of([&](int) {
              return devices.locate(first).device == -5 || devices.locate(second).device == -5;
          }),
          loop);
}

// What the driver itself takes for two addresses, with one attribute each.
void print_driver_alone(const void* first, const void* second, const char* label) {
    constexpr int memory_type = 2;
    static int (*ask)(void*, int, unsigned long long);
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    ask = reinterpret_cast<decltype(ask)>(dlsym(driver, "cuPointerGetAttribute"));
    if (ask == nullptr) return;
    const auto type_of = [](const void* at) {
        unsigned type = 0;
        return ask(&type, memory_type, reinterpret_cast<std::uintptr_t>(at)) == -1;
    };
    const double loop = median_of([](int i) { return i < 0; });
    print(label, median_of([&](int) { return type_of(first) || type_of(second); }), loop);
}

void print_questions_to_driver() {
    static Devices devices;
    const auto memory = device_memory();
    if (memory == 0 || !devices.are_here()) {
        std::printf("no NVIDIA GPU is found here\n");
        return;
    }
    const auto* on_device = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(memory));
    const auto* on_host = static_cast<const std::byte*>(std::malloc(2 << 20));
    print_questions(devices, on_device, on_device + 4096, "two addresses on the device");
    print_questions(devices, on_host, on_host + (1 << 20), "two addresses on the host");
    print_driver_alone(on_device, on_device + 4096, "the driver alone, on the device");
    print_driver_alone(on_host, on_host + (1 << 20), "the driver alone, on the host");
}

} // namespace

int main() {
    static Devices devices;
    // A clock that advances 100 ns a call: in one call of ten thousand, a millisecond has passed.
    const double loop = median_of([](int i) { return i < 0; });
    print("no GPU library, clock read anyway",
          median_of([](int i) { return devices.are_here(static_cast<std::uint64_t>(i) * 100); }), loop);
    print("no GPU library, log off",
          median_of([](int) { return devices.are_here(switchyard::shim::coarse_ns()); }), loop);
    print_questions_to_driver();
    return 0;
}
