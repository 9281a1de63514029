// NVIDIA's GPUs, through the driver library. A process has one driver library, however the program was
// linked, and the driver library keeps no error of ours for the application to find. Neither holds for the
// runtime library.
#include "runtime.hpp"
#include "symbols.hpp"

#include <array>

namespace switchyard::shim::device {

namespace {

// Numbers of the driver's interface since CUDA 8. A result of 0 is success.
using Result = int;
using Context = void*;
using Address = unsigned long long; // CUdeviceptr

constexpr int attribute_context = 1, attribute_memory_type = 2, attribute_is_managed = 8,
              attribute_device = 9;
constexpr unsigned memory_is_host = 1, memory_is_device = 2;
constexpr unsigned stream_default = 0; // CU_STREAM_DEFAULT: in order with the legacy default stream
constexpr unsigned pin_for_all_contexts = 1;
constexpr unsigned map_with_peer_access = 1; // to a GPU that is not the context's

struct Functions {
    Result (*get_attributes)(unsigned, int*, void**, Address);
    Result (*get_current)(Context*);
    Result (*push)(Context);
    Result (*pop)(Context*);
    Result (*stream_create)(void**, unsigned);
    Result (*stream_destroy)(void*);
    Result (*stream_synchronize)(void*);
    Result (*copy)(Address, Address, std::size_t, void*);
    Result (*pin)(void*, std::size_t, unsigned);
    Result (*unpin)(void*);
    Result (*allocate)(Address*, std::size_t);
    Result (*free)(Address);
    // Null in older drivers.
    Result (*context_identity)(Context, unsigned long long*);
    Result (*primary_context)(Context*, int);
    Result (*export_memory)(MemoryHandle*, Address);
    Result (*import_memory)(Address*, MemoryHandle, unsigned);
    Result (*close_memory)(Address);

    bool find(void* library) {
        find_function(library, "cuCtxGetId", context_identity);
        find_function(library, "cuDevicePrimaryCtxRetain", primary_context);
        find_function(library, "cuIpcGetMemHandle", export_memory);
        find_function(library, "cuIpcOpenMemHandle_v2", import_memory);
        find_function(library, "cuIpcCloseMemHandle", close_memory);
        return find_function(library, "cuPointerGetAttributes", get_attributes) &&
               find_function(library, "cuCtxGetCurrent", get_current) &&
               find_function(library, "cuCtxPushCurrent_v2", push) &&
               find_function(library, "cuCtxPopCurrent_v2", pop) &&
               find_function(library, "cuStreamCreate", stream_create) &&
               find_function(library, "cuStreamDestroy_v2", stream_destroy) &&
               find_function(library, "cuStreamSynchronize", stream_synchronize) &&
               find_function(library, "cuMemcpyAsync", copy) &&
               find_function(library, "cuMemHostRegister_v2", pin) &&
               find_function(library, "cuMemHostUnregister", unpin) &&
               find_function(library, "cuMemAlloc_v2", allocate) &&
               find_function(library, "cuMemFree_v2", free);
    }
};

Address address_of(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory);
}

class Cuda : public Runtime {
  public:
    explicit Cuda(const Functions& functions) : cu_(functions) {}

    Location locate(const void* address) const noexcept override {
        unsigned type = 0, is_managed = 0;
        int device = -1;
        Context context = nullptr;
        std::array<int, 4> attributes = {attribute_memory_type, attribute_is_managed, attribute_context,
                                         attribute_device};
        std::array<void*, 4> values = {&type, &is_managed, static_cast<void*>(&context), &device};
        // For an unknown address the driver reports no error and fills in nothing. Before the program
        // has started the driver, it reports an error; then there is no device memory. A query for a
        // single attribute does report an unknown address, which takes 540 ns for host memory; this
        // query for four takes 120 ns.
        if (cu_.get_attributes(static_cast<unsigned>(attributes.size()), attributes.data(), values.data(),
                               address_of(address)) != 0 ||
            type == 0)
            return {};
        Location location;
        location.known = true;
        location.memory = is_managed != 0            ? Memory::managed
                          : type == memory_is_host   ? Memory::pinned
                          : type == memory_is_device ? Memory::device
                                                     : Memory::host;
        location.device = device;
        location.context = context;
        location.identity = identity_of(context);
        return location;
    }

    Location place(const Location& location) const noexcept override {
        Location place = location;
        cu_.get_current(&place.context);
        place.identity = identity_of(place.context);
        return place;
    }
    bool is_alive(const Location& place) const noexcept override {
        return place.identity != 0 && identity_of(place.context) == place.identity;
    }

    std::optional<int> enter(const Location& location) const noexcept override {
        Context context = location.context;
        // Memory from a pool belongs to a device, and any context of the device will do: the current context,
        // or the context of the runtime library. (That one stays retained, since the program also uses it.)
        if (context == nullptr) cu_.get_current(&context);
        if (context == nullptr && location.device >= 0 && cu_.primary_context != nullptr)
            cu_.primary_context(&context, location.device);
        if (context == nullptr || cu_.push(context) != 0) return std::nullopt;
        return 0;
    }
    void leave(int) const noexcept override {
        Context ours = nullptr;
        cu_.pop(&ours);
    }

    Stream create_stream() const noexcept override {
        Stream stream = nullptr;
        return cu_.stream_create(&stream, stream_default) == 0 ? stream : nullptr;
    }
    void destroy_stream(Stream stream) const noexcept override { cu_.stream_destroy(stream); }
    bool copy(void* to, const void* from, std::size_t bytes, Stream stream) const noexcept override {
        return cu_.copy(address_of(to), address_of(from), bytes, stream) == 0;
    }
    bool wait(Stream stream) const noexcept override { return cu_.stream_synchronize(stream) == 0; }
    bool pin(void* memory, std::size_t bytes) const noexcept override {
        return cu_.pin(memory, bytes, pin_for_all_contexts) == 0;
    }
    void unpin(void* memory) const noexcept override { cu_.unpin(memory); }
    void* allocate(std::size_t bytes) const noexcept override {
        Address address = 0;
        if (cu_.allocate(&address, bytes) != 0) return nullptr;
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
    }
    void free(void* memory) const noexcept override { cu_.free(address_of(memory)); }

    bool offer(void* memory, MemoryHandle& handle) const noexcept override {
        return cu_.export_memory != nullptr && cu_.export_memory(&handle, address_of(memory)) == 0;
    }
    void* map(const MemoryHandle& handle) const noexcept override {
        Address address = 0;
        if (cu_.import_memory == nullptr || cu_.import_memory(&address, handle, map_with_peer_access) != 0)
            return nullptr;
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
    }
    void unmap(void* memory) const noexcept override {
        if (cu_.close_memory != nullptr) cu_.close_memory(address_of(memory));
    }

  private:
    // 0: nobody knows.
    std::uint64_t identity_of(Context context) const noexcept {
        unsigned long long identity = 0;
        if (context == nullptr || cu_.context_identity == nullptr) return 0;
        return cu_.context_identity(context, &identity) == 0 ? identity : 0;
    }

    Functions cu_;
};

} // namespace

std::unique_ptr<Runtime> cuda_runtime(void* library) {
    Functions functions{};
    if (!functions.find(library)) return nullptr;
    return std::make_unique<Cuda>(functions);
}

} // namespace switchyard::shim::device
