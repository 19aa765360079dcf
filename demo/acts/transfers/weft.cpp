// Each account is a resource. A task names what it needs, in any order, and runs when it has all of it.
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
    bank(const settings& how, pool& workers) : workers_{workers}, book_{how} {
        for (place& each : accounts_) everything_.push_back(read(each.here));
    }

    void submit(plan& mine) {
        if (!book_.open()) return;
        const plan::job next = mine.next();
        if (next.audit) {
            when(everything_).submit(workers_, [this, &mine](std::span<const account* const> all) {
                book_.count_audit(audit([&] { return sum_of(all); }));
                submit(mine);
            });
        } else {
            when(write(accounts_[next.from].here), write(accounts_[next.to].here))
                .submit(workers_, [this, &mine](account& from, account& to) {
                    look_at(from);
                    transfer(from, to);
                    book_.count_transfer();
                    submit(mine);
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
        resource<account> here;
    };
    using reading = decltype(read(std::declval<resource<account>&>()));
    std::array<place, accounts> accounts_;
    std::vector<reading> everything_;
    pool& workers_;
    ledger book_;
};

} // namespace

outcome with_weft(const settings& how) {
    pool workers{how.threads};
    bank all{how, workers};
    std::vector<plan> chains;
    for (std::size_t number = 0; number != 4 * how.threads; ++number)
        chains.emplace_back(number + 1);
    for (plan& each : chains) all.submit(each);
    workers.stop(); // which runs all of them
    return all.close();
}

} // namespace weft::demo::transfers
