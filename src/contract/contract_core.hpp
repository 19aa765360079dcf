// A group of contracts: what its handles, its executing threads and its pool share.
#pragma once

#include "contract/change_count.hpp"
#include "contract/contract_store.hpp"
#include "contract/seat.hpp"
#include "lockfree/event_count.hpp"
#include "lockfree/intake.hpp"
#include "lockfree/signal_tree.hpp"

#include <weft/contract.hpp>
#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/lockfree/inbox.hpp>
#include <weft/detail/sync/mutex.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

namespace weft::inline v0::detail {

/// How a group works. The state of a contract is in its block (contract_block.hpp). A signal tree
/// for each class says which blocks have something due; a signal is a block, and stays raised until
/// somebody finds nothing there. Who executes sits in a seat, visits block after block, claims some
/// of the contracts that are due there, runs them one after the other, and gives them back together.
///
/// *Order.* Each seat has a share of the blocks and goes over it stretch by stretch; in a visit each
/// contract is run once at most. Every so often it looks at the shares of others, and takes a
/// stretch of one that is more than a round behind. So all contracts that are always due are run
/// equally often, and most of the time by the same thread.
///
/// *Long runs.* A batch is no longer than what takes a few microseconds, as far as that is known.
/// If its owner stays with one contract for long, another who has nothing else to do frees the
/// other contracts of the batch (shared_batch.hpp), and they are due again for everybody.
///
/// *Nothing is missed.* Who makes a block available marks it, with a fence between, and tells the
/// pool or a waiter. Who finds a block with nothing due withdraws the mark and looks again. A seat's
/// batch is begun before the claim, so that who finds no mark either sees nothing due or sees the
/// batch that it is in; a batch that could be freed counts as work. Who gives back one contract that
/// is due again tells nobody, as it goes on looking; if it stops looking, it tells then.
class contract_core final : public work_source {
public:
    explicit contract_core(contract_group_options how);
    ~contract_core() override;
    contract_core(const contract_core&) = delete;
    contract_core& operator=(const contract_core&) = delete;

    // Handles
    [[nodiscard]] std::uint32_t create(const contract_parts& parts, contract_options how);
    bool schedule(std::uint32_t index) noexcept;
    bool release(std::uint32_t index) noexcept;
    [[nodiscard]] bool valid(std::uint32_t index) const noexcept;
    void set_priority(std::uint32_t index, priority next) noexcept;
    void drop_handle(std::uint32_t index) noexcept;

    // Execution
    [[nodiscard]] std::size_t execute(std::size_t most);
    [[nodiscard]] bool execute_or_wait(const sync::clock::time_point* deadline);
    bool try_run() noexcept override;
    [[nodiscard]] bool has_work() const noexcept override;
    void pool_ended() noexcept override;

    // The group
    void attach();
    void wait();
    void stop(on_stop how);
    /// Stops, and hands on what nobody has asked for.
    void end() noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return alive_.load(sync::relaxed); }
    [[nodiscard]] std::size_t memory() const noexcept;

private:
    static constexpr std::size_t width = contract_store::width;
    static constexpr std::size_t stretch = 8;           // blocks
    static constexpr unsigned batch_nanoseconds = 4000; // what a batch is to take, about
    static constexpr std::size_t turn_contracts = 2048; // of a pool's worker
    static constexpr std::array<unsigned, contract_classes> weights{16, 4, 1};

    struct thrown {
        std::exception_ptr what;
        thrown* next = nullptr;
    };
    /// What a batch is made of while it runs.
    struct running {
        contract_store::position at;
        std::size_t block;
        std::uint32_t items;
        std::uint32_t again = 0;
        std::uint32_t gone = 0;
    };

    class telling;

    void tell() noexcept;
    void mark(std::size_t block, std::uint32_t available, contract_block& in) noexcept;
    void give_back(std::size_t block, std::uint32_t claimed, std::uint32_t again,
                   std::uint32_t wanted) noexcept;

    [[nodiscard]] std::size_t execute_in(contract_seat& seat, std::size_t most) noexcept;
    [[nodiscard]] std::size_t execute_next(contract_seat& seat, std::size_t most) noexcept;
    [[nodiscard]] std::size_t execute_class(contract_seat& seat, unsigned of,
                                            std::size_t most) noexcept;
    [[nodiscard]] std::size_t execute_stretch(contract_seat& seat, unsigned of,
                                              std::size_t most) noexcept;
    [[nodiscard]] std::size_t execute_sparse(contract_seat& seat, unsigned of,
                                             std::size_t most) noexcept;
    [[nodiscard]] bool begin_visit(contract_seat& seat, unsigned of, std::size_t block) noexcept;
    [[nodiscard]] std::size_t go_on_visiting(contract_seat& seat, unsigned of,
                                             std::size_t most) noexcept;
    [[nodiscard]] static unsigned batch_size(const contract_seat& seat) noexcept;
    [[nodiscard]] std::size_t run_batch(contract_seat& seat, std::size_t block,
                                        std::uint32_t items) noexcept;
    [[nodiscard]] std::size_t run_items(contract_seat& seat, running& now) noexcept;
    void run_work(contract_record& record, contract_token& token) noexcept;
    void end_contract(running& now, std::uint32_t bit, contract_token& token) noexcept;
    void report(const contract_record& of, std::exception_ptr error) noexcept;
    void keep(std::exception_ptr error) noexcept;

    void begin_seat(contract_seat& seat) noexcept;
    void next_stretch(contract_seat& seat, unsigned of) noexcept;
    struct share {
        std::size_t first;
        std::size_t end;
        [[nodiscard]] std::size_t stretches() const noexcept {
            return (end - first + stretch - 1) / stretch;
        }
    };
    [[nodiscard]] share share_of(std::size_t seat) const noexcept;
    [[nodiscard]] contract_seat& most_behind(contract_seat& seat, unsigned of) noexcept;

    [[nodiscard]] bool is_worth_freeing(const shared_batch::view& seen) const noexcept;
    [[nodiscard]] bool something_to_free() const noexcept;
    [[nodiscard]] bool free_long_batch(contract_seat& seat) noexcept;
    [[nodiscard]] bool something_due() const noexcept;
    [[nodiscard]] std::optional<std::uint64_t> idle_since() const noexcept;
    [[nodiscard]] bool is_quiet() const noexcept;
    void require_outside(const char* call);
    bool take_errors() noexcept;
    void leave_pool();

    const contract_group_options how_;
    contract_store store_;
    std::array<signal_tree, contract_classes> trees_;
    mutable seat_list seats_;
    intake gate_;
    event_count due_;   // for those who execute by hand
    event_count quiet_; // for wait() and stop()
    alignas(64) sync::atomic<std::size_t> alive_{0};
    change_count class_changes_;
    sync::atomic<bool> attached_{false};
    sync::atomic<bool> cancelling_{false}; // runs that are due are dropped
    sync::atomic<bool> pool_ended_{false};
    inbox<thrown> arrived_errors_;
    sync::mutex calls_; // of wait() and stop(): no executing thread takes it
    std::vector<std::exception_ptr> errors_;
};

} // namespace weft::inline v0::detail
