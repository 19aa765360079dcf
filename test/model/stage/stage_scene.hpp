// A group of stages without a pool: the threads of a scenario are its workers.
#pragma once

#include "stage/stage_group_core.hpp"

#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/detail/sync/thread.hpp>
#include <weft/error.hpp>
#include <weft/explorer.hpp>

#include <string>
#include <utility>

namespace weft::test {

struct number_node : detail::stage_node {
    int number = 0;
};

/// Handles numbers: adds them up, and pushes them on if there is a next stage.
class adding_program final : public detail::stage_program {
public:
    sync::plain<int> sum{0}; // for a budget of 1
    sync::atomic<int> handled{0};
    sync::atomic<int> inside{0};
    int budget = 1;
    bool twice = false; // pushes on
    detail::stage_core* next = nullptr;

    detail::item_ends handle(detail::stage_core& core, detail::node_list& items) noexcept override {
        auto& node = static_cast<number_node&>(*items.pop_front());
        explorer::check(inside.fetch_add(1, sync::relaxed) < budget, "no more than the budget");
        if (budget == 1) sum.write(sum.read() + node.number);
        handled.fetch_add(1, sync::relaxed);
        if (next != nullptr) push_on(node.number);
        if (next != nullptr && twice) push_on(node.number);
        inside.fetch_sub(1, sync::relaxed);
        core.release(node);
        return {.done = 1};
    }
    void drop(detail::stage_core& core, detail::stage_node& node,
              drop_reason /*reason*/) noexcept override {
        core.release(node);
    }
    void free(detail::stage_node& node) noexcept override {
        sync::destroy(&static_cast<number_node&>(node));
    }

private:
    void push_on(int number) {
        auto* made = sync::make<number_node>();
        made->number = number;
        try {
            next->push_from(*detail::stage_run::current(), *made);
        } catch (const error& told) {
            explorer::check(told.code() == errc::would_deadlock, "it says why");
            sync::destroy(made);
        }
    }
};

struct scene {
    detail::stage_group_core group{nullptr};

    detail::stage_core& add(adding_program& program, std::uint32_t capacity,
                            std::uint32_t budget = 1, bool dispatches = false) {
        program.budget = static_cast<int>(budget);
        return group.make_stage(detail::stage_settings{"stage", capacity, budget, 1, 1,
                                                       stage_order::any, false, dispatches, false,
                                                       0},
                                program);
    }
    static bool try_push(detail::stage_core& to, int number) {
        auto* made = sync::make<number_node>();
        made->number = number;
        if (to.try_push(*made)) return true;
        sync::destroy(made);
        return false;
    }
    /// A worker that stops when it would sleep.
    void work() {
        while (group.has_work()) {
            if (!group.try_run()) sync::pause();
        }
    }
    void work_once() { static_cast<void>(group.try_run()); }
    void end(detail::stage_core& stage) {
        explorer::check(stage.is_idle(), "nothing is left");
        group.end_stage(stage);
    }
};

} // namespace weft::test
