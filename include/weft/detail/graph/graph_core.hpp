// The nodes and edges of a graph as they were added.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/resource/ticket.hpp>
#include <weft/detail/sync/atomic.hpp>
#include <weft/priority.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0::detail {

class graph_core;
class graph_plan;

using node_index = std::uint32_t;

/// What the function of a node is called with.
struct node_call {
    static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

    std::byte* values;           // the results of this run
    const std::uint32_t* inputs; // where among them are those that this node reads
    std::uint32_t output;        // where its own result goes; `no_slot`: no node reads it
    graph_core* inner;           // to be filled by a node that makes a subgraph
    std::size_t choice;          // to be set by a branch
};

/// How a result is kept: as an object that exists as long as the memory of a run, and is empty or
/// has a value.
struct value_kind {
    std::size_t size;
    std::size_t alignment;
    void (*construct)(void* slot) noexcept;
    void (*empty)(void* slot) noexcept;
    void (*destroy)(void* slot) noexcept;
};

enum class node_role : std::uint8_t { task, branch, subgraph, module };

/// What all nodes with callables of one type share.
struct node_kind {
    void (*call)(void* body, node_call* now);
    void (*destroy)(void* body) noexcept; // or null
    const value_kind* value;              // of the result, or null
    node_role role;
};

/// Memory for the callables of a graph, given back all at once.
class WEFT_API body_arena {
public:
    void* allocate(std::size_t size, std::size_t alignment) {
        void* place = free_;
        if (std::align(alignment, size, place, left_) == nullptr) {
            place = grow(size, alignment);
        }
        free_ = static_cast<std::byte*>(place) + size;
        left_ -= size;
        return place;
    }
    /// Keeps the largest chunk for what comes next.
    void clear() noexcept;

private:
    void* grow(std::size_t size, std::size_t alignment);

    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::size_t last_size_ = 0; // of the last chunk, the largest
    void* free_ = nullptr;
    std::size_t left_ = 0;
};

/// Filled by one thread while no run is under way; then only read.
class WEFT_API graph_core {
public:
    struct node {
        const node_kind* kind;
        void* body;
        std::uint32_t name_begin; // in `names`
        std::uint32_t name_size;
        std::uint32_t first_input;
        std::uint16_t input_count;
        weft::priority level;
        bool has_needs;
    };
    struct edge {
        node_index before;
        node_index after;
    };
    struct input {
        node_index source;
        bool taken; // by the last reader, which may move the result
    };
    struct choice {
        node_index branch;
        node_index target;
    };
    struct needs {
        node_index owner;
        std::vector<claim> claims; // arranged
    };

    graph_core() = default;
    ~graph_core();
    graph_core(const graph_core&) = delete;
    graph_core& operator=(const graph_core&) = delete;

    /// Adds a node with this callable. If it throws, nothing was added.
    template <class Body, class... Arguments>
    node_index add(const node_kind& kind, std::string_view name, Arguments&&... arguments) {
        if (nodes.size() >= most_nodes || names.size() + name.size() > most_of_names) [[unlikely]]
            refuse_node();
        void* body = arena_.allocate(sizeof(Body), alignof(Body));
        const auto name_begin = static_cast<std::uint32_t>(names.size());
        if (!name.empty()) names.append(name).push_back('\0');
        nodes.push_back({.kind = &kind,
                         .body = body,
                         .name_begin = name_begin,
                         .name_size = static_cast<std::uint32_t>(name.size()),
                         .first_input = static_cast<std::uint32_t>(inputs.size()),
                         .input_count = 0,
                         .level = priority::normal,
                         .has_needs = false});
        if constexpr (std::is_nothrow_constructible_v<Body, Arguments...>) {
            ::new (body) Body(std::forward<Arguments>(arguments)...);
        } else {
            struct guard {
                graph_core* unfinished;
                ~guard() {
                    if (unfinished != nullptr) unfinished->nodes.pop_back();
                }
            } undo{this};
            ::new (body) Body(std::forward<Arguments>(arguments)...);
            undo.unfinished = nullptr;
        }
        return static_cast<node_index>(nodes.size() - 1);
    }
    /// The node that was added last reads a result.
    void add_input(node_index source, bool taken) {
        inputs.push_back({source, taken});
        ++nodes.back().input_count;
    }
    void add_edge(node_index before, node_index after) { edges.push_back({before, after}); }
    /// The node that was added last needs resources.
    void add_needs(std::span<const claim> claims);
    /// Removes the node that was added last, and what belongs to it.
    void remove_last(std::size_t edges_before) noexcept;
    /// Removes all nodes, and keeps the memory.
    void clear() noexcept;

    /// The node's name, or its number.
    [[nodiscard]] std::string name_of(node_index index) const;
    [[nodiscard]] std::string_view given_name(node_index index) const noexcept {
        return std::string_view{names}.substr(nodes[index].name_begin, nodes[index].name_size);
    }
    /// Whether runs, or graphs that have this one as a part, use it: then it must not be changed.
    [[nodiscard]] bool is_shared() const noexcept { return users_.load(sync::relaxed) != 0; }
    /// Relaxed: whoever may change the graph again knows from a future that its runs have ended.
    void add_user() noexcept { users_.fetch_add(1, sync::relaxed); }
    void remove_user() noexcept { users_.fetch_sub(1, sync::relaxed); }

    /// The plan of the graph as it is. Any thread may ask for it; those that come first make one
    /// each, and one of these is kept. Throws `invalid_argument`, `would_deadlock`, std::bad_alloc.
    [[nodiscard]] graph_plan& plan();
    /// The plan, if there is one.
    [[nodiscard]] const graph_plan* known_plan() const noexcept {
        return plan_.load(sync::acquire); // pairs with plan() [PLAN-3]
    }
    /// Forgets the plan, if there is one: the graph is about to change.
    void drop_plan() noexcept;

    std::vector<node> nodes;
    std::vector<edge> edges;
    std::vector<input> inputs;
    std::vector<choice> choices;
    std::vector<needs> all_needs;
    std::string names; // each ends with a zero
    bool is_measured = false;

private:
    static constexpr std::size_t most_nodes = std::size_t{1} << 30; // graph_plan uses two bits
    static constexpr std::size_t most_of_names = node_call::no_slot;

    [[noreturn]] static void refuse_node();
    void destroy_bodies() noexcept;

    body_arena arena_;
    sync::atomic<graph_plan*> plan_{nullptr};
    sync::atomic<std::uint32_t> users_{0};
};

} // namespace weft::inline v0::detail
