// Where a pool keeps its time source, if it has one.
#pragma once

#include <weft/detail/pool/time_source.hpp>
#include <weft/detail/sync/atomic.hpp>

#include <memory>

namespace weft::inline v0::detail {

/// Empty until the pool gets its first timer; then it has one time source for good.
///
/// | operation | called by | progress  |
/// |-----------|-----------|-----------|
/// | find      | any       | wait-free |
/// | keep      | any       | wait-free |
class time_slot {
public:
    time_slot() = default;
    ~time_slot() { delete source_.load(sync::relaxed); } // no thread uses the pool any more
    time_slot(const time_slot&) = delete;
    time_slot& operator=(const time_slot&) = delete;

    /// The time source, or null.
    [[nodiscard]] time_source* find() const noexcept {
        return source_.load(sync::acquire); // pairs with keep() [TIME-1]
    }
    /// Keeps this one, unless another thread was faster. Returns the one that is kept.
    [[nodiscard]] time_source& keep(std::unique_ptr<time_source> made) noexcept {
        time_source* found = nullptr;
        // release for what was made, acquire for what another thread has made: pairs with find()
        // and itself [TIME-2]
        if (source_.compare_exchange_strong(found, made.get(), sync::release, sync::acquire)) {
            return *made.release();
        }
        return *found;
    }

private:
    sync::atomic<time_source*> source_{nullptr};
};

} // namespace weft::inline v0::detail
