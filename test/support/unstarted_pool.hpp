// A pool whose workers the test drives itself.
#pragma once

#include "pool/finder.hpp"
#include "pool/pool_core.hpp"
#include "pool/worker_thread.hpp"

#include <weft/detail/pool/worker.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace weft::test {

/// A pool as it is before its threads start. The threads of the test are its workers: they call
/// what the pool's own threads call, or some of it.
class unstarted_pool {
public:
    explicit unstarted_pool(std::size_t workers)
        : unstarted_pool{pool_options{.workers = workers}} {}
    explicit unstarted_pool(pool_options options)
        : core_{*reinterpret_cast<weft::pool*>(face_), completed(std::move(options))} {}

    [[nodiscard]] detail::pool_core& core() noexcept { return core_; }
    [[nodiscard]] detail::worker& operator[](std::size_t index) noexcept {
        return *core_.workers[index];
    }
    [[nodiscard]] detail::finder finder(std::size_t index) noexcept {
        return {core_, *core_.workers[index]};
    }

    /// A callable that runs `body(worker)` on the thread that calls it, as this worker.
    template <class Body>
    [[nodiscard]] auto as_worker(std::size_t index, Body body) {
        return [this, index, body = std::move(body)] {
            detail::worker& self = *core_.workers[index];
            const detail::worker::thread_binding bound{self, core_.options.stack_size};
            body(self);
        };
    }
    /// A callable that is the whole life of this worker's thread, which counts as started.
    [[nodiscard]] auto thread_of(std::size_t index) {
        core_.sleep.come_back();
        return [this, index] { detail::worker_thread{core_, *core_.workers[index]}.run(); };
    }

private:
    static pool_options completed(pool_options options) {
        if (options.stack_size == 0) options.stack_size = std::size_t{192} << 10;
        if (!options.stealing) options.stealing = std::make_shared<random_stealing>();
        return options;
    }

    alignas(weft::pool) std::byte face_[sizeof(weft::pool)]{}; // nothing asks for it
    detail::pool_core core_;
};

} // namespace weft::test
