// The interface between the explorer's templates and the running exploration; not for users.
//
// Every call is made by the thread (fiber) that the exploration runs at the moment. A call that
// finds an error in the program does not return: the execution is abandoned and the failure
// reported.
#pragma once

#include <weft/explorer/detail/site.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

namespace weft::inline v0::explorer::detail {

using nanoseconds = std::int64_t;

/// How a value is shown in a trace.
enum class value_kind : std::uint8_t { signed_integer, unsigned_integer, boolean, pointer };

/// Names an object of one execution. Objects made while nothing is explored have execution 0.
struct handle {
    std::uint64_t execution = 0;
    std::uint32_t index = 0;
};

#pragma GCC visibility push(default) // the whole list is called from users' code

/// True inside a scenario, on any of its threads.
[[nodiscard]] bool exploring() noexcept;

// Atomic objects. Values travel as the low bytes of a 64-bit word.
handle atomic_born(void* self, std::size_t size, std::uint64_t bits, value_kind kind) noexcept;
void atomic_died(handle object) noexcept;
void atomic_label(handle object, const char* name) noexcept;
std::uint64_t atomic_load(handle object, std::memory_order order, const site& place) noexcept;
void atomic_store(handle object, std::uint64_t bits, std::memory_order order,
                  const site& place) noexcept;

// A read-modify-write is a read of the newest value, then either a write or a failed comparison;
// nothing can come between them, unless a mutant asks for it.
std::uint64_t rmw_read(handle object, const site& place) noexcept;
void rmw_write(handle object, std::uint64_t bits, std::memory_order order, const char* operation,
               const site& place) noexcept;
void rmw_fail(handle object, std::memory_order order, const char* operation,
              const site& place) noexcept;
[[nodiscard]] bool weak_exchange_fails() noexcept;

void fence(std::memory_order order, const site& place) noexcept;

// Blocking on the value of an atomic object, as a futex does: returns false after the deadline.
bool futex_wait(handle object, std::uint64_t expected, std::optional<nanoseconds> deadline,
                const site& place) noexcept;
/// A wake-up may use the address alone, so that the object may have been destroyed before.
enum class wake_by : std::uint8_t { object, address };
void futex_wake(handle object, unsigned count, wake_by key, const site& place) noexcept;

// Plain objects: no scheduling points, only race detection.
handle plain_born(void* self, std::size_t size) noexcept;
void plain_died(handle object) noexcept;
void plain_label(handle object, const char* name) noexcept;
void plain_read(handle object, const site& place) noexcept;
void plain_write(handle object, const site& place) noexcept;

// Mutexes and parkers.
handle mutex_born(void* self) noexcept;
void mutex_died(handle object) noexcept;
void mutex_lock(handle object, const site& place) noexcept;
bool mutex_try_lock(handle object, const site& place) noexcept;
void mutex_unlock(handle object, const site& place) noexcept;
handle parker_born(void* self) noexcept;
void parker_died(handle object) noexcept;
bool parker_park(handle object, std::optional<nanoseconds> deadline, const site& place) noexcept;
void parker_unpark(handle object, const site& place) noexcept;

// Threads. The callable is built in storage at the base of the new thread's stack.
struct new_thread {
    std::uint32_t index;
    void* storage;
};
new_thread thread_reserve(std::size_t size, std::size_t alignment) noexcept;
void thread_start(std::uint32_t index, const char* name, void (*run)(void*), void* callable,
                  const site& place) noexcept;
/// `set` has a bit for each thread; the caller goes on when all have ended.
void threads_join(std::uint32_t set, const site& place) noexcept;
void thread_yield(const site& place) noexcept;
[[nodiscard]] std::uint32_t thread_current() noexcept;
[[nodiscard]] nanoseconds virtual_time() noexcept;
/// The calling thread's word under `key`, zero at first.
[[nodiscard]] std::uint64_t& thread_word(const void* key) noexcept;
/// When the calling thread ends, `end(owned)` is called on it; the last registered comes first.
void thread_at_end(void (*end)(void*), void* owned);
/// The lowest usable address of the calling thread's stack.
[[nodiscard]] std::uintptr_t thread_stack_bottom() noexcept;

/// How a global object is made and destroyed.
struct global_type {
    std::size_t size;
    std::size_t alignment;
    void (*construct)(void* storage);
    void (*destroy)(void* object) noexcept;
};
/// The running execution's object under `key`; the first call makes it, the end of the execution
/// destroys it.
[[nodiscard]] void* global_object(const void* key, const global_type& type);

// Memory. A permanent block need not be freed.
enum class block_lifetime : std::uint8_t { until_freed, permanent };
void* heap_allocate(std::size_t size, std::size_t alignment, block_lifetime lifetime,
                    const site& place);
void heap_free(void* memory, std::size_t alignment, const site& place) noexcept;

#pragma GCC visibility pop

template <class T>
std::uint64_t to_bits(T value) noexcept {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<std::uintptr_t>(value);
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    }
}

template <class T>
T from_bits(std::uint64_t bits) noexcept {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(static_cast<std::uintptr_t>(bits));
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits);
    } else {
        T value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
}

template <class T>
constexpr value_kind kind_of() noexcept {
    if constexpr (std::is_same_v<T, bool>) return value_kind::boolean;
    else if constexpr (std::is_pointer_v<T>) return value_kind::pointer;
    else if constexpr (std::is_signed_v<T>) return value_kind::signed_integer;
    else return value_kind::unsigned_integer;
}

} // namespace weft::inline v0::explorer::detail
