// The policies: which rank gives tasks to which.
#pragma once

#include "cluster/network.hpp"
#include "cluster/rounds.hpp"

#include <weft/cluster_options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::inline v0::detail {

/// Tasks that this rank is to send, as soon as its workers offer them.
struct order {
    int destination = 0;
    std::size_t count = 0;
    bool answers = false;   // a request, which is refused when there is nothing to give
    bool standing = false;  // from a lifeline, which waits on when there is nothing to give
    unsigned patience = 64; // steps that it waits for workers to offer tasks
};

/// A policy, on one rank. It only decides; the exchange carries out its orders.
class balancer {
public:
    virtual ~balancer() = default;
    /// Whether it needs to know the queues of all ranks.
    [[nodiscard]] virtual bool plans() const noexcept { return false; }
    /// What a rank without tasks wants of the next round.
    [[nodiscard]] virtual round_wish wish_when_idle() const noexcept { return round_wish::idle; }
    /// Now and then; `passive`: this rank has no tasks.
    virtual void step(bool /*passive*/) {}
    virtual void on_request(const message& /*arrived*/, std::size_t /*queued*/,
                            std::vector<order>& /*orders*/) {}
    virtual void on_refusal(const message& /*arrived*/) {}
    virtual void on_tasks(int /*source*/) {}
    /// The tasks queued on each rank; returns how many tasks move on all ranks together.
    virtual std::size_t on_conclusion(std::span<const std::size_t> /*queued*/,
                                      std::vector<order>& /*orders*/) {
        return 0;
    }
    /// Orders for those that wait for tasks here, when there are some to give.
    virtual void offer(std::size_t /*queued*/, std::vector<order>& /*orders*/) {}
    /// A standing order could not be carried out.
    virtual void wait_on(const order& /*given*/) {}
};

[[nodiscard]] std::unique_ptr<balancer> make_balancer(balancing policy, network& messages);

} // namespace weft::inline v0::detail
