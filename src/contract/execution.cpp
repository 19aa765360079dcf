// How a group's contracts are run: from a seat, batch by batch.
#include "contract/batch_run.hpp"
#include "contract/contract_core.hpp"

#include "sync/asymmetric_fence.hpp"

#include <weft/detail/lockfree/nearest_bit.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/thread.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

namespace weft::inline v0::detail {

namespace {

constexpr unsigned batch_nanoseconds = 4000;      // the intended duration of a batch
constexpr std::size_t contracts_of_a_turn = 2048; // of a pool's worker
constexpr unsigned batches_between_timings = 8;   // if its contracts are quick
constexpr unsigned quick_nanoseconds = 100;       // a contract that takes longer is always timed

/// The size of a batch that takes a few microseconds; 1 if no thread could free the others.
unsigned batch_size(const contract_seat& seat) noexcept {
    if (!sync::heavy_fence_works()) return 1;
    if (seat.nanoseconds == 0) return contract_store::width;
    return std::max(batch_nanoseconds / seat.nanoseconds, 1U);
}

/// The `most` bits of a word that are nearest to the target.
std::uint32_t nearest_bits(std::uint32_t word, unsigned target, unsigned most) noexcept {
    std::uint32_t found = 0;
    for (; word != 0 && most != 0; --most) {
        const std::uint32_t bit = std::uint32_t{1} << nearest_bit(word, target);
        found |= bit;
        word &= ~bit;
    }
    return found;
}

/// Measures a batch of the seat, from construction to `stop`, if it is one of those that are
/// measured.
class batch_timer {
public:
    explicit batch_timer(contract_seat& seat) noexcept
        : seat_{seat}, timed_{++seat.batches % batches_between_timings == 0 ||
                              seat.nanoseconds > quick_nanoseconds},
          start_{timed_ ? sync::clock::now() : sync::clock::time_point{}} {}

    void stop(int contracts) noexcept {
        if (!timed_) return;
        using std::chrono::duration_cast;
        using std::chrono::nanoseconds;
        const auto taken =
            duration_cast<nanoseconds>(sync::clock::now() - start_).count() / contracts;
        const auto each =
            static_cast<unsigned>(std::min<std::int64_t>(taken, std::numeric_limits<int>::max()));
        seat_.nanoseconds = static_cast<unsigned>((std::uint64_t{seat_.nanoseconds} + each) / 2);
    }

private:
    contract_seat& seat_;
    const bool timed_;
    const sync::clock::time_point start_;
};

} // namespace

/// The contracts of one block, for run_batch().
class contract_core::block_runner {
public:
    block_runner(contract_core& group, std::size_t block_index) noexcept
        : group_{group}, block_index_{block_index},
          entries_{group.table_.store.entries(block_index)}, token_{*entries_.block, again_} {}

    [[nodiscard]] contract_block& block() const noexcept { return *entries_.block; }

    void run(std::uint32_t bit) noexcept {
        token_.bit_ = bit;
        contract_record& record = entries_.records[std::countr_zero(bit)];
        try {
            record.run(record.storage.data(), token_);
        } catch (...) {
            group_.report(record, std::current_exception());
        }
    }
    void release(std::uint32_t bit) noexcept {
        token_.bit_ = bit;
        contract_record& record = entries_.records[std::countr_zero(bit)];
        call_on_release(record);
        record.destroy(record.storage.data());
        delete record.extras();
        // After this the entry may be used again at once.
        if (entries_.block->end_life(bit)) {
            group_.table_.store.give_back(static_cast<std::uint32_t>(
                block_index_ * width + static_cast<std::size_t>(std::countr_zero(bit))));
        }
        group_.alive_.fetch_sub(1, sync::release); // pairs with execute_until_empty() [GROUP-2]
    }
    [[nodiscard]] std::uint32_t again() const noexcept { return again_; }
    [[nodiscard]] bool is_cancelling() const noexcept {
        return group_.cancelling_.load(sync::relaxed);
    }
    void give_back(std::uint32_t claimed, std::uint32_t again, std::uint32_t wanted) noexcept {
        group_.give_back(block_index_, claimed, again, wanted);
    }

private:
    void call_on_release(contract_record& record) noexcept {
        contract_extras* extras = record.extras();
        if (extras == nullptr || !extras->on_release) return;
        try {
            extras->on_release(token_);
        } catch (...) {
            group_.report(record, std::current_exception());
        }
    }

