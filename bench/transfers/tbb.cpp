// Tasks of oneTBB that lock.
#include "transfers/locked_bank.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace bench::transfers {
namespace {

/// First the next chunk, then this one: the youngest is run first.
template <class Bank>
void submit_from(tbb::task_group& group, Bank& bank, std::size_t first, std::size_t last) {
    if (first == last) return;
    group.run([&group, &bank, first, last] {
        const std::size_t end = std::min(first + chunk, last);
        submit_from(group, bank, end, last);
        for (std::size_t job = first; job != end; ++job)
            group.run([&bank, job] { bank.work(job); });
    });
}

double run(const job_list& jobs, std::size_t threads) {
    return on_locked_bank<ordered_locking>(jobs, threads, [](auto& bank, std::size_t count) {
        const tbb::global_control control{tbb::global_control::max_allowed_parallelism, count};
        tbb::task_arena arena{static_cast<int>(count)};
        return arena.execute([&] {
            tbb::task_group group;
            group.run_and_wait([] {});
            const std::size_t size = bank.jobs().size();
            const std::size_t share = (size + count - 1) / count;
            const stopwatch watch;
            for (std::size_t i = 0; i != count; ++i) {
                const std::size_t first = std::min(i * share, size);
                submit_from(group, bank, first, std::min(first + share, size));
            }
            group.wait();
            return watch.seconds();
        });
    });
}

const registration registered{
    {"transfers", "tbb-mutex", [](const request& how) { return contestants(how, run); }}};

} // namespace
} // namespace bench::transfers
