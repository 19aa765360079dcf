// No locks: a strand runs one handler at a time. A strand for each account would be of no use, for a transfer needs
// two accounts at once and an audit all; so there is one for the bank.
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
    bank(const settings& how, asio::thread_pool& pool)
        : book_{how}, strand_{asio::make_strand(pool)} {}

    void submit(plan& mine) {
        asio::post(strand_, [this, &mine] {
            if (!book_.open()) return;
            work(mine.next());
            submit(mine);
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
            look_at(accounts_[next.from]);
            transfer(accounts_[next.from], accounts_[next.to]);
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

outcome with_strand(const settings& how) {
    asio::thread_pool pool{how.threads};
    bank all{how, pool};
    std::vector<plan> chains;
    for (std::size_t number = 0; number != 4 * how.threads; ++number)
        chains.emplace_back(number + 1);
    for (plan& each : chains) all.submit(each);
    pool.join();
    return all.close();
}

} // namespace weft::demo::transfers
