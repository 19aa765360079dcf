// No locks: a strand runs one handler at a time. Strands per account would not help, because a
// transfer needs two accounts at once and an audit all; so there is one for the bank.
#include "acts/transfers/acts.hpp"
#include "acts/transfers/bank.hpp"

#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <array>
#include <vector>

namespace weft::demo::transfers {
namespace {

class bank {
public:
    bank(const settings& settings, asio::thread_pool& pool)
        : book_{settings}, strand_{asio::make_strand(pool)} {}

    void submit(plan& chain) {
        asio::post(strand_, [this, &chain] {
            if (!book_.open()) return;
            work(chain.next());
            submit(chain);
        });
    }
    [[nodiscard]] outcome close() const {
        return book_.close([this] { return sum(); });
    }

private:
    void work(const plan::job& next) {
        if (next.audit) {
            book_.count_audit(audit([this] { return sum(); }));
        } else {
            check_balance(accounts_[next.source]);
            transfer(accounts_[next.source], accounts_[next.target]);
            book_.count_transfer();
        }
    }
    [[nodiscard]] std::int64_t sum() const {
        std::int64_t all = 0;
        for (const account& each : accounts_) all += each.balance;
        return all;
    }

    std::array<account, accounts> accounts_{};
    ledger book_;
    asio::strand<asio::thread_pool::executor_type> strand_;
};

} // namespace

outcome with_strand(const settings& settings) {
    asio::thread_pool pool{settings.threads};
    bank all{settings, pool};
    std::vector<plan> chains;
    for (std::size_t number = 0; number != 4 * settings.threads; ++number)
        chains.emplace_back(number + 1);
    for (plan& each : chains) all.submit(each);
    pool.join();
    return all.close();
}

} // namespace weft::demo::transfers
