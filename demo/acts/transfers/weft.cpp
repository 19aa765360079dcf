// Each account is a resource. A task names its resources in any order, and runs when it holds all
// of them.
#include "acts/transfers/acts.hpp"
#include "acts/transfers/bank.hpp"

#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/resource.hpp>

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace weft::demo::transfers {
namespace {

std::int64_t sum_of(std::span<const account* const> all) {
    std::int64_t sum = 0;
    for (const account* each : all) sum += each->balance;
    return sum;
}

class bank {
public:
    bank(const settings& settings, pool& workers) : workers_{workers}, book_{settings} {
        for (place& each : accounts_) everything_.push_back(read(each.guarded));
    }

    void submit(plan& chain) {
        if (!book_.open()) return;
        const plan::job next = chain.next();
        if (next.audit) {
            when(everything_).submit(workers_, [this, &chain](std::span<const account* const> all) {
                book_.count_audit(audit([&] { return sum_of(all); }));
                submit(chain);
            });
        } else {
            when(write(accounts_[next.source].guarded), write(accounts_[next.target].guarded))
                .submit(workers_, [this, &chain](account& source, account& target) {
                    check_balance(source);
                    transfer(source, target);
                    book_.count_transfer();
                    submit(chain);
                });
        }
    }
    [[nodiscard]] outcome close() {
        pool last{1};
        return when(everything_)
            .submit(last,
                    [this](std::span<const account* const> all) {
                        return book_.close([&] { return sum_of(all); });
                    })
            .get();
    }

private:
    struct alignas(64) place {
        resource<account> guarded;
    };
    using reading = decltype(read(std::declval<resource<account>&>()));
    std::array<place, accounts> accounts_;
    std::vector<reading> everything_;
    pool& workers_;
    ledger book_;
};

} // namespace

outcome with_weft(const settings& settings) {
    pool workers{settings.threads};
    bank all{settings, workers};
    std::vector<plan> chains;
    for (std::size_t number = 0; number != 4 * settings.threads; ++number)
        chains.emplace_back(number + 1);
    for (plan& each : chains) all.submit(each);
    workers.stop(); // runs all of them
    return all.close();
}

} // namespace weft::demo::transfers
