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
        : jobs_{jobs}, chains_{jobs}, accounts_{std::make_unique<place[]>(jobs.how().accounts)} {}

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
        resource here;
    };

    void check() {
        weft::pool one{1};
        std::vector<resource*> all;
        for (std::size_t i = 0; i != jobs_.how().accounts; ++i) all.push_back(&accounts_[i].here);
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
        const auto mine = jobs_.wanted(job);
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
                name(mine, [](resource& one) { return weft::read(one); }, look);
                return;
            }
        }
        name(mine, [](resource& one) { return weft::write(one); }, change);
    }
    template <class How, class Body>
    void name(std::span<const std::uint32_t> mine, How how, Body body) {
        const auto at = [&](std::size_t i) { return how(accounts_[mine[i]].here); };
        if (mine.size() == 1) weft::when(at(0)).submit(body);
        else if (mine.size() == 2) weft::when(at(0), at(1)).submit(body);
        else weft::when(at(0), at(1), at(2), at(3)).submit(body);
    }

    const job_list& jobs_;
    chunk_chains chains_;
    std::unique_ptr<place[]> accounts_;
};

double run(const job_list& jobs, std::size_t threads) {
    if (jobs.how().readers != 0) return bank<weft::read_write>{jobs}.run(threads);
    return bank<weft::exclusive>{jobs}.run(threads);
}

const registration registered{
    {"transfers", "weft", [](const request& how) { return contestants(how, run); }}};

} // namespace
} // namespace bench::transfers
