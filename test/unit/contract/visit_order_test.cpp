// The order in which seats visit blocks, without threads: whatever is due stays due.
#include "contract/visit_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::inline v0::detail {
namespace {

constexpr std::size_t stretch = 8; // blocks

/// Blocks with a contract each, and seats.
class scene {
public:
    explicit scene(std::size_t blocks, unsigned priority_class = normal_priority) : visits(blocks) {
        table.reserve(blocks * contract_store::width);
        for (std::size_t block = 0; block < blocks; ++block) {
            for (std::uint32_t i = 0; i < contract_store::width; ++i) {
                static_cast<void>(table.store.take(std::numeric_limits<std::size_t>::max()));
            }
            table.store.block(block).publish(1, priority_class);
        }
    }

    contract_seat& sit() { return seats.take(&threads[seats.used()]); }
    void make_due(std::size_t block) {
        static_cast<void>(table.store.block(block).schedule(1));
        table.mark(block, table.store.block(block), 1);
    }
    void make_all_due() {
        for (std::size_t block = 0; block < visits.size(); ++block) make_due(block);
    }
    /// It is due no longer, but its mark is still there.
    void claim(std::size_t block) { static_cast<void>(table.store.block(block).claim(1, 1)); }

    /// The block that the seat visits next, or `none`.
    std::size_t visit(contract_seat& seat) {
        visitor led{*this, seat};
        return order.visit_next(seat, led, bias) != 0 ? last_ : mark_tree::none;
    }
    std::vector<std::size_t> visit(contract_seat& seat, std::size_t times) {
        std::vector<std::size_t> blocks;
        for (std::size_t i = 0; i < times; ++i) blocks.push_back(visit(seat));
        return blocks;
    }

    contract_table table;
    seat_list seats;
    visit_order order{table, seats};
    std::vector<int> visits; // of each block
    selection_bias bias;
    int looks_for_slow = 0;

private:
    struct visitor {
        scene& all;
        contract_seat& seat;
        std::size_t run_visit(contract_seat::visit& visit, unsigned) noexcept {
            EXPECT_NE(visit.left, 0U) << "nothing is due there";
            visit.left = 0;
            all.last_ = visit.block;
            ++all.visits[visit.block];
            return 1;
        }
        void free_slow_batch() noexcept { ++all.looks_for_slow; }
    };

    std::array<char, 16> threads{};
    std::size_t last_ = 0;
};

std::vector<std::size_t> blocks(std::size_t first, std::size_t end) {
    std::vector<std::size_t> all;
    for (std::size_t block = first; block < end; ++block) all.push_back(block);
    return all;
}
int spread(const std::vector<int>& visits) {
    return std::ranges::max(visits) - std::ranges::min(visits);
}

TEST(visit_order, a_seat_visits_each_of_its_blocks_once_in_a_round) {
    scene all{20};
    all.make_all_due();
    contract_seat& seat = all.sit();
    for (int round = 0; round < 3; ++round) EXPECT_EQ(all.visit(seat, 20), blocks(0, 20));
}

TEST(visit_order, each_seat_has_blocks_of_its_own) {
    scene all{20};
    all.make_all_due();
    contract_seat& first = all.sit();
    contract_seat& second = all.sit();
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(all.visit(second, 10), blocks(10, 20));
        EXPECT_EQ(all.visit(first, 10), blocks(0, 10));
    }
}

/// A seat whose thread does not come is helped before it is two rounds behind.
TEST(visit_order, the_blocks_of_an_absent_thread_are_visited_as_often) {
    scene all{160};
    all.make_all_due();
    contract_seat& seat = all.sit();
    all.sit();
    all.visit(seat, std::size_t{50} * 160);
    EXPECT_LE(spread(all.visits), 3);
}

/// Seats that no thread has come to since the blocks were divided anew: they are not behind.
TEST(visit_order, a_seat_that_is_far_behind_begins_where_the_others_are) {
    scene all{160};
    all.make_all_due();
    contract_seat& seat = all.sit();
    all.visit(seat, std::size_t{50} * 160);
    all.sit();
    std::ranges::fill(all.visits, 0);
    all.visit(seat, std::size_t{50} * 160);
    EXPECT_LE(spread(all.visits), 3);
}

TEST(visit_order, a_new_seat_begins_where_the_others_are) {
    scene all{128};
    all.make_all_due();
    contract_seat& first = all.sit();
    all.visit(first, std::size_t{5} * 128);
    contract_seat& second = all.sit();
    std::ranges::fill(all.visits, 0);
    EXPECT_EQ(all.visit(second), 64U);
    all.visit(first, std::size_t{20} * 128);
    EXPECT_LE(spread(all.visits), 5);
}

TEST(visit_order, a_new_seat_is_as_far_as_the_one_that_is_furthest) {
    scene all{192};
    all.make_all_due();
    for (const std::uint64_t rounds : {5U, 7U}) {
        contract_seat& seat = all.sit();
        seat.prepared = true;
        seat.stretch_counts[normal_priority].store(rounds * 8, sync::relaxed);
    }
    contract_seat& third = all.sit();
    EXPECT_EQ(all.visit(third), 128U);
    EXPECT_EQ(third.stretch_counts[normal_priority].load(sync::relaxed), 7 * 8 + 1U);
}

