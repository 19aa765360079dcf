// The same functions as in via_std.cpp, through src/sync.
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/thread_local_value.hpp>

#include <cstdint>

using namespace weft;

struct ring {
    sync::atomic<std::int64_t> top;
    sync::atomic<std::int64_t> bottom;
    sync::atomic<void*> slots[64];
};

extern "C" void ring_push(ring& r, void* task) {
    const std::int64_t bottom = r.bottom.load(sync::relaxed);
    r.slots[bottom & 63].store(task, sync::relaxed);
    r.bottom.store(bottom + 1, sync::release);
}

extern "C" void* ring_steal(ring& r) {
    std::int64_t top = r.top.load(sync::acquire);
    sync::fence(sync::seq_cst);
    if (top >= r.bottom.load(sync::acquire)) return nullptr;
    void* task = r.slots[top & 63].load(sync::relaxed);
    return r.top.compare_exchange_strong(top, top + 1, sync::acq_rel, sync::relaxed) ? task
                                                                                     : nullptr;
}

extern "C" std::int64_t ring_count(ring& r) {
    return r.top.fetch_add(1, sync::acq_rel) + r.bottom.exchange(0, sync::relaxed) +
           static_cast<std::int64_t>(r.top.fetch_or(4, sync::release));
}

using worker = sync::thread_local_value<struct worker_tag, void*>;

extern "C" void* swap_worker(void* next) {
    void* before = worker::get();
    worker::set(next);
    return before;
}
