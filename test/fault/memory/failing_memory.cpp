#include "fault/memory/failing_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace weft::test {
namespace {

constinit failing_requests memory_requests;
constinit std::atomic<std::int64_t> live{0};

void* allocate(std::size_t size, std::size_t alignment) {
    if (memory_requests.next_fails()) return nullptr;
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void* made = std::aligned_alloc(alignment, whole != 0 ? whole : alignment);
    if (made != nullptr) ++live;
    return made;
}

void release(void* freed) noexcept {
    if (freed != nullptr) --live;
    std::free(freed);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    if (void* made = allocate(size, alignment)) return made;
    throw std::bad_alloc{};
}

} // namespace

failing_memory::failing_memory(std::uint64_t number, failing mode) {
    memory_requests.arm(number, mode);
}
failing_memory::~failing_memory() { memory_requests.disarm(); }
bool failing_memory::failed() const { return memory_requests.failed(); }

std::int64_t live_allocations() { return live; }

} // namespace weft::test

// All forms, for a sanitizer has some of its own that would not be counted.

using weft::test::allocate;
using weft::test::allocate_or_throw;
using weft::test::release;
constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
constexpr std::size_t bytes(std::align_val_t alignment) {
    return static_cast<std::size_t>(alignment);
}

void* operator new(std::size_t size) { return allocate_or_throw(size, usual); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, usual); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, bytes(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, bytes(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size, usual);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size, bytes(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size, bytes(alignment));
}

void operator delete(void* freed) noexcept { release(freed); }
void operator delete[](void* freed) noexcept { release(freed); }
void operator delete(void* freed, std::size_t) noexcept { release(freed); }
void operator delete[](void* freed, std::size_t) noexcept { release(freed); }
void operator delete(void* freed, std::align_val_t) noexcept { release(freed); }
void operator delete[](void* freed, std::align_val_t) noexcept { release(freed); }
void operator delete(void* freed, std::size_t, std::align_val_t) noexcept { release(freed); }
void operator delete[](void* freed, std::size_t, std::align_val_t) noexcept { release(freed); }
void operator delete(void* freed, const std::nothrow_t&) noexcept { release(freed); }
void operator delete[](void* freed, const std::nothrow_t&) noexcept { release(freed); }
void operator delete(void* freed, std::align_val_t, const std::nothrow_t&) noexcept {
    release(freed);
}
void operator delete[](void* freed, std::align_val_t, const std::nothrow_t&) noexcept {
    release(freed);
}
