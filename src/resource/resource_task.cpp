#include <weft/detail/resource/resource_task.hpp>

#include "resource/lane.hpp"
#include "sync/global.hpp"
#include "sync/thread_owned.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/thread_local_value.hpp>
#include <weft/error.hpp>
#include <weft/resource.hpp>

#include <new>

namespace weft::inline v0 {
namespace detail {
namespace {

/// What a thread needs to submit tasks on resources.
struct submitter {
    lane* own = nullptr; // may outlive its thread
    registry_cache cells;

    static void thread_ends(submitter* mine) noexcept {
        live_tickets().give_all(mine->cells);
        if (mine->own != nullptr && mine->own->abandon()) sync::destroy(mine->own);
        sync::destroy(mine);
    }
};
using this_thread = sync::thread_owned<submitter>;

submitter& own_submitter() {
    if (submitter* mine = this_thread::get()) return *mine;
    auto* made = sync::make<submitter>();
    try {
        this_thread::set(made);
    } catch (const std::bad_alloc&) {
        sync::destroy(made);
        throw;
    }
    return *made;
}

sync::global<registry> all_tickets;

} // namespace

lane& own_lane() {
    submitter& mine = own_submitter();
    if (mine.own == nullptr) mine.own = sync::make<lane>();
    return *mine.own;
}

bool own_lane_is_busy() noexcept {
    const submitter* mine = this_thread::get();
    return mine != nullptr && mine->own != nullptr && mine->own->busy();
}

bool try_wait_in_own_lane(ticket& last) noexcept {
    const submitter* mine = this_thread::get();
    return mine != nullptr && mine->own != nullptr && mine->own->try_push(last);
}

registry& live_tickets() noexcept { return all_tickets.get(); }

registry_cell& reserve_cell() { return live_tickets().reserve(own_submitter().cells); }

void give_cell_back(registry_cell& cell) noexcept {
    submitter* mine = this_thread::get();
    if (mine == nullptr) {
        try {
            mine = &own_submitter();      // this thread will end more of them
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): it goes without
        }
    }
    live_tickets().remove(cell, mine != nullptr ? &mine->cells : nullptr);
}

namespace {

bool fits_large_block(std::size_t size, std::size_t alignment) noexcept {
    return size <= large_block_cache::block_size && alignment <= large_block_cache::block_alignment;
}

} // namespace

void* allocate_resource_task(std::size_t size, std::size_t alignment) {
    if (!fits_large_block(size, alignment)) return sync::allocate(size, alignment);
    worker* here = worker::current();
    return here != nullptr ? here->large_blocks.allocate() : large_block_cache::heap_allocate();
}

void free_resource_task(void* memory, std::size_t size, std::size_t alignment) noexcept {
    worker* here = worker::current();
    if (!fits_large_block(size, alignment)) sync::deallocate(memory, alignment);
    else if (here == nullptr) large_block_cache::heap_free(memory);
    else here->large_blocks.free(memory);
}

pool_front& pool_for(weft::pool* named, const char* call) {
    worker* here = worker::current();
    if (named == nullptr && here == nullptr) throw error{errc::outside_pool, call};
    pool_front& where = named != nullptr ? named->front() : here->pool();
    const bool inside = here != nullptr && &here->pool() == &where;
    if (!inside && where.stopping()) throw error{errc::stopped, call};
    return where;
}

void end_not_run(ticket& its) noexcept {
    struct pending {};
    using unfinished = sync::thread_local_value<pending, ticket_list*>;
    if (ticket_list* others = unfinished::get()) { // further down on this stack one is being ended
        others->push(its);
        return;
    }
    ticket_list all;
    unfinished::set(&all);
    all.push(its);
    while (ticket* each = all.pop()) {
        static_cast<joinable_task*>(each->subject)->end_dormant(errc::not_run, nullptr);
    }
    unfinished::set(nullptr);
}

} // namespace detail

void wait_for_enqueued() noexcept {
    if (detail::own_lane_is_busy()) detail::wait_for_enqueued(detail::own_lane());
}

} // namespace weft::inline v0
