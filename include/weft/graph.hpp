// Graphs of tasks: built once, run any number of times.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/graph/graph_core.hpp>
#include <weft/detail/graph/node_body.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>
#include <weft/resource.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

class graph;

/// A node of a graph: a handle, which may be copied. It must not be used when the graph is gone.
class any_graph_node {
public:
    /// The name it was added with, or "#" and its number.
    [[nodiscard]] std::string name() const { return graph_->name_of(index_); }
    friend bool operator==(const any_graph_node&, const any_graph_node&) = default;

protected:
    /// For the graph.
    any_graph_node(detail::graph_core& owner, detail::node_index index) noexcept
        : graph_{&owner}, index_{index} {}
    /// Adds an edge.
    static void connect(const any_graph_node& before, const any_graph_node& after) {
        detail::graph_core& owner = *after.graph_;
        if (before.graph_ != &owner || owner.is_shared() || owner.known_plan() != nullptr)
            [[unlikely]]
            after.reopen(before, "weft::graph_node::after");
        owner.add_edge(before.index_, after.index_);
    }
    /// The graph is about to change. Throws `errc::invalid_argument` if the other is a node of
    /// another graph, or the graph cannot be changed now.
    WEFT_API void reopen(const any_graph_node& other, const char* call) const;
    /// Adds what a branch may choose.
    WEFT_API void add_choice(const any_graph_node& target) const;
    /// Sets the priority.
    WEFT_API void set_priority(weft::priority level) const;

private:
    friend class graph_builder;
    detail::graph_core* graph_;
    detail::node_index index_;
};

namespace detail {

/// What all kinds of nodes have in common.
template <class Node>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): it has no default constructor
class chained_node : public any_graph_node {
public:
    /// Runs after all of these have ended. Returns this node.
    template <std::derived_from<any_graph_node>... Nodes>
    Node after(const Nodes&... earlier) const { // NOLINT(modernize-use-nodiscard)
        (connect(earlier, *this), ...);
        return self();
    }
    /// All of these run after this node has ended. Returns this node.
    template <std::derived_from<any_graph_node>... Nodes>
    Node before(const Nodes&... later) const { // NOLINT(modernize-use-nodiscard)
        (connect(*this, later), ...);
        return self();
    }
    /// Of the nodes that are ready, a worker runs those of a higher priority first. Returns this
    /// node.
    Node priority(weft::priority level) const { // NOLINT(modernize-use-nodiscard)
        set_priority(level);
        return self();
    }

private:
    friend Node;
    using any_graph_node::any_graph_node;
    [[nodiscard]] Node self() const noexcept { return static_cast<const Node&>(*this); }
};

} // namespace detail

/// A node whose callable returns a `T`. Its members change the graph: they throw
/// `errc::invalid_argument` while the graph runs, or if another graph's node is passed; also
/// std::bad_alloc.
template <class T>
class graph_node : public detail::chained_node<graph_node<T>> {
private:
    friend class graph_builder;
    using detail::chained_node<graph_node<T>>::chained_node;
};

/// A node whose callable chooses what runs next.
///
/// Nodes that edges of `after`, `before` and inputs connect are a *part* of the graph. When all
/// nodes of the branch's part have ended, the chosen node is begun: it is run, and everything
/// behind it, as if it were a graph of its own. A node behind it waits only for those of its
/// predecessors that are behind the chosen node too: so the ways of a choice may meet again in one
/// node. If the chosen node is in the branch's own part, that is a loop.
class graph_branch : public detail::chained_node<graph_branch> {
public:
    /// Adds nodes that may be chosen: the first call's first is number 0, and so on. Any number of
    /// branches may choose a node, but a node that is connected to one which runs without being
    /// chosen can only be chosen by a branch that comes after it; see `graph::run`.
    template <std::derived_from<any_graph_node>... Nodes>
    graph_branch chooses(const Nodes&... targets) const { // NOLINT(modernize-use-nodiscard)
        (add_choice(targets), ...);
        return *this;
    }

private:
    friend class graph_builder;
    using detail::chained_node<graph_branch>::chained_node;
};

namespace detail {
template <class Given>
concept node_name = std::convertible_to<Given, std::string_view>;
template <class Given>
inline constexpr bool is_request = false;
template <class Needs>
inline constexpr bool is_request<request<Needs>> = true;
template <class Given>
concept node_callable = !node_name<Given> && !is_request<std::remove_cvref_t<Given>> &&
                        !std::derived_from<std::remove_cvref_t<Given>, graph>;
template <class Given>
concept node_argument = std::derived_from<std::remove_cvref_t<Given>, any_graph_node>;
/// A branch is read as a node without a result.
template <class Given>
using input_type = std::conditional_t<std::same_as<std::remove_cvref_t<Given>, graph_branch>,
                                      graph_node<void>&, Given>;
} // namespace detail

