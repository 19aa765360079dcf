#include "fault/failing.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace weft::test {
namespace {

/// Counts requests while it is armed. Constant-initialised: it is asked before main.
class counting {
public:
    void arm(std::uint64_t which, failing how) {
        made_.store(0);
        which_.store(which);
        for_good_.store(how == failing::for_good);
    }
    void disarm() { which_.store(0); }
    [[nodiscard]] bool failed() const {
        return which_.load() != 0 && made_.load() >= which_.load();
    }

    bool next_fails() {
        const std::uint64_t which = which_.load();
        if (which == 0) return false;
        const std::uint64_t number = made_.fetch_add(1) + 1;
        return for_good_.load() ? number >= which : number == which;
    }

private:
    std::atomic<std::uint64_t> made_{0};
    std::atomic<std::uint64_t> which_{0}; // 0: not armed
    std::atomic<bool> for_good_{false};
};

constinit counting memory;
constinit counting threads;

void* allocate(std::size_t size, std::size_t alignment) {
    if (memory.next_fails()) return nullptr;
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    return std::aligned_alloc(alignment, whole != 0 ? whole : alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    if (void* made = allocate(size, alignment)) return made;
    throw std::bad_alloc{};
}

} // namespace

failing_memory::failing_memory(std::uint64_t which, failing how) { memory.arm(which, how); }
failing_memory::~failing_memory() { memory.disarm(); }
bool failing_memory::failed() const { return memory.failed(); }

failing_threads::failing_threads(std::uint64_t which, failing how) { threads.arm(which, how); }
failing_threads::~failing_threads() { threads.disarm(); }
bool failing_threads::failed() const { return threads.failed(); }

} // namespace weft::test

// All forms, for a sanitizer has some of its own that would not be counted.

using weft::test::allocate;
using weft::test::allocate_or_throw;
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

void operator delete(void* freed) noexcept { std::free(freed); }
void operator delete[](void* freed) noexcept { std::free(freed); }
void operator delete(void* freed, std::size_t) noexcept { std::free(freed); }
void operator delete[](void* freed, std::size_t) noexcept { std::free(freed); }
void operator delete(void* freed, std::align_val_t) noexcept { std::free(freed); }
void operator delete[](void* freed, std::align_val_t) noexcept { std::free(freed); }
void operator delete(void* freed, std::size_t, std::align_val_t) noexcept { std::free(freed); }
void operator delete[](void* freed, std::size_t, std::align_val_t) noexcept { std::free(freed); }
void operator delete(void* freed, const std::nothrow_t&) noexcept { std::free(freed); }
void operator delete[](void* freed, const std::nothrow_t&) noexcept { std::free(freed); }
void operator delete(void* freed, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(freed);
}
void operator delete[](void* freed, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(freed);
}

// Found before the one of the C library or of a sanitizer, which is the next.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* data) noexcept {
    using signature = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto next = reinterpret_cast<signature>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (weft::test::threads.next_fails()) return EAGAIN;
    return next(thread, attributes, body, data);
}
