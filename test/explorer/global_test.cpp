// Objects of a whole execution, and what threads leave to be done at their end.
#include "support/exploring.hpp"

#include <cstdint>
#include <memory>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;

struct counted {
    atomic<int> uses{0};
    plain<int> made{1};
};
global<counted> shared;

TEST(global, is_made_anew_in_each_execution) {
    EXPECT_TRUE(passes(options::weak(), [] {
        const auto use = [] { shared.get().uses.fetch_add(1, relaxed); };
        together(use, use);
        check(shared.get().uses.load(relaxed) == 2, "of this execution alone");
    }));
}

TEST(global, is_made_before_every_use_of_it) {
    EXPECT_TRUE(passes(options::weak(), [] {
        const auto read = [] { check(shared.get().made.read() == 1, "it is made"); };
        together(read, read);
    }));
}

TEST(global, orders_nothing_but_its_construction) {
    EXPECT_TRUE(fails_with(failure_kind::data_race, options::weak(), [] {
        const auto write = [] { shared.get().made.write(2); };
        together(write, write);
    }));
}

int destroyed = 0;
struct ending_counter {
    ~ending_counter() { ++destroyed; }
};
global<ending_counter> ending;

TEST(global, is_destroyed_when_the_scenario_has_returned) {
    destroyed = 0;
    const report found = explore(test_name(), quiet(options::weak()), [] {
        const int before = destroyed;
        static_cast<void>(ending.get());
        static_cast<void>(ending.get());
        check(destroyed == before, "not before the end");
    });
    EXPECT_TRUE(found.passed()) << found.explanation();
    EXPECT_EQ(destroyed, static_cast<int>(found.executions));
}

struct owner_of_memory {
    void* memory = allocate(8);
    ~owner_of_memory() { deallocate(memory); }
    owner_of_memory() = default;
    owner_of_memory(const owner_of_memory&) = delete;
    owner_of_memory& operator=(const owner_of_memory&) = delete;
};
global<owner_of_memory> owner;

TEST(global, that_frees_its_memory_at_its_end_leaks_nothing) {
    EXPECT_TRUE(passes(options::weak(), [] { static_cast<void>(owner.get()); }));
}

struct leaking {
    void* memory = allocate(8);
};
global<leaking> leak;

TEST(global, that_does_not_is_a_leak) {
    EXPECT_TRUE(
        fails_with(failure_kind::leak, options::weak(), [] { static_cast<void>(leak.get()); }));
}

struct self_user;
global<self_user> circular;
struct self_user {
    self_user() { static_cast<void>(circular.get()); }
};

TEST(global, that_uses_itself_while_it_is_made_is_a_misuse) {
    EXPECT_TRUE(fails_with(failure_kind::misuse, options::weak(),
                           [] { static_cast<void>(circular.get()); }));
}

TEST(permanent_memory, need_not_be_freed) {
    EXPECT_TRUE(passes(options::weak(), [] { static_cast<void>(allocate_permanent(8)); }));
}

TEST(permanent_memory, is_freed_once_at_most) {
    EXPECT_TRUE(fails_with(failure_kind::use_after_free, options::weak(), [] {
        void* const memory = allocate_permanent(8);
        deallocate(memory);
        deallocate(memory);
    }));
}

TEST(end_of_thread, runs_what_it_was_given_the_last_first) {
    EXPECT_TRUE(passes(options::weak(), [] {
        static int order = 0;
        order = 0;
        int first = 0;
        int second = 0;
        const auto note = [](void* place) { *static_cast<int*>(place) = ++order; };
        together([&] {
            at_thread_end(note, &first);
            at_thread_end(note, &second);
            check(order == 0, "not before the end");
        });
        check(first == 2 && second == 1, "the last first");
    }));
}

TEST(end_of_thread, happens_before_its_join) {
    EXPECT_TRUE(passes(options::weak(), [] {
        plain<int> x{0};
        together([&] {
            at_thread_end([](void* object) { static_cast<plain<int>*>(object)->write(1); }, &x);
        });
        check(x.read() == 1, "written at the end of the thread");
    }));
}

TEST(end_of_thread, also_of_the_scenarios_own) {
    EXPECT_TRUE(passes(options::weak(), [] {
        at_thread_end([](void* memory) { deallocate(memory); }, allocate(8));
    }));
}

TEST(stack, of_each_thread_has_its_own_bottom) {
    EXPECT_TRUE(passes(options::weak(), [] {
        constexpr std::uintptr_t size = 256 * 1024;
        const auto look = [](std::uintptr_t& bottom) {
            return [&bottom] {
                bottom = stack_bottom();
                const std::uintptr_t here =
                    reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
                check(here > bottom && here < bottom + size, "the stack has come to here");
            };
        };
        std::uintptr_t bottom_of_main = 0;
        std::uintptr_t bottom_of_other = 0;
        look(bottom_of_main)();
        together(look(bottom_of_other));
        check(bottom_of_main != bottom_of_other, "another stack");
    }));
}

} // namespace
} // namespace weft::inline v0::explorer
