// Threads that lock, and no tasks at all.
#include "transfers/locked_bank.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace bench::transfers {
namespace {

template <class Locking>
double run(const job_list& jobs, std::size_t threads) {
    return on_locked_bank<Locking>(jobs, threads, [](auto& bank, std::size_t count) {
        std::atomic<std::size_t> next{0};
        std::atomic<bool> go{false};
        std::vector<std::thread> all;
        for (std::size_t i = 0; i != count; ++i) {
            all.emplace_back([&] {
                go.wait(false);
                const std::size_t size = bank.jobs().size();
                for (;;) {
                    const std::size_t first = next.fetch_add(chunk, std::memory_order_relaxed);
                    if (first >= size) return;
                    const std::size_t last = std::min(first + chunk, size);
                    for (std::size_t job = first; job != last; ++job) bank.work(job);
                }
            });
        }
        const stopwatch watch;
        go = true;
        go.notify_all();
        for (std::thread& each : all) each.join();
        return watch.seconds();
    });
}

const registration in_order{{"transfers", "mutex", [](const request& request) {
                                 return contestants(request, run<ordered_locking>);
                             }}};
const registration scoped{{"transfers", "scoped-lock", [](const request& request) {
                               return contestants(request, run<scoped_locking>);
                           }}};

} // namespace
} // namespace bench::transfers
