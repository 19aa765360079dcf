#include "contract/contract_core.hpp"

#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/sync/thread.hpp>

#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

namespace weft::inline v0::detail {

namespace {

std::uint32_t bit_of(std::uint32_t index) noexcept {
    return std::uint32_t{1} << index % contract_store::width;
}
unsigned class_of(priority value) noexcept { return static_cast<unsigned>(value); }
bool is_closing(const contract_block& block, std::uint32_t index) noexcept {
    return (block.closing() & bit_of(index)) != 0;
}

} // namespace

contract_core::contract_core(contract_group_options options)
    : options_{std::move(options)},
      biases_{options_.pool != nullptr ? options_.pool->workers() : 0, options_.worker_biases} {
    if (options_.reserve != 0) table_.reserve(options_.reserve);
    if (options_.pool != nullptr) seats_.reserve(options_.pool->front().sleep.workers() + 1);
}

contract_core::~contract_core() = default;

// Handles

std::uint32_t contract_core::create(const contract_parts& parts, contract_options options) {
    if (!intake_.try_enter()) throw error{errc::stopped, "weft::contract_group::create"};
    struct leaving {
        intake& entered;
        ~leaving() { entered.leave(); }
    } const inside{intake_};
    std::unique_ptr<contract_extras> extras;
    if (options.on_release || options.on_error) {
        extras = std::make_unique<contract_extras>(
            contract_extras{std::move(options.on_release), std::move(options.on_error)});
    }
    const std::uint32_t index = table_.store.take(
        options_.limit != 0 ? options_.limit : std::numeric_limits<std::size_t>::max());
    emplace(index, parts, extras.get());
    [[maybe_unused]] const contract_extras* kept = extras.release(); // by the record
    alive_.fetch_add(1, sync::relaxed);
    table_.store.block(index / width).publish(bit_of(index), class_of(options.priority));
    if (options.scheduled) schedule(index);
    return index;
}

/// Writes the record of a contract. If that throws, gives the entry back.
void contract_core::emplace(std::uint32_t index, const contract_parts& parts,
                            contract_extras* extras) {
    contract_record& record = table_.store.entries(index / width).records[index % width];
    try {
        table_.reserve_signals(index / width + 1);
        parts.move(parts.work, record.storage.data());
    } catch (...) {
        table_.store.give_back(index);
        throw;
    }
    record.run = parts.run;
    record.destroy = parts.destroy;
    record.set_extras(extras);
}

bool contract_core::schedule(std::uint32_t index) noexcept {
    contract_block& block = table_.store.block(index / width);
    if (is_closing(block, index)) return false;
    const notifying counted{block};
    const contract_block::scheduling done = block.schedule(bit_of(index));
    if (done.news) mark_and_notify(index, block);
    return done.accepted;
}

bool contract_core::release(std::uint32_t index) noexcept {
    contract_block& block = table_.store.block(index / width);
    if (is_closing(block, index)) return false;
    const notifying counted{block};
    const bool first = block.request_release(bit_of(index));
    if (first) mark_and_notify(index, block);
    return first;
}

bool contract_core::valid(std::uint32_t index) const noexcept {
    return !is_closing(table_.store.block(index / width), index);
}

void contract_core::set_priority(std::uint32_t index, priority next) noexcept {
    contract_block& block = table_.store.block(index / width);
    if (is_closing(block, index)) return;
    const notifying counted{block};
    if (table_.set_priority(index / width, bit_of(index), class_of(next))) notify();
    quiet_.notify_all();
}

void contract_core::drop_handle(std::uint32_t index) noexcept {
    release(index);
    if (table_.store.block(index / width).drop_handle(bit_of(index))) {
        table_.store.give_back(index);
    }
}

// Notifications

/// Wakes one thread of each kind: a worker; a thread that drives the group; a thread that drives it
/// by waiting for it. Each kind has a wake-up of its own, since a thread that is woken twice runs
/// only one contract. The thread that stops the group drives it too, since the workers may be busy:
/// it closes the intake before it sleeps, and the fence of a notification is between a mark and the
/// look at the intake, so that one of the two sees the other.
void contract_core::notify() noexcept {
    due_.notify_one();
    if (!link_.notify()) quiet_.notify_one();
    else if (intake_.closed()) quiet_.notify_all();
}

void contract_core::mark_and_notify(std::uint32_t index, const contract_block& block) noexcept {
    table_.mark(index / width, block, bit_of(index));
    notify();
}

void contract_core::give_back(std::size_t block_index, std::uint32_t claimed, std::uint32_t again,
                              std::uint32_t wanted) noexcept {
    contract_block& block = table_.store.block(block_index);
    const std::uint32_t available = block.finish(claimed, again, wanted);
    if (available == 0) return;
    table_.mark(block_index, block, available);
    // The caller continues to search, and takes one of them itself; or it leaves, and then
    // notifies.
    if ((available & (available - 1)) != 0) notify();
}

void contract_core::pool_ended() noexcept {
    pool_ended_.store(true, sync::release); // pairs with wait() [GROUP-5]
    quiet_.notify_all();
}

// Waiting

bool contract_core::has_work() const noexcept {
    return table_.something_due() || slow_batches_.may_have_some();
}

/// A number that grows with every batch and every change of a priority, or nothing while one of
/// them is under way.
std::optional<std::uint64_t> contract_core::idle_since() const noexcept {
    const auto changes = table_.priority_changes.idle_since();
    if (!changes) return std::nullopt;
    std::uint64_t sum = *changes;
    const bool busy = seats_.find([&sum](contract_seat& each) {
        const auto since = each.batch.idle_since();
        sum += since.value_or(0);
        return !since.has_value();
    }) != nullptr;
    return busy ? std::nullopt : std::optional{sum};
}

/// Whether nothing is due and nothing runs: all was idle before and after the check that nothing is
/// due, with the same number, so all was idle at that moment. A thread that withdrew the last mark
/// in between has made its batch, or its change of a priority, visible before.
bool contract_core::is_quiet() const noexcept {
    const auto before = idle_since();
    return before && !table_.something_due() && idle_since() == before;
}

void contract_core::require_outside(const char* call) {
    if (seats_.is_inside()) throw error{errc::would_deadlock, call};
}

void contract_core::throw_if_failed() {
    // The thread may have been woken to execute. But an exception wakes all waiters, and none
    // sleeps while it is kept: another of them looks for what is due.
    if (const std::exception_ptr first = errors_.take_first()) std::rethrow_exception(first);
}

void contract_core::wait_for_change() {
    quiet_.wait([this] {
        return !errors_.is_empty() || is_quiet() || pool_ended_.load(sync::relaxed) ||
               (is_driven_by_callers() && has_work());
    });
}

void contract_core::wait() {
    constexpr const char* call = "weft::contract_group::wait";
    require_outside(call);
    if (options_.pool != nullptr && pool::current() == options_.pool) {
        throw error{errc::would_deadlock, call};
    }
    for (;;) {
        if (is_driven_by_callers()) {
            while (!errors_.has_arrived() && execute(width, selection_bias::fair()) != 0) {
            }
        }
        const bool ended = pool_ended_.load(sync::acquire); // pairs with pool_ended() [GROUP-4]
        const bool quiet = is_quiet();                      // before the exceptions are checked
        throw_if_failed();
        if (quiet) return;
        if (ended) throw error{errc::stopped, call};
        wait_for_change();
    }
}

// The end

void contract_core::stop(on_stop mode) {
    require_outside("weft::contract_group::stop");
    if (mode == on_stop::cancel) cancelling_.store(true, sync::relaxed);
    intake_.close();
    while (!intake_.quiet()) sync::yield();
    release_all();
    notify();
    execute_until_empty();
    due_.notify_all();
}

void contract_core::release_all() noexcept {
    const std::size_t blocks = table_.store.blocks();
    for (std::size_t index = 0; index < blocks; ++index) {
        contract_block& block = table_.store.block(index);
        for (std::uint32_t left = block.living(); left != 0; left &= left - 1) {
            const std::uint32_t bit = left & (~left + 1);
            if (block.request_release(bit)) table_.mark(index, block, bit);
        }
    }
}

void contract_core::execute_until_empty() noexcept {
    const selection_bias fair;
    while (alive_.load(sync::acquire) != 0) { // pairs with block_runner::release() [GROUP-1]
        contract_seat* seat = seats_.try_take();
        if (seat == nullptr) { // no memory: another thread will leave a seat
            sync::yield();
            continue;
        }
        if (execute_from(*seat, width, fair) != 0) continue;
        quiet_.wait([this] { return alive_.load(sync::relaxed) == 0 || has_work(); });
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): a group that ends in its own contract ends the program
void contract_core::end() noexcept {
    stop(options_.at_end);
    link_.leave(*this, table_.store);
    for (std::exception_ptr& each : errors_.take_all()) {
        if (options_.pool != nullptr) {
            options_.pool->front().errors->report(std::move(each));
        } else {
            std::fputs("weft: a contract threw, nobody waited for its group, and there is no "
                       "on_error\n",
                       stderr);
            std::rethrow_exception(each); // terminates, and names the exception
        }
    }
}

} // namespace weft::inline v0::detail
