// A pool for which a thread outside it works for a moment.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/sync/thread_local_value.hpp>

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

} // namespace weft::inline v0::detail