/// What graphs and subgraphs have in common: nodes are added to them.
///
/// A node is added with its callable and the nodes whose results it reads; it runs after these. The
/// callable is called with their results, in this order: with a `const T&` of a result `T`, and
/// with a `T` of its own if the node was passed as an rvalue, `std::move(node)`. At most one node
/// may take a result in this way; it runs after all others that read it. A result that is a
/// reference stays one, and a node without a result only has to end.
///
/// Members that change a graph throw `errc::invalid_argument` while it runs or if it is part of
/// another graph, or if a node of another graph is passed; `errc::full` beyond 2^30 nodes or 4 GiB
/// of names; also std::bad_alloc, and what copying a callable throws. Then nothing was added.
class graph_builder {
public:
    /// Adds a node. If the callable takes a `subgraph&` as its first argument, it may add nodes to
    /// that while the graph runs; the node has ended when all of them have.
    template <detail::node_callable Callable, detail::node_argument... Inputs>
    auto add(Callable&& callable, Inputs&&... inputs) {
        return add(std::string_view{}, std::forward<Callable>(callable),
                   std::forward<Inputs>(inputs)...);
    }
    /// The same with a name, for messages and `to_dot`.
    template <detail::node_callable Callable, detail::node_argument... Inputs>
    auto add(std::string_view name, Callable&& callable, Inputs&&... inputs) {
        using callable_type = std::decay_t<Callable>;
        using body =
            detail::node_body<callable_type, detail::input_of<detail::input_type<Inputs>>...>;
        const detail::node_index added = add_node<callable_type, Inputs...>(
            body::kind, name, {}, std::forward<Callable>(callable), inputs...);
        return graph_node<typename body::result>{*core_, added};
    }

    /// Adds a node on resources, as `when` names them: it waits for them when its predecessors have
    /// ended, no worker waits, and it has them while its callable runs. The callable gets their
    /// data before the results. Also throws `errc::overweight`, and what `take` throws.
    template <class Needs, class Callable, detail::node_argument... Inputs>
    auto add(std::string_view name, request<Needs> needed, Callable&& callable,
             Inputs&&... inputs) {
        Needs& needs = detail::request_access::needs(needed);
        using data = decltype(needs.data());
        using callable_type = detail::body_on_resources<Needs, data, std::decay_t<Callable>>;
        using body =
            detail::node_body<callable_type, detail::input_of<detail::input_type<Inputs>>...>;
        const std::span<const detail::claim> claims = needs.claims("weft::graph::add");
        const detail::node_index added = add_node<callable_type, Inputs...>(
            body::kind, name, claims, callable_type{std::forward<Callable>(callable), needs.data()},
            inputs...);
        return graph_node<typename body::result>{*core_, added};
    }
    /// The same without a name.
    template <class Needs, class Callable, detail::node_argument... Inputs>
    auto add(request<Needs> needed, Callable&& callable, Inputs&&... inputs) {
        return add(std::string_view{}, std::move(needed), std::forward<Callable>(callable),
                   std::forward<Inputs>(inputs)...);
    }

    /// Adds a graph as a node, which has ended when all its nodes have. While the other graph is
    /// part of this one it cannot be changed; it may be run by itself too, and be part of several
    /// graphs. Graphs and subgraphs may be nested some thousand deep: the end of each takes some of
    /// the stack of the worker that ends it. Throws `errc::would_deadlock` if it is this graph.
    WEFT_API graph_node<void> add(std::string_view name, const graph& module);

    /// Adds a branch. The callable returns the number of the node to choose
    /// (`graph_branch::chooses`); if there is no such number, none is chosen.
    template <detail::node_callable Callable, detail::node_argument... Inputs>
    graph_branch branch(std::string_view name, Callable&& callable, Inputs&&... inputs) {
        using callable_type = std::decay_t<Callable>;
        using body =
            detail::node_body<callable_type, detail::input_of<detail::input_type<Inputs>>...>;
        static_assert(std::is_integral_v<typename body::result>,
                      "a branch returns the number of the node that it chooses");
        const detail::node_index added = add_node<callable_type, Inputs...>(
            body::branch_kind, name, {}, std::forward<Callable>(callable), inputs...);
        return {*core_, added};
    }

