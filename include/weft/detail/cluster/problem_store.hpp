// The tasks of one problem on one rank: a seat for each worker, and blocks that change hands.
#pragma once

#include <weft/cluster_problem.hpp>
#include <weft/detail/cluster/bytes.hpp>
#include <weft/detail/cluster/holder_count.hpp>
#include <weft/detail/cluster/task_stack.hpp>
#include <weft/detail/cluster/task_store.hpp>
#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/mutex.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

/// A worker claims a seat and runs the newest of its tasks; nothing there is shared meanwhile. What
/// others should have, idle workers or other ranks, it puts into blocks: the oldest tasks, pushed
/// to a lock-free inbox, from which workers and the exchange take.
///
/// Invariants
///  S1  A seat's tasks and results are used only while its claim is held. Claims are tried and
///  never
///      waited for.
///  S2  A seat with tasks, or whose task runs, and each block are counted in `holders_`.
///  S3  A worker notifies after it has pushed a block or left a seat that has tasks.
template <class Problem>
class problem_store final : public task_store {
public:
    using task = typename Problem::task;
    using result = typename Problem::result;

    problem_store(const Problem& problem, std::size_t seats)
        : problem_{&problem}, seat_count_{seats}, seats_{std::make_unique<seat[]>(seats)} {}
    ~problem_store() override {
        drop_tasks();
        resume();
    }

    /// Before a run.
    void add_root(const task& root) {
        auto made = std::make_unique<block>();
        made->tasks.push(task{root});
        push(std::move(made));
    }
    /// After a run.
    [[nodiscard]] result take_result() { return std::move(seats_[0].partial); }

    [[nodiscard]] std::uint64_t identity() const noexcept override {
        return identity_of<Problem>();
    }

    bool run_some(worker_guide& guide) noexcept override {
        const std::size_t index = claim();
        if (index == no_seat) return false;
        seat& own = seats_[index];
        work(own, index, guide);
        publish(own);
        const bool left = !own.tasks.empty();
        own.claim.unlock();
        if (left && attention_.load(sync::relaxed) < paused) guide.notify(); // S3
        return true;
    }

    [[nodiscard]] bool has_work() const noexcept override {
        if (attention_.load(sync::relaxed) >= paused) return false;
        if (!blocks_.empty()) return free_seats_.load(sync::relaxed) > 0;
        if (free_seats_.load(sync::relaxed) == 0) return false;
        return std::any_of(seats_.get(), seats_.get() + seat_count_, [](const seat& each) {
            return each.is_free.load(sync::relaxed) && each.size.load(sync::relaxed) > 0;
        });
    }

    [[nodiscard]] std::size_t queued() const noexcept override {
        std::size_t total = in_blocks_.load(sync::relaxed);
        for (std::size_t i = 0; i != seat_count_; ++i) total += seats_[i].size.load(sync::relaxed);
        return total;
    }
    [[nodiscard]] bool is_passive() const noexcept override { return holders_.none(); }
    [[nodiscard]] std::uint64_t done() const noexcept override {
        std::uint64_t total = 0;
        for (std::size_t i = 0; i != seat_count_; ++i) total += seats_[i].done.load(sync::relaxed);
        return total;
    }
    [[nodiscard]] bool has_failed() const noexcept override {
        return has_failed_.load(sync::relaxed);
    }

    std::size_t take(std::size_t count, std::size_t index, std::vector<std::byte>& bytes) override {
        byte_writer writer{bytes};
        const auto write = [&writer](const task& each) { writer(each); };
        std::size_t taken = take_from_blocks(count, write);
        if (taken < count && index != no_seat) {
            seat& own = seats_[index];
            // One stays: the worker that gives is not the next one to be without work.
            const std::size_t most = own.tasks.size() - std::min<std::size_t>(own.tasks.size(), 1);
            taken += own.tasks.take_oldest(std::min(count - taken, most), write);
            publish(own);
        }
        return taken;
    }
    void want(std::size_t count) noexcept override {
        const auto wanted = static_cast<std::uint32_t>(std::min<std::size_t>(count, paused - 1));
        std::uint32_t now = attention_.load(sync::relaxed);
        while (!attention_.compare_exchange_weak(now, (now & paused) | wanted, sync::relaxed,
                                                 sync::relaxed)) {
        }
    }
    void put(std::span<const std::byte> bytes, std::size_t count) override {
        auto made = std::make_unique<block>();
        byte_reader reader{bytes}; // NOLINT(misc-const-correctness): reading changes it
        for (std::size_t i = 0; i != count; ++i) {
            task next{};
            reader(next);
            made->tasks.push(std::move(next));
        }
        if (count != 0) push(std::move(made));
    }