    contract_core& group_;
    const std::size_t block_index_;
    const contract_store::block_entries entries_;
    std::uint32_t again_ = 0; // contracts that asked for another run, by the token
    contract_token token_;
};

/// A thread in a seat, for visit_order.
class contract_core::visitor {
public:
    visitor(contract_core& group, contract_seat& seat, std::size_t most) noexcept
        : group_{group}, seat_{seat}, most_{most} {}

    [[nodiscard]] std::size_t run_visit(contract_seat::visit& visit,
                                        unsigned priority_class) noexcept {
        const auto wanted = static_cast<unsigned>(
            std::min({std::size_t{visit.left}, most_, std::size_t{batch_size(seat_)}}));
        block_runner runner{group_, visit.block};
        std::uint32_t candidates = runner.block().members(priority_class) & visit.among;
        if (visit.target != contract_seat::no_target) {
            candidates =
                nearest_bits(candidates & runner.block().look().available(), visit.target, wanted);
        }
        const std::uint32_t items = claim_batch(seat_.batch, runner.block(), candidates, wanted);
        if (items == 0) {
            visit.left = 0;
            return 0;
        }
        const int count = std::popcount(items);
        visit.left -= static_cast<unsigned>(count);
        batch_timer timer{seat_};
        const std::size_t done = run_batch(seat_.batch, runner, runner.block(), visit.block, items);
        timer.stop(count);
        group_.quiet_.notify_all();
        return done;
    }
    void free_slow_batch() noexcept { group_.free_slow_batch(seat_); }

private:
    contract_core& group_;
    contract_seat& seat_;
    const std::size_t most_;
};

std::size_t contract_core::execute(std::size_t most, const selection_bias& bias) {
    return has_work() ? execute_from(seats_.take(), most, bias) : 0;
}

bool contract_core::try_run() noexcept {
    if (!has_work()) return false;
    contract_seat* seat = seats_.try_take();
    const thread_bias bias = biases_.of_worker(worker::current()->index());
    return seat != nullptr && execute_from(*seat, contracts_of_a_turn, bias) != 0;
}

std::size_t contract_core::execute_from(contract_seat& seat, std::size_t most,
                                        const thread_bias& bias) noexcept {
    std::size_t done = 0;
    while (done < most) {
        const std::size_t some = run_next_batch(seat, most - done, bias);
        if (some == 0) {
            quiet_.notify_all(); // the last mark may have gone
            break;
        }
        done += some;
    }
    seat_list::leave(seat);
    // A thread that leaves notifies another, which give_back() may have omitted. A worker that has
    // found nothing does not leave: it looks again before it sleeps.
    if ((done >= most || !link_.is_attached()) && has_work()) notify();
    return done;
}

std::size_t contract_core::run_next_batch(contract_seat& seat, std::size_t most,
                                          const thread_bias& bias) noexcept {
    visitor led{*this, seat, most};
    do {
        if (const std::size_t done = order_.visit_next(seat, led, bias.next())) return done;
    } while (free_slow_batch(seat));
    return 0;
}

/// True if something has become due.
bool contract_core::free_slow_batch(contract_seat& seat) noexcept {
    const auto freed = slow_batches_.try_free_one(seat);
    if (!freed) return false;
    block_runner runner{*this, freed->block};
    give_back_freed(seat.batch, runner, *freed);
    return true;
}

bool contract_core::execute_or_wait(const sync::clock::time_point* deadline,
                                    const selection_bias& bias) {
    for (;;) {
        if (execute(1, bias) != 0) return true;
        if (has_ended()) return false;
        if (wait_until_due(deadline)) continue;
        if (execute(1, bias) != 0) return true;
        if (has_work()) notify(); // this thread may have been woken to execute
        return false;
    }
}

/// False if the deadline came first.
bool contract_core::wait_until_due(const sync::clock::time_point* deadline) {
    if (!slow_batches_.may_have_some()) {
        return due_.wait([this] { return has_work() || has_ended(); }, deadline);
    }
    sync::yield(); // the batch will be freed soon, by this thread if no other is faster
    return deadline == nullptr || sync::clock::now() < *deadline;
}

void contract_core::report(const contract_record& record, std::exception_ptr error) noexcept {
    contract_extras* extras = record.extras();
    if (extras != nullptr && extras->on_error) {
        extras->on_error(std::move(error));
    } else if (options_.on_error) {
        options_.on_error(std::move(error));
    } else {
        errors_.keep(std::move(error));
        quiet_.notify_all();
    }
}

} // namespace weft::inline v0::detail
