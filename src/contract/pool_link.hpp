// A group's connection to its pool, which may end soon after the group.
#pragma once

#include "contract/contract_store.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/pool.hpp>

#include <cstddef>

namespace weft::inline v0::detail {

/// While a call of a handle may still notify the pool, the end of the group waits (contract_block,
/// K7). Calls that find the contract closing create no such object: so their number falls to zero.
class notifying {
public:
    explicit notifying(contract_block& block) noexcept : block_{block} { block_.begin_notifying(); }
    ~notifying() { block_.end_notifying(); }
    notifying(const notifying&) = delete;
    notifying& operator=(const notifying&) = delete;

private:
    contract_block& block_;
};

/// | operation   | caller                                            | progress                  |
/// |-------------|---------------------------------------------------|---------------------------|
/// | attach      | the group's constructor                           | as the pool               |
/// | notify      | a handle while it is `notifying`; the pool's workers | wait-free              |
/// | is_attached | any thread                                        | wait-free                 |
/// | leave       | the end of the group                              | waits for the handles     |
class pool_link {
public:
    /// Null if there is no pool.
    explicit pool_link(weft::pool* pool) noexcept : pool_{pool} {}

    void attach(work_source& source) {
        if (pool_ == nullptr) return;
        attached_.store(true, sync::relaxed);
        pool_->attach(source);
    }
    [[nodiscard]] bool is_attached() const noexcept { return attached_.load(sync::relaxed); }
    /// Wakes a worker; false if there is no pool.
    bool notify() noexcept {
        if (!is_attached()) return false;
        pool_->notify();
        return true;
    }
    /// No handle of these contracts uses the pool afterwards.
    // NOLINTNEXTLINE(bugprone-exception-escape): a group that ends in its own run ends the program
    void leave(work_source& source, const contract_store& contracts) noexcept {
        if (!is_attached()) return;
        attached_.store(false, sync::relaxed);
        // K7, pairs with the fences of schedule(), request_release() and set_priority() [GROUP-3]
        sync::fence(sync::seq_cst);
        for (std::size_t block = 0; block < contracts.blocks(); ++block) {
            while (!contracts.block(block).nobody_notifies()) sync::yield();
        }
        pool_->detach(source);
    }

private:
    weft::pool* const pool_;
    sync::atomic<bool> attached_{false};
};

} // namespace weft::inline v0::detail
