// Calls that block.
#pragma once

#include <weft/detail/pool/worker.hpp>

#include <functional>
#include <utility>

namespace weft::inline v0 {

/// Runs `call`, which may block for long. First it lets other workers steal everything this worker
/// has forked, and wakes one of them. If the pool has extra threads, one of them works in this
/// worker's place until `call` returns. Outside a pool it only runs `call`. Tasks that wait on
/// other stacks of this thread do not go on meanwhile: docs/fork-join.md, "Rules of waiting".
template <class Call>
decltype(auto) blocking(Call&& call) {
    struct stand_in {
        detail::worker* blocked;
        explicit stand_in(detail::worker* caller) noexcept : blocked{caller} {
            if (blocked == nullptr) return;
            blocked->publish();
            blocked->pool().begin_blocking(*blocked);
        }
        ~stand_in() {
            if (blocked != nullptr) blocked->pool().end_blocking(*blocked);
        }
        stand_in(const stand_in&) = delete;
        stand_in& operator=(const stand_in&) = delete;
    } const meanwhile{detail::worker::current()};
    return std::invoke(std::forward<Call>(call));
}

} // namespace weft::inline v0
