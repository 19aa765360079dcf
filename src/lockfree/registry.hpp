// What is alive, to be looked at by anybody at any time.
#pragma once

#include "lockfree/inbox.hpp"
#include "sync/atomic.hpp"
#include "sync/memory.hpp"
#include "sync/plain.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace weft::detail {

/// A place in a registry. Never freed, so that it may be looked at without asking.
struct registry_cell {
    sync::atomic<const void*> what{nullptr};
    registry_cell* next = nullptr; // the inbox's, in the first of a batch
    registry_cell* more = nullptr; // of the same batch, or of the same cache
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

/// Cells that hold addresses of what is alive; they are made and passed from thread to thread by batches.
/// What was made stays until the process ends.
///
/// | operation | who                                  | progress                        |
/// |-----------|--------------------------------------|---------------------------------|
/// | reserve   | any, with a cache of its own         | lock-free; may allocate         |
/// | remove    | who has the cell                     | lock-free                       |
/// | give_all  | who has the cache                    | lock-free                       |
/// | visit     | any, also in a signal handler        | wait-free, one step for a cell  |
///
/// Invariants
///  R1  A cell is in one cache, in one batch of the inbox, or in use.
///  R2  What visit finds was registered and may have been removed, and be gone, meanwhile. When nobody
///      registers or removes, it finds what there is.
template <std::size_t Batch>
class basic_registry {
public:
    basic_registry() noexcept = default; // constant where atomics are
    basic_registry(const basic_registry&) = delete;
    basic_registry& operator=(const basic_registry&) = delete;

    /// A cell that holds nothing yet; `own` is the calling thread's.
    [[nodiscard]] registry_cell& reserve(registry_cache& own) {
        if (own.some_ == nullptr) refill(own);
        registry_cell& taken = *own.some_;
        own.some_ = taken.more;
        if (own.count_ > 0) --own.count_; // of a batch that was short it is a guess
        return taken;
    }
    /// The cell is free again; it goes to the calling thread's cache if it has one.
    void remove(registry_cell& cell, registry_cache* own) noexcept {
        cell.what.store(nullptr, sync::relaxed);
        if (own == nullptr) {
            cell.more = nullptr;
            spare_.push(&cell);
            return;
        }
        cell.more = own->some_;
        own->some_ = &cell;
        if (++own->count_ < Batch) return;
        if (own->full_ != nullptr) spare_.push(own->full_);
        own->full_ = own->some_;
        own->some_ = nullptr;
        own->count_ = 0;
    }
    /// At the end of a cache.
    void give_all(registry_cache& own) noexcept {
        if (own.some_ != nullptr) spare_.push(own.some_);
        if (own.full_ != nullptr) spare_.push(own.full_);
        own.some_ = own.full_ = nullptr;
        own.count_ = 0;
    }

    template <class Use>
    void visit(Use use) const {
        // acquire, pairs with make_chunk(): the cells [REGISTRY-1]
        for (const chunk* each = chunks_.load(sync::acquire); each != nullptr;
             each = each->next.read()) {
            for (const registry_cell& cell : each->cells) {
                if (const void* what = cell.what.load(sync::relaxed)) use(what);
            }
        }
    }

    /// For a registry that ends before its process, when nobody uses it any more.
    void free_all() noexcept {
        static_cast<void>(spare_.take_all());
        for (chunk* each = chunks_.load(sync::relaxed); each != nullptr;) {
            sync::destroy(std::exchange(each, each->next.read()));
        }
    }

private:
    struct chunk {
        sync::plain<chunk*> next{nullptr};
        std::array<registry_cell, Batch> cells;
    };

    void refill(registry_cache& into) {
        if (into.full_ != nullptr) {
            into.some_ = into.full_;
            into.full_ = nullptr;
            into.count_ = Batch;
            return;
        }
        registry_cell* others = spare_.take_all();
        if (others == nullptr) {
            into.some_ = make_chunk();
            into.count_ = Batch;
            return;
        }
        into.some_ = others;
        into.count_ = 0;
        for (others = others->next; others != nullptr;) {
            registry_cell* after = others->next;
            spare_.push(others);
            others = after;
        }
    }
    registry_cell* make_chunk() {
        auto* made = sync::make<chunk>();
        registry_cell* first = nullptr;
        for (registry_cell& each : made->cells) {
            each.more = first;
            first = &each;
        }
        chunk* head = chunks_.load(sync::relaxed);
        do made->next.write(head);
        // release, pairs with visit() [REGISTRY-2]
        while (!chunks_.compare_exchange_weak(head, made, sync::release, sync::relaxed));
        return first;
    }

    sync::atomic<chunk*> chunks_{nullptr};
    inbox<registry_cell> spare_;
};
using registry = basic_registry<256>;

} // namespace weft::detail
