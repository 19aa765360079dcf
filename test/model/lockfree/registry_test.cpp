#include "lockfree/registry.hpp"

#include "support/thorough.hpp"

#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using small_registry = detail::basic_registry<1>;

/// The registry gives nothing back; a scenario must.
class scene {
public:
    scene() : all{*sync::make<small_registry>()} {}
    small_registry& all;
    void end() {
        all.free_all();
        sync::destroy(&all);
    }
};

void one_adds_one_looks() {
    scene now;
    int first = 1;
    together(named("owner",
                   [&] {
                       detail::registry_cache own;
                       detail::registry_cell& cell = now.all.reserve(own);
                       cell.what.store(&first, sync::relaxed);
                       now.all.remove(cell, &own);
                       now.all.give_all(own);
                   }),
             named("looker", [&] {
                 now.all.visit([&](const void* what) {
                     explorer::check(what == &first, "what is found was registered");
                 });
             }));
    now.end();
}

void two_use_the_same_cells() {
    scene now;
    int content[2] = {1, 2};
    const auto use = [&](int me) {
        detail::registry_cache own;
        for (int round = 0; round < 2; ++round) {
            detail::registry_cell& cell = now.all.reserve(own);
            explorer::check(cell.what.load(sync::relaxed) == nullptr, "a cell belongs to one");
            cell.what.store(&content[me], sync::relaxed);
            explorer::check(cell.what.load(sync::relaxed) == &content[me], "and to nobody else");
            now.all.remove(cell, round == 0 ? nullptr : &own);
        }
        now.all.give_all(own);
    };
    together(named("one", [&] { use(0); }), named("other", [&] { use(1); }));
    int found = 0;
    now.all.visit([&](const void*) { ++found; });
    explorer::check(found == 0, "all was removed");
    now.end();
}

TEST(registry, what_is_found_was_registered) {
    test::explore_thoroughly("registry: one adds, one looks", one_adds_one_looks);
}

TEST(registry, a_cell_belongs_to_one_at_a_time) {
    test::explore_thoroughly("registry: two use the same cells", two_use_the_same_cells);
}

TEST(registry, every_mutant_is_caught) {
    const explorer::options how = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"registry: one adds, one looks", how, one_adds_one_looks},
        {"registry: two use the same cells", how, two_use_the_same_cells},
    };
    EXPECT_EQ(test::survivors(scenarios, "lockfree/registry.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
