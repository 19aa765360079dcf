// Tasks of oneTBB that lock.
#include "transfers/locked_bank.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace bench::transfers {
namespace {

template <class Bank>
void submit_chunk(tbb::task_group& group, chunk_chains& chains, Bank& bank) {
    group.run([&group, &chains, &bank] {
        chains.submit_next([&](std::size_t job) {
            group.run([&group, &chains, &bank, job] {
                bank.work(job);
                if (chunk_chains::goes_on_after(job)) submit_chunk(group, chains, bank);
            });
        });
    });
}

double run(const job_list& jobs, std::size_t threads) {
    return on_locked_bank<ordered_locking>(jobs, threads, [](auto& bank, std::size_t count) {
        const tbb::global_control control{tbb::global_control::max_allowed_parallelism, count};
        tbb::task_arena arena{static_cast<int>(count)};
        return arena.execute([&] {
            tbb::task_group group;
            group.run_and_wait([] {});
            chunk_chains chains{bank.jobs()};
            const stopwatch watch;
            for (std::size_t i = 0; i != count; ++i) submit_chunk(group, chains, bank);
            group.wait();
            return watch.seconds();
        });
    });
}

const registration registered{
    {"transfers", "tbb-mutex", [](const request& request) { return contestants(request, run); }}};

} // namespace
} // namespace bench::transfers
