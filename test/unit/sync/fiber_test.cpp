#include "sync/fiber.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace weft::sync {
namespace {

/// A fiber that runs `body(scene)` and switches back for ever.
struct scene {
    fiber own;
    fiber* other = nullptr;
    std::string log;
    void back() { fiber::switch_to(*other, own); }
    void enter() { fiber::switch_to(own, *other); }
};

constexpr std::size_t stack_size = std::size_t{256} * 1024;

TEST(fiber, runs_where_it_was_left) {
    scene all;
    fiber made{stack_size,
               [](void* data) {
                   auto& self = *static_cast<scene*>(data);
                   for (;;) {
                       self.log += "b";
                       self.back();
                       self.log += "d";
                       self.back();
                   }
               },
               &all};
    all.other = &made;
    for (const char* own : {"a", "c", "e"}) {
        all.log += own;
        all.enter();
    }
    EXPECT_EQ(all.log, "abcdeb");
}

TEST(fiber, uses_its_own_stack_and_all_of_it) {
    struct deep {
        static int sum(int rest) {
            volatile char space[1000] = {};
            space[rest % 1000] = 1;
            return rest == 0 ? 0 : sum(rest - 1) + space[rest % 1000];
        }
    };
    scene all;
    fiber made{stack_size,
               [](void* data) {
                   auto& self = *static_cast<scene*>(data);
                   const auto position = reinterpret_cast<std::uintptr_t>(&self.other);
                   static_cast<void>(position);
                   self.log = std::to_string(deep::sum(100));
                   self.back();
               },
               &all};
    all.other = &made;
    all.enter();
    EXPECT_EQ(all.log, "100");
    EXPECT_NE(made.bottom(), 0U);
}

TEST(fiber, has_its_own_exceptions) {
    scene all;
    fiber made{stack_size,
               [](void* data) {
                   auto& self = *static_cast<scene*>(data);
                   try {
                       throw std::runtime_error{"other"};
                   } catch (const std::runtime_error& own) {
                       self.back(); // inside the handler
                       try {
                           throw;
                       } catch (const std::runtime_error& again) {
                           self.log += again.what();
                       }
                       self.log += own.what();
                   }
                   self.back();
               },
               &all};
    all.other = &made;
    try {
        throw std::logic_error{"first"};
    } catch (const std::logic_error&) {
        all.enter();
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        try {
            throw;
        } catch (const std::logic_error& again) {
            all.log += again.what();
        }
        all.enter();
    }
    EXPECT_EQ(all.log, "firstotherother");
}

TEST(fiber, needs_memory) {
    const auto make = [] {
        const fiber made{std::numeric_limits<std::size_t>::max() / 4, [](void*) {}, nullptr};
    };
    EXPECT_THROW(make(), std::bad_alloc);
}

} // namespace
} // namespace weft::sync
