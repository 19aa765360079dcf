// The batch by itself where one call meets another; else batches of contracts, which are claimed,
// run, freed and given back by the code of a group.
#include "lockfree/shared_batch.hpp"

#include "contract/batch_run.hpp"
#include "contract/contract_table.hpp"
#include "contract/seat.hpp"
#include "contract/slow_batches.hpp"
#include "support/thorough.hpp"

#include <weft/detail/contract/contract_block.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::shared_batch_test {
namespace {

using detail::contract_seat;
using detail::shared_batch;
using explorer::named;
using explorer::together;
using step = shared_batch::step;

constexpr std::uint32_t two = 0b0011;
constexpr std::uint32_t three = 0b0111;

// One call each

/// A batch that is open at its first item, and what another thread has seen of it.
struct open_batch {
    shared_batch batch;
    std::optional<shared_batch::view> seen;

    explicit open_batch(std::uint32_t items) {
        batch.owner_begin();
        batch.owner_publish(7, items, 9);
        seen = batch.look();
    }
    /// What has been seen of it before is outdated then.
    void advance(std::uint32_t left) {
        explorer::check(batch.owner_advance(left, {}) == step::next, "nobody has freed it");
    }
};

/// Either the owner goes on to the next item, or the other thread has it.
void advanced_or_freed() {
    open_batch all{two};
    step advanced{};
    std::optional<shared_batch::freed> freed;
    together(named("owner", [&] { advanced = all.batch.owner_advance(0b0010, {}); }),
             named("other", [&] { freed = all.batch.try_free(*all.seen); }));
    explorer::check(advanced == (freed ? step::only_last : step::next), "one of them has the rest");
    if (!freed) return;
    explorer::check(freed->block == 7 && freed->note == 9, "it is the batch that was seen");
    explorer::check(freed->done == 0 && freed->not_begun == 0b0010, "all but the first is freed");
}

/// The same after the last item.
void closed_or_freed() {
    open_batch all{two};
    all.advance(0b0010);
    const auto seen = all.batch.look();
    bool kept = false;
    std::optional<shared_batch::freed> freed;
    together(named("owner", [&] { kept = all.batch.owner_close(); }),
             named("other", [&] { freed = all.batch.try_free(*seen); }));
    explorer::check(kept != freed.has_value(), "one of them has the first item");
    explorer::check(!freed || (freed->done == 0b0001 && freed->not_begun == 0),
                    "all but the last is freed");
}

void two_free_it() {
    open_batch all{two};
    std::array<bool, 2> freed{};
    together(named("one", [&] { freed[0] = all.batch.try_free(*all.seen).has_value(); }),
             named("other", [&] { freed[1] = all.batch.try_free(*all.seen).has_value(); }));
    explorer::check(!freed[0] || !freed[1], "it is freed once");
}

/// The batch is at risk, and the position is the second item. A thread that had seen the first item
/// there leaves the risk alone; otherwise the owner would not notice it when it goes on.
void another_threads_risk_is_left_alone() {
    open_batch all{three};
    all.advance(0b0110);
    const auto seen = all.batch.look();
    std::optional<shared_batch::freed> freed;
    step advanced{};
    together(named("other", [&] { freed = all.batch.try_free(*seen); }),
             named("latecomer",
                   [&] {
                       explorer::check(!all.batch.try_free(*all.seen), "the owner has moved on");
                       if (const auto now = all.batch.look()) {
                           static_cast<void>(all.batch.try_free(*now));
                       }
                   }),
             named("owner", [&] { advanced = all.batch.owner_advance(0b0100, {}); }));
    explorer::check(!freed || advanced != step::next,
                    "the owner knows that the next item is not its own");
}

/// The first puts the batch at risk and is stopped there; the owner goes on; the second puts it at
/// risk again. The first one's risk is over then.
void a_risk_that_is_over() {
    open_batch all{three};
    step advanced{};
    std::optional<shared_batch::freed> first;
    std::optional<shared_batch::freed> second;
    together(named("owner", [&] { advanced = all.batch.owner_advance(0b0110, {}); }),
             named("other", [&] { first = all.batch.try_free(*all.seen); }), named("another", [&] {
                 if (const auto now = all.batch.look()) second = all.batch.try_free(*now);
             }));
    explorer::check(!first || !second, "it is freed once");
    const bool from_the_first = first || (second && second->done == 0);
    explorer::check((advanced == step::only_last) == from_the_first,
                    "the owner has the item at which it was freed, and no other");
    explorer::check(advanced != step::only_next || (second && second->done == 0b0001),
                    "it was freed at the second item");
}

/// The owner rests before the next item, and begins it later; another thread that saw it at the
/// first has all but that one, or nothing.
void rested_or_freed() {
    open_batch all{three};
    step rested{};
    step advanced{};
    std::optional<shared_batch::freed> freed;
    together(named("owner",
                   [&] {
                       rested = all.batch.owner_rest(0b0110, {});
                       if (rested != step::next) return;
                       all.batch.owner_resume(0b0110);
                       advanced = all.batch.owner_advance(0b0100, {});
                   }),
             named("other", [&] {
                 const auto seen = all.batch.look();
                 if (seen) freed = all.batch.try_free(*seen);
             }));
    explorer::check(rested != step::only_next, "none is freed while it rests");
    const bool at_first = freed && freed->done == 0 && freed->not_begun == 0b0110;
    const bool at_second = freed && freed->done == 0b0001 && freed->not_begun == 0b0100;
    explorer::check((rested == step::only_last) == at_first, "the owner has the first item");
    explorer::check((rested == step::next && advanced == step::only_last) == at_second,
                    "the owner has the second item");
    const bool at_third = freed && freed->done == 0b0011 && freed->not_begun == 0;
    explorer::check(freed.has_value() == (at_first || at_second || at_third),
                    "all but one is freed");
}

/// Another owner takes over a batch that rests, while a thread is about to free it.
void taken_over_or_freed() {
    open_batch all{two};
    sync::atomic<bool> left{false};
    step rested{};
    bool closed = false;
    std::optional<shared_batch::freed> freed;
    together(named("owner",
                   [&] {
                       rested = all.batch.owner_rest(0b0010, {});
                       left.store(rested == step::next, sync::release);
                   }),
             named("next owner",
                   [&] {
                       if (left.load(sync::acquire)) closed = all.batch.owner_close();
                   }),
             named("other", [&] { freed = all.batch.try_free(*all.seen); }));
    explorer::check((rested == step::only_last) == freed.has_value(), "one has the second item");
    explorer::check(!closed || !freed, "what was taken over is not freed");
    explorer::check(closed || !left.load(sync::relaxed) || all.batch.look().has_value(),
                    "what is left behind stays open");
}

/// What became of the items before the rest is seen by a thread that frees after it.
void freed_after_a_rest() {
    open_batch all{three};
    sync::plain<int> item{0};
    together(named("owner",
                   [&] {
                       item.write(1);
                       if (all.batch.owner_rest(0b0110, {.again = 0b0001}) != step::next) return;
                       all.batch.owner_resume(0b0110);
                   }),
             named("other", [&] {
                 const auto seen = all.batch.look();
                 if (!seen || seen->done() == 0) return;
                 const auto freed = all.batch.try_free(*seen);
                 if (!freed) return;
                 explorer::check(item.read() == 1, "what was done is seen");
                 explorer::check(freed->of_done.again == 0b0001, "and that it is due again");
             }));
}

/// What the owner did before it published the batch is seen by a thread that looks at it.
void published() {
    shared_batch batch;
    sync::plain<int> content{0};
    together(named("owner",
                   [&] {
                       batch.owner_begin();
                       content.write(1);
                       batch.owner_publish(7, two, 9);
                   }),
             named("other", [&] {
                 const auto seen = batch.look();
                 if (!seen) return;
                 explorer::check(seen->block == 7 && seen->items == two, "it has its own items");
                 explorer::check(content.read() == 1, "what came before is seen");
             }));
}

void judged_by_its_own_items() {
    shared_batch batch;
    together(named("owner",
                   [&] {
                       batch.owner_begin();
                       batch.owner_publish(7, two, 9);
                   }),
             named("observer", [&] {
                 static_cast<void>(batch.may_have([](const shared_batch::view& seen) {
                     explorer::check(seen.block == 7, "it is judged by its own items");
                     return true;
                 }));
             }));
}

/// What the owner did with an item, and what became of it, is seen by the thread that frees it.
void freed_with_what_was_done() {
    open_batch all{two};
    sync::plain<int> item{0};
    together(named("owner",
                   [&] {
                       item.write(1);
                       static_cast<void>(all.batch.owner_advance(0b0010, {.again = 0b0001}));
                   }),
             named("other", [&] {
                 const auto seen = all.batch.look();
                 if (!seen || seen->done() == 0) return;
                 const auto freed = all.batch.try_free(*seen);
                 if (!freed) return;
                 explorer::check(item.read() == 1, "what was done is seen");
                 explorer::check(freed->of_done.again == 0b0001, "and that it is due again");
             }));
}

/// A thread that sees the batch idle again sees what its owner did.
void idle_passes_on() {
    shared_batch batch;
    sync::plain<int> item{0};
    const auto before = batch.idle_since();
    together(named("owner",
                   [&] {
                       batch.owner_begin();
                       item.write(1);
                       batch.owner_end();
                   }),
             named("observer", [&] {
                 const auto since = batch.idle_since();
                 if (!since || since == before) return;
                 explorer::check(item.read() == 1, "what came before is seen");
             }));
    explorer::check(before && batch.idle_since() && before != batch.idle_since(),
                    "each batch has a number of its own");
}

/// A thread that frees has begun a batch of its own before. So a thread that sees the end of the
/// batch that was freed sees that the other one is not idle (B4).
template <class Leave>
void freed_items_stay_visible(open_batch& all, Leave leave) {
    shared_batch other;
    const auto before = other.idle_since();
    bool freed = false;
    bool ended = false;
    bool begun = false;
    together(named("owner",
                   [&] {
                       if (leave(all.batch)) all.batch.owner_end();
                   }),
             named("other",
                   [&] {
                       other.owner_begin();
                       const auto seen = all.batch.look();
                       freed = seen && all.batch.try_free(*seen);
                   }),
             named("observer", [&] {
                 ended = all.batch.idle_since().has_value();
                 begun = other.idle_since() != before;
             }));
    explorer::check(!freed || !ended || begun, "it is seen that another thread has the items");
}
void freed_items_stay_visible_when_it_advances() {
    open_batch all{two};
    freed_items_stay_visible(
        all, [](shared_batch& batch) { return batch.owner_advance(0b0010, {}) != step::next; });
}
void freed_items_stay_visible_when_it_closes() {
    open_batch all{two};
    all.advance(0b0010);
    freed_items_stay_visible(all, [](shared_batch& batch) { return !batch.owner_close(); });
}

// Contracts

/// Contracts of one block, all due, and the seats of threads that run them. A run is watched: two
/// of a contract at once are a race.
struct due_contracts {
    detail::contract_table table;
    detail::seat_list seats;
    detail::slow_batches slow{table, seats};
    std::uint32_t all;
    std::uint32_t asks; // to be run once more
    std::array<sync::plain<int>, 4> runs{};
    std::array<sync::plain<int>, 4> releases{};
    std::array<contract_seat*, 3> seat{};

