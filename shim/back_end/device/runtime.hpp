// What we ask of a GPU's driver. Two implementations, NVIDIA's and AMD's, both with declarations of their own
// and by functions looked up in a library that the application has loaded: no header of theirs, nothing
// linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace switchyard::shim::device {

// `managed` memory is moved between host and device by the driver; `pinned` is the host's.
enum class Memory : std::uint8_t { host, pinned, managed, device };

// What a driver knows of an address.
struct Location {
    Memory memory = Memory::host;
    bool known = false;         // the driver has heard of it
    int device = -1;            // the driver's number for it
    void* context = nullptr;    // NVIDIA: where the memory belongs; null where it belongs to none
    std::uint64_t identity = 0; // of the context: another one may get the same address after a reset

    bool is_device() const { return memory == Memory::device || memory == Memory::managed; }
    bool is_same_place(const Location& other) const {
        return context == other.context && identity == other.identity && device == other.device;
    }
};

// None of these throws or says anything; what fails returns false, null or nothing. Thread-safe.
class Runtime {
  public:
    using Stream = void*;

    virtual ~Runtime() = default;
    virtual Location locate(const void* address) const noexcept = 0;

    // Makes the place where that memory belongs the current one of this thread. What it returns is for
    // leave(), which puts back what was current before.
    virtual std::optional<int> enter(const Location& location) const noexcept = 0;
    virtual void leave(int before) const noexcept = 0;

    // Everything below happens in the place that was entered.
    // A stream that waits for what the application has queued on the default stream before, and is waited
    // for by what it queues there later.
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

    Runtime() = default;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
};

// While it lives, the place of that memory is this thread's current one.
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

// From the handle of the loaded library; null where it lacks what we need.
std::unique_ptr<Runtime> cuda_runtime(void* library);
std::unique_ptr<Runtime> hip_runtime(void* library);

} // namespace switchyard::shim::device
