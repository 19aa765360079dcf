// A node that waits for its resources.
#pragma once

#include "graph/run_state.hpp"

#include <weft/detail/pool/task.hpp>
#include <weft/detail/resource/ticket.hpp>

#include <span>

namespace weft::inline v0::detail {

/// Queued when the resources have admitted the node. It is one piece of memory with its ticket.
struct admission : task {
    node_state* node;
    ticket* own_ticket;

    /// Enters the queues of the resources; throws std::bad_alloc, and then has not.
    static void request(node_state& node, std::span<const claim> claims);
    /// Gives the resources back; the admission must not be used afterwards.
    void release() noexcept;

private:
    admission(node_state& waiting, ticket& entered) noexcept;
    static void run_admitted(task& self, worker& caller) noexcept;
    static void ready(ticket& self, bool submitting) noexcept;
    static void abandon(admission& refused) noexcept;
    static const ticket::kind kind;
};

} // namespace weft::inline v0::detail
