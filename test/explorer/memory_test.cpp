// Memory of a scenario: used after its end, freed twice, never freed, or reused too early.
#include "support/exploring.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

template <class T, class... Arguments>
T* make(Arguments... arguments) {
    return ::new (allocate(sizeof(T), alignof(T))) T(arguments...);
}

template <class T>
void destroy(T* object) {
    std::destroy_at(object);
    deallocate(object, alignof(T));
}

TEST(freed_memory, an_atomic_in_it_must_not_be_used) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const object = make<atomic<int>>(1);
        destroy(object);
        object->load();
    }));
}

TEST(freed_memory, a_plain_object_in_it_must_not_be_used) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const object = make<plain<int>>(1);
        destroy(object);
        object->read();
    }));
}

TEST(freed_memory, ends_its_objects_even_without_their_destructors) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const object = make<atomic<int>>(1);
        deallocate(object, alignof(atomic<int>));
        object->load();
    }));
}

TEST(freed_memory, is_found_in_use_by_a_thread_that_learned_of_the_end) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const object = make<atomic<int>>(1);
        atomic<bool> gone{false};
        together(
            [&] {
                destroy(object);
                gone.store(true, release);
            },
            [&] {
                if (gone.load(acquire)) object->load();
            });
    }));
}

TEST(freed_memory, must_not_be_freed_while_another_thread_may_still_look) {
    EXPECT_TRUE(fails_with(failure_kind::data_race, options::weak(0, 0), [] {
        auto* const object = make<atomic<int>>(1);
        together([&] { object->load(); }, [&] { destroy(object); });
    }));
}

TEST(freed_memory, is_not_given_out_again) {
    EXPECT_TRUE(passes(options::weak(), [] {
        void* const first = allocate(16);
        deallocate(first);
        void* const second = allocate(16);
        check(first != second, "a stale pointer never becomes valid again");
        deallocate(second);
    }));
}

TEST(freed_memory, must_not_be_freed_again) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        void* const memory = allocate(16);
        deallocate(memory);
        deallocate(memory);
    }));
}

TEST(ended_objects, mutexes_and_parkers_must_not_be_used) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const guard = make<mutex>();
        destroy(guard);
        guard->lock();
    }));
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const sleeper = make<parker>();
        destroy(sleeper);
        sleeper->unpark();
    }));
}

TEST(ended_objects, mutexes_and_parkers_end_with_the_memory_they_are_in) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const guard = make<mutex>();
        deallocate(guard, alignof(mutex));
        guard->lock();
    }));
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        auto* const sleeper = make<parker>();
        deallocate(sleeper, alignof(parker));
        sleeper->unpark();
    }));
}

TEST(ended_objects, a_mutex_must_not_end_while_it_is_locked) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::weak(), [] {
        mutex guard;
        guard.lock();
    }));
}

TEST(leak, is_found_and_says_where_the_memory_came_from) {
    const report found = explore(test_name(), quiet(options::weak()), [] { allocate(24); });
    ASSERT_FALSE(found.passed());
    EXPECT_EQ(found.failure->kind, failure_kind::leak);
    EXPECT_TRUE(contains(found.failure->message, "24 bytes allocated at memory_test.cpp:"));
}

TEST(leak, is_found_where_only_one_interleaving_leaks) {
    EXPECT_TRUE(fails_with(failure_kind::leak, options::sequential(1), [] {
        atomic<void*> slot{nullptr};
        const auto fill = [&] {
            void* const made = allocate(8);
            if (slot.load() == nullptr) slot.store(made);
            else deallocate(made);
        };
        together(fill, fill);
        deallocate(slot.load());
    }));
}

TEST(foreign_memory, must_not_be_freed) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::weak(), [] {
        int local = 0;
        deallocate(&local);
    }));
}

TEST(null, may_be_freed) {
    EXPECT_TRUE(passes(options::weak(), [] { deallocate(nullptr); }));
}