    [[nodiscard]] bool try_pause() noexcept override {
        attention_.fetch_or(paused, sync::relaxed);
        while (held_ != seat_count_) {
            if (!seats_[held_].claim.try_lock()) return false;
            ++held_;
        }
        return true;
    }
    void resume() noexcept override {
        attention_.fetch_and(~paused, sync::relaxed);
        while (held_ != 0) seats_[--held_].claim.unlock();
    }
    [[nodiscard]] std::exception_ptr failure() const noexcept override {
        for (std::size_t i = 0; i != seat_count_; ++i) {
            if (seats_[i].failure) return seats_[i].failure;
        }
        return nullptr;
    }
    [[nodiscard]] std::size_t copy_tasks(std::vector<std::byte>& bytes) const override {
        byte_writer writer{bytes}; // NOLINT(misc-const-correctness): it is called
        std::size_t count = 0;
        const auto copy = [&](const task& each) {
            writer(each);
            ++count;
        };
        for (std::size_t i = 0; i != seat_count_; ++i) seats_[i].tasks.for_each(copy);
        auto& blocks = const_cast<inbox<block>&>(blocks_); // put back as they were
        block* first = blocks.take_all();
        for (const block* each = first; each != nullptr; each = each->next)
            each->tasks.for_each(copy);
        while (first != nullptr) blocks.push(std::exchange(first, first->next));
        return count;
    }
    void copy_result(std::vector<std::byte>& bytes) const override {
        result total{};
        for (std::size_t i = 0; i != seat_count_; ++i) {
            combine_results(*problem_, total, seats_[i].partial);
        }
        byte_writer{bytes}(total);
    }
    void add_result(std::span<const std::byte> bytes) override {
        combine_results(*problem_, seats_[0].partial, read_result(bytes));
    }
    void set_result(std::span<const std::byte> bytes) override {
        for (std::size_t i = 1; i != seat_count_; ++i) seats_[i].partial = result{};
        seats_[0].partial = read_result(bytes);
    }
    void drop_tasks() noexcept override {
        while (block* first = blocks_.take_all()) {
            while (first != nullptr) discard(std::exchange(first, first->next));
        }
        for (std::size_t i = 0; i != seat_count_; ++i) {
            seats_[i].tasks.clear();
            give_up(seats_[i]);
            publish(seats_[i]);
        }
    }

private:
    static constexpr std::uint32_t paused = std::uint32_t{1} << 31; // below it: how many are wanted

    struct block {
        block* next = nullptr;
        task_stack<task> tasks;
    };
    struct alignas(64) seat {
        sync::mutex claim;
        // For the holder of the claim.
        task_stack<task> tasks;
        result partial{};
        std::exception_ptr failure;
        bool holds = false; // S2
        unsigned before_question = 1;
        // Written by the holder of the claim, for others.
        alignas(64) sync::atomic<std::size_t> size{0};
        sync::atomic<std::uint64_t> done{0};
        sync::atomic<bool> is_free{true};
    };

    static result read_result(std::span<const std::byte> bytes) {
        result some{};
        byte_reader{bytes}(some);
        return some;
    }

    // Blocks

    void push(std::unique_ptr<block> made) noexcept {
        holders_.add();
        in_blocks_.fetch_add(made->tasks.size(), sync::relaxed);
        blocks_.push(made.release());
    }
    void discard(block* some) noexcept {
        in_blocks_.fetch_sub(some->tasks.size(), sync::relaxed);
        delete some;
        holders_.drop();
    }
    void put_back(block* rest) noexcept {
        while (rest != nullptr) blocks_.push(std::exchange(rest, rest->next));
    }
    template <class Write>
    std::size_t take_from_blocks(std::size_t count, Write write) {
        std::size_t taken = 0;
        block* first = blocks_.take_all();
        try {
            while (first != nullptr && taken != count) {
                const std::size_t some = first->tasks.take_oldest(count - taken, write);
                in_blocks_.fetch_sub(some, sync::relaxed);
                taken += some;
                if (first->tasks.empty()) discard(std::exchange(first, first->next));
            }
        } catch (...) {
            put_back(first);
            throw;
        }
        put_back(first);
        return taken;
    }

