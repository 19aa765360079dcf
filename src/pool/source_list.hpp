// The work sources of a pool.
#pragma once

#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/model_constants.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>
#include <weft/pool.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::inline v0::detail {

/// A fixed number of cells for sources. A worker enters a cell before it looks at the source in
/// it; a thread that empties a cell waits until no worker is inside. Both are store-buffering
/// pairs with a fence on each side: either the worker sees the cell empty, or the remover sees the
/// worker inside.
class source_list {
public:
    static constexpr std::size_t most = constants::most_sources;

    void attach(work_source& source) {
        for (std::size_t index = 0; index < end_.load(sync::relaxed); ++index) {
            if (cells_[index].source.load(sync::relaxed) == &source) {
                throw error{errc::invalid_argument, "weft::pool::attach"};
            }
        }
        for (std::size_t index = 0; index < most; ++index) {
            work_source* expected = nullptr;
            // release, pairs with visit() [SOURCE-1]
            if (cells_[index].source.compare_exchange_strong(expected, &source, sync::release,
                                                             sync::relaxed)) {
                std::size_t end = end_.load(sync::relaxed);
                while (end <= index &&
                       !end_.compare_exchange_weak(end, index + 1, sync::relaxed, sync::relaxed)) {
                }
                return;
            }
        }
        throw error{errc::full, "weft::pool::attach"};
    }

    void detach(work_source& source) noexcept {
        for (cell& each : cells_) {
            if (each.source.load(sync::relaxed) != &source) continue;
            each.source.store(nullptr, sync::relaxed);
            // pairs with the fence in visit() [SOURCE-2]
            sync::fence(sync::seq_cst);
            // acquire, pairs with the leaving in visit() [SOURCE-3]
            while (each.inside.load(sync::acquire) != 0) sync::yield();
            return;
        }
    }

    /// Calls `use(source)` for each source until one call returns true, beginning at `turn`, which
    /// is then set to the cell after that one.
    template <class Use>
    bool visit(std::size_t& turn, Use use) noexcept {
        const std::size_t end = end_.load(sync::relaxed);
        for (std::size_t i = 0, index = turn; i < end; ++i, ++index) {
            if (index >= end) index = 0;
            cell& each = cells_[index];
            if (each.source.load(sync::relaxed) == nullptr) continue;
            each.inside.fetch_add(1, sync::relaxed);
            // pairs with the fence in detach() [SOURCE-4]
            sync::fence(sync::seq_cst);
            work_source* source = each.source.load(sync::acquire); // pairs with attach() [SOURCE-5]
            const bool used = source != nullptr && use(*source);
            each.inside.fetch_sub(1, sync::release); // pairs with detach() [SOURCE-6]
            if (used) {
                turn = index + 1;
                return true;
            }
        }
        return false;
    }
    /// The same, beginning with the first.
    template <class Use>
    bool visit(Use use) noexcept {
        std::size_t turn = 0;
        return visit(turn, use);
    }

private:
    struct cell {
        sync::atomic<work_source*> source{nullptr};
        sync::atomic<std::uint32_t> inside{0};
    };
    std::array<cell, most> cells_{};
    sync::atomic<std::size_t> end_{0}; // no cell from here on was ever taken
};

} // namespace weft::inline v0::detail
