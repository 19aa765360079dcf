// An operation that ends when its time has come.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/pool/alarm_time.hpp>
#include <weft/detail/pool/operation.hpp>
#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/timer/timer_node.hpp>

#include <cstdint>

namespace weft::inline v0::detail {

/// What `sleep_for` and `sleep_until` return: see `operation`. It allocates nothing; all it needs
/// is in the object.
class sleep_operation : timer_node {
public:
    using result_type = void;
    enum class measure : bool { delay, deadline };

    /// A null pool is that of the thread that starts it. A delay is counted from then on.
    sleep_operation(pool_front* home, alarm_time time, measure measured) noexcept
        : timer_node{&ended_sleep}, measured_{measured}, context_{home} {
        deadline.store(time, sync::relaxed);
    }

    /// Throws `outside_pool` if it has no pool and the caller is no worker, `stopped` if its pool
    /// accepts nothing from the caller, and std::bad_alloc.
    WEFT_API bool start(completion_node& end);
    WEFT_API void cancel() noexcept;
    /// Throws `cancelled`, or `not_run` if the pool was stopped before.
    WEFT_API void take() const;

private:
    WEFT_API static void ended_sleep(timer_node& self, timer_end reason) noexcept;

    const measure measured_;
    void* context_; // the pool, or null; from the start on, the completion_node
};

#ifndef WEFT_MODEL
static_assert(sizeof(sleep_operation) <= 64);
#endif
static_assert(operation<sleep_operation>);

} // namespace weft::inline v0::detail