    // Workers

    /// A seat that has tasks, or any if there is a block; claimed.
    std::size_t claim() noexcept {
        if (attention_.load(sync::relaxed) >= paused) return no_seat;
        for (const bool any : {false, true}) {
            if (any && blocks_.empty()) return no_seat;
            for (std::size_t i = 0; i != seat_count_; ++i) {
                seat& each = seats_[i];
                if (!any && each.size.load(sync::relaxed) == 0) continue;
                if (!each.is_free.load(sync::relaxed) || !each.claim.try_lock()) continue;
                if (any || !each.tasks.empty()) {
                    each.is_free.store(false, sync::relaxed);
                    free_seats_.fetch_sub(1, sync::relaxed);
                    return i;
                }
                each.claim.unlock();
            }
        }
        return no_seat;
    }

    void work(seat& own, std::size_t index, worker_guide& guide) noexcept {
        while (attend(own, guide) && (!own.tasks.empty() || refill(own, guide))) {
            run_one(own);
            if (--own.before_question != 0) continue;
            publish(own);
            offer(own, guide);
            const worker_guide::advice advice = guide.between_tasks(index);
            own.before_question = std::max(advice.tasks, 1U);
            if (advice.ends) break;
        }
        if (own.tasks.empty()) give_up(own);
        own.is_free.store(true, sync::relaxed);
        free_seats_.fetch_add(1, sync::relaxed);
    }
    void run_one(seat& own) noexcept {
        try {
            task next = own.tasks.pop();
            bag<task> more{own.tasks};
            problem_->work(std::move(next), more, own.partial);
            own.done.store(own.done.load(sync::relaxed) + 1, sync::relaxed);
        } catch (...) {
            if (!own.failure) own.failure = std::current_exception();
            has_failed_.store(true, sync::relaxed);
            attention_.fetch_or(paused, sync::relaxed); // other tasks need not begin
        }
    }
    /// False if the worker must return.
    bool attend(seat& own, worker_guide& guide) noexcept {
        const std::uint32_t attention = attention_.load(sync::relaxed);
        if (attention == 0) return true;
        if (attention >= paused) return false;
        share(own, std::min<std::size_t>(attention, own.tasks.size() / 2), guide);
        return true;
    }
    void offer(seat& own, worker_guide& guide) noexcept {
        if (free_seats_.load(sync::relaxed) == 0 || !blocks_.empty()) return;
        share(own, own.tasks.size() / 2, guide);
    }
    void share(seat& own, std::size_t count, worker_guide& guide) noexcept {
        if (count == 0) return;
        try {
            auto made = std::make_unique<block>();
            own.tasks.take_oldest(count, [&](task&& each) { made->tasks.push(std::move(each)); });
            push(std::move(made));
        } catch (...) {
            if (!own.failure) own.failure = std::current_exception();
            has_failed_.store(true, sync::relaxed);
        }
        publish(own);
        guide.notify(); // S3
    }
    bool refill(seat& own, worker_guide& guide) noexcept {
        block* first = blocks_.take_all();
        if (first == nullptr) return false;
        if (first->next != nullptr) {
            put_back(std::exchange(first->next, nullptr));
            guide.notify(); // for a moment they were in no place
        }
        in_blocks_.fetch_sub(first->tasks.size(), sync::relaxed);
        std::swap(own.tasks, first->tasks);
        delete first;
        // The block's count becomes the seat's.
        if (own.holds) holders_.drop();
        own.holds = true;
        publish(own);
        return true;
    }
    void give_up(seat& own) noexcept {
        if (std::exchange(own.holds, false)) holders_.drop();
    }
    static void publish(seat& own) noexcept { own.size.store(own.tasks.size(), sync::relaxed); }

    const Problem* problem_;
    std::size_t seat_count_;
    std::unique_ptr<seat[]> seats_;
    std::size_t held_ = 0; // seats claimed by try_pause

    alignas(64) holder_count holders_;
    inbox<block> blocks_;
    sync::atomic<std::size_t> in_blocks_{0};
    sync::atomic<std::size_t> free_seats_{seat_count_};
    sync::atomic<bool> has_failed_{false};
    alignas(64) sync::atomic<std::uint32_t> attention_{0};
};

} // namespace weft::inline v0::detail
