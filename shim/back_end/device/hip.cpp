// AMD's GPUs, through the HIP runtime library, which programs for these GPUs load.
#include "runtime.hpp"
#include "symbols.hpp"

namespace switchyard::shim::device {

namespace {

using Result = int; // 0 is success

// hipPointerAttribute_t; ROCm 5 and 6 have the same layout, but different numbers in its first field.
struct Attributes {
    int memory_type;
    int device;
    void* device_pointer;
    void* host_pointer;
    int is_managed;
    unsigned flags;
    void* room[8]; // for what a later version may fill in
};

// hipMemoryType until ROCm 5, and from ROCm 6 on, which has CUDA's numbers.
struct MemoryTypes {
    int host, device, managed, array;
};
constexpr MemoryTypes until_rocm_5 = {0, 1, 3, 2}, since_rocm_6 = {1, 2, 3, 10};
constexpr int versions_of_a_major = 10'000'000; // hipRuntimeGetVersion: 60032830 is 6.0

constexpr int copy_default = 4; // the direction follows from the addresses
constexpr unsigned stream_default = 0, pin_for_all_contexts = 1, map_with_peer_access = 1;

struct Functions {
    Result (*get_attributes)(Attributes*, const void*);
    Result (*get_version)(int*);
    Result (*get_device)(int*);
    Result (*set_device)(int);
    Result (*get_last_error)();
    Result (*stream_create)(void**, unsigned);
    Result (*stream_destroy)(void*);
    Result (*stream_synchronize)(void*);
    Result (*copy)(void*, const void*, std::size_t, int, void*);
    Result (*pin)(void*, std::size_t, unsigned);
    Result (*unpin)(void*);
    Result (*allocate)(void**, std::size_t);
    Result (*free)(void*);
    Result (*export_memory)(MemoryHandle*, void*);
    Result (*import_memory)(void**, MemoryHandle, unsigned);
    Result (*close_memory)(void*);

    bool find(void* library) {
        return find_function(library, "hipPointerGetAttributes", get_attributes) &&
               find_function(library, "hipRuntimeGetVersion", get_version) &&
               find_function(library, "hipGetDevice", get_device) &&
               find_function(library, "hipSetDevice", set_device) &&
               find_function(library, "hipGetLastError", get_last_error) &&
               find_function(library, "hipStreamCreateWithFlags", stream_create) &&
               find_function(library, "hipStreamDestroy", stream_destroy) &&
               find_function(library, "hipStreamSynchronize", stream_synchronize) &&
               find_function(library, "hipMemcpyAsync", copy) &&
               find_function(library, "hipHostRegister", pin) &&
               find_function(library, "hipHostUnregister", unpin) &&
               find_function(library, "hipMalloc", allocate) && find_function(library, "hipFree", free) &&
               find_function(library, "hipIpcGetMemHandle", export_memory) &&
               find_function(library, "hipIpcOpenMemHandle", import_memory) &&
               find_function(library, "hipIpcCloseMemHandle", close_memory);
    }
};

class Hip : public Runtime {
  public:
    Hip(const Functions& functions, const MemoryTypes& types) : hip_(functions), types_(types) {}

    Location locate(const void* address) const noexcept override {
        Attributes found{};
        found.memory_type = -1;
        // Until ROCm 5 an unknown address is an error, later it is of type 0.
        if (!good(hip_.get_attributes(&found, address))) return {};
        Location location;
        location.memory = found.is_managed != 0 || found.memory_type == types_.managed ? Memory::managed
                          : found.memory_type == types_.device                         ? Memory::device
                          : found.memory_type == types_.host                           ? Memory::pinned
                                                                                       : Memory::host;
        location.known = location.memory != Memory::host;
        location.device = found.device;
        return location;
    }

    std::optional<int> enter(const Location& location) const noexcept override {
        int before = 0;
        if (!good(hip_.get_device(&before))) return std::nullopt;
        if (location.device >= 0 && location.device != before && !good(hip_.set_device(location.device)))
            return std::nullopt;
        return before;
    }
    void leave(int before) const noexcept override { good(hip_.set_device(before)); }
    Location place(const Location& location) const noexcept override { return location; }
    bool is_alive(const Location&) const noexcept override { return true; } // HIP does not tell of a reset

    Stream create_stream() const noexcept override {
        Stream stream = nullptr;
        return good(hip_.stream_create(&stream, stream_default)) ? stream : nullptr;
    }
    void destroy_stream(Stream stream) const noexcept override { good(hip_.stream_destroy(stream)); }
    bool copy(void* to, const void* from, std::size_t bytes, Stream stream) const noexcept override {
        return good(hip_.copy(to, from, bytes, copy_default, stream));
    }
    bool wait(Stream stream) const noexcept override { return good(hip_.stream_synchronize(stream)); }
    bool pin(void* memory, std::size_t bytes) const noexcept override {
        return good(hip_.pin(memory, bytes, pin_for_all_contexts));
    }
    void unpin(void* memory) const noexcept override { good(hip_.unpin(memory)); }
    void* allocate(std::size_t bytes) const noexcept override {
        void* memory = nullptr;
        return good(hip_.allocate(&memory, bytes)) ? memory : nullptr;
    }
    void free(void* memory) const noexcept override { good(hip_.free(memory)); }

    bool offer(void* memory, MemoryHandle& handle) const noexcept override {
        return good(hip_.export_memory(&handle, memory));
    }
    void* map(const MemoryHandle& handle) const noexcept override {
        void* memory = nullptr;
        return good(hip_.import_memory(&memory, handle, map_with_peer_access)) ? memory : nullptr;
    }
    void unmap(void* memory) const noexcept override { good(hip_.close_memory(memory)); }

  private:
    // HIP keeps its last error until somebody asks. The application must not find an error of ours there.
    bool good(Result result) const noexcept {
        if (result != 0) hip_.get_last_error();
        return result == 0;
    }

    Functions hip_;
    MemoryTypes types_;
};

} // namespace

std::unique_ptr<Runtime> hip_runtime(void* library) {
    Functions functions{};
    int version = 0;
    if (!functions.find(library) || functions.get_version(&version) != 0) return nullptr;
    return std::make_unique<Hip>(functions, version / versions_of_a_major < 6 ? until_rocm_5 : since_rocm_6);
}

} // namespace switchyard::shim::device
