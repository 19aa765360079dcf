// A pool for which a thread outside it works for a moment.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/thread_local_value.hpp>
#include <weft/error.hpp>

namespace weft::inline v0::detail {

/// The tag of the thread-local word; see `current_worker`.
struct WEFT_API represented_tag;

/// While it lives, the calling thread, which is no worker, does work of this pool: calls that need
/// a pool and name none use this one. So a body behaves alike whether its caller or a worker runs
/// it.
class pool_representative {
public:
    explicit pool_representative(pool_front& pool) noexcept : before_{represented::get()} {
        represented::set(&pool);
    }
    ~pool_representative() { represented::set(before_); }
    pool_representative(const pool_representative&) = delete;
    pool_representative& operator=(const pool_representative&) = delete;

    /// The pool of the calling thread, or null.
    [[nodiscard]] static pool_front* pool() noexcept {
        return static_cast<pool_front*>(represented::get());
    }

private:
    using represented = sync::thread_local_value<represented_tag, void*>;
    void* before_;
};

/// The pool of calls that name none: that of the calling worker, or the one that the calling thread
/// represents. Throws `outside_pool` if there is none.
[[nodiscard]] inline pool_front& implied_pool(const char* call) {
    const worker* caller = worker::current();
    pool_front* found = caller != nullptr ? &caller->pool() : pool_representative::pool();
    if (found == nullptr) throw error{errc::outside_pool, call};
    return *found;
}

} // namespace weft::inline v0::detail
