// What may happen to the contracts of one block.
#pragma once

#include "model/contract/few_contracts.hpp"

namespace weft::test::block {

using explorer::check;
using explorer::named;
using explorer::together;

inline void a_run_sees_what_came_before() {
    few_contracts all;
    together(named("sender", [&] { check(all.send(), "it is accepted"); }), named("runner", [&] {
                 while (all.run() == 0) sync::yield();
                 check(all.contracts[0].seen.read() == 1, "what came before is seen");
             }));
    check(all.run() == 0, "one run answers one schedule");
}

/// However many runs there are, the last one has seen both.
inline void two_send() {
    few_contracts all;
    together(named("sender", [&] { all.send(); }), named("other sender", [&] { all.send(); }),
             named("runner", [&] { all.run(); }));
    all.run_all();
    check(all.contracts[0].seen.read() == 2, "the last run has seen both");
    check(all.contracts[0].runs.read() <= 2, "no more runs than schedules");
}

inline void sent_while_it_runs() {
    few_contracts all;
    all.send();
    together(named("sender", [&] { all.send(); }), named("runner", [&] { all.run(); }));
    all.run_all();
    check(all.contracts[0].seen.read() == 2, "a run has seen the second");
}

/// The contracts' members are plain: two runs at once would be a race.
inline void two_run() {
    few_contracts all;
    all.contracts[0].work = [](int run) { return run < 3; };
    all.send();
    together(named("runner",
                   [&] {
                       all.run();
                       all.run();
                   }),
             named("other runner", [&] { all.run(); }));
    all.run_all();
    check(all.contracts[0].runs.read() == 3, "it ran as often as it asked for");
}

inline void two_run_two() {
    few_contracts all{2};
    all.send(0);
    all.send(1);
    together(named("runner", [&] { all.run(2); }), named("other runner", [&] { all.run(1); }));
    all.run_all();
    check(all.contracts[0].runs.read() == 1 && all.contracts[1].runs.read() == 1, "once each");
}

/// What was accepted is run, and then the release.
inline void sent_and_released() {
    few_contracts all;
    bool accepted = false;
    together(named("sender", [&] { accepted = all.send(); }),
             named("releaser", [&] { check(all.block.request_release(1), "first"); }),
             named("runner", [&] { all.run(); }));
    all.run_all();
    check(!accepted || all.contracts[0].seen.read() == 1, "what was accepted has been run");
    check(all.contracts[0].runs.read() <= 1, "it is run once");
    check(all.contracts[0].releases.read() == 1, "it is released once");
}

inline void due_when_released() {
    few_contracts all;
    all.send();
    together(named("releaser", [&] { all.block.request_release(1); }),
             named("runner", [&] { all.run(); }));
    all.run_all();
    check(all.contracts[0].runs.read() == 1, "what was due is run");
    check(all.contracts[0].releases.read() == 1, "and then it is released");
}

inline void never_sent() {
    few_contracts all;
    together(named("releaser", [&] { all.block.request_release(1); }), named("runner", [&] {
                 all.run();
                 all.run();
             }));
    all.run_all();
    check(all.contracts[0].runs.read() == 0, "what was not scheduled is not run");
    check(all.contracts[0].releases.read() == 1, "it is released once");
}

inline void two_release() {
    few_contracts all;
    int first = 0;
    const auto release = [&] { first += all.block.request_release(1) ? 1 : 0; };
    together(named("releaser", release), named("other releaser", release),
             named("runner", [&] { all.run(); }));
    all.run_all();
    check(first == 1, "one of them was the first");
    check(all.contracts[0].releases.read() == 1, "it is released once");
}

/// Released from inside, having asked for another run.
inline void released_in_a_run() {
    few_contracts all;
    all.contracts[0].work = [&all](int run) {
        if (run == 1) all.block.request_release(1);
        return run == 1;
    };
    all.send();
    together(named("runner", [&] { all.run(); }), named("other runner", [&] { all.run(); }),
             named("sender", [&] { all.send(); }));
    all.run_all();
    check(all.contracts[0].runs.read() == 2, "what it asked for before is run");
    check(all.contracts[0].releases.read() == 1, "it is released once");
}

/// Used again as soon as it is free: nothing of the old contract is left.
inline void the_entry_is_used_again() {
    few_contracts all;
    sync::plain<int> content{1};
    all.block.request_release(1);
    together(named("owner",
                   [&] {
                       all.drop_handle(0);
                       while (all.contracts[0].freed.load(sync::acquire) == 0) sync::yield();
                       content.write(2);
                       all.block.publish(1, 1);
                       check(all.send(), "the new one is not being released");
                   }),
             named("runner", [&] {
                 const auto freed = [&] { return all.contracts[0].freed.load(sync::relaxed) != 0; };
                 all.run_until(freed);
                 all.run();
             }));
    all.run_all();
    check(all.contracts[0].runs.read() == 1, "the new one was run");
    check(all.contracts[0].releases.read() == 1, "the old one was released");
    check(all.run() == 0, "nothing is left of the old one");
}

inline void a_sender_notifies() {
    few_contracts all;
    int news = 0;
    bool ran = false;
    const auto send = [&] { news += all.block.schedule(1).news ? 1 : 0; };
    together(named("sender", send), named("other sender", send),
             named("runner", [&] { ran = all.run() != 0; }));
    check(news >= 1 || ran, "a sender is to notify, or it has run");
    all.run_all();
}

/// What each did with the contract is seen by the thread that frees its entry.
inline void the_entry_comes_with_what_was_done() {
    few_contracts all;
    all.block.request_release(1);
    sync::plain<int> owner_data{0};
    sync::plain<int> runner_data{0};
    const auto use_again = [&] {
        owner_data.write(2);
        runner_data.write(2);
    };
    together(named("owner",
                   [&] {
                       owner_data.write(1);
                       if (all.block.drop_handle(1)) use_again();
                   }),
             named("runner", [&] {
                 if (all.block.claim(1, 1) == 0) return;
                 runner_data.write(1);
                 if (all.block.end_life(1)) use_again();
             }));
}

/// A contract is made while another of its block runs, is scheduled and changes its priority.
inline void neighbours_do_not_disturb_each_other() {
    few_contracts all;
    all.contracts[0].work = [](int run) { return run == 1; };
    all.send(0);
    together(named("maker",
                   [&] {
                       all.block.publish(2, 2);
                       check(all.send(1), "it is accepted");
                   }),
             named("runner", [&] { all.run(); }),
             named("changer", [&] { static_cast<void>(all.block.set_priority(1, 0)); }));
    all.run_all();
    check(all.contracts[0].runs.read() == 2, "one ran as often as it asked for");
    check(all.contracts[1].runs.read() == 1, "the other ran once");
    check(all.block.members(0) == 1 && all.block.members(2) == 2, "each has its priority");
    check(all.block.living() == 3, "both live");
}

/// The end of the group waits for a call that may notify the pool.
inline void a_notifying_call_is_waited_for() {
    few_contracts all;
    sync::plain<int> pool{1};
    all.block.begin_notifying();
    together(named("handle",
                   [&] {
                       check(pool.read() == 1, "it is still there");
                       all.block.end_notifying();
                   }),
             named("end", [&] {
                 while (!all.block.nobody_notifies()) sync::yield();
                 pool.write(0);
             }));
}
inline void two_notify() {
    few_contracts all;
    const auto call = [&all] {
        all.block.begin_notifying();
        check(!all.block.nobody_notifies(), "it is counted");
        all.block.end_notifying();
    };
    together(named("handle", call), named("other handle", call));
    check(all.block.nobody_notifies(), "both are counted off");
}

/// Made at the same time, in one block.
inline void two_are_made() {
    few_contracts all{0};
    const auto make = [&all](std::uint32_t index, unsigned priority_class) {
        return [&all, index, priority_class] {
            all.block.publish(1U << index, priority_class);
            check(all.send(index), "it is accepted");
        };
    };
    together(named("maker", make(0, 0)), named("other maker", make(1, 2)));
    check(all.block.members(0) == 1 && all.block.members(2) == 2, "each has its priority");
    check(all.block.living() == 3, "both live");
    all.run_all();
    check(all.contracts[0].runs.read() + all.contracts[1].runs.read() == 2, "once each");
}

inline void two_change_their_priority() {
    for (const unsigned wanted : {0U, 2U}) {
        few_contracts all{2};
        const auto change = [&all, wanted](std::uint32_t bit) {
            return [&all, wanted, bit] { static_cast<void>(all.block.set_priority(bit, wanted)); };
        };
        together(named("one", change(1)), named("other", change(2)));
        check(all.block.members(wanted) == 3, "both have the new priority");
    }
}

/// The entries were used before, so that everything that must be reset is set.
inline void two_are_made_again() {
    few_contracts all{2};
    for (const std::uint32_t each : {0U, 1U}) {
        static_cast<void>(all.block.set_priority(1U << each, each * 2));
        all.send(each);
        all.block.request_release(1U << each);
    }
    all.run_all();
    for (const std::uint32_t each : {0U, 1U}) all.drop_handle(each);
    for (const std::uint32_t each : {0U, 1U}) { // as late as they may come
        all.block.request_release(1U << each);
        static_cast<void>(all.block.schedule(1U << each));
    }
    const auto make = [&all](std::uint32_t index) {
        return [&all, index] { all.block.publish(1U << index, 1); };
    };
    together(named("maker", make(0)), named("other maker", make(1)));
    check(all.block.members(1) == ~0U, "both have normal priority");
    check(all.run(2) == 0, "nothing is due");
    check((all.block.closing() & 3) == 0, "nothing is being released");
}

} // namespace weft::test::block
