// A group of contracts: what its handles, the threads that execute it and its pool share.
#pragma once

#include "contract/contract_table.hpp"
#include "contract/kept_errors.hpp"
#include "contract/pool_link.hpp"
#include "contract/seat.hpp"
#include "contract/slow_batches.hpp"
#include "contract/visit_order.hpp"
#include "contract/worker_biases.hpp"
#include "lockfree/event_count.hpp"
#include "lockfree/intake.hpp"

#include <weft/contract.hpp>
#include <weft/detail/contract/contract_block.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace weft::inline v0::detail {

/// How a group works. The state of a contract is in its block (contract_block.hpp); signal trees
/// say which blocks have something due (contract_table.hpp). A thread that executes has a seat
/// (seat.hpp), visits block after block (visit_order.hpp), claims some of the contracts that are
/// due there, runs them one after the other, and gives them back together (batch_run.hpp). A batch
/// is sized to take a few microseconds; if its owner stays with one contract for long, another
/// thread frees the rest (slow_batches.hpp).
///
/// *Nothing is missed.* A thread that makes a contract available marks its block, with a fence
/// between, and notifies the pool or a waiter. A thread that finds nothing due in a block withdraws
/// the mark and looks again. A seat's batch is begun before the claim, so that a thread that finds
/// no mark either sees nothing due or sees the batch that the contract is in; a batch that could be
/// freed counts as work. A thread that gives back one contract that is due again notifies no other,
/// since it continues to search; when it stops searching, it notifies.
class contract_core final : public work_source {
public:
    explicit contract_core(contract_group_options options);
    ~contract_core() override;
    contract_core(const contract_core&) = delete;
    contract_core& operator=(const contract_core&) = delete;

    // Handles
    [[nodiscard]] std::uint32_t create(const contract_parts& parts, contract_options options);
    bool schedule(std::uint32_t index) noexcept;
    bool release(std::uint32_t index) noexcept;
    [[nodiscard]] bool valid(std::uint32_t index) const noexcept;
    void set_priority(std::uint32_t index, priority next) noexcept;
    void drop_handle(std::uint32_t index) noexcept;

    // Execution
    /// Runs up to `most` contracts; returns how many.
    [[nodiscard]] std::size_t execute(std::size_t most, const selection_bias& bias = {});
    /// Runs one contract, if one is due.
    [[nodiscard]] bool execute_next(const selection_bias& bias);
    /// Runs one contract; false if the deadline came first, or the group was stopped and has none
    /// left.
    [[nodiscard]] bool execute_or_wait(const sync::clock::time_point* deadline,
                                       const selection_bias& bias);
    void set_worker_bias(std::size_t worker, selection_bias bias) {
        biases_.set(worker, std::move(bias));
    }
    bool try_run() noexcept override;
    [[nodiscard]] bool has_work() const noexcept override;
    void pool_ended() noexcept override;

    // The group
    void attach() { link_.attach(*this); }
    void wait();
    void stop(on_stop mode);
    /// Stops the group, and reports the exceptions that no `wait` has thrown.
    void end() noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return alive_.load(sync::relaxed); }
    [[nodiscard]] std::size_t memory() const noexcept { return table_.memory(); }
    [[nodiscard]] unsigned levels() const noexcept { return order_.levels(); }

private:
    static constexpr std::size_t width = contract_store::width;

    class block_runner;
    class visitor;

    void emplace(std::uint32_t index, const contract_parts& parts, contract_extras* extras);
    /// Something has become due.
    void notify() noexcept;
    void mark_and_notify(std::uint32_t index, const contract_block& block) noexcept;
    /// Finishes claimed contracts, and marks what is available.
    void give_back(std::size_t block_index, std::uint32_t claimed, std::uint32_t again,
                   std::uint32_t wanted) noexcept;

    /// What a thread that runs one contract does with others of the block.
    enum class keeping : bool { nothing, the_rest };
    /// Runs up to `most` from this seat, and leaves it.
    [[nodiscard]] std::size_t execute_from(contract_seat& seat, std::size_t most,
                                           const thread_bias& bias,
                                           keeping rest = keeping::nothing) noexcept;
    [[nodiscard]] std::size_t run_next_batch(contract_seat& seat, std::size_t most,
                                             const thread_bias& bias, keeping rest) noexcept;

    // One contract a call (kept_batch.hpp)
    [[nodiscard]] bool execute_one();
    [[nodiscard]] unsigned most_to_keep(const contract_seat& seat,
                                        unsigned priority_class) const noexcept;
    [[nodiscard]] std::size_t begin_kept(contract_seat& seat, std::size_t block_index,
                                         unsigned priority_class, std::uint32_t items) noexcept;
    [[nodiscard]] bool is_next(const contract_seat& seat) const noexcept;
    [[nodiscard]] bool run_kept(contract_seat& seat) noexcept;
    void end_kept(contract_seat& seat, block_runner& runner, std::uint32_t own) noexcept;
    void give_back_kept(contract_seat& seat) noexcept;
    bool take_over(contract_seat& seat) noexcept;
    bool take_over_any() noexcept;

    bool free_slow_batch(contract_seat& seat) noexcept;
    [[nodiscard]] bool wait_until_due(const sync::clock::time_point* deadline);
    [[nodiscard]] bool has_ended() const noexcept { return intake_.closed() && size() == 0; }
    /// The exception of a contract goes to its handler, or to the group's, or is kept for `wait`.
    void report(const contract_record& record, std::exception_ptr error) noexcept;

    [[nodiscard]] std::optional<std::uint64_t> idle_since() const noexcept;
    [[nodiscard]] bool is_quiet() const noexcept;
    [[nodiscard]] bool is_driven_by_callers() const noexcept { return options_.pool == nullptr; }
    void require_outside(const char* call);
    void throw_if_failed();
    void wait_for_change();
    void release_all() noexcept;
    void execute_until_empty() noexcept;

    const contract_group_options options_;
    contract_table table_;
    mutable seat_list seats_;
    visit_order order_{table_, seats_};
    worker_biases biases_;
    slow_batches slow_batches_{table_, seats_};
    intake intake_;
    event_count due_;   // for threads that drive the group
    event_count quiet_; // for wait() and stop()
    alignas(64) sync::atomic<std::size_t> alive_{0};
    pool_link link_{options_.pool};
    sync::atomic<bool> cancelling_{false}; // runs that are due are dropped
    sync::atomic<bool> pool_ended_{false};
    kept_errors errors_;
};

} // namespace weft::inline v0::detail
