#include <weft/detail/lockfree/registry.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace weft::inline v0::detail {
namespace {

constexpr std::size_t batch = 4;

/// A cache that lives as long as a thread does, and the cells it had in use.
template <class Registry>
std::set<registry_cell*> use_cells(Registry& all, std::size_t count) {
    registry_cache own;
    std::vector<registry_cell*> taken;
    for (std::size_t i = 0; i < count; ++i) taken.push_back(&all.reserve(own));
    for (registry_cell* each : taken) all.remove(*each, &own);
    all.give_all(own);
    return {taken.begin(), taken.end()};
}

/// Otherwise a program whose threads come and go would allocate without end.
TEST(registry, uses_the_cells_of_threads_that_have_ended) {
    static basic_registry<batch> all; // it keeps its cells until the program ends
    std::set<registry_cell*> used;
    for (const std::size_t count : {1U, 3U, 4U, 6U, 8U, 1U, 8U}) {
        const std::set<registry_cell*> cells = use_cells(all, count);
        EXPECT_EQ(cells.size(), count);
        used.insert(cells.begin(), cells.end());
    }
    EXPECT_EQ(used.size(), 2 * batch);
}

/// A cache keeps one full batch for itself; what it gets beyond that is for other threads.
template <class Registry>
class two_caches {
public:
    explicit two_caches(Registry& all) : all_{all} {}
    registry_cache own;
    registry_cache other;
    std::set<registry_cell*> used;

    /// Takes cells from the cache and puts them into `own`.
    void pass(registry_cache& from, std::size_t count) {
        std::vector<registry_cell*> cells;
        for (std::size_t i = 0; i < count; ++i) cells.push_back(&all_.reserve(from));
        for (registry_cell* each : cells) all_.remove(*each, &own);
        used.insert(cells.begin(), cells.end());
    }

private:
    Registry& all_;
};

TEST(registry, a_new_batch_that_was_begun_is_full_when_its_cell_comes_back) {
    static basic_registry<batch> all;
    two_caches caches{all};
    caches.pass(caches.own, 1);
    caches.pass(caches.other, batch); // of another new batch: the first is for others
    caches.pass(caches.other, batch);
    EXPECT_EQ(caches.used.size(), 2 * batch);
}

TEST(registry, a_full_batch_that_was_begun_is_full_when_its_cell_comes_back) {
    static basic_registry<batch> all;
    two_caches caches{all};
    caches.pass(caches.own, 2 * batch); // one of them is for others
    caches.pass(caches.own, 1);
    caches.pass(caches.other, batch);
    caches.pass(caches.other, batch);
    EXPECT_EQ(caches.used.size(), 2 * batch);
}

} // namespace
} // namespace weft::inline v0::detail
