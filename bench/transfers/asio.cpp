// Handlers of Asio on a pool of threads: with locks, and with one strand for all.
#include "transfers/locked_bank.hpp"

#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

namespace bench::transfers {
namespace {

template <class Bank, class Executor>
void submit_chunk(asio::thread_pool& pool, const Executor& executor, chunk_chains& chains,
                  Bank& bank) {
    asio::post(pool, [&pool, executor, &chains, &bank] {
        chains.submit_next([&](std::size_t job) {
            asio::post(executor, [&pool, executor, &chains, &bank, job] {
                bank.work(job);
                if (chunk_chains::goes_on_after(job)) submit_chunk(pool, executor, chains, bank);
            });
        });
    });
}

template <class Bank, class Executor>
double submit_all(asio::thread_pool& pool, const Executor& executor, Bank& bank,
                  std::size_t threads) {
    chunk_chains chains{bank.jobs()};
    const stopwatch watch;
    for (std::size_t i = 0; i != threads; ++i) submit_chunk(pool, executor, chains, bank);
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

const registration locking{{"transfers", "asio-mutex", [](const request& request) {
                                return contestants(request, run_locking);
                            }}};
const registration on_strand{{"transfers", "asio-strand", [](const request& request) {
                                  return contestants(request, run_on_strand);
                              }}};

} // namespace
} // namespace bench::transfers
