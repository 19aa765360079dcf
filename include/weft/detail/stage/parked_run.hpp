// A run of a stage that waits for room in others.
#pragma once

#include <weft/detail/stage/stage_node.hpp>
#include <weft/detail/sync/atomic.hpp>

#include <array>
#include <cstdint>

namespace weft::inline v0::detail {

class stage_core;
struct parked_run;

/// What a run owes to one other stage: in one word, so that a search for circles can compare two
/// looks at it.
class debt_word {
public:
    debt_word() noexcept = default;
    explicit debt_word(std::uint64_t word) noexcept : word_{word} {}
    [[nodiscard]] static debt_word made(std::uint32_t target, std::uint32_t version) noexcept {
        return debt_word{std::uint64_t{target} << 40 | (std::uint64_t{version} & 0xff'ffff) << 16 |
                         1};
    }
    /// Pushes that wait for room there.
    [[nodiscard]] std::uint32_t count() const noexcept {
        return static_cast<std::uint32_t>(word_ & 0xffff);
    }
    /// Changes each time the word is used for another debt.
    [[nodiscard]] std::uint32_t version() const noexcept {
        return static_cast<std::uint32_t>(word_ >> 16 & 0xff'ffff);
    }
    /// The index of that stage.
    [[nodiscard]] std::uint32_t target() const noexcept {
        return static_cast<std::uint32_t>(word_ >> 40);
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return word_; }
    static constexpr std::uint64_t one = 1;
    static constexpr std::uint32_t most = 0xffff; // pushes, and more than the last index

private:
    std::uint64_t word_ = 0;
};

struct debt_slot : waiting_push {
    parked_run* run = nullptr;
    sync::atomic<std::uint64_t> word{0};

    debt_slot() noexcept { admitted = &admit; }
    static bool admit(waiting_push& self, bool ended) noexcept;
};

/// A run that has pushed into full stages. It keeps its place in its stage's budget, and takes no
/// further item before each of these pushes has room. Those that it had taken are for other runs.
///
/// | operation        | caller                                       | progress  |
/// |------------------|----------------------------------------------|-----------|
/// | try_use          | any thread that runs the stage               | wait-free |
/// | end_use          | the thread that goes on with the run         | wait-free |
/// | announce         | the thread of the run                        | wait-free |
/// | withdraw         | the same, a push that it has announced       | wait-free |
/// | end_debt         | the same, after the item; and the thread in the section of the other stage | wait-free |
///
/// Invariants
///  PR1  `debts` is the number of pushes that wait, and one more until the item has ended. Whoever
///       makes it zero (`end_debt`) goes on with the run: its own thread, or the one that gave the
///       last room, which resumes it. So it goes on once.
///  PR2  Records stay until their stage's memory is freed, so that a search for circles may read
///       their words at any time.
struct parked_run {
    parked_run* next = nullptr;      // of the runs that may go on
    parked_run* next_made = nullptr; // of all records of the stage
    stage_core* owner = nullptr;
    sync::atomic<bool> used{false};
    sync::atomic<std::uint32_t> debts{0};
    static constexpr std::size_t slots_of_targets = 4;
    std::array<debt_slot, slots_of_targets> slots;
    debt_slot others; // for the fifth stage and further ones; a search does not see them

    parked_run() noexcept {
        for (debt_slot& each : slots) each.run = this;
        others.run = this;
    }

    /// True if the caller may use it for a run.
    [[nodiscard]] bool try_use() noexcept {
        bool expected = false;
        // acquire, pairs with end_use() [PARKED-3]
        if (!used.compare_exchange_strong(expected, true, sync::acquire, sync::relaxed)) {
            return false;
        }
        debts.store(1, sync::relaxed); // the item itself (PR1)
        return true;
    }
    /// The run goes on without it.
    void end_use() noexcept { used.store(false, sync::release); } // pairs with try_use() [PARKED-4]

    /// A push into that stage is about to wait.
    [[nodiscard]] debt_slot* announce(std::uint32_t target) noexcept {
        debts.fetch_add(1, sync::relaxed);
        debt_slot* vacant = nullptr;
        for (debt_slot& each : slots) {
            const debt_word now{each.word.load(sync::relaxed)};
            if (now.count() != 0 && now.target() == target) {
                if (now.count() == debt_word::most) {
                    vacant = &others;
                    break;
                }
                each.word.fetch_add(debt_word::one, sync::relaxed);
                return &each;
            }
            if (now.count() == 0 && vacant == nullptr) vacant = &each;
        }
        if (vacant == nullptr) vacant = &others;
        if (vacant == &others) return vacant;
        const debt_word before{vacant->word.load(sync::relaxed)};
        // release, pairs with is_stuck(): that there is such a stage [PARKED-5]
        vacant->word.store(debt_word::made(target, before.version() + 1).value(), sync::release);
        return vacant;
    }
    void withdraw(debt_slot& slot) noexcept {
        if (&slot != &others) slot.word.fetch_sub(debt_word::one, sync::relaxed);
        debts.fetch_sub(1, sync::relaxed);
    }
    /// Ends one debt, or the item's own hold: true if it was the last, and the caller goes on with
    /// the run.
    [[nodiscard]] bool end_debt() noexcept {
        // PR1: release for what the run has left, acquire for whoever goes on with it; pairs with
        // end_debt() of the others [PARKED-1]
        return debts.fetch_sub(1, sync::acq_rel) == 1;
    }
};

} // namespace weft::inline v0::detail