/// The seats have this many rounds behind them; they have 8 stretches each.
std::size_t block_after(scene& all, contract_seat& seat, const std::vector<std::uint64_t>& rounds) {
    std::size_t index = 0;
    static_cast<void>(all.seats.find([&](contract_seat& each) {
        each.prepared = true;
        each.stretch_counts[normal_priority].store(rounds[index++] * 8, sync::relaxed);
        return false;
    }));
    all.visit(seat, 7 * stretch); // the next stretch is the eighth
    return all.visit(seat);
}

TEST(visit_order, a_seat_that_is_one_round_behind_is_left_alone) {
    scene all{128};
    all.make_all_due();
    contract_seat& seat = all.sit();
    all.sit();
    EXPECT_LT(block_after(all, seat, {20, 19}), 64U);
}

TEST(visit_order, a_seat_that_is_two_rounds_behind_is_helped_until_it_is_not) {
    scene all{128};
    all.make_all_due();
    contract_seat& seat = all.sit();
    all.sit();
    EXPECT_EQ(block_after(all, seat, {20, 18}), 64U);
    EXPECT_EQ(all.visit(seat, 63), blocks(65, 128)) << "one round, without a break";
    EXPECT_LT(all.visit(seat), 64U);
}

TEST(visit_order, a_seat_that_is_too_many_rounds_behind_is_not_helped) {
    for (const std::uint64_t rounds : {4U, 3U}) {
        scene all{128};
        all.make_all_due();
        contract_seat& seat = all.sit();
        const contract_seat& behind = all.sit();
        EXPECT_EQ(block_after(all, seat, {20, rounds}) >= 64, rounds == 4);
        EXPECT_EQ(behind.stretch_counts[normal_priority].load(sync::relaxed),
                  rounds == 4 ? 4 * 8 + 1U : 19 * 8U);
    }
}

TEST(visit_order, the_seat_that_is_furthest_behind_is_helped) {
    scene all{256};
    all.make_all_due();
    contract_seat& seat = all.sit();
    for (int i = 0; i < 3; ++i) all.sit();
    EXPECT_EQ(block_after(all, seat, {20, 16, 10, 17}), 128U);
}

/// Wherever the seat is on its way, and however far the block is from there.
TEST(visit_order, the_only_block_that_is_due_is_found_at_once) {
    scene all{100};
    contract_seat& seat = all.sit();
    for (const std::size_t block : {99U, 50U, 0U, 98U, 1U, 60U, 60U, 30U}) {
        static_cast<void>(all.table.store.block(block).finish(1, 0, 0));
        all.make_due(block);
        EXPECT_EQ(all.visit(seat), block);
        all.claim(block);
    }
}

/// The marks are withdrawn, those of the seat's own stretch and those far from it.
TEST(visit_order, a_block_where_nothing_is_due_is_not_visited) {
    scene all{100};
    contract_seat& seat = all.sit();
    for (const std::size_t block : {0U, 3U, 70U, 99U}) {
        all.make_due(block);
        all.claim(block);
    }
    EXPECT_EQ(all.visit(seat), mark_tree::none);
    EXPECT_FALSE(all.table.something_due());
}

TEST(visit_order, a_priority_where_nothing_is_due_is_not_searched) {
    scene all{20};
    all.make_all_due();
    contract_seat& seat = all.sit();
    all.visit(seat, 100);
    EXPECT_EQ(seat.stretch_counts[high_priority].load(sync::relaxed), 0U);
    EXPECT_EQ(seat.stretch_counts[low_priority].load(sync::relaxed), 0U);
}

TEST(visit_order, a_seat_without_blocks_visits_those_of_others) {
    scene all{2};
    all.make_all_due();
    std::array<contract_seat*, 3> seats{&all.sit(), &all.sit(), &all.sit()};
    EXPECT_EQ(all.visit(*seats[2], 4), (std::vector<std::size_t>{0, 1, 0, 1}));
    EXPECT_EQ(all.looks_for_slow, 0) << "not at every visit";
    all.visit(*seats[2], 100);
    EXPECT_LE(seats[0]->stretch_counts[normal_priority].load(sync::relaxed), 100U);
}

TEST(visit_order, slow_batches_of_others_are_looked_for_now_and_then) {
    scene alone{2 * stretch};
    alone.make_all_due();
    alone.visit(alone.sit(), 1000);
    EXPECT_EQ(alone.looks_for_slow, 0);

    scene shared{2 * stretch};
    shared.make_all_due();
    const std::array<contract_seat*, 2> seats{&shared.sit(), &shared.sit()};
    for (int i = 0; i < 320; ++i) {
        for (contract_seat* each : seats) shared.visit(*each, stretch);
    }
    EXPECT_EQ(shared.looks_for_slow, 20) << "every 32nd stretch";
}

} // namespace
} // namespace weft::inline v0::detail
