#include "timers/config.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <future>
#include <system_error>

namespace bench::timers {
namespace {

struct asio_timers {
    /// A timer that is moved calls its old handler, so that the context has to run these too.
    template <class Move>
    static double move_each(const moves& all, std::size_t live, Move move) {
        asio::io_context context{1};
        std::vector<asio::steady_timer> timers;
        timers.reserve(live);
        for (std::size_t i = 0; i != live; ++i) {
            timers.emplace_back(context, all.first(i));
            timers.back().async_wait([](const std::error_code&) {});
        }
        const auto start = clock::now();
        for (std::size_t i = 0; i != move_count; ++i) {
            asio::steady_timer& timer = timers[all.index[i]];
            move(timer, i);
            timer.async_wait([](const std::error_code&) {});
            if (i % 64 == 0) context.poll();
        }
        context.poll();
        return since(start, move_count);
    }
    static double move(const moves& all, std::size_t live) {
        return move_each(all, live, [&](asio::steady_timer& timer, std::size_t i) {
            timer.expires_at(all.deadline[i]);
        });
    }
    static double move_after(const moves& all, std::size_t live) {
        const auto begin = clock::now();
        return move_each(all, live, [&](asio::steady_timer& timer, std::size_t i) {
            timer.expires_after(all.deadline[i] - begin);
        });
    }
    /// The handlers that this calls are run by the thread of the context, and are not measured.
    static double cancel() {
        asio::io_context context{2};
        std::vector<asio::steady_timer> timers;
        timers.reserve(cancel_count);
        std::thread starter{[&] {
            for (std::size_t i = 0; i != cancel_count; ++i) {
                timers.emplace_back(context, std::chrono::hours{1});
                timers.back().async_wait([](const std::error_code&) {});
            }
        }};
        starter.join();
        const auto start = clock::now();
        for (asio::steady_timer& timer : timers) timer.cancel();
        const double each = since(start, cancel_count);
        context.poll();
        return each;
    }
    static double fire() {
        asio::io_context context{1};
        fired_span span;
        std::vector<asio::steady_timer> timers;
        timers.reserve(fire_count);
        const auto time = clock::now() + std::chrono::milliseconds{100};
        for (std::size_t i = 0; i != fire_count; ++i) {
            timers.emplace_back(context, time);
            timers.back().async_wait([&](const std::error_code&) { span.note(); });
        }
        context.run();
        return span.wait();
    }
    static std::vector<double> late(std::size_t threads) {
        asio::io_context context{static_cast<int>(threads)};
        auto work = asio::make_work_guard(context);
        std::vector<std::thread> workers;
        for (std::size_t i = 0; i != threads; ++i) workers.emplace_back([&] { context.run(); });
        std::vector<double> found;
        for (std::size_t i = 0; i != late_count; ++i) {
            std::promise<void> done;
            const auto due = clock::now() + delay;
            asio::steady_timer timer{context, due};
            timer.async_wait([&](const std::error_code&) {
                using microseconds = std::chrono::duration<double, std::micro>;
                found.push_back(microseconds{clock::now() - due}.count());
                done.set_value();
            });
            done.get_future().get();
        }
        work.reset();
        for (std::thread& each : workers) each.join();
        return found;
    }
};

const registration registered{{"timers", "asio", contestants<asio_timers>}};

} // namespace
} // namespace bench::timers
