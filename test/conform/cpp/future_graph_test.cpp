// Random acyclic graphs of futures, against what one thread computes.
#include "conform/cpp/rendezvous.hpp"
#include "support/scale.hpp"

#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace weft {
namespace {

using namespace test;

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/// What a task does besides joining: some fork, so that a waiter finds something to help with.
std::uint64_t own_work(std::uint64_t seed, unsigned depth) {
    if (depth == 0) return mixed(seed);
    if (pool::current() == nullptr)
        return own_work(seed + 1, depth - 1) ^ own_work(seed * 3, depth - 1);
    const auto [a, b] = fork_join([=] { return own_work(seed + 1, depth - 1); },
                                  [=] { return own_work(seed * 3, depth - 1); });
    return a ^ b;
}

struct node {
    std::vector<std::size_t> joins; ///< earlier nodes; each is joined once, or never
    unsigned depth = 0;
    bool from_outside = false;
    bool waits_first = false;
};

std::vector<node> random_graph(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    const auto below = [&](std::uint64_t count) { return random() % count; };
    std::vector<node> nodes(20 + below(280));
    std::vector<std::size_t> unjoined;
    const std::uint64_t density = 1 + below(4);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        node& each = nodes[i];
        for (std::uint64_t count = below(2 * density + 1); count > 0 && !unjoined.empty();
             --count) {
            const std::size_t chosen = below(unjoined.size());
            each.joins.push_back(unjoined[chosen]);
            unjoined[chosen] = unjoined.back();
            unjoined.pop_back();
        }
        each.depth = below(3) == 0 ? static_cast<unsigned>(below(5)) : 0;
        each.from_outside = below(4) == 0;
        each.waits_first = below(4) == 0;
        unjoined.push_back(i);
    }
    return nodes;
}

std::uint64_t combined(std::uint64_t own, std::uint64_t joined) { return mixed(own * 31 + joined); }

std::vector<std::uint64_t> serial_results(const std::vector<node>& nodes) {
    std::vector<std::uint64_t> results(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        results[i] = own_work(i, nodes[i].depth);
        for (const std::size_t join : nodes[i].joins) {
            results[i] = combined(results[i], results[join]);
        }
    }
    return results;
}

using counted_future = std::shared_ptr<future<std::uint64_t>>;

/// Submits the nodes one after the other, each with the futures that it joins.
class graph_run {
public:
    graph_run(pool& workers, const std::vector<node>& nodes)
        : workers_{workers}, nodes_{nodes}, results_(nodes.size()), runs_(nodes.size()) {}

    void submit(std::size_t i) {
        std::vector<counted_future> joins;
        for (const std::size_t join : nodes_[i].joins) joins.push_back(futures_[join]);
        futures_.push_back(std::make_shared<future<std::uint64_t>>(
            workers_.submit([this, i, joins = std::move(joins)] { return run(i, joins); })));
    }

    /// Ends the handles of those that nobody joins.
    void drop_futures() { futures_.clear(); }

    void expect(const std::vector<std::uint64_t>& wanted) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            ASSERT_EQ(runs_[i].load(), 1) << i;
            ASSERT_EQ(results_[i], wanted[i]) << i;
        }
    }

private:
    std::uint64_t run(std::size_t i, const std::vector<counted_future>& joins) {
        ++runs_[i];
        std::uint64_t result = own_work(i, nodes_[i].depth);
        if (nodes_[i].waits_first) {
            for (const counted_future& each : joins) each->wait();
        }
        for (const counted_future& each : joins) result = combined(result, each->get());
        results_[i] = result;
        return result;
    }

    pool& workers_;
    const std::vector<node>& nodes_;
    std::vector<counted_future> futures_;
    std::vector<std::uint64_t> results_;
    std::vector<std::atomic<int>> runs_;
};

class future_graphs_on : public testing::TestWithParam<std::size_t> {
protected:
    /// `submit_all` calls the run's submit for each node, in order.
    template <class SubmitAll>
    void check_seeds(SubmitAll submit_all) {
        const std::uint64_t seeds = scaled(sanitized ? 20 : 150, 5'000);
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const std::vector<node> nodes = random_graph(seed);
            pool workers{GetParam()};
            graph_run run{workers, nodes};
            submit_all(workers, run, nodes);
            workers.stop();
            run.expect(serial_results(nodes));
            if (HasFatalFailure()) FAIL() << "seed " << seed;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(workers, future_graphs_on, testing::Values(1, 2, 3, 8));

TEST_P(future_graphs_on, submitted_from_outside_are_computed_right) {
    check_seeds([](pool&, graph_run& run, const std::vector<node>& nodes) {
        for (std::size_t i = 0; i < nodes.size(); ++i) run.submit(i);
        run.drop_futures();
    });
}

TEST_P(future_graphs_on, submitted_by_a_task_are_computed_right) {
    check_seeds([](pool& workers, graph_run& run, const std::vector<node>& nodes) {
        workers.run([&] {
            for (std::size_t i = 0; i < nodes.size(); ++i) run.submit(i);
            run.drop_futures();
        });
    });
}

TEST_P(future_graphs_on, submitted_from_both_sides_are_computed_right) {
    check_seeds([](pool& workers, graph_run& run, const std::vector<node>& nodes) {
        for (std::size_t i = 0; i < nodes.size();) {
            if (nodes[i].from_outside) {
                run.submit(i++);
                continue;
            }
            workers.run([&] {
                while (i < nodes.size() && !nodes[i].from_outside) run.submit(i++);
            });
        }
        run.drop_futures();
    });
}

} // namespace
} // namespace weft
