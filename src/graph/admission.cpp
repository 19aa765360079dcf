#include "graph/admission.hpp"

#include "graph/graph_run.hpp"
#include "graph/node_loop.hpp"
#include "sync/stack_local.hpp"

#include <weft/detail/resource/resource_task.hpp>

#include <new>
#include <utility>

namespace weft::inline v0::detail {

admission::admission(node_state& waiting, ticket& entered) noexcept
    : task{.run = &run_admitted}, node{&waiting}, own_ticket{&entered} {}

const ticket::kind admission::kind{
    .ready = &admission::ready,
    .cancelled =
        [](const ticket& self) noexcept {
            const auto& waiting = *static_cast<const admission*>(self.subject);
            return waiting.node->owner->whole().stop().stop_requested();
        },
    .free =
        [](ticket& self) noexcept {
            const auto layout = resource_task_memory::layout<admission>(self.entries().size());
            free_resource_task(&self, layout.size, layout.alignment);
        },
};

void admission::request(node_state& node, std::span<const claim> claims) {
    const auto layout = resource_task_memory::layout<admission>(claims.size());
    lane& own = own_lane();
    registry_cell& cell = reserve_cell();
    void* memory = nullptr;
    try {
        memory = allocate_resource_task(layout.size, layout.alignment);
    } catch (...) {
        give_cell_back(cell);
        throw;
    }
    auto* entered = ::new (memory) ticket{kind, claims.size()};
    entered->make_entries(claims);
    const run_state& run = *node.owner;
    const graph_core::node& named = run.graph().nodes[run.plan().number_of(node.index)];
    if (named.name_size != 0) entered->name = run.graph().names.data() + named.name_begin;
    entered->registration = &cell;
    auto* made = ::new (static_cast<std::byte*>(memory) + layout.offset) admission{node, *entered};
    entered->subject = made;
    cell.object.store(entered, sync::relaxed);
    entered->submit(own);
}

void admission::release() noexcept {
    ticket& left = *own_ticket;
    give_cell_back(*static_cast<registry_cell*>(left.registration));
    std::destroy_at(this);
    left.release();
    left.forget();
}

void admission::run_admitted(task& self, worker& caller) noexcept {
    node_loop{&caller}.run_admitted(static_cast<admission&>(self));
}

void admission::ready(ticket& self, bool submitting) noexcept {
    auto& admitted = *static_cast<admission*>(self.subject);
    const run_state& run = *admitted.node->owner;
    const priority level = run.plan().level_of(admitted.node->index);
    if (!run.whole().try_queue_dormant(admitted, level, submitting)) abandon(admitted);
}

/// The pool of the run takes no more tasks. To give resources back may admit further nodes of such
/// runs: they are ended one after the other, not recursively.
void admission::abandon(admission& refused) noexcept {
    using unfinished = sync::stack_local<sync::stack_word::refused_admissions, task**>;
    if (task** youngest = unfinished::get()) { // one is being ended further down this stack
        refused.next = std::exchange(*youngest, &refused);
        return;
    }
    refused.next = nullptr;
    task* youngest = &refused;
    unfinished::set(&youngest);
    while (youngest != nullptr) {
        auto& each = static_cast<admission&>(*std::exchange(youngest, youngest->next));
        node_loop{nullptr}.skip_admitted(each);
    }
    unfinished::set(nullptr);
}

} // namespace weft::inline v0::detail
