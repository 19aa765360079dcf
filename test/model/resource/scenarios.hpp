// The scenarios of the queue protocol. Each is explored by itself, and all with mutants.
#pragma once

#include "model/resource/scene.hpp"

#include <weft/detail/sync/parker.hpp>

#include <array>

namespace weft::test {

using explorer::named;
using explorer::together;

/// What every scenario ends with.
class all_ended {
public:
    all_ended() { user::counts = &counts_; }
    template <class... Watched>
    void check(int users, const Watched&... all) {
        explorer::check(counts_.ended.load(sync::relaxed) == users, "all have ended");
        explorer::check((all.idle() && ...), "nobody is left in a queue");
    }
    [[nodiscard]] int cancelled() const { return counts_.cancelled.load(sync::relaxed); }

private:
    user::tally counts_;
};

// Exclusive

inline void two_for_one() {
    all_ended all;
    watched a;
    together(named("one", [&] { submit_and_work(user::make(1, {alone(a)})); }),
             named("other", [&] { submit_and_work(user::make(2, {alone(a)})); }));
    all.check(2, a);
}

inline void three_for_one() {
    all_ended all;
    watched a;
    user& first = user::make(1, {alone(a)});
    user& second = user::make(2, {alone(a)});
    user& third = user::make(3, {alone(a)});
    together(named("one", [&] { submit_and_work(first); }),
             named("two", [&] { submit_and_work(second); }),
             named("three", [&] { submit_and_work(third); }));
    all.check(3, a);
}

inline void two_for_two() {
    all_ended all;
    std::array<watched, 2> some;
    const auto use_both = [&](int number) {
        submit_and_work(user::make(number, {alone(some[1]), alone(some[0])}));
    };
    together(named("one", [&] { use_both(1); }), named("other", [&] { use_both(2); }));
    all.check(2, some[0], some[1]);
    expect_one_order(some[0], some[1]);
}

/// Each shares a resource with each of the others, like dining philosophers.
inline void three_in_a_circle() {
    all_ended all;
    std::array<watched, 3> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1])});
    user& second = user::make(2, {alone(some[1]), alone(some[2])});
    user& third = user::make(3, {alone(some[2]), alone(some[0])});
    together(named("one", [&] { submit_and_work(first); }),
             named("two", [&] { submit_and_work(second); }),
             named("three", [&] { submit_and_work(third); }));
    all.check(3, some[0], some[1], some[2]);
}

/// Two tasks have two resources in common, and a third shares one of these.
inline void three_on_two() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1])});
    user& second = user::make(2, {alone(some[0]), alone(some[1])});
    user& third = user::make(3, {alone(some[1])});
    together(named("one", [&] { submit_and_work(first); }),
             named("two", [&] { submit_and_work(second); }),
             named("three", [&] { submit_and_work(third); }));
    all.check(3, some[0], some[1]);
    expect_one_order(some[0], some[1]);
}

inline void two_for_three() {
    all_ended all;
    std::array<watched, 3> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1]), alone(some[2])});
    user& second = user::make(2, {alone(some[2]), alone(some[1]), alone(some[0])});
    together(named("one", [&] { submit_and_work(first); }),
             named("other", [&] { submit_and_work(second); }));
    all.check(2, some[0], some[1], some[2]);
    expect_one_order(some[0], some[1]);
    expect_one_order(some[1], some[2]);
}

/// A resource that is named twice is entered once.
inline void named_twice() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1]), alone(some[0])});
    user& second = user::make(2, {reading(some[0]), writing(some[0]), alone(some[1])});
    user& third = user::make(3, {writing(some[0]), alone(some[1])});
    together(named("one", [&] { submit_and_work(first); }),
             named("other", [&] { submit_and_work(second, third); }));
    all.check(3, some[0], some[1]);
    expect_before(some[1], 2, 3);
}

// Readers, writers, credits

inline void reader_and_writer() {
    all_ended all;
    watched a;
    user& reader = user::make(1, {reading(a)});
    user& writer = user::make(2, {writing(a)});
    together(named("reader", [&] { submit_and_work(reader); }),
             named("writer", [&] { submit_and_work(writer); }));
    all.check(2, a);
}

inline void readers_and_writer() {
    all_ended all;
    watched a;
    user& reader = user::make(1, {reading(a)});
    user& writer = user::make(2, {writing(a)});
    user& other = user::make(3, {reading(a)});
    together(named("reader", [&] { submit_and_work(reader); }),
             named("writer", [&] { submit_and_work(writer); }),
             named("other reader", [&] { submit_and_work(other); }));
    all.check(3, a);
}

/// Turns are passed on to tickets that still enter other queues.
inline void crosswise() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {reading(some[0]), writing(some[1])});
    user& second = user::make(2, {writing(some[0]), reading(some[1])});
    together(named("one", [&] { submit_and_work(first); }),
             named("other", [&] { submit_and_work(second); }));
    all.check(2, some[0], some[1]);
}

inline void read_together_write_apart() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {reading(some[0]), alone(some[1])});
    user& second = user::make(2, {reading(some[0]), alone(some[1])});
    user& third = user::make(3, {writing(some[0])});
    together(named("one", [&] { submit_and_work(first); }),
             named("two", [&] { submit_and_work(second); }),
             named("three", [&] { submit_and_work(third); }));
    all.check(3, some[0], some[1]);
}

