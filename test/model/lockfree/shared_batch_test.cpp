#include "lockfree/shared_batch.hpp"

#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {
namespace {

using detail::shared_batch;
using explorer::named;
using explorer::together;

/// A batch whose items are watched: a wrong use of one is a race, and each is given back once.
struct fixture {
    shared_batch batch;
    std::array<sync::plain<int>, 4> items;
    std::array<sync::atomic<int>, 4> given_back{};
    std::array<sync::atomic<int>, 4> again{};
    std::uint32_t all = 0;

    void use(std::uint32_t bits) {
        for (; bits != 0; bits &= bits - 1) {
            ++items[static_cast<std::size_t>(std::countr_zero(bits))].modify();
        }
    }
    /// As in a block of contracts, this passes on what came before.
    void give_back(std::uint32_t bits, std::uint32_t due_again) {
        for (; bits != 0; bits &= bits - 1) {
            const auto each = static_cast<std::size_t>(std::countr_zero(bits));
            if ((due_again >> each & 1) != 0) again[each].fetch_add(1, sync::relaxed);
            given_back[each].fetch_add(1, sync::release);
        }
    }

    /// All that an owner does with one batch; the items in `asks` are due again, those in `goes`
    /// are gone.
    void own(std::uint32_t bits, std::uint32_t asks = 0, std::uint32_t goes = 0) {
        batch.owner_begin();
        shared_batch::outcome so_far;
        const std::uint32_t kept = batch.owner_run(7, bits, 9, [&](std::uint32_t bit) {
            use(bit);
            so_far.again |= asks & bit;
            so_far.gone |= goes & bit;
            return so_far;
        });
        give_back(kept & ~so_far.gone, kept & so_far.again);
        batch.owner_end();
    }

    /// Another thread frees what it can, and uses what was not begun.
    bool free() {
        const auto seen = batch.look();
        if (!seen) return false;
        const auto freed = batch.try_free(*seen);
        if (!freed) return false;
        explorer::check(freed->block == 7 && freed->note == 9, "it is the batch that was seen");
        use(freed->not_begun);
        for (std::uint32_t left = freed->done; left != 0; left &= left - 1) {
            const auto each = static_cast<std::size_t>(std::countr_zero(left));
            explorer::check(items[each].read() == 1, "what is done has been used");
        }
        give_back(freed->done & ~freed->of_done.gone, freed->of_done.again);
        give_back(freed->not_begun, 0);
        return true;
    }

