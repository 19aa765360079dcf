// How a group's contracts are run: from a seat, batch by batch.
#include "contract/batch_run.hpp"
#include "contract/batch_timer.hpp"
#include "contract/block_runner.hpp"
#include "contract/contract_core.hpp"

#include <weft/detail/lockfree/nearest_bit.hpp>
#include <weft/detail/pool/worker.hpp>
#include <weft/detail/sync/thread.hpp>

#include <algorithm>
#include <bit>

namespace weft::inline v0::detail {

namespace {

constexpr std::size_t contracts_of_a_turn = 2048; // of a pool's worker

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

} // namespace

/// A thread in a seat, for visit_order.
class contract_core::visitor {
public:
    visitor(contract_core& group, contract_seat& seat, std::size_t most, keeping rest) noexcept
        : group_{group}, seat_{seat}, most_{most}, rest_{rest} {}

    [[nodiscard]] std::size_t run_visit(contract_seat::visit& visit,
                                        unsigned priority_class) noexcept {
        const std::size_t most =
            rest_ == keeping::the_rest ? group_.most_to_keep(seat_, priority_class) : most_;
        const auto wanted = static_cast<unsigned>(
            std::min({std::size_t{visit.left}, most, std::size_t{batch_size(seat_)}}));
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
        if (count > 1 && rest_ == keeping::the_rest) {
            return group_.begin_kept(seat_, visit.block, priority_class, items);
        }
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
    const keeping rest_;
};

std::size_t contract_core::execute(std::size_t most, const selection_bias& bias) {
    return has_work() ? execute_from(seats_.take(), most, bias) : 0;
}

bool contract_core::execute_next(const selection_bias& bias) {
    return bias.is_fair() ? execute_one() : execute(1, bias) != 0;
}

bool contract_core::try_run() noexcept {
    if (!has_work()) return false;
    contract_seat* seat = seats_.try_take();
    const worker* self = worker::current();
    const thread_bias bias =
        biases_.of_worker(self != nullptr ? self->index() : worker_biases::no_worker);
    return seat != nullptr && execute_from(*seat, contracts_of_a_turn, bias) != 0;
}

std::size_t contract_core::execute_from(contract_seat& seat, std::size_t most,
                                        const thread_bias& bias, keeping rest) noexcept {
    if (seat.kept.read().items != 0) give_back_kept(seat);
    std::size_t done = 0;
    while (done < most) {
        const std::size_t some = run_next_batch(seat, most - done, bias, rest);
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
                                          const thread_bias& bias, keeping rest) noexcept {
    visitor led{*this, seat, most, rest};
    do {
        if (const std::size_t done = order_.visit_next(seat, led, bias.next())) return done;
    } while (free_slow_batch(seat) || take_over_any());
    return 0;
}

/// True if something has become due.
bool contract_core::free_slow_batch(contract_seat& seat) noexcept {
    contract_seat* left_behind = nullptr;
    const auto freed = slow_batches_.try_free_one(seat, &left_behind);
    if (left_behind != nullptr) return take_over(*left_behind);
    if (!freed) return false;
    block_runner runner{*this, freed->block};
    give_back_freed(seat.batch, runner, *freed);
    return true;
}

bool contract_core::execute_or_wait(const sync::clock::time_point* deadline,
                                    const selection_bias& bias) {
    for (;;) {
        if (execute_next(bias)) return true;
        if (has_ended()) return false;
        if (wait_until_due(deadline)) continue;
        if (execute_next(bias)) return true;
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
