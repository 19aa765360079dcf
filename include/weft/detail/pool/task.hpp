// What workers run.
#pragma once

#include <weft/detail/lockfree/join_word.hpp>
#include <weft/detail/sync/plain.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>

namespace weft::inline v0::detail {

class worker;

/// The head of every task object that queues hold.
struct task {
    /// Runs the task, or drops it if another thread has run it; the queue's hold on it ends.
    void (*run)(task& self, worker& runner) noexcept;
    task* next = nullptr; // the inbox's
};

/// A forked child, described in place in its worker's deque. Only `run` and the payload are written
/// when it is pushed; the rest when it is shared, which is rare.
struct alignas(64) scoped_child {
    static constexpr std::size_t payload_size = 32;

    scoped_child() noexcept {} // NOLINT(modernize-use-equals-default): the union stays unmade
    ~scoped_child() {}         // NOLINT(modernize-use-equals-default)
    scoped_child(const scoped_child&) = delete;
    scoped_child& operator=(const scoped_child&) = delete;

    /// Runs the closure in the payload and leaves its outcome there.
    void (*run)(scoped_child& self, worker& thief) noexcept;
    alignas(8) std::byte payload[payload_size];
    union {
        join_word join;
    };
    union { // where the thief's deque began when it took this child
        sync::plain<std::uint32_t> thief_base;
    };
    union {
        const std::stop_token* stop; // of the task it belongs to, or null; until it is stolen
        worker* thief;               // from then on
    };
    bool failed; // the outcome is an exception
};
#ifndef WEFT_MODEL
static_assert(sizeof(scoped_child) == 64);
#endif

} // namespace weft::inline v0::detail