    void finish(std::uint32_t bits, std::uint32_t asks = 0, std::uint32_t goes = 0) {
        for (std::size_t each = 0; each < items.size(); ++each) {
            const bool part = (bits >> each & 1) != 0;
            const bool gone = (goes >> each & 1) != 0;
            explorer::check(given_back[each].load(sync::acquire) == (part && !gone ? 1 : 0),
                            "each is given back once, unless it is gone");
            explorer::check(items[each].read() == (part ? 1 : 0), "each is used once");
            // An item that another thread uses asks for nothing.
            explorer::check(again[each].load(sync::relaxed) <= static_cast<int>(asks >> each & 1),
                            "only an item that asks is due again");
        }
    }
};

constexpr std::uint32_t two = 0b0011;
constexpr std::uint32_t three = 0b1011;

void one_frees_two() {
    fixture all;
    together(named("owner", [&] { all.own(two); }), named("other", [&] { all.free(); }));
    all.finish(two);
}

void one_frees_three() {
    fixture all;
    together(named("owner", [&] { all.own(three); }), named("other", [&] { all.free(); }));
    all.finish(three);
}

void two_free() {
    fixture all;
    int freed = 0;
    const auto free = [&] { freed += all.free() ? 1 : 0; };
    together(named("owner", [&] { all.own(two); }), named("other", free), named("another", free));
    explorer::check(freed <= 1, "it is freed once");
    all.finish(two);
}

void frees_twice() {
    fixture all;
    together(named("owner", [&] { all.own(three); }), named("other", [&] {
                 all.free();
                 all.free();
             }));
    all.finish(three);
}

/// The owner's first item asks to be run again; the thread that frees the batch passes that on.
void outcome_is_passed_on() {
    fixture all;
    bool freed = false;
    together(named("owner", [&] { all.own(three, 0b0001); }),
             named("other", [&] { freed = all.free(); }));
    all.finish(three, 0b0001);
    explorer::check(all.again[0].load(sync::relaxed) == 1, "what was asked for is not forgotten");
}

void gone_items_are_not_given_back() {
    fixture all;
    together(named("owner", [&] { all.own(three, 0, 0b0001); }),
             named("other", [&] { all.free(); }));
    // The first is always the owner's.
    all.finish(three, 0, 0b0001);
}

/// The first puts the batch at risk and is stopped there; the owner goes on; the second puts it at
/// risk again. The first one's risk is over then.
void two_free_three() {
    fixture all;
    const auto free = [&] { all.free(); };
    together(named("owner", [&] { all.own(three); }), named("other", free), named("another", free));
    all.finish(three);
}

/// The batch is at risk, and the position is the second item. A thread that had seen the first item
/// there leaves the risk alone; otherwise the owner would not notice it when it goes on.
void another_threads_risk_is_left_alone() {
    shared_batch batch;
    batch.owner_begin();
    batch.owner_publish(7, 0b0111, 9);
    const auto outdated = batch.look();
    static_cast<void>(batch.owner_advance(0b0110, {}));
    const auto seen = batch.look();
    std::optional<shared_batch::freed> freed;
    shared_batch::step advanced{};
    together(named("other", [&] { freed = batch.try_free(*seen); }),
             named("latecomer",
                   [&] {
                       explorer::check(!batch.try_free(*outdated), "the owner has moved on");
                       if (const auto now = batch.look()) {
                           static_cast<void>(batch.try_free(*now));
                       }
                   }),
             named("owner", [&] { advanced = batch.owner_advance(0b0100, {}); }));
    explorer::check(!freed || advanced != shared_batch::step::next,
                    "the owner knows that the next item is not its own");
}

/// A thread that frees has begun a batch of its own before: so a thread that sees all batches ended
/// knows that every item was given back.
void freed_items_stay_visible() {
    fixture all;
    shared_batch other_batch;
    const auto before = all.batch.idle_since();
    together(named("owner", [&] { all.own(two); }),
             named("other",
                   [&] {
                       other_batch.owner_begin();
                       all.free();
                       other_batch.owner_end();
                   }),
             named("observer", [&] {
                 const auto first = other_batch.idle_since();
                 const auto ended = all.batch.idle_since();
                 if (!first || !ended || ended == before) return;
                 if (other_batch.idle_since() != first) return;
                 explorer::check(all.given_back[0].load(sync::relaxed) == 1 &&
                                     all.given_back[1].load(sync::relaxed) == 1,
                                 "all was given back");
             }));
    all.finish(two);
}

/// The owner has gone on to its second item after the look, and that one takes long. So nothing is
/// freed, and a thread that is about to sleep sees at all times that there may be something to
/// free.
void what_is_at_risk_is_not_overlooked() {
    std::array<shared_batch, 2> batches;
    batches[0].owner_begin();
    batches[0].owner_publish(0, 0b0111, 0);
    const auto seen = batches[0].look();
    static_cast<void>(batches[0].owner_advance(0b0110, {}));
    bool freed = false;
    bool overlooked = true;
    together(named("other",
                   [&] {
                       batches[1].owner_begin();
                       freed = batches[0].try_free(*seen).has_value();
                       batches[1].owner_end();
                   }),
             named("observer", [&] {
                 const auto worth = [](const auto& view) { return view.worth_freeing(0) != 0; };
                 for (const shared_batch& each : batches) {
                     if (each.may_have(worth)) overlooked = false;
                 }
             }));
    explorer::check(!freed && !overlooked, "it is known that there is something to free");
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

/// Between the look and the freeing the owner may have come to another batch.
void another_batch_meanwhile() {
    fixture all;
    together(named("owner",
                   [&] {
                       all.own(two);
                       all.own(0b1100);
                   }),
             named("other", [&] { all.free(); }));
    all.finish(0b1111);
}

/// What came before the batch was published is seen by the thread that frees it.
void content_is_passed_on() {
    fixture all;
    all.items[0].write(0);
    together(named("owner",
                   [&] {
                       all.items[1].write(0);
                       all.own(two);
                   }),
             named("other", [&] { all.free(); }));
    all.finish(two);
}

/// A thread that sees the batch idle again sees what its owner did.
void idle_passes_on() {
    fixture all;
    const auto before = all.batch.idle_since();
    together(named("owner", [&] { all.own(two); }), named("observer", [&] {
                 const auto since = all.batch.idle_since();
                 if (!since || since == before) return;
                 explorer::check(all.items[1].read() == 1, "what came before is seen");
             }));
    all.finish(two);
}

void each_batch_has_a_new_number() {
    fixture all;
    const auto before = all.batch.idle_since();
    together(named("owner", [&] { all.own(two); }), named("other", [&] { all.free(); }));
    explorer::check(before && all.batch.idle_since() && before != all.batch.idle_since(),
                    "the number is new");
    all.finish(two);
}

/// Nothing was claimed.
void ended_at_once() {
    fixture all;
    together(named("owner",
                   [&] {
                       all.batch.owner_begin();
                       all.batch.owner_end();
                   }),
             named("other", [&] { explorer::check(!all.free(), "there is nothing to free"); }));
    all.finish(0);
}

TEST(shared_batch, each_of_two_items_is_given_back_once) {
    test::explore_thoroughly("batch: one frees two", one_frees_two);
}
TEST(shared_batch, each_of_three_items_is_given_back_once) {
    test::explore_thoroughly("batch: one frees three", one_frees_three);
}
TEST(shared_batch, is_freed_once) { test::explore_thoroughly("batch: two free", two_free); }
TEST(shared_batch, freeing_may_be_tried_again) {
    test::explore_thoroughly("batch: frees twice", frees_twice);
}
TEST(shared_batch, what_an_item_asked_for_is_not_forgotten) {
    test::explore_thoroughly("batch: outcome is passed on", outcome_is_passed_on);
}
TEST(shared_batch, what_is_gone_is_not_given_back) {
    test::explore_thoroughly("batch: gone", gone_items_are_not_given_back);
}
TEST(shared_batch, another_batch_is_not_mistaken_for_it) {
    test::explore_thoroughly("batch: another batch meanwhile", another_batch_meanwhile);
}
TEST(shared_batch, items_come_with_their_content) {
    test::explore_thoroughly("batch: content is passed on", content_is_passed_on);
}
TEST(shared_batch, an_ended_batch_shows_what_its_owner_did) {
    test::explore_thoroughly("batch: idle passes on", idle_passes_on);
}
TEST(shared_batch, has_a_new_number_each_time) {
    test::explore_thoroughly("batch: a new number", each_batch_has_a_new_number);
}
TEST(shared_batch, may_end_without_items) {
    test::explore_thoroughly("batch: ended at once", ended_at_once);
}

TEST(shared_batch, a_risk_that_is_over_is_not_mistaken_for_another) {
    const auto report = explorer::explore("batch: two free three", explorer::options::sequential(4),
                                          two_free_three);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}
TEST(shared_batch, a_risk_is_ended_by_the_thread_that_began_it) {
    test::explore_thoroughly("batch: another's risk", another_threads_risk_is_left_alone);
}
TEST(shared_batch, freed_items_stay_visible) {
    test::explore_thoroughly("batch: freed items stay visible", freed_items_stay_visible);
}

TEST(shared_batch, what_is_at_risk_is_not_overlooked) {
    test::explore_thoroughly("batch: at risk", what_is_at_risk_is_not_overlooked);
}

TEST(shared_batch, is_judged_by_its_own_items) {
    test::explore_thoroughly("batch: judged by its own items", judged_by_its_own_items);
}

TEST(shared_batch, no_thread_waits_for_another) {
    for (const auto& body : {one_frees_two, two_free}) {
        const auto report = explorer::explore("batch: a thread is stopped",
                                              explorer::options::weak(2, 1).freezing(), body);
        EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
    }
}

TEST(shared_batch, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"batch: one frees two", bounds, one_frees_two},
        {"batch: one frees three", bounds, one_frees_three},
        {"batch: two free", bounds, two_free},
        {"batch: outcome is passed on", bounds, outcome_is_passed_on},
        {"batch: another batch meanwhile", bounds, another_batch_meanwhile},
        {"batch: content is passed on", bounds, content_is_passed_on},
        {"batch: idle passes on", bounds, idle_passes_on},
        {"batch: judged by its own items", bounds, judged_by_its_own_items},
        {"batch: one frees two", explorer::options::weak(3, 1), one_frees_two},
        {"batch: freed items stay visible", explorer::options::weak(3, 2),
         freed_items_stay_visible},
    };
    // The look at the position: the heavy fence behind it acquires too.
    EXPECT_EQ(test::survivors(scenarios, "lockfree/shared_batch.hpp"),
              std::vector<std::string>{"load: drop_acquire"});
}

} // namespace
} // namespace weft
