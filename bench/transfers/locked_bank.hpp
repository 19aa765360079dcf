// Accounts with a lock each, for libraries that lock.
#pragma once

#include "transfers/config.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <tuple>

namespace bench::transfers {

/// The accounts of a task are in ascending order, and so are its locks.
struct ordered_locking {
    template <class Place, class Use>
    static void write(Place* all, std::span<const std::uint32_t> wanted, Use use) {
        for (const std::uint32_t each : wanted) all[each].mutex.lock();
        use();
        for (const std::uint32_t each : wanted) all[each].mutex.unlock();
    }
    template <class Place, class Use>
    static void read(Place* all, std::span<const std::uint32_t> wanted, Use use) {
        for (const std::uint32_t each : wanted) all[each].mutex.lock_shared();
        use();
        for (const std::uint32_t each : wanted) all[each].mutex.unlock_shared();
    }
};

/// std::scoped_lock, which finds an order itself.
struct scoped_locking {
    template <class Place, class Use>
    static void write(Place* all, std::span<const std::uint32_t> wanted, Use use) {
        const auto lock = [&](auto... index) {
            const std::scoped_lock all_of_them{all[wanted[index]].mutex...};
            use();
        };
        with_indices(wanted.size(), lock);
    }
    template <class Place, class Use>
    static void read(Place* all, std::span<const std::uint32_t> wanted, Use use) {
        const auto lock = [&](auto... index) {
            auto shared =
                std::tuple{std::shared_lock{all[wanted[index]].mutex, std::defer_lock}...};
            std::apply(
                [&](auto&... each) {
                    const std::scoped_lock all_of_them{each...};
                    use();
                },
                shared);
        };
        with_indices(wanted.size(), lock);
    }

private:
    template <class Use>
    static void with_indices(std::size_t count, Use use) {
        if (count == 1) use(0U);
        else if (count == 2) use(0U, 1U);
        else use(0U, 1U, 2U, 3U);
    }
};

template <class Mutex, class Locking>
class locked_bank {
public:
    explicit locked_bank(const job_list& jobs)
        : jobs_{jobs}, places_{std::make_unique<place[]>(jobs.chosen().accounts)} {}

    void work(std::size_t job) {
        const auto wanted = jobs_.wanted(job);
        const auto account_at = [&](std::size_t i) -> account& {
            return places_[wanted[i]].content;
        };
        if constexpr (requires(Mutex mutex) { mutex.lock_shared(); }) {
            if (jobs_.reads(job)) {
                Locking::read(places_.get(), wanted, [&] { jobs_.look(account_at); });
                return;
            }
        }
        Locking::write(places_.get(), wanted, [&] { jobs_.change(account_at); });
    }
    void check() const {
        jobs_.check([&](std::size_t i) -> const account& { return places_[i].content; });
    }
    [[nodiscard]] const job_list& jobs() const { return jobs_; }

private:
    struct alignas(64) place {
        Mutex mutex;
        account content;
    };
    const job_list& jobs_;
    std::unique_ptr<place[]> places_;
};

/// `run(bank, threads)` with locks for readers only where there are some.
template <class Locking, class Run>
double on_locked_bank(const job_list& jobs, std::size_t threads, Run run) {
    const auto go = [&](auto bank) {
        const double taken = run(bank, threads);
        bank.check();
        return taken;
    };
    if (jobs.chosen().readers != 0) return go(locked_bank<std::shared_mutex, Locking>{jobs});
    return go(locked_bank<std::mutex, Locking>{jobs});
}

} // namespace bench::transfers
