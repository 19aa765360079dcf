// Objects that are alive, which any thread may visit at any time.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace weft::inline v0::detail {

/// A cell of a registry. It is not freed while the registry lives, so that it may be read at any
/// time.
struct registry_cell {
    sync::atomic<const void*> object{nullptr};
    sync::plain<registry_cell*> next{nullptr}; // in the first of a batch: the next batch
    sync::plain<registry_cell*> more{nullptr}; // of the same batch, or of the same cache
};

/// Cells of one thread at a time, for its next entries.
class registry_cache {
public:
    registry_cache() noexcept = default;
    registry_cache(const registry_cache&) = delete;
    registry_cache& operator=(const registry_cache&) = delete;

private:
    template <std::size_t>
    friend class basic_registry;
    registry_cell* some_ = nullptr;
    std::size_t count_ = 0;
    registry_cell* full_ = nullptr; // a batch
};

/// Cells that hold the addresses of live objects; threads allocate them, and pass them on, in
/// batches.
///
/// | operation | caller                           | progress                       |
/// |-----------|----------------------------------|--------------------------------|
/// | reserve   | any, with a cache of its own     | lock-free; may allocate        |
/// | remove    | the owner of the cell            | lock-free                      |
/// | give_all  | the owner of the cache           | lock-free                      |
/// | visit     | any, also in a signal handler    | wait-free, one step for a cell |
///
/// Invariants
///  R1  A cell is in one cache, in one spare batch, or in use.
///  R2  An object that visit finds was registered; it may have been removed, and freed, meanwhile.
///      While no thread registers or removes anything, visit finds all objects.
///  R3  A thread that wants a spare batch takes all of them as one list and puts all but one back
///      as one list: so the cost does not grow with their number. A thread that finds none, and
///      sees that another thread has them, looks again a few times before it allocates a batch; so
///      their number does not grow needlessly.
template <std::size_t Batch>
class basic_registry {
public:
    basic_registry() noexcept = default; // constexpr where atomics are
#ifdef WEFT_MODEL
    /// Each execution ends, and what it does not free is a leak.
    ~basic_registry() {
        for (chunk* each = chunks_.load(sync::relaxed); each != nullptr;) {
            sync::destroy(std::exchange(each, each->next.read()));
        }
    }
#endif
    basic_registry(const basic_registry&) = delete;
    basic_registry& operator=(const basic_registry&) = delete;

    /// Returns a cell that holds nothing yet; `own` is the calling thread's cache.
    [[nodiscard]] registry_cell& reserve(registry_cache& own) {
        if (own.some_ == nullptr) refill(own);
        registry_cell& taken = *own.some_;
        own.some_ = taken.more.read();
        if (own.count_ > 0) --own.count_; // an estimate, if a batch was short
        return taken;
    }
    /// The cell is free again; it goes to the calling thread's cache if it has one.
    void remove(registry_cell& cell, registry_cache* own) noexcept {
        cell.object.store(nullptr, sync::relaxed);
        if (own == nullptr) {
            cell.more.write(nullptr);
            give(cell, cell);
            return;
        }
        cell.more.write(own->some_);
        own->some_ = &cell;
        if (++own->count_ < Batch) return;
        if (own->full_ != nullptr) give(*own->full_, *own->full_);
        own->full_ = own->some_;
        own->some_ = nullptr;
        own->count_ = 0;
    }
    /// Called at the end of a cache.
    void give_all(registry_cache& own) noexcept {
        if (own.some_ != nullptr) give(*own.some_, *own.some_);
        if (own.full_ != nullptr) give(*own.full_, *own.full_);
        own.some_ = own.full_ = nullptr;
        own.count_ = 0;
    }

    template <class Use>
    void visit(Use use) const {
        // acquire, pairs with make_chunk(): the cells [REGISTRY-1]
        for (const chunk* each = chunks_.load(sync::acquire); each != nullptr;
             each = each->next.read()) {
            for (const registry_cell& cell : each->cells) {
                if (const void* object = cell.object.load(sync::relaxed)) use(object);
            }
        }
    }

private:
    struct chunk {
        sync::plain<chunk*> next{nullptr};
        std::array<registry_cell, Batch> cells;
    };

    void refill(registry_cache& empty) {
        if (empty.full_ != nullptr) {
            empty.some_ = empty.full_;
            empty.full_ = nullptr;
            empty.count_ = Batch;
            return;
        }
        empty.some_ = take_spare();
        empty.count_ = 0;
        if (empty.some_ != nullptr) return;
        empty.some_ = make_chunk();
        empty.count_ = Batch;
    }

    /// Puts a list of batches back; `last` is the last of it.
    void give(registry_cell& first, registry_cell& last) noexcept {
        registry_cell* before = spare_.load(sync::relaxed);
        do last.next.write(before);
        // release, pairs with take_all(): the cells, and what was done with them [REGISTRY-3]
        while (!spare_.compare_exchange_weak(before, &first, sync::release, sync::relaxed));
    }
    /// No thread follows a link of a spare batch; so it belongs to the caller at once.
    registry_cell* take_all() noexcept {
        if (spare_.load(sync::relaxed) == nullptr) return nullptr;
        return spare_.exchange(nullptr, sync::acquire); // pairs with give() [REGISTRY-4]
    }
    /// A batch, or null if there is none.
    registry_cell* take_spare() noexcept {
        takers_.fetch_add(1, sync::relaxed);
        registry_cell* first = take_all();
        for (int i = 0; first == nullptr && i < constants::spare_batch_rounds &&
                        takers_.load(sync::relaxed) > 1;
             ++i) {
            sync::pause();
            first = take_all();
        }
        if (first != nullptr) put_back(first->next.read());
        takers_.fetch_sub(1, sync::relaxed);
        return first;
    }
    /// Others may have put back some meanwhile. These come in front: they are fewer, as a rule.
    void put_back(registry_cell* rest) noexcept {
        while (rest != nullptr) {
            registry_cell* nothing = nullptr;
            // As give() [REGISTRY-3]
            if (spare_.compare_exchange_strong(nothing, rest, sync::release, sync::relaxed)) return;
            registry_cell* others = take_all();
            if (others == nullptr) continue;
            registry_cell* last = others;
            while (registry_cell* after = last->next.read()) last = after;
            last->next.write(std::exchange(rest, others));
        }
    }

    registry_cell* make_chunk() {
        auto* made = sync::make<chunk>();
        registry_cell* first = nullptr;
        for (registry_cell& each : made->cells) {
            each.more.write(first);
            first = &each;
        }
        chunk* head = chunks_.load(sync::relaxed);
        do made->next.write(head);
        // release, pairs with visit() [REGISTRY-2]
        while (!chunks_.compare_exchange_weak(head, made, sync::release, sync::relaxed));
        return first;
    }

    sync::atomic<chunk*> chunks_{nullptr};
    sync::atomic<registry_cell*> spare_{nullptr}; // batches, linked by `next`
    sync::atomic<int> takers_{0};                 // threads between taking all and putting back
};
using registry = basic_registry<constants::registry_batch>;

} // namespace weft::inline v0::detail
