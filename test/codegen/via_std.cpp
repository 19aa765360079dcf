// The same functions as in via_sync.cpp, with the standard library alone.
#include <atomic>
#include <cstdint>

struct ring {
    std::atomic<std::int64_t> top;
    std::atomic<std::int64_t> bottom;
    std::atomic<void*> slots[64];
};

extern "C" void ring_push(ring& r, void* task) {
    const std::int64_t bottom = r.bottom.load(std::memory_order_relaxed);
    r.slots[bottom & 63].store(task, std::memory_order_relaxed);
    r.bottom.store(bottom + 1, std::memory_order_release);
}

extern "C" void* ring_steal(ring& r) {
    std::int64_t top = r.top.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (top >= r.bottom.load(std::memory_order_acquire)) return nullptr;
    void* task = r.slots[top & 63].load(std::memory_order_relaxed);
    return r.top.compare_exchange_strong(top, top + 1, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)
               ? task
               : nullptr;
}

extern "C" std::int64_t ring_count(ring& r) {
    return r.top.fetch_add(1, std::memory_order_acq_rel) +
           r.bottom.exchange(0, std::memory_order_relaxed) +
           static_cast<std::int64_t>(r.top.fetch_or(4, std::memory_order_release));
}

static thread_local void* worker = nullptr;

extern "C" void* swap_worker(void* next) {
    void* before = worker;
    worker = next;
    return before;
}