    explicit due_contracts(std::uint32_t due, std::uint32_t asking = 0) : all{due}, asks{asking} {
        table.store.reserve(1);
        for (std::uint32_t left = all; left != 0; left &= left - 1) {
            block().publish(left & (~left + 1), detail::normal_priority);
            static_cast<void>(block().schedule(left & (~left + 1)));
        }
        for (contract_seat*& each : seat) each = &seats.take(&each);
    }
    [[nodiscard]] detail::contract_block& block() const { return table.store.block(0); }

    /// For run_batch().
    struct runner {
        due_contracts& owner;
        std::uint32_t asked = 0;

        static std::size_t index(std::uint32_t bit) noexcept {
            return static_cast<std::size_t>(std::countr_zero(bit));
        }
        void run(std::uint32_t bit) noexcept {
            const int run = ++owner.runs[index(bit)].modify();
            if (run == 1) asked |= owner.asks & bit;
        }
        void release(std::uint32_t bit) noexcept {
            ++owner.releases[index(bit)].modify();
            static_cast<void>(owner.block().end_life(bit));
        }
        [[nodiscard]] std::uint32_t again() const noexcept { return asked; }
        [[nodiscard]] bool is_cancelling() const noexcept { return false; }
        void give_back(std::uint32_t claimed, std::uint32_t again, std::uint32_t wanted) noexcept {
            owner.block().finish(claimed, again, wanted);
        }
    };