/// When both readers have been submitted, both have the resource.
inline void readers_meet() {
    all_ended all;
    watched a;
    user& reader = user::make(1, {reading(a)});
    user& other = user::make(2, {reading(a)});
    sync::atomic<int> admitted{0};
    sync::parker submitted[2];
    const auto meet = [&](user& one, int index) {
        auto* own = sync::make<detail::lane>();
        one.submit(*own);
        user* ready[2] = {user::take_ready(), user::take_ready()};
        for (user* each : ready) admitted.fetch_add(each != nullptr ? 1 : 0, sync::relaxed);
        submitted[1 - index].unpark();
        submitted[index].park();
        explorer::check(admitted.load(sync::relaxed) == 2, "readers are admitted together");
        for (user* each : ready) {
            if (each == nullptr) continue;
            each->use();
            each->leave();
        }
        if (own->abandon()) sync::destroy(own);
    };
    together(named("reader", [&] { meet(reader, 0); }),
             named("other reader", [&] { meet(other, 1); }));
    all.check(2, a);
}

inline void weights() {
    all_ended all;
    watched a{2};
    user& light = user::make(1, {taking(a, 1)});
    user& heavy = user::make(2, {taking(a, 2)});
    user& other = user::make(3, {taking(a, 1)});
    together(named("light", [&] { submit_and_work(light); }),
             named("heavy", [&] { submit_and_work(heavy); }),
             named("other", [&] { submit_and_work(other); }));
    all.check(3, a);
}

/// Both tasks need credits of one and the turn of the other.
inline void limit_and_resource() {
    all_ended all;
    std::array<watched, 2> some{watched{2}, watched{2}};
    user& first = user::make(1, {taking(some[0], 2), alone(some[1])});
    user& second = user::make(2, {taking(some[0], 1), alone(some[1])});
    together(named("one", [&] { submit_and_work(first); }),
             named("other", [&] { submit_and_work(second); }));
    all.check(2, some[0], some[1]);
}

// Cancellation

inline void cancelled_in_the_queue() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {alone(some[0]), writing(some[1])});
    user& second = user::make(2, {alone(some[0]), writing(some[1])});
    user& third = user::make(3, {alone(some[0])});
    second.cancel(); // before it is submitted: it is skipped wherever its turn comes
    together(named("one", [&] { submit_and_work(first); }),
             named("other", [&] { submit_and_work(second, third); }));
    all.check(3, some[0], some[1]);
    explorer::check(all.cancelled() == 1, "one was cancelled");
}

/// Cancelled at any moment. A user that has ended is gone, so the canceller keeps a resource that
/// the user needs until it has cancelled it.
inline void cancelled_meanwhile() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {writing(some[0])});
    user& second = user::make(2, {writing(some[0]), alone(some[1])});
    user& keeper = user::make(3, {alone(some[1])});
    auto* own = sync::make<detail::lane>();
    keeper.submit(*own);
    user* kept = user::take_ready();
    explorer::check(kept == &keeper, "no other is ready");
    together(named("submitter", [&] { submit_and_work(first, second); }), named("canceller", [&] {
                 second.cancel();
                 kept->use();
                 kept->leave();
                 user::work();
             }));
    if (own->abandon()) sync::destroy(own);
    all.check(3, some[0], some[1]);
}

// Lanes

/// What one thread submits stays in that order, whatever others submit in between.
inline void submitted_in_order() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1])});
    user& second = user::make(2, {alone(some[1])});
    user& other = user::make(3, {alone(some[0]), alone(some[1])});
    together(named("one", [&] { submit_and_work(first, second); }),
             named("other", [&] { submit_and_work(other); }));
    all.check(3, some[0], some[1]);
    expect_before(some[1], 1, 2);
    expect_one_order(some[0], some[1]);
}

inline void three_in_order() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1])});
    user& second = user::make(2, {alone(some[1])});
    user& third = user::make(3, {alone(some[1])});
    user& other = user::make(4, {alone(some[0]), alone(some[1])});
    together(named("one", [&] { submit_and_work(first, second, third); }),
             named("other", [&] { submit_and_work(other); }));
    all.check(4, some[0], some[1]);
    expect_before(some[1], 1, 2);
    expect_before(some[1], 2, 3);
}

/// After wait_for_enqueued() the order also holds for a thread that is woken afterwards.
inline void enqueued_first() {
    all_ended all;
    std::array<watched, 2> some;
    user& first = user::make(1, {alone(some[0]), alone(some[1])});
    user& second = user::make(2, {alone(some[1])});
    user& other = user::make(3, {alone(some[0]), alone(some[1])});
    sync::parker enqueued;
    together(named("one",
                   [&] {
                       auto* own = sync::make<detail::lane>();
                       first.submit(*own);
                       wait_for_enqueued(*own);
                       enqueued.unpark();
                       user::work();
                       if (own->abandon()) sync::destroy(own);
                   }),
             named("other", [&] { submit_and_work(other); }), named("woken", [&] {
                 enqueued.park();
                 submit_and_work(second);
             }));
    all.check(3, some[0], some[1]);
    expect_before(some[1], 1, 2);
}

} // namespace weft::test