TEST(allocator, serves_containers_and_keeps_the_alignment) {
    struct alignas(64) line {
        int value = 0;
    };
    EXPECT_TRUE(passes(options::weak(), [] {
        std::vector<line, allocator<line>> lines(3);
        lines.resize(100);
        const auto address = reinterpret_cast<std::uintptr_t>(lines.data());
        check(address % alignof(line) == 0, "aligned");
    }));
}

TEST(allocator, finds_a_container_that_was_not_destroyed) {
    using numbers = std::vector<int, allocator<int>>;
    EXPECT_TRUE(fails_with(failure_kind::leak, options::weak(), [] {
        alignas(numbers) std::byte storage[sizeof(numbers)];
        ::new (storage) numbers(8);
    }));
}

TEST(abandoned_executions, give_their_memory_back) {
    for (int round = 0; round < 100; ++round) {
        EXPECT_TRUE(fails_with(failure_kind::check, options::weak(), [] {
            const std::vector<int, allocator<int>> numbers(1000);
            together([&] { allocate(1000); }, [] { check(false, "fails while much is in use"); });
        }));
    }
}

TEST(abandoned_executions, leave_none_of_the_explorers_own_words_behind) {
    EXPECT_TRUE(fails_with(failure_kind::data_race, options::weak(), [] {
        plain<int> x{0};
        x.label("an object with a name too long for a short string");
        together(named{"a thread with a name too long for a short string", [&] { x.write(1); }},
                 [&] { x.write(2); });
    }));
}

// A stack of numbered nodes that are used again. A pop that slept while its node was popped and
// pushed again takes the old successor for the new one (ABA), unless a count tells the two apart.

class node_stack {
public:
    static constexpr std::uint32_t none = 3;

    explicit node_stack(std::uint32_t count_by) : count_by_{count_by} {}

    void push(std::uint32_t node) {
        top old = top_.load(relaxed);
        do next_[node].store(old.node, relaxed);
        while (!top_.compare_exchange_strong(old, {node, old.count + count_by_}, release, relaxed));
    }

    std::uint32_t pop() {
        top old = top_.load(acquire);
        while (old.node != none) {
            const top under{next_[old.node].load(relaxed), old.count + count_by_};
            if (top_.compare_exchange_strong(old, under, acquire)) break;
        }
        return old.node;
    }

private:
    struct top {
        std::uint32_t node;
        std::uint32_t count;
    };

    std::uint32_t count_by_;
    atomic<top> top_{top{none, 0}};
    std::array<atomic<std::uint32_t>, none> next_;
};

void pop_while_another_pops_twice_and_pushes(std::uint32_t count_by) {
    node_stack stack{count_by};
    std::array<int, node_stack::none> held{};
    const auto take = [&] {
        const std::uint32_t node = stack.pop();
        if (node != node_stack::none) ++held.at(node);
        return node;
    };
    for (std::uint32_t node = 0; node < node_stack::none; ++node) stack.push(node);
    together([&] { take(); },
             [&] {
                 const std::uint32_t first = take();
                 take();
                 if (first == node_stack::none) return;
                 --held.at(first);
                 stack.push(first);
             });
    while (take() != node_stack::none) {
    }
    check(held == std::array{1, 1, 1}, "each node is popped exactly once");
}

TEST(aba, of_reused_nodes_is_found) {
    EXPECT_TRUE(fails_with(failure_kind::check, options::sequential(1),
                           [] { pop_while_another_pops_twice_and_pushes(0); }));
}

TEST(aba, does_not_happen_with_a_count_next_to_the_node) {
    EXPECT_TRUE(passes(options::sequential(3), [] { pop_while_another_pops_twice_and_pushes(1); }));
    EXPECT_TRUE(passes(options::weak(2, 2), [] { pop_while_another_pops_twice_and_pushes(1); }));
}

} // namespace
} // namespace weft::inline v0::explorer