    /// False if nothing is due.
    bool run_some(std::size_t thread, unsigned most = 4) {
        shared_batch& batch = seat[thread]->batch;
        const std::uint32_t items = detail::claim_batch(batch, block(), all, most);
        if (items == 0) return false;
        runner runs_them{*this};
        detail::run_batch(batch, runs_them, block(), 0, items);
        return true;
    }
    /// Looks twice: a batch is freed that has not moved between.
    bool free_some(std::size_t thread) {
        bool found = false;
        for (int look = 0; look < 2 && !found; ++look) {
            const auto freed = slow.try_free_one(*seat[thread]);
            if (!freed) continue;
            runner gives_back{*this};
            detail::give_back_freed(seat[thread]->batch, gives_back, *freed);
            found = true;
        }
        return found;
    }
    /// Another thread frees what it can, and runs it.
    void free_and_run(std::size_t thread) {
        if (free_some(thread)) run_some(thread);
    }

    void finish(std::uint32_t gone = 0) {
        while (run_some(0)) {
        }
        const detail::contract_word now = block().look();
        explorer::check((now.pending() & all & ~gone) == 0, "nothing is due");
        explorer::check((now.running() & all & ~gone) == 0, "all was given back");
        for (std::size_t each = 0; each < runs.size(); ++each) {
            const auto has = [each](std::uint32_t bits) {
                return static_cast<int>(bits >> each & 1);
            };
            explorer::check(runs[each].read() == has(all) + has(asks),
                            "each ran as often as it is due");
            explorer::check(releases[each].read() == has(gone), "what is released is gone");
        }
    }
};

void one_frees(std::uint32_t due, std::uint32_t asking = 0) {
    due_contracts all{due, asking};
    together(named("owner", [&] { all.run_some(0); }),
             named("other", [&] { all.free_and_run(1); }));
    all.finish();
}

void two_free() {
    due_contracts all{two};
    int freed = 0;
    const auto free = [&](std::size_t thread) {
        return [&all, &freed, thread] { freed += all.free_some(thread) ? 1 : 0; };
    };
    together(named("owner", [&] { all.run_some(0); }), named("other", free(1)),
             named("another", free(2)));
    explorer::check(freed <= 1, "it is freed once");
    all.finish();
}

/// The first contract is released in its run: it is not given back.
void gone_items_are_not_given_back() {
    due_contracts all{three};
    all.block().request_release(0b0001);
    together(named("owner", [&] { all.run_some(0); }),
             named("other", [&] { all.free_and_run(1); }));
    all.finish(0b0001);
}

/// Between the look and the freeing the owner may have come to another batch.
void another_batch_meanwhile() {
    due_contracts all{0b1111};
    together(named("owner",
                   [&] {
                       all.run_some(0, 2);
                       all.run_some(0, 2);
                   }),
             named("other", [&] { all.free_and_run(1); }));
    all.finish();
}

/// Nothing is due.
void ended_at_once() {
    due_contracts all{0};
    together(named("owner", [&] { explorer::check(!all.run_some(0), "there is nothing to run"); }),
             named("other", [&] { explorer::check(!all.free_some(1), "nor to free"); }));
    all.finish();
}

/// The owner goes on to its second contract, which takes long. Another thread is about to free the
/// rest; until it has, a thread that is about to sleep sees that there may be something to free.
void what_is_at_risk_is_not_overlooked() {
    due_contracts all{three};
    shared_batch& batch = all.seat[0]->batch;
    explorer::check(detail::claim_batch(batch, all.block(), all.all, 4) == three, "all are due");
    batch.owner_publish(0, three, three);
    explorer::check(!all.slow.try_free_one(*all.seat[1]), "it is watched first");
    bool freed = false;
    bool overlooked = false;
    together(named("owner", [&] { static_cast<void>(batch.owner_advance(0b0110, {})); }),
             named("other", [&] { freed = all.slow.try_free_one(*all.seat[1]).has_value(); }),
             named("observer", [&] { overlooked = !all.slow.may_have_some(); }));
    explorer::check(freed || !overlooked, "it is known that there is something to free");
}

/// A thread with contracts takes several times as many steps as a call of the batch.
void explore_contracts(const std::string& name, const std::function<void()>& body) {
    test::explore_workers(name, body);
}

TEST(shared_batch, the_rest_is_the_owners_or_freed) {
    test::explore_thoroughly("batch: advanced or freed", advanced_or_freed);
}
TEST(shared_batch, what_rests_is_not_freed) {
    test::explore_thoroughly("batch: rested or freed", rested_or_freed);
    test::explore_thoroughly("batch: taken over or freed", taken_over_or_freed);
}
TEST(shared_batch, what_is_freed_after_a_rest_comes_with_what_was_done) {
    test::explore_thoroughly("batch: freed after a rest", freed_after_a_rest);
}
TEST(shared_batch, what_is_done_is_the_owners_or_freed) {
    test::explore_thoroughly("batch: closed or freed", closed_or_freed);
}
TEST(shared_batch, is_freed_by_one_thread) {
    test::explore_thoroughly("batch: two free it", two_free_it);
}
TEST(shared_batch, a_risk_is_ended_by_the_thread_that_began_it) {
    test::explore_thoroughly("batch: another's risk", another_threads_risk_is_left_alone);
}
TEST(shared_batch, items_come_with_their_content) {
    test::explore_thoroughly("batch: published", published);
}
TEST(shared_batch, is_judged_by_its_own_items) {
    test::explore_thoroughly("batch: judged by its own items", judged_by_its_own_items);
}
TEST(shared_batch, what_an_item_asked_for_is_not_forgotten) {
    test::explore_thoroughly("batch: freed with what was done", freed_with_what_was_done);
    explore_contracts("batch: one asks to be run again", [] { one_frees(three, 0b0001); });
}
TEST(shared_batch, an_ended_batch_shows_what_its_owner_did) {
    test::explore_thoroughly("batch: idle passes on", idle_passes_on);
}
TEST(shared_batch, freed_items_stay_visible) {
    // With 3 preemptions the batch is freed while the owner is about to end the risk.
    const std::vector<explorer::options> bounds{explorer::options::weak(3, 1),
                                                explorer::options::weak(2, 2)};
    test::explore_within(bounds, "batch: visible, advances",
                         freed_items_stay_visible_when_it_advances);
    test::explore_within(bounds, "batch: visible, closes", freed_items_stay_visible_when_it_closes);
}

TEST(shared_batch, each_of_two_items_is_given_back_once) {
    explore_contracts("batch: one frees two", [] { one_frees(two); });
}
TEST(shared_batch, each_of_three_items_is_given_back_once) {
    explore_contracts("batch: one frees three", [] { one_frees(three); });
}
TEST(shared_batch, is_freed_once) { explore_contracts("batch: two free", two_free); }
TEST(shared_batch, what_is_gone_is_not_given_back) {
    explore_contracts("batch: gone", gone_items_are_not_given_back);
}
TEST(shared_batch, another_batch_is_not_mistaken_for_it) {
    explore_contracts("batch: another batch meanwhile", another_batch_meanwhile);
}
TEST(shared_batch, may_end_without_items) {
    explore_contracts("batch: ended at once", ended_at_once);
}
TEST(shared_batch, what_is_at_risk_is_not_overlooked) {
    explore_contracts("batch: at risk", what_is_at_risk_is_not_overlooked);
}
TEST(shared_batch, a_risk_that_is_over_is_not_mistaken_for_another) {
    test::explore_within({explorer::options::sequential(4), explorer::options::weak(2, 2)},
                         "batch: a risk that is over", a_risk_that_is_over);
}

TEST(shared_batch, no_thread_waits_for_another) {
    for (const auto& body : {advanced_or_freed, closed_or_freed, two_free_it, rested_or_freed}) {
        const auto report = explorer::explore("batch: a thread is stopped",
                                              explorer::options::weak(2, 1).freezing(), body);
        EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
    }
}

TEST(shared_batch, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"batch: advanced or freed", bounds, advanced_or_freed},
        {"batch: closed or freed", bounds, closed_or_freed},
        {"batch: two free it", bounds, two_free_it},
        {"batch: rested or freed", bounds, rested_or_freed},
        {"batch: freed after a rest", bounds, freed_after_a_rest},
        {"batch: published", bounds, published},
        {"batch: judged by its own items", bounds, judged_by_its_own_items},
        {"batch: freed with what was done", bounds, freed_with_what_was_done},
        {"batch: idle passes on", bounds, idle_passes_on},
        {"batch: visible, advances", explorer::options::weak(3, 1),
         freed_items_stay_visible_when_it_advances},
        {"batch: visible, closes", bounds, freed_items_stay_visible_when_it_closes},
        {"batch: one frees two", explorer::options::weak(1, 1), [] { one_frees(two); }},
    };
    // The end of a rest: the light fence at its beginning, which is a real one in the model,
    // releases too. The look at the position: the heavy fence behind it acquires too.
    EXPECT_EQ(test::survivors(scenarios, "lockfree/shared_batch.hpp"),
              (std::vector<std::string>{"store: drop_release", "load: drop_acquire"}));
}

} // namespace
} // namespace weft::shared_batch_test
