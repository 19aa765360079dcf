#include "support/thorough.hpp"

#include <weft/detail/stage/serial_section.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/plain.hpp>

#include <array>

namespace weft {
namespace {

using detail::serial_section;
using explorer::named;
using explorer::together;

/// Work that threads ask for, and that whoever is inside does.
struct shared_work {
    serial_section section;
    sync::atomic<int> asked{0};
    sync::plain<int> done{0}; // inside only
    sync::plain<int> left{0}; // what each thread had done before it asked

    void serve() { done.write(done.read() + asked.exchange(0, sync::relaxed)); }
    void ask() {
        asked.fetch_add(1, sync::relaxed);
        if (!section.enter_or_ask()) return;
        do serve();
        while (!section.leave());
    }
    void try_once() {
        if (!section.try_enter()) return;
        do serve();
        while (!section.leave());
    }
};

/// Nobody waits, and whatever was asked for is done when all have gone (SS1, SS2).
void what_is_asked_for_is_done() {
    shared_work work;
    together(named("one", [&] { work.ask(); }), named("other", [&] { work.ask(); }),
             named("passing", [&] { work.try_once(); }));
    explorer::check(work.done.read() == 2, "each request was served");
    explorer::check(!work.section.is_occupied(), "all have left");
}

/// Also what was written before, without an order of its own (SS3).
void what_came_before_is_seen() {
    serial_section section;
    sync::atomic<bool> asked{false};
    sync::plain<int> given{0};
    sync::plain<int> sum{0};
    const auto serve = [&] {
        if (asked.exchange(false, sync::relaxed)) sum.write(sum.read() + given.read());
    };
    together(named("asks",
                   [&] {
                       given.write(3);
                       asked.store(true, sync::relaxed);
                       if (!section.enter_or_ask()) return;
                       do serve();
                       while (!section.leave());
                   }),
             named("is inside", [&] {
                 if (!section.try_enter()) return;
                 while (!section.leave()) serve();
             }));
    explorer::check(sum.read() == 3, "it was served once");
}

/// Two ask the thread inside, each with a note of its own.
void two_ask() {
    serial_section section;
    std::array<sync::atomic<bool>, 2> notes{};
    sync::plain<int> served{0};
    const auto serve = [&] {
        int seen = 0;
        for (auto& each : notes) seen += each.load(sync::relaxed) ? 1 : 0;
        served.write(seen);
    };
    const auto ask = [&](std::size_t which) {
        notes[which].store(true, sync::relaxed);
        if (!section.enter_or_ask()) return;
        do serve();
        while (!section.leave());
    };
    together(named("one", [&] { ask(0); }), named("other", [&] { ask(1); }), named("inside", [&] {
                 if (!section.try_enter()) return;
                 while (!section.leave()) serve();
             }));
    explorer::check(served.read() == 2, "the last look sees both notes");
}

TEST(serial_section, serves_two_that_ask_together) {
    test::explore_thoroughly("section: two ask", two_ask);
}

TEST(serial_section, serves_what_is_asked_for) {
    test::explore_thoroughly("section: asked", what_is_asked_for_is_done);
}

TEST(serial_section, shows_what_came_before_a_request) {
    test::explore_thoroughly("section: what came before", what_came_before_is_seen);
}

TEST(serial_section, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"section: asked", bounds, what_is_asked_for_is_done},
        {"section: what came before", bounds, what_came_before_is_seen},
        {"section: two ask", bounds, two_ask},
    };
    EXPECT_EQ(test::survivors(scenarios, "serial_section.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
