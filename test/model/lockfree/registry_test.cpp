#include "support/thorough.hpp"

#include <weft/detail/lockfree/registry.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;
using small_registry = detail::basic_registry<1>;

/// Ends with its scenario, and frees its cells then.
class scene {
public:
    scene() : all{*sync::make<small_registry>()} {}
    small_registry& all;
    void end() { sync::destroy(&all); }
};

void one_adds_one_looks() {
    scene now;
    int first = 1;
    together(named("owner",
                   [&] {
                       detail::registry_cache own;
                       detail::registry_cell& cell = now.all.reserve(own);
                       cell.object.store(&first, sync::relaxed);
                       now.all.remove(cell, &own);
                       now.all.give_all(own);
                   }),
             named("observer", [&] {
                 now.all.visit([&](const void* object) {
                     explorer::check(object == &first, "what is found was registered");
                 });
             }));
    now.end();
}

void two_use_the_same_cells() {
    scene now;
    int content[2] = {1, 2};
    const auto use = [&](int user) {
        detail::registry_cache own;
        for (int round = 0; round < 2; ++round) {
            detail::registry_cell& cell = now.all.reserve(own);
            explorer::check(cell.object.load(sync::relaxed) == nullptr, "a cell belongs to one");
            cell.object.store(&content[user], sync::relaxed);
            explorer::check(cell.object.load(sync::relaxed) == &content[user],
                            "and to nobody else");
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

/// One takes while the other gives: nothing is lost, and no cell is made while there are spare
/// ones.
void spare_cells_are_used_again() {
    scene now;
    detail::registry_cache first;
    constexpr int cells = 3;
    std::array<detail::registry_cell*, cells> all{};
    for (auto& each : all) each = &now.all.reserve(first);
    now.all.remove(*all[0], nullptr);
    now.all.remove(*all[1], nullptr);
    bool known = true;
    const auto use = [&] {
        detail::registry_cache own;
        const detail::registry_cell* got = &now.all.reserve(own);
        known = known && (got == all[0] || got == all[1] || got == all[2]);
        now.all.remove(*const_cast<detail::registry_cell*>(got), nullptr);
        now.all.give_all(own);
    };
    together(named("taker", use), named("giver", [&] { now.all.remove(*all[2], nullptr); }));
    explorer::check(known, "no cell is made while there are spare ones");
    std::vector<const detail::registry_cell*> found;
    for (int i = 0; i < cells; ++i) {
        const detail::registry_cell* got = &now.all.reserve(first);
        for (const auto* other : found) explorer::check(got != other, "each is found once");
        found.push_back(got);
        explorer::check(got == all[0] || got == all[1] || got == all[2], "none is lost");
    }
    now.end();
}

/// Two threads take at a time, with a spare cell for each.
void two_take_at_a_time() {
    scene now;
    detail::registry_cache first;
    detail::registry_cell& one = now.all.reserve(first);
    detail::registry_cell& other = now.all.reserve(first);
    now.all.remove(one, nullptr);
    now.all.remove(other, nullptr);
    std::array<detail::registry_cell*, 2> got{};
    const auto take = [&](std::size_t taker) {
        detail::registry_cache own;
        got[taker] = &now.all.reserve(own);
        explorer::check(got[taker]->object.load(sync::relaxed) == nullptr, "a cell belongs to one");
        got[taker]->object.store(&got, sync::relaxed);
        now.all.give_all(own);
    };
    together(named("one", [&] { take(0); }), named("other", [&] { take(1); }));
    explorer::check(got[0] != got[1], "a cell belongs to one");
    now.end();
}

/// What was given meanwhile is joined to what is put back, and taken by another.
void given_while_others_are_put_back() {
    scene now;
    detail::registry_cache first;
    std::array<detail::registry_cell*, 3> all{};
    for (auto& each : all) each = &now.all.reserve(first);
    now.all.remove(*all[0], nullptr);
    now.all.remove(*all[1], nullptr);
    together(named("taker",
                   [&] {
                       detail::registry_cache own;
                       static_cast<void>(now.all.reserve(own));
                   }),
             named("giver", [&] {
                 now.all.remove(*all[2], nullptr);
                 detail::registry_cache own;
                 const auto* one = &now.all.reserve(own);
                 const auto* other = &now.all.reserve(own);
                 explorer::check(one != other, "a cell belongs to one");
             }));
    now.end();
}

/// Caches of a registry whose batches are two cells.
class cells_of_two {
public:
    ~cells_of_two() {
        for (detail::registry_cache& each : caches) all_.give_all(each);
    }
    detail::registry_cell& reserve(std::size_t cache) { return all_.reserve(caches[cache]); }
    void remove(detail::registry_cell& cell, std::size_t cache) {
        all_.remove(cell, &caches[cache]);
    }
    void end(std::size_t cache) { all_.give_all(caches[cache]); }

    std::array<detail::registry_cache, 5> caches;

private:
    detail::basic_registry<2> all_;
};

/// A cell is reserved once, also after the cache was full.
void a_full_cache_is_used_once() {
    cells_of_two all;
    for (int round = 0; round < 2; ++round) {
        std::array<detail::registry_cell*, 4> taken{};
        for (auto& each : taken) each = &all.reserve(0);
        for (std::size_t i = 0; i < taken.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                explorer::check(taken[i] != taken[j], "a cell has one owner");
            }
        }
        all.remove(*taken[0], 0);
        all.remove(*taken[1], 0);
    }
}

/// Less than a batch stays with the thread.
void a_few_free_cells_are_kept() {
    cells_of_two all;
    detail::registry_cell& one = all.reserve(0);
    detail::registry_cell& two = all.reserve(0);
    detail::registry_cell& three = all.reserve(0);
    all.remove(one, 0); // the fourth is there too: a batch
    all.remove(two, 0);
    const detail::registry_cell& other = all.reserve(1);
    explorer::check(&other != &one && &other != &two && &other != &three, "they are kept");
    explorer::check(&all.reserve(0) == &two && &all.reserve(0) == &one, "and used again");
}

/// A thread that frees more than two batches passes one on, however its cells came to it: they were
/// made for it, are its own full batch, or were another thread's.
void more_than_two_batches_are_passed_on(bool from_spare) {
    cells_of_two all;
    detail::registry_cell& one = all.reserve(0);
    detail::registry_cell& two = all.reserve(0);
    all.remove(one, 0);
    all.remove(two, 0);
    std::size_t user = 0;
    if (from_spare) {
        all.end(0);
        user = 1;
    }
    std::array<detail::registry_cell*, 2> own{&all.reserve(user), nullptr};
    if (from_spare) own[1] = &all.reserve(user);
    std::array<detail::registry_cell*, 4> others{};
    for (auto& each : others) each = &all.reserve(2);
    for (auto* each : own) {
        if (each != nullptr) all.remove(*each, user);
    }
    all.remove(*others[0], user);
    const detail::registry_cell& made = all.reserve(3);
    explorer::check(&made != &one && &made != &two, "two batches are kept");
    all.remove(*others[1], user);
    const detail::registry_cell& passed = all.reserve(4);
    explorer::check(&passed == &one || &passed == &two, "a batch was passed on");
}

TEST(registry, a_thread_keeps_two_batches_of_free_cells_at_most) {
    const explorer::options options = explorer::options::sequential(0);
    const auto explore = [&](const char* name, const std::function<void()>& body) {
        const explorer::report report = explorer::explore(name, options, body);
        EXPECT_TRUE(report.passed()) << report.explanation();
    };
    explore("registry: a full cache", a_full_cache_is_used_once);
    explore("registry: a few free cells", a_few_free_cells_are_kept);
    explore("registry: two batches", [] { more_than_two_batches_are_passed_on(false); });
    explore("registry: two batches of others", [] { more_than_two_batches_are_passed_on(true); });
}

TEST(registry, spare_cells_are_used_before_others_are_made) {
    test::explore_thoroughly("registry: spare cells are used again", spare_cells_are_used_again);
    test::explore_thoroughly("registry: two take at a time", two_take_at_a_time);
    test::explore_thoroughly("registry: given while others are put back",
                             given_while_others_are_put_back);
}

TEST(registry, is_lock_free) {
    const auto report = explorer::explore("registry: a thread is stopped",
                                          explorer::options::weak(2, 2).freezing(), [] {
                                              scene now;
                                              const auto use = [&] {
                                                  detail::registry_cache own;
                                                  auto& cell = now.all.reserve(own);
                                                  now.all.remove(cell, nullptr);
                                                  now.all.give_all(own);
                                              };
                                              together(named("one", use), named("other", use));
                                              now.end();
                                          });
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(registry, what_is_found_was_registered) {
    test::explore_thoroughly("registry: one adds, one looks", one_adds_one_looks);
}

TEST(registry, a_cell_belongs_to_one_at_a_time) {
    test::explore_thoroughly("registry: two use the same cells", two_use_the_same_cells);
}

TEST(registry, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"registry: one adds, one looks", bounds, one_adds_one_looks},
        {"registry: two use the same cells", bounds, two_use_the_same_cells},
        {"registry: spare cells are used again", bounds, spare_cells_are_used_again},
        {"registry: two take at a time", bounds, two_take_at_a_time},
        {"registry: given while others are put back", bounds, given_while_others_are_put_back},
    };
    // These two count the threads that may have taken all spare cells. A thread that reads a wrong
    // count makes cells that are not needed, or looks a few times more: neither does harm.
    const std::vector<std::string> equivalent = {"fetch_add: split", "fetch_sub: split"};
    EXPECT_EQ(test::survivors(scenarios, "lockfree/registry.hpp"), equivalent);
}

} // namespace
} // namespace weft
