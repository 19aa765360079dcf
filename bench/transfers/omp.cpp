// Tasks of OpenMP that depend on each other by the accounts they name; one thread makes them all.
#include "transfers/locked_bank.hpp"

#include <omp.h>

namespace bench::transfers {
namespace {

struct alignas(64) place {
    account content;
};

double run(const job_list& jobs, std::size_t threads) {
    const auto accounts = std::make_unique<place[]>(jobs.chosen().accounts);
    place* const all = accounts.get();
    const auto work = [&jobs, all](std::size_t job) {
        const auto wanted = jobs.wanted(job);
        const auto account_at = [&](std::size_t i) -> account& { return all[wanted[i]].content; };
        if (jobs.reads(job)) jobs.look(account_at);
        else jobs.change(account_at);
    };
    const int count = static_cast<int>(threads);
    double taken = 0;
#pragma omp parallel num_threads(count) default(none) shared(jobs, all, work, taken)
#pragma omp single
    {
        const stopwatch watch;
        for (std::size_t job = 0; job != jobs.size(); ++job) {
            const auto wanted = jobs.wanted(job);
            // An expression for each number of accounts: they cannot be counted when it runs.
            place& a = all[wanted[0]];
            place& b = all[wanted[wanted.size() > 1 ? 1 : 0]];
            place& c = all[wanted[wanted.size() > 2 ? 2 : 0]];
            place& d = all[wanted[wanted.size() > 3 ? 3 : 0]];
            static_cast<void>(a); // the compiler takes a mention here for no use
            static_cast<void>(b);
            static_cast<void>(c);
            static_cast<void>(d);
            const bool reads = jobs.reads(job);
            if (wanted.size() == 1 && reads) {
#pragma omp task firstprivate(job) shared(work) default(none) depend(in : a)
                work(job);
            } else if (wanted.size() == 1) {
#pragma omp task firstprivate(job) shared(work) default(none) depend(inout : a)
                work(job);
            } else if (wanted.size() == 2 && reads) {
#pragma omp task firstprivate(job) shared(work) default(none) depend(in : a, b)
                work(job);
            } else if (wanted.size() == 2) {
#pragma omp task firstprivate(job) shared(work) default(none) depend(inout : a, b)
                work(job);
            } else if (reads) {
#pragma omp task firstprivate(job) shared(work) default(none) depend(in : a, b, c, d)
                work(job);
            } else {
#pragma omp task firstprivate(job) shared(work) default(none) depend(inout : a, b, c, d)
                work(job);
            }
        }
#pragma omp taskwait
        taken = watch.seconds();
    }
    omp_pause_resource_all(omp_pause_soft);
    jobs.check([&](std::size_t i) -> const account& { return all[i].content; });
    return taken;
}

const registration registered{
    {"transfers", "omp-depend", [](const request& request) { return contestants(request, run); }}};

} // namespace
} // namespace bench::transfers
