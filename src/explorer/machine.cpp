// Forwards the calls of the templates to the running exploration. The explorer ignores objects that
// are created and destroyed while nothing is explored.
#include "explorer/engine.hpp"

#include <weft/explorer/detail/machine.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace weft::inline v0::explorer::detail {
namespace {

engine& running() noexcept {
    if (active_engine == nullptr) {
        std::fputs("weft::explorer: a thread, parker, futex or global is used outside a scenario\n",
                   stderr);
        std::abort();
    }
    return *active_engine;
}

/// The end of an object that was made while nothing was explored is ignored.
bool concerns(handle object) noexcept { return active_engine != nullptr && object.execution != 0; }

} // namespace

bool exploring() noexcept { return active_engine != nullptr; }

handle atomic_born(void* self, std::size_t size, std::uint64_t bits, value_kind kind) noexcept {
    return exploring() ? running().add_atomic(self, size, bits, kind) : handle{};
}
void atomic_died(handle object) noexcept {
    if (concerns(object)) running().end_atomic(object);
}
void atomic_label(handle object, const char* name) noexcept {
    if (concerns(object)) running().label_atomic(object, name);
}
std::uint64_t atomic_load(handle object, std::memory_order order, const site& place) noexcept {
    return running().load(object, order, place);
}
void atomic_store(handle object, std::uint64_t bits, std::memory_order order,
                  const site& place) noexcept {
    running().store(object, bits, order, place);
}
std::uint64_t rmw_read(handle object, const site& place) noexcept {
    return running().rmw_read(object, place);
}
void rmw_write(handle object, std::uint64_t bits, std::memory_order order, const char* operation,
               const site& place) noexcept {
    running().rmw_write(object, bits, order, operation, place);
}
void rmw_fail(handle object, std::memory_order order, const char* operation,
              const site& place) noexcept {
    running().rmw_fail(object, order, operation, place);
}
bool weak_exchange_fails() noexcept { return running().weak_exchange_fails(); }
void fence(std::memory_order order, const site& place) noexcept { running().fence(order, place); }

bool futex_wait(handle object, std::uint64_t expected, std::optional<nanoseconds> deadline,
                const site& place) noexcept {
    return running().futex_wait(object, expected, deadline, place);
}
void futex_wake(handle object, unsigned count, wake_by key, const site& place) noexcept {
    running().futex_wake(object, count, key, place);
}

handle plain_born(void* self, std::size_t size) noexcept {
    return exploring() ? running().add_plain(self, size) : handle{};
}
void plain_died(handle object) noexcept {
    if (concerns(object)) running().end_plain(object);
}
void plain_label(handle object, const char* name) noexcept {
    if (concerns(object)) running().label_plain(object, name);
}
void plain_read(handle object, const site& place) noexcept { running().read_plain(object, place); }
void plain_write(handle object, const site& place) noexcept {
    running().write_plain(object, place);
}

handle mutex_born(void* self) noexcept {
    return exploring() ? running().add_mutex(self) : handle{};
}
void mutex_died(handle object) noexcept {
    if (concerns(object)) running().end_mutex(object);
}
void mutex_lock(handle object, const site& place) noexcept { running().lock(object, place); }
bool mutex_try_lock(handle object, const site& place) noexcept {
    return running().try_lock(object, place);
}
void mutex_unlock(handle object, const site& place) noexcept { running().unlock(object, place); }

handle parker_born(void* self) noexcept {
    return exploring() ? running().add_parker(self) : handle{};
}
void parker_died(handle object) noexcept {
    if (concerns(object)) running().end_parker(object);
}
bool parker_park(handle object, std::optional<nanoseconds> deadline, const site& place) noexcept {
    return running().park(object, deadline, place);
}
void parker_unpark(handle object, const site& place) noexcept { running().unpark(object, place); }

new_thread thread_reserve(std::size_t size, std::size_t alignment) noexcept {
    return running().reserve_thread(size, alignment);
}
void thread_start(std::uint32_t index, const char* name, void (*run)(void*), void* callable,
                  const site& place) noexcept {
    running().start_thread(index, name, run, callable, place);
}
void threads_join(std::uint32_t set, const site& place) noexcept {
    running().join_threads(set, place);
}
void thread_yield(const site& place) noexcept { running().yield_thread(place); }
std::uint32_t thread_current() noexcept { return running().current(); }
nanoseconds virtual_time() noexcept { return running().time(); }
std::uint64_t& thread_word(const void* key) noexcept { return running().word_of_thread(key); }
void thread_at_end(void (*end)(void*), void* owned) { running().at_thread_end(end, owned); }
std::uintptr_t thread_stack_bottom() noexcept { return running().stack_bottom(); }
void* global_object(const void* key, const global_type& type) {
    return running().global_object(key, type);
}

void* heap_allocate(std::size_t size, std::size_t alignment, block_lifetime lifetime,
                    const site& place) {
    if (exploring()) return running().allocate(size, alignment, lifetime, place);
    return ::operator new(size, std::align_val_t{alignment});
}
void heap_free(void* memory, std::size_t alignment, const site& place) noexcept {
    if (exploring()) running().free(memory, place);
    else ::operator delete(memory, std::align_val_t{alignment});
}

} // namespace weft::inline v0::explorer::detail
