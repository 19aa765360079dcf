// Data races: every pair of accesses that nothing orders is found, and no other.
#include "support/exploring.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace weft::inline v0::explorer {
namespace {

using namespace test;
using enum std::memory_order;
using order = std::memory_order;

testing::AssertionResult races(const scenario_body& body) {
    return fails_with(failure_kind::data_race, options::weak(), body);
}

testing::AssertionResult is_free_of_races(const scenario_body& body) {
    return passes(options::weak(), body);
}

TEST(data_race, two_writes) {
    EXPECT_TRUE(races([] {
        plain<int> x{0};
        together([&] { x.write(1); }, [&] { x.write(2); });
    }));
}

TEST(data_race, a_read_and_a_write) {
    EXPECT_TRUE(races([] {
        plain<int> x{0};
        together([&] { x.read(); }, [&] { x.write(1); });
    }));
    EXPECT_TRUE(races([] {
        plain<int> x{0};
        together([&] { x.write(1); }, [&] { x.read(); });
    }));
}

TEST(data_race, not_two_reads) {
    EXPECT_TRUE(is_free_of_races([] {
        plain<int> x{1};
        together([&] { x.read(); }, [&] { x.read(); });
    }));
}

TEST(data_race, not_before_the_start_or_after_the_join_of_a_thread) {
    EXPECT_TRUE(is_free_of_races([] {
        plain<int> x{0};
        x.write(1);
        thread other{[&] { x.write(x.read() + 1); }};
        other.join();
        check(x.read() == 2, "the thread's write is seen");
    }));
}

TEST(data_race, between_a_thread_and_its_starter) {
    EXPECT_TRUE(races([] {
        plain<int> x{0};
        const thread other{[&] { x.write(1); }};
        x.write(2);
    }));
}

// Publication: data is written, then a flag raised; a thread that sees the flag reads the data.

void publish(order store, order load) {
    plain<int> data{0};
    atomic<bool> ready{false};
    together(
        [&] {
            data.write(1);
            ready.store(true, store);
        },
        [&] {
            if (ready.load(load)) check(data.read() == 1, "the data is there");
        });
}

TEST(data_race, publication_needs_release_and_acquire) {
    EXPECT_TRUE(races([] { publish(relaxed, relaxed); }));
    EXPECT_TRUE(races([] { publish(release, relaxed); }));
    EXPECT_TRUE(races([] { publish(relaxed, acquire); }));
    EXPECT_TRUE(is_free_of_races([] { publish(release, acquire); }));
}

TEST(data_race, publication_may_pass_through_a_relaxed_read_modify_write) {
    EXPECT_TRUE(is_free_of_races([] {
        plain<int> data{0};
        atomic<int> count{0};
        together(
            [&] {
                data.write(1);
                count.store(1, release);
            },
            [&] { count.fetch_add(10, relaxed); },
            [&] {
                if (count.load(acquire) == 11) data.read();
            });
    }));
}

TEST(data_race, a_write_right_after_the_release_is_not_covered_by_it) {
    EXPECT_TRUE(races([] {
        plain<int> data{0};
        atomic<bool> ready{false};
        together(
            [&] {
                ready.store(true, release);
                data.write(1);
            },
            [&] {
                if (ready.load(acquire)) data.read();
            });
    }));
}

TEST(data_race, fences_with_a_flag_between_them_order_plain_data) {
    const auto publish_by_fences = [](order writer, order reader) {
        plain<int> data{0};
        atomic<bool> ready{false};
        together(
            [&] {
                data.write(1);
                explorer::atomic_thread_fence(writer);
                ready.store(true, relaxed);
            },
            [&] {
                const bool seen = ready.load(relaxed);
                explorer::atomic_thread_fence(reader);
                if (seen) data.read();
            });
    };
    EXPECT_TRUE(is_free_of_races([&] { publish_by_fences(release, acquire); }));
    EXPECT_TRUE(is_free_of_races([&] { publish_by_fences(seq_cst, seq_cst); }));
    EXPECT_TRUE(races([&] { publish_by_fences(acquire, acquire); }));
}

TEST(data_race, seq_cst_fences_alone_order_no_plain_data) {
    EXPECT_TRUE(races([] {
        plain<int> data{0};
        bool written = false; // unknown to the explorer: the fences do come in this order
        together(
            [&] {
                data.write(1);
                explorer::atomic_thread_fence(seq_cst);
                written = true;
            },
            [&] {
                explorer::atomic_thread_fence(seq_cst);
                if (written) data.read();
            });
    }));
}

TEST(data_race, not_under_a_mutex) {
    EXPECT_TRUE(is_free_of_races([] {
        plain<int> count{0};
        mutex guard;
        const auto increment = [&] {
            const std::scoped_lock lock{guard};
            count.write(count.read() + 1);
        };
        together(increment, increment);
        check(count.read() == 2, "no increment is lost");
    }));
}

TEST(data_race, when_only_one_side_locks) {
    EXPECT_TRUE(races([] {
        plain<int> count{0};
        mutex guard;
        together(
            [&] {
                const std::scoped_lock lock{guard};
                count.write(1);
            },
            [&] { count.write(2); });
    }));
}

TEST(data_race, a_failed_try_lock_orders_nothing) {
    EXPECT_TRUE(races([] {
        plain<int> data{0};
        mutex guard;
        together(
            [&] {
                data.write(1);
                const std::scoped_lock lock{guard};
            },
            [&] {
                if (guard.try_lock()) guard.unlock();
                else data.read();
            });
    }));
}

TEST(data_race, not_between_unpark_and_the_park_that_takes_its_token) {
    EXPECT_TRUE(is_free_of_races([] {
        plain<int> data{0};
        parker sleeper;
        together(
            [&] {
                data.write(1);
                sleeper.unpark();
            },
            [&] {
                sleeper.park();
                check(data.read() == 1, "the data is there");
            });
    }));
}

TEST(data_race, a_park_that_times_out_orders_nothing) {
    EXPECT_TRUE(races([] {
        plain<int> data{0};
        parker sleeper;
        together(
            [&] {
                data.write(1);
                sleeper.unpark();
            },
            [&] {
                if (!sleeper.park_for(clock::duration{1})) data.read();
            });
    }));
}

TEST(data_race, none_is_invented_however_long_an_execution_is) {
    options longest = options::weak(0, 0);
    longest.max_steps = 30'000;
    EXPECT_TRUE(passes(longest, [] {
        plain<int> data{0};
        parker sleeper;
        const auto sleep = [&](int times) {
            while (times-- > 0) sleeper.park_for(clock::duration{1});
        };
        together([&] {
            sleep(14'000);
            data.write(1);
            sleep(15'000);
        });
        data.read();
    }));
}

// The life of an atomic object is ordered like plain data, though its use is not.

void make_and_use(order publish_pointer) {
    std::optional<atomic<int>> made;
    atomic<atomic<int>*> pointer{nullptr};
    together([&] { pointer.store(&made.emplace(1), publish_pointer); },
             [&] {
                 if (auto* found = pointer.load(acquire)) found->load(relaxed);
             });
}

TEST(data_race, the_construction_of_an_atomic_and_its_use) {
    EXPECT_TRUE(races([] { make_and_use(relaxed); }));
    EXPECT_TRUE(is_free_of_races([] { make_and_use(release); }));
}

void use_and_end(order last_use) {
    std::optional<atomic<int>> object{1};
    atomic<bool> done{false};
    together(
        [&] {
            object->load(relaxed);
            done.store(true, last_use);
        },
        [&] {
            if (done.load(acquire)) object.reset();
        });
}

TEST(data_race, the_last_use_of_an_atomic_and_its_end) {
    EXPECT_TRUE(races([] { use_and_end(relaxed); }));
    EXPECT_TRUE(is_free_of_races([] { use_and_end(release); }));
}

TEST(data_race, the_end_of_a_plain_object_counts_as_a_write) {
    EXPECT_TRUE(races([] {
        std::optional<plain<int>> object{1};
        atomic<bool> done{false};
        together(
            [&] {
                object->read();
                done.store(true, relaxed);
            },
            [&] {
                if (done.load(relaxed)) object.reset();
            });
    }));
}

TEST(data_race, the_end_of_a_mutex_or_parker_and_its_last_use) {
    EXPECT_TRUE(races([] {
        std::optional<mutex> guard{std::in_place};
        atomic<bool> done{false};
        together(
            [&] {
                guard->lock();
                guard->unlock();
                done.store(true, relaxed);
            },
            [&] {
                if (done.load(relaxed)) guard.reset();
            });
    }));
    EXPECT_TRUE(races([] {
        std::optional<parker> sleeper{std::in_place};
        atomic<bool> done{false};
        together(
            [&] {
                sleeper->unpark();
                done.store(true, relaxed);
            },
            [&] {
                if (done.load(relaxed)) sleeper.reset();
            });
    }));
}

} // namespace
} // namespace weft::inline v0::explorer
