// A real group of two contracts without a pool, in a scenario.
#pragma once

#include <weft/contract.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace weft::test {

/// The contracts of a group, whose runs are watched: two at once are a race.
struct explored_group {
    struct member {
        sync::plain<int> runs{0};     ///< written by each run
        sync::plain<int> releases{0}; ///< and by the release
        sync::plain<int> seen{0};     ///< what the last run has seen of the mail
        sync::atomic<int> mail{0};
        /// In a run.
        std::function<void(contract_token& token, int run)> work;
        contract handle;
    };

    std::array<member, 2> members;
    sync::atomic<int> done{0}; // runs and releases, unless a scenario's work counts otherwise
    contract_group group;

    explicit explored_group(std::size_t count = 1, contract_group_options options = {})
        : group{std::move(options)} {
        for (std::size_t each = 0; each < count; ++each) create(members[each]);
    }

    bool schedule(std::size_t index = 0) {
        members[index].mail.fetch_add(1, sync::relaxed);
        return members[index].handle.schedule();
    }
    /// Executes until `done` has reached `until`.
    auto worker(int until) {
        return [this, until] {
            while (done.load(sync::relaxed) < until) group.execute_next_or_wait();
        };
    }
    void yield_until(int until) {
        while (done.load(sync::relaxed) < until) sync::yield();
    }

private:
    void create(member& self) {
        self.work = [this](contract_token&, int) { done.fetch_add(1, sync::relaxed); };
        const auto run = [&self](contract_token& token) {
            const int runs = ++self.runs.modify();
            self.seen.write(self.mail.load(sync::relaxed));
            self.work(token, runs);
        };
        const auto on_release = [this, &self] {
            ++self.releases.modify();
            done.fetch_add(1, sync::relaxed);
        };
        self.handle = group.create(run, {.on_release = on_release});
    }
};

} // namespace weft::test
