#include "timers/config.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/timer.hpp>

#include <future>

namespace bench::timers {
namespace {

struct weft_timers {
    template <class Move>
    static double move_each(const moves& all, std::size_t live, Move move) {
        weft::pool pool{1};
        const double each = pool.run([&] {
            std::vector<weft::timer> timers;
            timers.reserve(live);
            for (std::size_t i = 0; i != live; ++i) timers.push_back(weft::at(all.first(i), [] {}));
            const auto start = clock::now();
            for (std::size_t i = 0; i != move_count; ++i) move(timers[all.index[i]], i);
            const double found = since(start, move_count);
            for (weft::timer& timer : timers) timer.cancel();
            return found;
        });
        return each;
    }
    static double move(const moves& all, std::size_t live) {
        return move_each(
            all, live, [&](weft::timer& timer, std::size_t i) { timer.restart(all.deadline[i]); });
    }
    static double move_after(const moves& all, std::size_t live) {
        const auto begin = clock::now();
        return move_each(all, live, [&](weft::timer& timer, std::size_t i) {
            timer.restart(all.deadline[i] - begin);
        });
    }
    /// The worker that has started them does nothing else meanwhile.
    static double cancel() {
        weft::pool pool{1};
        std::vector<weft::timer> timers;
        pool.run([&] {
            for (std::size_t i = 0; i != cancel_count; ++i) {
                timers.push_back(weft::after(std::chrono::hours{1}, [] {}));
            }
        });
        const auto start = clock::now();
        for (weft::timer& timer : timers) timer.cancel();
        return since(start, cancel_count);
    }
    static double fire() {
        weft::pool pool{1};
        fired_span span;
        pool.run([&] {
            const auto time = clock::now() + std::chrono::milliseconds{100};
            for (std::size_t i = 0; i != fire_count; ++i) weft::at(time, [&] { span.note(); });
        });
        return span.wait();
    }
    static std::vector<double> late(std::size_t threads) {
        weft::pool pool{threads};
        std::vector<double> found;
        for (std::size_t i = 0; i != late_count; ++i) {
            std::promise<void> done;
            const auto due = clock::now() + delay;
            weft::at(pool, due, [&] {
                using microseconds = std::chrono::duration<double, std::micro>;
                found.push_back(microseconds{clock::now() - due}.count());
                done.set_value();
            });
            done.get_future().get();
        }
        return found;
    }
};

/// What a coroutine or an operation that waits has inside: 64 bytes, without a callable.
struct weft_nodes {
    struct alignas(64) node : weft::detail::timer_node {
        node() : timer_node{[](timer_node&, weft::detail::timer_end) noexcept {}} {}
    };
    static_assert(sizeof(node) == 64);

    template <class Move>
    static double move_each(const moves& all, std::size_t live, Move move) {
        weft::pool pool{1};
        return pool.run([&] {
            std::vector<node> nodes(live);
            for (std::size_t i = 0; i != live; ++i) {
                const auto time = weft::detail::alarm_at(all.first(i));
                static_cast<void>(weft::detail::start_timer(pool.front(), nodes[i], time));
            }
            const auto start = clock::now();
            for (std::size_t i = 0; i != move_count; ++i) {
                static_cast<void>(weft::detail::move_timer(nodes[all.index[i]], move(i)));
            }
            const double found = since(start, move_count);
            for (node& each : nodes) weft::detail::cancel_timer(each);
            return found;
        });
    }
    static double move(const moves& all, std::size_t live) {
        return move_each(all, live,
                         [&](std::size_t i) { return weft::detail::alarm_at(all.deadline[i]); });
    }
    static double move_after(const moves& all, std::size_t live) {
        const auto begin = clock::now();
        return move_each(all, live, [&](std::size_t i) {
            return weft::detail::alarm_after(all.deadline[i] - begin);
        });
    }
};

const registration registered{{"timers", "weft", contestants<weft_timers>}};
const registration nodes{{"timers", "weft-node", contestants<weft_nodes>}};

} // namespace
} // namespace bench::timers
