// How much memory contracts take, and where they are.
#include "contract/contract_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace weft::inline v0::detail {
namespace {

constexpr std::size_t width = contract_store::width;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t block_bytes = sizeof(contract_block) + width * sizeof(contract_record);

TEST(contract_store_alone, takes_memory_for_twice_as_many_each_time) {
    contract_store store;
    EXPECT_EQ(store.memory(), 0U);
    std::size_t room = constants::first_contract_blocks;
    for (std::size_t taken = 0; taken < 1000; ++taken) {
        EXPECT_EQ(store.take(no_limit), taken);
        while (room * width <= taken) room *= 2;
        ASSERT_EQ(store.memory(), room * block_bytes) << taken;
    }
    EXPECT_EQ(store.blocks(), (1000 + width - 1) / width);
}

TEST(contract_store_alone, each_entry_has_memory_of_its_own) {
    contract_store store;
    store.reserve(1000);
    const std::size_t reserved = store.memory();
    for (std::uint32_t index = 0; index < 1000; ++index) {
        ASSERT_EQ(store.take(no_limit), index);
        store.entries(index / width).records[index % width].link.store(index, sync::relaxed);
    }
    for (std::uint32_t index = 0; index < 1000; ++index) {
        EXPECT_EQ(store.entries(index / width).records[index % width].link.load(sync::relaxed),
                  index);
    }
    EXPECT_EQ(store.memory(), reserved);
}

/// The last number of contracts for which the signals of the first segment are enough.
TEST(contract_table, reserves_what_a_number_of_contracts_needs) {
    for (const std::size_t contracts : {width, width * mark_tree::width}) {
        contract_table reserved;
        reserved.reserve(contracts);
        contract_table grown;
        for (std::size_t i = 0; i < contracts; ++i) {
            grown.reserve_signals(grown.store.take(no_limit) / width + 1);
        }
        EXPECT_EQ(reserved.memory(), grown.memory()) << contracts;
    }
}

TEST(contract_table, counts_the_memory_of_its_signals_too) {
    contract_table table;
    table.reserve(width);
    EXPECT_EQ(table.memory(), table.store.memory() + priority_classes * table.due[0].memory());
    EXPECT_NE(table.due[0].memory(), 0U);
}

TEST(contract_table, a_mark_is_that_of_the_contracts_priority) {
    contract_table table;
    table.reserve(width);
    contract_block& block = table.store.block(0);
    block.publish(1, high_priority);
    block.publish(2, low_priority);
    table.mark(0, block, 2);
    EXPECT_TRUE(table.due[high_priority].empty());
    EXPECT_TRUE(table.due[normal_priority].empty());
    EXPECT_FALSE(table.due[low_priority].empty());
    EXPECT_TRUE(table.something_due());
}

} // namespace
} // namespace weft::inline v0::detail
