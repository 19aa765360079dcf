#include <weft/detail/resource/resource_task.hpp>

#include "resource/lane.hpp"
#include "sync/global.hpp"
#include "sync/stack_local.hpp"
#include "sync/thread_owned.hpp"

#include <weft/detail/pool/represented_pool.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/error.hpp>
#include <weft/resource.hpp>

#include <new>

namespace weft::inline v0 {
namespace detail {
namespace {

/// The thread-local data for submitting resource tasks.
struct submitter {
    lane* owned_lane = nullptr; // may outlive its thread
    registry_cache cells;

    static void thread_ends(submitter* ending) noexcept {
        live_tickets().give_all(ending->cells);
        lane* left = ending->owned_lane;
        if (left != nullptr && left->abandon()) sync::destroy(left);
        sync::destroy(ending);
    }
};
using this_thread = sync::thread_owned<submitter>;

submitter& own_submitter() {
    if (submitter* known = this_thread::get()) return *known;
    auto* made = sync::make<submitter>();
    try {
        this_thread::set(made);
    } catch (const std::bad_alloc&) {
        sync::destroy(made);
        throw;
    }
    return *made;
}

/// Null if this thread has submitted nothing yet.
lane* own_lane_if_made() noexcept {
    const submitter* self = this_thread::get();
    return self != nullptr ? self->owned_lane : nullptr;
}

sync::global<registry> all_tickets;

} // namespace

lane& own_lane() {
    submitter& self = own_submitter();
    if (self.owned_lane == nullptr) self.owned_lane = sync::make<lane>();
    return *self.owned_lane;
}

bool try_wait_in_own_lane(ticket& last) noexcept {
    lane* own = own_lane_if_made();
    return own != nullptr && own->try_push(last);
}

registry& live_tickets() noexcept { return all_tickets.get(); }

registry_cell& reserve_cell() { return live_tickets().reserve(own_submitter().cells); }

void give_cell_back(registry_cell& cell) noexcept {
    submitter* self = this_thread::get();
    if (self == nullptr) {
        try {
            self = &own_submitter();      // this thread will end more tasks
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): a cache is not needed
        }
    }
    live_tickets().remove(cell, self != nullptr ? &self->cells : nullptr);
}

namespace {

bool fits_large_block(std::size_t size, std::size_t alignment) noexcept {
    return size <= large_block_cache::block_size && alignment <= large_block_cache::block_alignment;
}

} // namespace

void* allocate_resource_task(std::size_t size, std::size_t alignment) {
    if (!fits_large_block(size, alignment)) return sync::allocate(size, alignment);
    worker* caller = worker::current();
    return caller != nullptr ? caller->large_blocks.allocate() : large_block_cache::heap_allocate();
}

void free_resource_task(void* memory, std::size_t size, std::size_t alignment) noexcept {
    worker* caller = worker::current();
    if (!fits_large_block(size, alignment)) sync::deallocate(memory, alignment);
    else if (caller == nullptr) large_block_cache::heap_free(memory);
    else caller->large_blocks.free(memory);
}

pool_front& pool_for(weft::pool* named, const char* call) {
    pool_front& target = named != nullptr ? named->front() : implied_pool(call);
    const worker* caller = worker::current();
    const bool inside = caller != nullptr && &caller->pool() == &target;
    if (!inside && target.stopping()) throw error{errc::stopped, call};
    return target;
}

void end_not_run(ticket& admitted) noexcept {
    using unfinished = sync::stack_local<sync::stack_word::refused_tickets, ticket_list*>;
    if (ticket_list* others = unfinished::get()) { // one is being ended further down this stack
        others->push(admitted);
        return;
    }
    ticket_list all;
    unfinished::set(&all);
    all.push(admitted);
    while (ticket* each = all.pop()) {
        static_cast<joinable_task*>(each->subject)->end_dormant(errc::not_run, nullptr);
    }
    unfinished::set(nullptr);
}

} // namespace detail

void wait_for_enqueued() noexcept {
    if (detail::lane* own = detail::own_lane_if_made()) detail::wait_for_enqueued(*own);
}

} // namespace weft::inline v0
