#include "contract/contract_core.hpp"

#include <weft/detail/pool/pool_front.hpp>
#include <weft/detail/sync/thread.hpp>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

namespace weft::inline v0::detail {

namespace {

std::uint32_t bit_of(std::uint32_t index) noexcept {
    return std::uint32_t{1} << index % contract_store::width;
}
unsigned class_of(priority urgency) noexcept { return static_cast<unsigned>(urgency); }
bool is_closing(const contract_block& in, std::uint32_t index) noexcept {
    return (in.closing() & bit_of(index)) != 0;
}

} // namespace

contract_core::contract_core(contract_group_options how) : how_{std::move(how)} {
    if (how_.reserve != 0) {
        store_.reserve(how_.reserve);
        for (signal_tree& each : trees_) each.reserve((how_.reserve + width - 1) / width);
    }
    if (how_.on != nullptr) seats_.reserve(how_.on->front().sleep.workers() + 1);
}

contract_core::~contract_core() = default;

// Handles

std::uint32_t contract_core::create(const contract_parts& parts, contract_options how) {
    if (!gate_.try_enter()) throw error{errc::stopped, "weft::contract_group::create"};
    struct leaving {
        intake& gate;
        ~leaving() { gate.leave(); }
    } const inside{gate_};
    std::unique_ptr<contract_extras> extras;
    if (how.on_release || how.on_error) {
        extras = std::make_unique<contract_extras>(
            contract_extras{std::move(how.on_release), std::move(how.on_error)});
    }
    const std::uint32_t index =
        store_.take(how_.limit != 0 ? how_.limit : std::numeric_limits<std::size_t>::max());
    const std::size_t block = index / width;
    const contract_store::position at = store_.at(block);
    contract_record& record = at.records[index % width];
    try {
        for (signal_tree& each : trees_) each.reserve(block + 1);
        parts.move(parts.work, record.storage.data());
    } catch (...) {
        store_.give_back(index);
        throw;
    }
    record.run = parts.run;
    record.destroy = parts.destroy;
    record.set_extras(extras.release());
    alive_.fetch_add(1, sync::relaxed);
    at.block->publish(bit_of(index), class_of(how.priority));
    if (how.scheduled) schedule(index);
    return index;
}

/// While a handle's call may still tell the pool, the group's end waits (contract_block, K7). Calls that
/// find the contract closing do not come here: so at the end there are ever fewer.
class contract_core::telling {
public:
    explicit telling(contract_block& in) noexcept : in_{&in} { in_->begin_telling(); }
    ~telling() { in_->end_telling(); }
    telling(const telling&) = delete;
    telling& operator=(const telling&) = delete;

private:
    contract_block* in_;
};

bool contract_core::schedule(std::uint32_t index) noexcept {
    const std::size_t block = index / width;
    contract_block& in = *store_.at(block).block;
    if (is_closing(in, index)) return false;
    const telling counted{in};
    const contract_block::scheduling done = in.schedule(bit_of(index));
    if (done.news) {
        mark(block, bit_of(index), in);
        tell();
    }
    return done.accepted;
}

bool contract_core::release(std::uint32_t index) noexcept {
    const std::size_t block = index / width;
    contract_block& in = *store_.at(block).block;
    if (is_closing(in, index)) return false;
    const telling counted{in};
    if (!in.request_release(bit_of(index), false)) return false;
    mark(block, bit_of(index), in);
    tell();
    return true;
}

bool contract_core::valid(std::uint32_t index) const noexcept {
    return !is_closing(*store_.at(index / width).block, index);
}

void contract_core::set_priority(std::uint32_t index, priority next) noexcept {
    const std::size_t block = index / width;
    contract_block& in = *store_.at(block).block;
    if (is_closing(in, index)) return;
    const telling counted{in};
    class_changes_.begin();
    if (in.set_class(bit_of(index), class_of(next))) {
        mark(block, bit_of(index), in);
        tell();
    }
    class_changes_.end();
    quiet_.notify_all();
}

void contract_core::drop_handle(std::uint32_t index) noexcept {
    release(index);
    if (store_.at(index / width).block->drop_handle(bit_of(index))) store_.give_back(index);
}

/// Something has become due. One of a kind is woken: a worker, one who executes by hand, one who drives
/// the group by waiting for it. They are told apart, since who is told twice runs only one.
void contract_core::tell() noexcept {
    due_.notify_one();
    if (how_.on != nullptr && attached_.load(sync::relaxed)) how_.on->notify();
    else quiet_.notify_one();
}

/// After contracts of a block were made available, and a seq_cst fence.
void contract_core::mark(std::size_t block, std::uint32_t available, contract_block& in) noexcept {
    for (unsigned of = 0; of < contract_classes; ++of) {
        if ((available & in.members(of)) != 0) trees_[of].mark(block);
    }
}

void contract_core::give_back(std::size_t block, std::uint32_t claimed, std::uint32_t again,
                              std::uint32_t wanted) noexcept {
    contract_block& in = *store_.at(block).block;
    const std::uint32_t available = in.finish(claimed, again, wanted);
    if (available == 0) return;
    mark(block, available, in);
    // The caller goes on looking, and takes one of them itself; or it leaves, and tells then.
    if ((available & (available - 1)) != 0) tell();
}

// The group

void contract_core::attach() {
    if (how_.on == nullptr) return;
    attached_.store(true, sync::relaxed);
    how_.on->attach(*this);
}

bool contract_core::something_due() const noexcept {
    return std::ranges::any_of(trees_, [](const signal_tree& each) { return !each.empty(); });
}

bool contract_core::has_work() const noexcept { return something_due() || something_to_free(); }

/// A number that grows with every batch and every change of a class, or nothing while there is one.
std::optional<std::uint64_t> contract_core::idle_since() const noexcept {
    const auto changes = class_changes_.idle_since();
    if (!changes) return std::nullopt;
    std::uint64_t sum = *changes;
    const bool busy = seats_.find([&sum](contract_seat& each) {
        const auto since = each.batch.idle_since();
        sum += since.value_or(0);
        return !since.has_value();
    }) != nullptr;
    return busy ? std::nullopt : std::optional{sum};
}

/// Nothing is due and nothing runs: all was idle before and after nothing was due, and is the same, so
/// it was idle at that moment. Who was withdrawing the last mark meanwhile has shown its batch, or its
/// change of a class, before.
bool contract_core::is_quiet() const noexcept {
    const auto before = idle_since();
    return before && !something_due() && idle_since() == before;
}

void contract_core::require_outside(const char* call) {
    if (seats_.sits()) throw error{errc::would_deadlock, call};
}

/// Collects them; whether there are any. Under the lock.
bool contract_core::take_errors() noexcept {
    for (thrown* each = arrived_errors_.take_all(); each != nullptr;) {
        thrown* next = each->next;
        errors_.push_back(std::move(each->what)); // without memory: ends the program, as told
        delete each;
        each = next;
    }
    return !errors_.empty();
}

void contract_core::wait() {
    constexpr const char* call = "weft::contract_group::wait";
    require_outside(call);
    if (how_.on != nullptr && pool::current() == how_.on) throw error{errc::would_deadlock, call};
    for (;;) {
        if (how_.on == nullptr) {
            while (arrived_errors_.empty() && execute(width) != 0) {
            }
        }
        const bool ended = pool_ended_.load(sync::acquire); // pairs with pool_ended() [GROUP-4]
        const bool quiet = is_quiet();                      // and then what it threw is there
        {
            const sync::lock_guard alone{calls_};
            if (take_errors()) {
                const std::exception_ptr first = std::move(errors_.front());
                errors_.erase(errors_.begin());
                if (how_.on == nullptr && has_work()) tell(); // it may have been told itself
                std::rethrow_exception(first);
            }
        }
        if (quiet) return;
        if (ended) throw error{errc::stopped, call};
        const auto changed = [this] {
            const sync::lock_guard alone{calls_};
            return take_errors() || is_quiet() || pool_ended_.load(sync::relaxed) ||
                   (how_.on == nullptr && has_work());
        };
        quiet_.wait(changed);
    }
}

void contract_core::pool_ended() noexcept {
    pool_ended_.store(true, sync::release); // pairs with wait() [GROUP-5]
    quiet_.notify_all();
}

void contract_core::stop(on_stop how) {
    require_outside("weft::contract_group::stop");
    if (how == on_stop::cancel) cancelling_.store(true, sync::relaxed);
    gate_.close();
    while (!gate_.quiet()) sync::yield();
    const std::size_t blocks = store_.blocks();
    for (std::size_t block = 0; block < blocks; ++block) {
        contract_block& in = *store_.at(block).block;
        for (std::uint32_t left = in.living(); left != 0; left &= left - 1) {
            const std::uint32_t bit = left & (~left + 1);
            if (!in.request_release(bit, how == on_stop::cancel)) continue;
            mark(block, bit, in);
        }
    }
    tell();
    while (alive_.load(sync::acquire) != 0) { // pairs with end_contract() [GROUP-1]
        contract_seat* seat = seats_.try_take();
        if (seat == nullptr) { // without memory: others leave theirs
            sync::yield();
            continue;
        }
        if (execute_in(*seat, width) != 0) continue;
        quiet_.wait([this] { return alive_.load(sync::relaxed) == 0 || has_work(); });
    }
    due_.notify_all();
}

// NOLINTNEXTLINE(bugprone-exception-escape): a group that ends in its own contract ends the program
void contract_core::end() noexcept {
    stop(how_.at_end);
    leave_pool();
    const sync::lock_guard alone{calls_};
    take_errors();
    for (std::exception_ptr& each : errors_) {
        if (how_.on != nullptr) {
            how_.on->front().errors->report(std::move(each));
        } else {
            std::fputs("weft: a contract threw, nobody waited for its group, and there is no "
                       "on_error\n",
                       stderr);
            std::rethrow_exception(each); // terminates, and names the exception
        }
    }
    errors_.clear();
}

void contract_core::leave_pool() {
    if (!attached_.load(sync::relaxed)) return;
    attached_.store(false, sync::relaxed);
    // K7, pairs with the fences of schedule(), request_release() and set_class() [GROUP-3]
    sync::fence(sync::seq_cst);
    for (std::size_t block = 0; block < store_.blocks(); ++block) {
        while (!store_.at(block).block->nobody_tells()) sync::yield();
    }
    how_.on->detach(*this);
}

std::size_t contract_core::memory() const noexcept {
    std::size_t sum = store_.memory();
    for (const signal_tree& each : trees_) sum += each.memory();
    return sum;
}

void contract_core::report(const contract_record& of, std::exception_ptr error) noexcept {
    contract_extras* extras = of.extras();
    if (extras != nullptr && extras->on_error) extras->on_error(std::move(error));
    else if (how_.on_error) how_.on_error(std::move(error));
    else keep(std::move(error));
}

void contract_core::keep(std::exception_ptr error) noexcept {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory this ends the program
    arrived_errors_.push(new thrown{std::move(error)});
    quiet_.notify_all();
}

} // namespace weft::inline v0::detail
