// The callable of a node, with the results that it reads and the one that it leaves.
#pragma once

#include <weft/detail/graph/graph_core.hpp>
#include <weft/error.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

template <class T>
class graph_node;
class subgraph;

namespace detail {

/// The result of a node between the node and its readers.
template <class T>
struct value_slot {
    using stored = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>;
    using type = std::optional<stored>;

    static type& find(std::byte* values, std::uint32_t offset) noexcept {
        return *std::launder(reinterpret_cast<type*>(values + offset));
    }
    /// The result; throws `not_run` if the node that leaves it has not run, or another has taken
    /// it.
    static type& find_filled(std::byte* values, std::uint32_t offset) {
        type& found = find(values, offset);
        if (!found) {
            throw error{errc::not_run, "weft::graph, a result that the node reads was not left"};
        }
        return found;
    }

    static constexpr value_kind kind{
        .size = sizeof(type),
        .alignment = alignof(type),
        .construct = [](void* slot) noexcept { ::new (slot) type; },
        .empty = [](void* slot) noexcept { static_cast<type*>(slot)->reset(); },
        .destroy = [](void* slot) noexcept { std::destroy_at(static_cast<type*>(slot)); },
    };
};

/// A node that another one reads.
template <class T, bool Taken>
struct node_input {
    static constexpr bool has_value = !std::is_void_v<T>;

    /// What the callable gets: nothing, a reference, or a value of its own. `place`: among the
    /// inputs that have values.
    static auto argument([[maybe_unused]] const node_call* now,
                         [[maybe_unused]] std::size_t place) {
        if constexpr (!has_value) {
            return std::tuple<>{};
        } else {
            auto& found = value_slot<T>::find_filled(now->values, now->inputs[place]);
            if constexpr (std::is_reference_v<T>) {
                return std::tuple<T>{static_cast<T>(**found)};
            } else if constexpr (Taken) {
                std::tuple<T> taken{std::move(*found)};
                found.reset();
                return taken;
            } else {
                return std::tuple<const T&>{*found};
            }
        }
    }
    using argument_tuple = decltype(argument(nullptr, 0));
};

/// What `Input`, as it was passed to `add`, stands for: a node that is given away is taken from.
template <class Input>
struct input_traits;
template <class T>
struct input_traits<graph_node<T>&> {
    using type = node_input<T, false>;
};
template <class T>
struct input_traits<const graph_node<T>&> {
    using type = node_input<T, false>;
};
template <class T>
struct input_traits<graph_node<T>> {
    using type = node_input<T, true>;
};
template <class T>
struct input_traits<const graph_node<T>> {
    using type = node_input<T, false>;
};
template <class Input>
using input_of = typename input_traits<Input>::type;

template <class Callable, class Arguments>
struct call_result;
template <class Callable, class... Arguments>
struct call_result<Callable, std::tuple<Arguments...>> {
    static constexpr bool valid = std::is_invocable_v<Callable&, Arguments...>;
    static constexpr bool makes_subgraph =
        std::conjunction_v<std::bool_constant<!valid>,
                           std::is_invocable<Callable&, subgraph&, Arguments...>>;
    static auto deduce() {
        if constexpr (valid) {
            return std::type_identity<std::invoke_result_t<Callable&, Arguments...>>{};
        } else if constexpr (makes_subgraph) {
            return std::type_identity<std::invoke_result_t<Callable&, subgraph&, Arguments...>>{};
        }
    }
};

/// The type that a subgraph has when a node is added; here it is only declared.
template <class Callable>
struct complete_later {
    using type = subgraph;
};

/// The callable of a node, and how it is called.
template <class Callable, class... Inputs>
struct node_body {
    using arguments = decltype(std::tuple_cat(std::declval<typename Inputs::argument_tuple>()...));
    using call = call_result<Callable, arguments>;
    static_assert(call::valid || call::makes_subgraph,
                  "the callable must accept the results of the nodes that it reads, in this order");
    using result = typename decltype(call::deduce())::type;

    /// The place of each input among those that have values.
    template <std::size_t... Each>
    static arguments arguments_of([[maybe_unused]] const node_call* now,
                                  std::index_sequence<Each...> /*tag*/) {
        return std::tuple_cat(Inputs::argument(now, values_before(Each))...);
    }
    static constexpr std::size_t values_before([[maybe_unused]] std::size_t place) {
        constexpr bool have_values[] = {Inputs::has_value..., false};
        std::size_t count = 0;
        for (std::size_t i = 0; i < place; ++i) count += have_values[i] ? 1 : 0;
        return count;
    }

    static void run(void* body, [[maybe_unused]] node_call* now) {
        auto& callable = *static_cast<Callable*>(body);
        const auto call_it = [&]() -> decltype(auto) {
            auto given = arguments_of(now, std::index_sequence_for<Inputs...>{});
            if constexpr (call::makes_subgraph) {
                typename complete_later<Callable>::type made{*now->inner};
                return std::apply(
                    [&](auto&&... each) -> decltype(auto) {
                        return std::invoke(callable, made, std::forward<decltype(each)>(each)...);
                    },
                    std::move(given));
            } else {
                return std::apply(callable, std::move(given));
            }
        };
        if constexpr (std::is_void_v<result>) {
            call_it();
        } else if constexpr (std::is_reference_v<result>) {
            auto&& left = call_it();
            if (has_readers(now)) value_slot<result>::find(now->values, now->output) = &left;
        } else {
            if (has_readers(now))
                value_slot<result>::find(now->values, now->output).emplace(call_it());
            else static_cast<void>(call_it());
        }
    }
    static void run_branch(void* body, node_call* now) {
        auto& callable = *static_cast<Callable*>(body);
        now->choice = static_cast<std::size_t>(
            std::apply(callable, arguments_of(now, std::index_sequence_for<Inputs...>{})));
    }
    /// A node that nobody reads, and that reads nothing, may be called without more.
    static bool has_readers(const node_call* now) noexcept {
        return now != nullptr && now->output != node_call::no_slot;
    }
    static void destroy(void* body) noexcept { std::destroy_at(static_cast<Callable*>(body)); }

    static constexpr const value_kind* result_kind() noexcept {
        if constexpr (std::is_void_v<result>) return nullptr;
        else return &value_slot<result>::kind;
    }
    static constexpr node_kind kind{
        .call = &run,
        .destroy = std::is_trivially_destructible_v<Callable> ? nullptr : &destroy,
        .value = result_kind(),
        .role = call::makes_subgraph ? node_role::subgraph : node_role::task,
    };
    static constexpr node_kind branch_kind{
        .call = &run_branch,
        .destroy = kind.destroy,
        .value = nullptr,
        .role = node_role::branch,
    };
};

/// A callable on resources: it gets their data first.
template <class Needs, class Data, class Body>
struct body_on_resources {
    Body body;
    Data data;
    template <class... Arguments>
    decltype(auto) operator()(Arguments&&... arguments)
        requires requires(Body& some, Data& held) {
            Needs::call(some, held, std::forward<Arguments>(arguments)...);
        }
    {
        return Needs::call(body, data, std::forward<Arguments>(arguments)...);
    }
};

/// A graph as a node.
struct module_body {
    static void run(void* /*body*/, node_call* /*now*/) {} // its nodes are run instead
    static void destroy(void* body) noexcept {
        auto* module = static_cast<std::shared_ptr<graph_core>*>(body);
        (*module)->remove_user();
        std::destroy_at(module);
    }
    static constexpr node_kind kind{
        .call = &run, .destroy = &destroy, .value = nullptr, .role = node_role::module};
};

} // namespace detail
} // namespace weft::inline v0
