#include "transfers/config.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <array>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace bench::transfers {
namespace {

template <class Sharing>
class bank {
public:
    explicit bank(const job_list& jobs)
        : jobs_{jobs}, chains_{jobs}, accounts_{std::make_unique<place[]>(jobs.chosen().accounts)} {
    }

    double run(std::size_t threads) {
        weft::pool workers{threads};
        workers.run([] {});
        const stopwatch watch;
        for (std::size_t i = 0; i != threads; ++i) submit_chunk(workers);
        workers.stop(); // which runs all of them
        const double taken = watch.seconds();
        check();
        return taken;
    }

private:
    using resource = weft::resource<account, Sharing>;
    struct alignas(64) place {
        resource guarded;
    };

    void check() {
        weft::pool one{1};
        std::vector<resource*> all;
        for (std::size_t i = 0; i != jobs_.chosen().accounts; ++i)
            all.push_back(&accounts_[i].guarded);
        weft::when(all)
            .submit(one,
                    [&](std::span<account* const> data) {
                        jobs_.check([&](std::size_t i) -> const account& { return *data[i]; });
                    })
            .get();
    }

    void submit_chunk(weft::pool& workers) {
        workers.submit([this, &workers] {
            chains_.submit_next([&](std::size_t job) { submit(workers, job); });
        });
    }
    void end(weft::pool& workers, std::size_t job) {
        if (chains_.goes_on_after(job)) submit_chunk(workers);
    }

    void submit(weft::pool& workers, std::size_t job) {
        const auto wanted = jobs_.wanted(job);
        const auto change = [this, &workers, job](auto&... all) {
            const std::array<account*, sizeof...(all)> each{&all...};
            jobs_.change([&](std::size_t i) -> account& { return *each[i]; });
            end(workers, job);
        };
        if constexpr (std::is_same_v<Sharing, weft::read_write>) {
            if (jobs_.reads(job)) {
                const auto look = [this, &workers, job](const auto&... all) {
                    const std::array<const account*, sizeof...(all)> each{&all...};
                    jobs_.look([&](std::size_t i) -> const account& { return *each[i]; });
                    end(workers, job);
                };
                name(wanted, [](resource& one) { return weft::read(one); }, look);
                return;
            }
        }
        name(wanted, [](resource& one) { return weft::write(one); }, change);
    }
    template <class Access, class Body>
    void name(std::span<const std::uint32_t> wanted, Access access, Body body) {
        const auto access_at = [&](std::size_t i) { return access(accounts_[wanted[i]].guarded); };
        if (wanted.size() == 1) weft::when(access_at(0)).submit(body);
        else if (wanted.size() == 2) weft::when(access_at(0), access_at(1)).submit(body);
        else weft::when(access_at(0), access_at(1), access_at(2), access_at(3)).submit(body);
    }

    const job_list& jobs_;
    chunk_chains chains_;
    std::unique_ptr<place[]> accounts_;
};

double run(const job_list& jobs, std::size_t threads) {
    if (jobs.chosen().readers != 0) return bank<weft::read_write>{jobs}.run(threads);
    return bank<weft::exclusive>{jobs}.run(threads);
}

const registration registered{
    {"transfers", "weft", [](const request& request) { return contestants(request, run); }}};

} // namespace
} // namespace bench::transfers
