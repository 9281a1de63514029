// The functions of a GPU's driver that we need. NVIDIA's and AMD's implementations look them up by name in
// the library that the application has loaded; they declare the functions themselves, so no vendor's header
// is needed and nothing is linked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace switchyard::shim::device {

// The driver moves `managed` memory between host and device. `pinned` memory is the host's.
enum class Memory : std::uint8_t { host, pinned, managed, device };

// A driver's knowledge of an address.
struct Location {
    Memory memory = Memory::host;
    bool known = false;         // the driver has heard of it
    int device = -1;            // the driver's number for it
    void* context = nullptr;    // NVIDIA: the context that owns the memory; null: none does
    std::uint64_t identity = 0; // of the context: a new one may get the same address after a reset

    bool is_device() const { return memory == Memory::device || memory == Memory::managed; }
    bool is_same_place(const Location& other) const {
        return context == other.context && identity == other.identity && device == other.device;
    }
};

// A piece of device memory, for other processes of this node: CUDA's or HIP's IPC handle.
struct MemoryHandle {
    std::array<std::byte, 64> bytes{};
};

// No function throws or prints; a failure is false, null or nothing. Thread-safe.
class Runtime {
  public:
    using Stream = void*;

    virtual ~Runtime() = default;
    virtual Location locate(const void* address) const noexcept = 0;

    // Makes the context (AMD: the device) of this memory the thread's current one. leave() takes the returned
    // value and restores the previous context.
    virtual std::optional<int> enter(const Location& location) const noexcept = 0;
    virtual void leave(int before) const noexcept = 0;

    // The place of the context that was entered for this memory: memory of a pool has no context itself.
    virtual Location place(const Location& location) const noexcept = 0;
    // Whether the context of a place() is still the same. Also false if an old driver cannot say: what the
    // context owned may be gone, and destroying a stream that a reset has destroyed crashes the driver.
    virtual bool is_alive(const Location& place) const noexcept = 0;

    // The functions below work in the context that was entered. A stream in order with the default stream: it
    // waits for the application's work that was queued there before, and later work there waits for it.
    virtual Stream create_stream() const noexcept = 0;
    virtual void destroy_stream(Stream stream) const noexcept = 0;
    // Queues a copy from anywhere to anywhere.
    virtual bool copy(void* to, const void* from, std::size_t bytes, Stream stream) const noexcept = 0;
    virtual bool wait(Stream stream) const noexcept = 0;
    // Pins memory of ours, for the devices of all contexts.
    virtual bool pin(void* memory, std::size_t bytes) const noexcept = 0;
    virtual void unpin(void* memory) const noexcept = 0;
    virtual void* allocate(std::size_t bytes) const noexcept = 0; // on the device
    virtual void free(void* memory) const noexcept = 0;
    // For memory of allocate(). map() gives another process's memory an address here.
    virtual bool offer(void* memory, MemoryHandle& handle) const noexcept = 0;
    virtual void* map(const MemoryHandle& handle) const noexcept = 0;
    virtual void unmap(void* memory) const noexcept = 0;

    Runtime() = default;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
};

// While it lives, this thread is in the context of that memory.
class Within {
  public:
    Within(const Runtime& runtime, const Location& location)
        : runtime_(runtime), before_(runtime.enter(location)) {}
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    ~Within() {
        if (before_) runtime_.leave(*before_);
    }
    explicit operator bool() const { return before_.has_value(); }

  private:
    const Runtime& runtime_;
    std::optional<int> before_;
};

// From the handle of the loaded library; null where it lacks a function that we need.
std::unique_ptr<Runtime> cuda_runtime(void* library);
std::unique_ptr<Runtime> hip_runtime(void* library);

} // namespace switchyard::shim::device
