// Workers that wait for a stolen child or for a task: two deques, the join word and the parkers together, used as
// `worker::wait_for_stolen`, `help`, `run_stolen` and `joinable_task` use them.
#pragma once

#include <weft/detail/lockfree/bell.hpp>
#include <weft/detail/lockfree/completion_word.hpp>
#include <weft/detail/lockfree/join_word.hpp>
#include <weft/detail/lockfree/split_deque.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/detail/sync/fence.hpp>
#include <weft/detail/sync/parker.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread_local_value.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::test::leapfrog {

using detail::join_word;

struct worker;

struct slot {
    using body = void (*)(worker& here);

    sync::plain<body> run{nullptr};
    sync::plain<worker*> thief{nullptr};
    sync::plain<std::uint32_t> thief_base{0};
    std::optional<join_word> join;
};

struct worker {
    std::array<slot, 3> slots;
    detail::split_deque<slot> scoped{slots.data()};
    sync::parker join_parker;
    detail::bell<worker> share_bell;
    bool waits = false; // for something that the child of `unrelated` is no part of

    slot* fork(slot::body run) {
        slot* next = scoped.owner_next();
        next->run.write(run);
        scoped.owner_push(next);
        scoped.owner_share([](slot& each) { each.join.emplace(); });
        tell_shared();
        return next;
    }
    void tell_shared() {
        sync::fence(sync::seq_cst); // in `sleep_control::notify`
        if (worker* waiting = share_bell.ring()) waiting->join_parker.unpark();
    }
    void join(slot* last) {
        if (scoped.owner_pop(last) || scoped.owner_take_back()) {
            last->run.read()(*this);
            return;
        }
        wait_for_stolen(*last);
        scoped.owner_forget_stolen(last);
    }
    void fork_and_join(slot::body run) { join(fork(run)); }

    void run_stolen(slot& child, worker& victim) {
        child.thief.write(this);
        child.thief_base.write(scoped.owner_position());
        if (child.join->thief_begin()) victim.join_parker.unpark();
        child.run.read()(*this);
        const join_word::finished end = child.join->thief_finish();
        if (end.helped) scoped.owner_renew();
        if (end.wake) victim.join_parker.unpark();
    }
    bool try_steal(worker& victim) {
        slot* child = victim.scoped.steal();
        if (child == nullptr) return false;
        run_stolen(*child, victim);
        return true;
    }
    template <class Holds>
    bool help(worker& runner, std::uint32_t base, Holds holds) {
        slot* child = runner.scoped.steal_while(base, holds);
        if (child == nullptr) return false;
        run_stolen(*child, runner);
        return true;
    }
    void wait_for_stolen(slot& child) {
        const auto runs = [&] { return child.join->owner_look() == join_word::state::running; };
        bool helps = false;
        const auto try_help = [&] {
            if (!runs()) return false;
            helps = helps || child.join->owner_help();
            return helps && help(*child.thief.read(), child.thief_base.read(), runs);
        };
        // On the machine it looks some more times before it sleeps.
        while (child.join->owner_look() != join_word::state::done) {
            if (try_help()) continue;
            worker* runner = runs() ? child.thief.read() : nullptr;
            const bool called = runner != nullptr && runner->share_bell.try_wait(*this);
            if (!called || !try_help()) {
                const join_word::state now = child.join->owner_await();
                const bool known = runner != nullptr || now == join_word::state::shared;
                if (known && now != join_word::state::done) join_parker.park();
            }
            if (called) runner->share_bell.leave(*this);
        }
    }

    void check_idle() const { explorer::check(scoped.owner_position() == 0, "its deque is empty"); }
};

/// How often each child ran. One for each execution, found through a slot of the thread.
struct tally {
    std::array<sync::plain<int>, 4> ran{};
    void count(std::size_t child) { ++ran[child].modify(); }
    void check_once(std::size_t children) const {
        for (std::size_t i = 0; i < children; ++i) {
            explorer::check(ran[i].read() == 1, "each child runs once");
        }
    }
};
using tally_slot = sync::thread_local_value<tally, tally*>;

inline void count(std::size_t child) { tally_slot::get()->count(child); }

/// Runs `body` on a thread that counts in `all`.
template <class Body>
auto counting(tally& all, Body body) {
    return [&all, body] {
        tally_slot::set(&all);
        body();
    };
}

inline void unrelated(worker& here) {
    explorer::check(!here.waits, "a waiting worker runs what it waits for only");
    count(1);
}

/// A task that says who runs it and where its children begin, as `joinable_task` does. Who waits for
/// it may run these children, but nothing older and nothing that comes after it.
struct task {
    detail::completion_word word{detail::completion_word::made_dormant{}};
    sync::atomic<worker*> runner{nullptr};
    sync::atomic<std::uint32_t> base{0};

    void run(worker& here) {
        base.store(here.scoped.owner_position(), sync::relaxed);
        runner.store(&here, sync::release);
        here.fork_and_join([](worker&) { count(0); });
        const auto [nodes, free, helped] = word.complete();
        if (helped) here.scoped.owner_renew();
        for (detail::completion_node* each = nodes; each != nullptr;) {
            detail::completion_node* after = each->next;
            each->tell(*each);
            each = after;
        }
    }
    struct sleeper : detail::completion_node {
        worker* here;
        sync::atomic<bool> told{false};
        explicit sleeper(worker& waiting) : here{&waiting} {
            tell = [](completion_node& self) noexcept {
                auto& me = static_cast<sleeper&>(self);
                worker* woken = me.here;
                me.told.store(true, sync::release);
                woken->join_parker.unpark();
            };
        }
    };
    void wait(worker& here) {
        here.waits = true;
        bool helps = false;
        const auto try_help = [&] {
            worker* found = runner.load(sync::acquire);
            if (found == nullptr) return false;
            helps = helps || word.help();
            return helps &&
                   here.help(*found, base.load(sync::relaxed), [this] { return !word.ready(); });
        };
        try_help();
        {
            sleeper node{here};
            if (word.try_add(node)) {
                while (!word.ready()) {
                    worker* found = runner.load(sync::relaxed);
                    const bool called = found != nullptr && found->share_bell.try_wait(here);
                    if (!(called && try_help()) && !word.ready()) here.join_parker.park();
                    if (called) found->share_bell.leave(here);
                }
                while (!node.told.load(sync::acquire)) here.join_parker.park();
            }
        }
        here.waits = false;
    }
};

} // namespace weft::test::leapfrog
