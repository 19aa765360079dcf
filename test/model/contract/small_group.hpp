// A group of two contracts with its workers, as the scenarios of groups use it.
#pragma once

#include "contract/change_count.hpp"
#include "lockfree/shared_batch.hpp"
#include "lockfree/signal_tree.hpp"
#include "model/contract/few_contracts.hpp"

#include <weft/detail/pool/sleep.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::test {

using detail::shared_batch;
using detail::signal_tree;
using detail::sleep_control;

/// A group of two contracts in one block, its workers, and their sleep: the steps of contract_core
/// and of the pool's worker, without what is not shared. There is no clock: a worker that has nothing
/// else to do frees the batch of another at once.
struct small_group : few_contracts {
    signal_tree urgent;
    signal_tree usual;
    sleep_control sleep;
    std::array<shared_batch, 2> seats;
    detail::change_count class_changes;
    sync::atomic<int> done{0}; // contracts run or released
    sync::atomic<bool> stopped{false};

    explicit small_group(std::size_t workers, std::size_t count = 1)
        : few_contracts{count}, sleep{workers} {
        for (contract& each : contracts) {
            each.work = [this](int) {
                done.fetch_add(1, sync::relaxed);
                return false;
            };
        }
    }

    void mark(std::uint32_t available) {
        if ((available & block.members(0)) != 0) urgent.mark(0);
        if ((available & block.members(1)) != 0) usual.mark(0);
    }
    bool schedule(std::uint32_t which = 0) {
        contracts[which].mail.fetch_add(1, sync::relaxed);
        const auto made = block.schedule(1U << which);
        if (made.news) {
            mark(1U << which);
            sleep.notify();
        }
        return made.accepted;
    }
    void release(std::uint32_t which = 0) {
        if (!block.request_release(1U << which, false)) return;
        mark(1U << which);
        sleep.notify();
    }
    void change_class(std::uint32_t which, unsigned in_class) {
        class_changes.begin();
        if (block.set_class(1U << which, in_class)) {
            mark(1U << which);
            sleep.notify();
        }
        class_changes.end();
    }
    [[nodiscard]] std::optional<std::uint64_t> idle_since() const {
        auto sum = class_changes.idle_since();
        for (const shared_batch& each : seats) {
            const auto since = each.idle_since();
            if (!sum || !since) return std::nullopt;
            *sum += *since;
        }
        return sum;
    }
    /// As wait() of a group asks.
    [[nodiscard]] bool is_quiet() const {
        const auto before = idle_since();
        return before && urgent.empty() && usual.empty() && idle_since() == before;
    }
    void stop() {
        stopped.store(true, sync::relaxed);
        sleep.wake_all();
    }

    [[nodiscard]] bool is_worth_freeing(const shared_batch::view& seen) const {
        const auto now = block.look();
        return seen.worth_freeing(now.pending() & now.running()) != 0;
    }
    [[nodiscard]] bool has_work() const {
        if (!urgent.empty() || !usual.empty()) return true;
        for (const shared_batch& each : seats) {
            if (each.may_have([this](const auto& seen) { return is_worth_freeing(seen); })) {
                return true;
            }
        }
        return false;
    }

    void give_back(std::uint32_t claimed, std::uint32_t again, std::uint32_t wanted) {
        const std::uint32_t available = block.finish(claimed, again, wanted);
        if (available == 0) return;
        mark(available);
        if ((available & (available - 1)) != 0) sleep.notify();
    }
    bool run_class(std::size_t worker, signal_tree& tree, unsigned of) {
        if (tree.find(0, 1) == signal_tree::none) return false;
        const auto needed = [this, of] { return block.available(of) != 0; };
        if (!needed()) {
            tree.retire(0, needed);
            return false;
        }
        shared_batch& batch = seats[worker];
        batch.owner_begin();
        const std::uint32_t items = block.claim(block.members(of), 2);
        if (items == 0) {
            batch.owner_end();
            return false;
        }
        run_items(batch, items);
        batch.owner_end();
        return true;
    }
    void run_items(shared_batch& batch, std::uint32_t items) {
        turn now = begin(items);
        bool shared = (items & (items - 1)) != 0;
        if (shared) batch.owner_publish(0, items, now.wanted);
        else batch.owner_single();
        std::uint32_t own = items;
        for (std::uint32_t left = items;;) {
            const std::uint32_t bit = left & (~left + 1);
            run_one(bit, now);
            if ((now.gone & bit) != 0) done.fetch_add(1, sync::relaxed);
            left &= left - 1;
            if (left == 0) {
                if (shared && !batch.owner_close()) own = bit;
                break;
            }
            const auto next = batch.owner_advance(left, {now.again, now.gone});
            if (next == shared_batch::step::on) continue;
            own = next == shared_batch::step::stop ? bit : left & (~left + 1);
            if (next == shared_batch::step::stop) break;
            left = own;
            shared = false;
        }
        own &= ~now.gone;
        give_back(own, own & now.again, own & now.again);
    }
    bool free_batch(std::size_t worker) {
        for (shared_batch& each : seats) {
            const auto seen = each.look();
            if (!seen || !is_worth_freeing(*seen)) continue;
            seats[worker].owner_begin();
            const auto freed = each.try_free(*seen);
            if (freed) {
                const std::uint32_t ended = freed->done & ~freed->of_done.gone;
                const std::uint32_t again = ended & freed->of_done.again;
                give_back(ended | freed->not_begun, again | freed->not_begun,
                          again | (freed->not_begun & freed->note));
            }
            seats[worker].owner_end();
            if (freed) return true;
        }
        return false;
    }
    bool try_run(std::size_t worker) {
        return run_class(worker, urgent, 0) || run_class(worker, usual, 1) || free_batch(worker);
    }

    /// A worker of the pool, until `done` says so.
    auto worker(std::size_t index, int until) {
        return [this, index, until] {
            while (done.load(sync::relaxed) < until) {
                if (try_run(index)) continue;
                sleep.begin_search();
                while (!has_work() && !stopped.load(sync::relaxed)) {
                    sleep.sleep(index,
                                [this] { return has_work() || stopped.load(sync::relaxed); });
                }
                sleep.end_search([this] { return has_work(); });
                sync::yield(); // what it has seen may be another's already
                if (stopped.load(sync::relaxed)) return;
            }
            stop(); // the others need not wait
        };
    }
};

} // namespace weft::test
