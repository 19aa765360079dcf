// Contracts: work that runs whenever it is signalled, and never concurrently with itself.
#include <weft/contract.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// [mailbox]
/// Any thread may send letters. Senders do not wait for the reader, and the reader needs no lock
/// for its own data: it never runs concurrently with itself.
class mailbox {
public:
    explicit mailbox(weft::contract_group& group) : reader_{group.create([this] { read(); })} {}

    void send(int letter) {
        {
            const std::scoped_lock lock{mutex_};
            letters_.push(letter);
        }
        reader_.schedule(); // any number of calls before the next run: one run
    }
    [[nodiscard]] int sum() const { return sum_; } // valid once nothing is due any more

private:
    void read() {
        std::queue<int> arrived;
        {
            const std::scoped_lock lock{mutex_};
            std::swap(arrived, letters_);
        }
        for (; !arrived.empty(); arrived.pop()) sum_ += arrived.front();
    }

    std::mutex mutex_;
    std::queue<int> letters_;
    int sum_ = 0;
    weft::contract reader_; // declared last: what it reads exists before it
};
// [/mailbox]

int send_letters() {
    // [pool]
    weft::pool pool{2};
    weft::contract_group group{pool};
    mailbox box{group};
    std::vector<std::jthread> senders;
    for (int i = 1; i <= 3; ++i) senders.emplace_back([&box, i] { box.send(i); });
    senders.clear();
    group.wait(); // until nothing is due and nothing runs
    // [/pool]
    return box.sum();
}

std::string count_down() {
    std::string text;
    // [token]
    weft::contract_group group; // no pool: driven by the threads that call execute_…
    const weft::contract timer = group.create(
        [&text, left = 3](weft::contract_token& token) mutable {
            text += std::to_string(left);
            if (--left > 0) token.schedule(); // run once more
            else token.release();             // this was the last run
        },
        {.on_release = [&text] { text += "!"; }});
    timer.schedule();
    while (group.try_execute_next()) {
    }
    // [/token]
    return text;
}

bool drive_by_hand() {
    // [hand]
    weft::contract_group group;
    std::atomic<int> runs{0};
    const weft::contract some = group.create([&] { ++runs; }, {.scheduled = true});
    std::jthread driver{[&] {
        while (group.execute_next_or_wait()) { // sleeps when nothing is due
        }
    }};
    some.schedule();
    group.stop(); // runs what is due, releases all contracts, ends the driver
    // [/hand]
    driver.join();
    using namespace std::chrono_literals;
    return runs >= 1 && !group.execute_next_or_wait(1ms);
}

bool handle_errors() {
    // [errors]
    weft::contract_group group;
    const weft::contract failing = group.create([] { throw std::runtime_error{"no luck"}; });
    failing.schedule();
    try {
        group.wait(); // drives the group, and throws the contract's exception
    } catch (const std::runtime_error& error) {
        return error.what() == std::string{"no luck"} && failing.valid(); // it can be run again
    }
    // [/errors]
    return false;
}

std::string be_important() {
    std::string order;
    // [priority]
    weft::contract_group group;
    const weft::contract regular = group.create([&] { order += "regular "; });
    const weft::contract important =
        group.create([&] { order += "important "; }, {.priority = weft::priority::high});
    regular.schedule();
    important.schedule();
    group.wait();
    regular.set_priority(weft::priority::high);
    // [/priority]
    return order;
}

} // namespace

int main() {
    const bool right = send_letters() == 6 && count_down() == "321!" && drive_by_hand() &&
                       handle_errors() && be_important() == "important regular ";
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
