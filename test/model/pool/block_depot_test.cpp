#include "support/thorough.hpp"

#include <weft/detail/pool/block_cache.hpp>
#include <weft/detail/pool/block_depot.hpp>
#include <weft/detail/sync/plain.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// A block whose content is watched, as its link is.
struct block : detail::free_block {
    block() : free_block{nullptr} {}
    sync::plain<int> content{0};
};

using depot = detail::block_depot<sizeof(block), alignof(block), 1, 2>;
using depot_of_one = detail::block_depot<sizeof(block), alignof(block), 1, 1>;

bool give(depot& shared) {
    auto* made = ::new (depot::heap_allocate()) block;
    made->content.write(1);
    const bool given = shared.try_give(*made);
    if (!given) depot::heap_free(made);
    return given;
}

bool take(depot& shared) {
    auto* found = static_cast<block*>(shared.try_take());
    if (found == nullptr) return false;
    explorer::check(found->next.read() == nullptr, "the link is seen");
    explorer::check(found->content.read() == 1, "what was written to the block is seen");
    found->content.write(2); // a race if another has it too
    depot::heap_free(found);
    return true;
}

void one_gives_two_take() {
    depot shared;
    int taken = 0;
    int other_taken = 0;
    together(named("giver", [&] { give(shared); }),
             named("taker", [&] { taken = take(shared) ? 1 : 0; }),
             named("other taker", [&] { other_taken = take(shared) ? 1 : 0; }));
    explorer::check(taken + other_taken <= 1, "a chain has one owner");
}

void two_give_one_takes() {
    depot shared;
    int given = 0;
    int other_given = 0;
    int taken = 0;
    together(named("giver", [&] { given = give(shared) ? 1 : 0; }),
             named("other giver", [&] { other_given = give(shared) ? 1 : 0; }),
             named("taker", [&] { taken = take(shared) ? 1 : 0; }));
    while (take(shared)) ++taken;
    explorer::check(taken == given + other_given, "what was given is kept until it is taken");
}

/// Where one of two finds nothing, the room is counted once.
void two_take_one() {
    depot_of_one shared;
    const auto give_one = [&] {
        auto* made = ::new (depot_of_one::heap_allocate()) block;
        explorer::check(shared.try_give(*made), "there is room");
    };
    const auto take_one = [&] {
        if (auto* found = shared.try_take()) depot_of_one::heap_free(found);
    };
    give_one();
    together(named("taker", take_one), named("other taker", take_one));
    give_one();
}

/// Takes a block, changes it and gives it back: so one block returns to its place, and the counter
/// has been lowered before it was raised.
void pass_on(depot_of_one& shared) {
    auto* found = static_cast<block*>(shared.try_take());
    if (found == nullptr) return;
    found->content.write(found->content.read() + 1);
    found->next.write(nullptr);
    if (!shared.try_give(*found)) depot_of_one::heap_free(found);
}

void a_block_returns() {
    depot_of_one shared;
    together(named("giver",
                   [&] {
                       auto* made = ::new (depot_of_one::heap_allocate()) block;
                       explorer::check(shared.try_give(*made), "there is room");
                   }),
             named("first", [&] { pass_on(shared); }), named("second", [&] { pass_on(shared); }),
             named("third", [&] { pass_on(shared); }));
    auto* found = static_cast<block*>(shared.try_take());
    if (found == nullptr) return;
    explorer::check(found->content.read() <= 3, "each has seen what the one before did");
    depot_of_one::heap_free(found);
    explorer::check(shared.try_take() == nullptr, "there is one block");
}

using cache = detail::basic_block_cache<depot_of_one>;

/// As a worker does: it frees more than it keeps, and what it allocates may come from the other.
void use(cache& own) {
    block* made[3];
    for (block*& each : made) {
        each = ::new (own.allocate()) block;
        each->content.write(1);
    }
    for (block* each : made) {
        each->content.write(2); // a race, or dead, if another has it too
        std::destroy_at(each);
        own.free(each);
    }
}

void two_caches() {
    depot_of_one shared;
    cache one{shared};
    cache other{shared};
    together(named("one", [&] { use(one); }), named("other", [&] { use(other); }));
    use(one);
}

TEST(block_depot, a_chain_has_one_owner_and_comes_with_its_content) {
    test::explore_thoroughly("depot: one gives, two take", one_gives_two_take);
}

TEST(block_depot, what_was_given_is_kept_until_it_is_taken) {
    test::explore_thoroughly("depot: two give, one takes", two_give_one_takes);
}

TEST(block_depot, has_room_again_for_what_was_taken) {
    test::explore_thoroughly("depot: two take one", two_take_one);
}

TEST(block_depot, a_chain_that_returns_has_one_owner) {
    test::explore_thoroughly("depot: a block returns", a_block_returns);
}

TEST(block_depot, caches_reuse_blocks_of_each_other) {
    test::explore_thoroughly("depot: two caches", two_caches);
}

TEST(block_depot, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"depot: one gives, two take", bounds, one_gives_two_take},
        {"depot: two give, one takes", bounds, two_give_one_takes},
    };
    EXPECT_EQ(test::survivors(scenarios, "pool/block_depot.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