    /// The number of nodes.
    [[nodiscard]] std::size_t size() const noexcept { return core_->nodes.size(); }

protected:
    /// For graphs.
    explicit graph_builder(detail::graph_core* core) noexcept : core_{core} {}
    ~graph_builder() = default;
    /// Copies the reference to the nodes.
    graph_builder(const graph_builder&) noexcept = default;
    /// The same.
    graph_builder& operator=(const graph_builder&) noexcept = default;
    detail::graph_core* core_; ///< what has the nodes

private:
    /// `Given` is how the inputs were passed: an lvalue is read, an rvalue is taken from.
    template <class Body, class... Given, class Source, class... Inputs>
    detail::node_index add_node(const detail::node_kind& kind, std::string_view name,
                                std::span<const detail::claim> claims, Source&& source,
                                const Inputs&... inputs) {
        require_open();
        (require_node(inputs), ...);
        const std::size_t before = core_->edges.size();
        const detail::node_index added =
            core_->template add<Body>(kind, name, std::forward<Source>(source));
        if constexpr (sizeof...(Inputs) == 0) {
            if (claims.data() == nullptr) return added;
        }
        try {
            (add_input<detail::input_of<detail::input_type<Given>>, Given>(added, inputs), ...);
            if (claims.data() != nullptr) core_->add_needs(claims);
        } catch (...) {
            core_->remove_last(before);
            throw;
        }
        return added;
    }
    template <class Input, class Given>
    void add_input(detail::node_index added, const any_graph_node& source) {
        constexpr bool taken = !std::is_reference_v<Given> && !std::is_const_v<Given>;
        if constexpr (Input::has_value) core_->add_input(source.index_, taken);
        core_->add_edge(source.index_, added);
    }
    void require_open() {
        if (core_->is_shared() || core_->known_plan() != nullptr) [[unlikely]]
            reopen();
    }
    void require_node(const any_graph_node& input) const {
        if (input.graph_ != core_) [[unlikely]]
            refuse_node();
    }
    /// Forgets the plan; throws if the graph cannot be changed.
    WEFT_API void reopen();
    [[noreturn]] WEFT_API static void refuse_node();
};

/// Nodes that are made while a graph runs. It is passed to the callable of a node, and must not be
/// used after that has returned.
class subgraph : public graph_builder {
public:
    subgraph(const subgraph&) = delete;
    subgraph& operator=(const subgraph&) = delete;

private:
    template <class Callable, class... Inputs>
    friend struct detail::node_body;
    explicit subgraph(detail::graph_core& core) noexcept : graph_builder{&core} {}
};

/// Options of a run.
struct run_options {
    /// If stop is requested, nodes that have not begun are not run, and the run ends as
    /// `errc::cancelled`. Nodes that run are not interrupted.
    std::stop_token stop = {};
};

/// What a node has done in all runs that were measured.
struct node_statistics {
    std::string name;                   ///< of the node
    std::uint64_t runs = 0;             ///< how often it ran
    std::chrono::nanoseconds time = {}; ///< how long its callable ran, in all
};

/// A graph of tasks, to be run any number of times, also at the same time.
///
/// One thread at a time may change a graph, and only while it does not run. Any number of threads
/// may run it at once; then a callable may be called by several threads at once, once for each run.
/// A graph may be destroyed while it runs: its runs keep what they need.
class WEFT_API graph : public graph_builder {
public:
    /// A graph without nodes. Throws std::bad_alloc.
    graph();
    /// `other` must not be used afterwards, except to assign to it or destroy it.
    graph(graph&& other) noexcept = default;
    /// The same.
    graph& operator=(graph&& other) noexcept = default;
    ~graph();

    /// Runs the graph on a pool; the future is ready when all nodes have ended. Nodes without
    /// predecessors begin, unless a branch may choose them; every other node runs when all its
    /// predecessors have ended. No thread waits meanwhile. On a worker, waiting for the future
    /// throws `errc::would_deadlock` unless it is ready: use `then`.
    ///
    /// If a node throws, the nodes behind it are not run; the others are. The future then has
    /// `errc::node_failed`, with the node's name, and the exception nested in it; of several only
    /// the first to fail. If the pool stops before a node has begun, the node is not run, and the
    /// future has `errc::not_run`.
    ///
    /// Throws `errc::stopped` if the pool accepts no more work, and std::bad_alloc. The first run
    /// after a change also prepares the graph, and throws as `prepare`.
    future<void> run(pool& target, const run_options& options = {});
    /// The same on the pool of the calling worker; on other threads it throws `errc::outside_pool`.
    future<void> run(const run_options& options = {});

    /// Checks the graph, and makes it ready to be run. Throws `errc::would_deadlock`, with the
    /// names of the nodes, if there is a cycle without a choice of a branch in it;
    /// `errc::invalid_argument` if two nodes take one result, if no node begins, or if a branch
    /// chooses a node that is connected to one which runs without being chosen (but for a loop);
    /// and std::bad_alloc. Graphs that are nodes of this one are not checked: in a run, the node of
    /// one that cannot be run fails.
    void prepare();

    /// From now on runs are measured, which costs two readings of the clock for each node.
    void measure();
    /// What each node has done since `measure` or the last change; empty if nothing was measured.
    [[nodiscard]] std::vector<node_statistics> statistics() const;

    /// The graph in the DOT language of Graphviz: choices are dashed, graphs in it are boxes, and
    /// nodes show what was measured.
    [[nodiscard]] std::string to_dot() const;

private:
    friend graph_builder;
    [[nodiscard]] const detail::graph_core& core() const noexcept { return *owned_; }

    std::shared_ptr<detail::graph_core> owned_;
};

} // namespace weft::inline v0
