// Handlers of Asio on a pool of threads: with locks, and with one strand for all.
#include "transfers/locked_bank.hpp"

#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

namespace bench::transfers {
namespace {

/// The queue is first in, first out: this chunk, then the next.
template <class Bank, class Executor>
void submit_from(asio::thread_pool& pool, const Executor& where, Bank& bank, std::size_t first,
                 std::size_t last) {
    if (first == last) return;
    asio::post(pool, [&pool, where, &bank, first, last] {
        const std::size_t end = std::min(first + chunk, last);
        for (std::size_t job = first; job != end; ++job) {
            asio::post(where, [&bank, job] { bank.work(job); });
        }
        submit_from(pool, where, bank, end, last);
    });
}

template <class Bank, class Executor>
double submit_all(asio::thread_pool& pool, const Executor& where, Bank& bank, std::size_t threads) {
    const std::size_t size = bank.jobs().size();
    const std::size_t share = (size + threads - 1) / threads;
    const stopwatch watch;
    for (std::size_t i = 0; i != threads; ++i) {
        const std::size_t first = std::min(i * share, size);
        submit_from(pool, where, bank, first, std::min(first + share, size));
    }
    pool.join();
    return watch.seconds();
}

double run_locking(const job_list& jobs, std::size_t threads) {
    return on_locked_bank<ordered_locking>(jobs, threads, [](auto& bank, std::size_t count) {
        asio::thread_pool pool{count};
        return submit_all(pool, pool.get_executor(), bank, count);
    });
}

/// A lock that nobody needs.
struct no_mutex {
    static void lock() {}
    static void unlock() {}
    static void lock_shared() {}
    static void unlock_shared() {}
};

double run_on_strand(const job_list& jobs, std::size_t threads) {
    asio::thread_pool pool{threads};
    locked_bank<no_mutex, ordered_locking> bank{jobs};
    const double taken = submit_all(pool, asio::make_strand(pool), bank, threads);
    bank.check();
    return taken;
}

const registration locking{
    {"transfers", "asio-mutex", [](const request& how) { return contestants(how, run_locking); }}};
const registration on_strand{{"transfers", "asio-strand",
                              [](const request& how) { return contestants(how, run_on_strand); }}};

} // namespace
} // namespace bench::transfers
