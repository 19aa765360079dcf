#include "pool/outside_blocks.hpp"

#include "support/thorough.hpp"

#include <weft/detail/pool/block_depot.hpp>
#include <weft/detail/sync/plain.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

struct block : detail::free_block {
    explicit block(block* after) : free_block{after} {}
    sync::plain<int> content{0};
};

using depot = detail::block_depot<sizeof(block), alignof(block), 2, 2>;
using blocks = detail::outside_blocks<depot, 1>;

/// As a worker that has freed two blocks.
void give_chain(depot& shared) {
    auto* last = ::new (depot::heap_allocate()) block{nullptr};
    auto* first = ::new (depot::heap_allocate()) block{last};
    last->content.write(1);
    explorer::check(shared.try_give(*first), "there is room");
}

void use(blocks& shared) {
    auto* made = ::new (shared.allocate(0)) block{nullptr};
    made->content.write(2); // a race, or dead, if another has it too
    std::destroy_at(made);
    depot::heap_free(made);
}

/// The second to allocate takes what the first has put back, or goes to the heap.
void one_chain_for_two() {
    depot freed;
    blocks shared{freed};
    together(named("worker", [&] { give_chain(freed); }), named("one", [&] { use(shared); }),
             named("other", [&] { use(shared); }));
}

/// Both have a rest to put back, and there is one cell.
void two_chains_for_two() {
    depot freed;
    blocks shared{freed};
    give_chain(freed);
    give_chain(freed);
    together(named("one", [&] { use(shared); }), named("other", [&] { use(shared); }));
    use(shared);
}

TEST(outside_blocks, a_block_has_one_owner) {
    test::explore_thoroughly("outside blocks: one chain for two", one_chain_for_two);
}

TEST(outside_blocks, no_block_is_lost) {
    test::explore_thoroughly("outside blocks: two chains for two", two_chains_for_two);
}

TEST(outside_blocks, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"outside blocks: one chain for two", bounds, one_chain_for_two},
        {"outside blocks: two chains for two", bounds, two_chains_for_two},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/outside_blocks.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
