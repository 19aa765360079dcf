// Defines what a transition takes, tests and puts. Part of net.hpp, which includes it.
#pragma once

#include <weft/detail/petri/domain.hpp>
#include <weft/detail/petri/structure.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

/// The variable of a transition that is one token of each of several places.
template <colour T>
struct each_of {};

/// These tokens, as the argument of a function.
template <colour T>
class token_view {
public:
    /// Made by the net.
    token_view(const domain<T>& colours, binding ids) : colours_{&colours}, ids_{ids} {}

    /// The number of tokens.
    [[nodiscard]] std::size_t size() const { return ids_.size(); }
    /// The token of the place with that position in the list.
    [[nodiscard]] const T& operator[](std::size_t index) const {
        return colours_->value(ids_[index]);
    }
    /// All tokens, in the order of the places.
    [[nodiscard]] std::vector<T> copy() const {
        std::vector<T> all;
        for (const colour_id each : ids_) all.push_back(colours_->value(each));
        return all;
    }

private:
    const domain<T>* colours_;
    binding ids_;
};

namespace detail {

/// The position of a variable in a binding, and its type as an argument.
template <class Variable>
struct variable {
    using argument = const Variable&;
    domain<Variable>* colours;
    std::size_t first;
    std::size_t count;

    [[nodiscard]] argument value_in(binding values) const { return colours->value(values[first]); }
};

template <class T>
struct variable<each_of<T>> {
    using argument = token_view<T>;
    domain<T>* colours;
    std::size_t first;
    std::size_t count;

    [[nodiscard]] argument value_in(binding values) const {
        return {*colours, values.subspan(first, count)};
    }
};

template <class Variable>
using argument_of = typename variable<Variable>::argument;

/// Calls a function of values with the values of a binding.
template <class Function, class... Variables>
class with_values {
public:
    with_values(Function function, std::tuple<variable<Variables>...> variables)
        : function_{std::move(function)}, variables_{std::move(variables)} {}

    template <class... First>
    decltype(auto) operator()([[maybe_unused]] binding values, const First&... first) const {
        return std::apply(
            [&](const auto&... each) -> decltype(auto) {
                return std::invoke(function_, first..., each.value_in(values)...);
            },
            variables_);
    }

private:
    Function function_;
    std::tuple<variable<Variables>...> variables_;
};

template <class Result, class T>
concept one_token = std::convertible_to<Result, T> && !std::same_as<Result, std::optional<T>> &&
                    !std::same_as<Result, std::vector<T>>;

/// A function may return a token, an optional token, or several tokens.
template <colour T, class Result>
void append_tokens(domain<T>& colours, Result&& result, std::vector<counted>& tokens) {
    if constexpr (one_token<std::remove_cvref_t<Result>, T>) {
        tokens.push_back({colours.id_of(T{std::forward<Result>(result)}), 1});
    } else if constexpr (std::same_as<std::remove_cvref_t<Result>, std::optional<T>>) {
        if (result) tokens.push_back({colours.id_of(*std::forward<Result>(result)), 1});
    } else {
        for (const T& each : result) tokens.push_back({colours.id_of(each), 1});
    }
}

} // namespace detail

/// `Variables` are the colours of the tokens bound so far; functions are called with references to
/// these tokens.
template <class... Variables>
class transition_builder {
public:
    /// Made by the net.
    transition_builder(net& net, transition_index index,
                       std::tuple<detail::variable<Variables>...> variables = {})
        : net_{&net}, index_{index}, variables_{std::move(variables)} {}

    /// Takes any token, which becomes the next argument of functions.
    template <colour T>
    auto take(place<T> source) const {
        return bind<T>(clause_kind::bind_take, source);
    }
    /// Takes a token of each place; together they are one argument, a `token_view`.
    template <colour T>
    auto take_each(const std::vector<place<T>>& source) const {
        return bind_each(clause_kind::bind_take, source);
    }
    /// Takes the token or tokens that the function returns.
    template <colour T, std::invocable<detail::argument_of<Variables>...> Function>
    transition_builder take(place<T> source, Function chosen) const {
        return add_computed(clause_kind::computed_take, source, std::move(chosen));
    }
    /// Takes that many plain tokens, which are no arguments.
    transition_builder take(place<token> source, std::uint32_t count = 1) const {
        return add({.kind = clause_kind::count_take, .place = source.index, .count = count});
    }

    /// Reads a token, which stays. Any number of transitions may read it at the same time.
    template <colour T>
    auto read(place<T> value_in) const {
        return bind<T>(clause_kind::bind_read, value_in);
    }
    /// Reads a token of each place; together they are one argument, a `token_view`.
    template <colour T>
    auto read_each(const std::vector<place<T>>& value_in) const {
        return bind_each(clause_kind::bind_read, value_in);
    }
    /// Reads the token or tokens that the function returns.
    template <colour T, std::invocable<detail::argument_of<Variables>...> Function>
    transition_builder read(place<T> value_in, Function chosen) const {
        return add_computed(clause_kind::computed_read, value_in, std::move(chosen));
    }
    /// Needs that many plain tokens, which stay.
    transition_builder read(place<token> value_in, std::uint32_t count = 1) const {
        return add({.kind = clause_kind::count_read, .place = value_in.index, .count = count});
    }

    /// Enabled only while the place has fewer than `count` tokens.
    template <colour T>
    transition_builder inhibit(place<T> inhibitor, std::uint32_t count = 1) const {
        return add({.kind = clause_kind::inhibit, .place = inhibitor.index, .count = count});
    }
    /// Enabled only while the place has no token for which the test, called with the token and the
    /// arguments, is true.
    template <colour T, std::invocable<const T&, detail::argument_of<Variables>...> Test>
    transition_builder inhibit(place<T> inhibitor, Test test) const {
        static_assert(!std::same_as<T, token>, "plain tokens are counted");
        domain<T>* colours = &net_->domain_of<T>();
        token_test erased = [colours, call = with_values(std::move(test))](binding values,
                                                                           colour_id id) {
            return static_cast<bool>(call(values, colours->value(id)));
        };
        return add(
            {.kind = clause_kind::inhibit, .place = inhibitor.index, .test = std::move(erased)});
    }

    /// Enabled only if the function returns true.
    template <std::invocable<detail::argument_of<Variables>...> Guard>
    transition_builder when(Guard guard) const {
        guard_function erased = [call = with_values(std::move(guard))](binding values) {
            return static_cast<bool>(call(values));
        };
        return add({.kind = clause_kind::guard, .guard = std::move(erased)});
    }

    /// Puts the token, the tokens or the optional token that the function returns.
    template <colour T, std::invocable<detail::argument_of<Variables>...> Function>
    transition_builder put(place<T> target, Function produced) const {
        static_assert(!std::same_as<T, token>, "plain tokens are counted");
        using result =
            std::remove_cvref_t<std::invoke_result_t<Function, detail::argument_of<Variables>...>>;
        domain<T>* colours = &net_->domain_of<T>();
        token_function erased = [colours, call = with_values(std::move(produced))](binding values,
                                                                                   auto& tokens) {
            detail::append_tokens<T>(*colours, call(values), tokens);
        };
        data().outputs.push_back({.place = target.index,
                                  .exact = detail::one_token<result, T>,
                                  .tokens = std::move(erased)});
        data().plain = false;
        return *this;
    }
    /// Puts that many plain tokens.
    transition_builder put(place<token> target, std::uint32_t count = 1) const {
        data().outputs.push_back(
            {.place = target.index, .count = count, .exact = true, .tokens = {}});
        return *this;
    }

    /// The number of the transition.
    [[nodiscard]] transition_index index() const { return index_; }

private:
    [[nodiscard]] transition_data& data() const { return net_->transitions_[index_]; }

    transition_builder add(clause added) const {
        const bool counts = added.kind == clause_kind::count_take ||
                            added.kind == clause_kind::count_read ||
                            (added.kind == clause_kind::inhibit && !added.test &&
                             net_->places_[added.place].is_plain());
        data().plain = data().plain && counts;
        data().clauses.push_back(std::move(added));
        return *this;
    }

    template <colour T>
    transition_builder<Variables..., T> bind(clause_kind kind, place<T> source) const {
        static_assert(!std::same_as<T, token>, "plain tokens are counted");
        return bind_more<T>(kind, &net_->template domain_of<T>(), std::vector{source});
    }

    template <colour T>
    transition_builder<Variables..., each_of<T>>
    bind_each(clause_kind kind, const std::vector<place<T>>& source) const {
        return bind_more<each_of<T>>(kind, &net_->template domain_of<T>(), source);
    }

    template <class Variable, colour T>
    transition_builder<Variables..., Variable>
    bind_more(clause_kind kind, domain<T>* colours, const std::vector<place<T>>& source) const {
        const std::size_t first = data().variables.size();
        for (const place<T> each : source) {
            add({.kind = kind, .place = each.index});
            data().variables.push_back(each.index);
        }
        const detail::variable<Variable> bound{colours, first, source.size()};
        return {*net_, index_, std::tuple_cat(variables_, std::tuple{bound})};
    }

    template <colour T, class Function>
    transition_builder add_computed(clause_kind kind, place<T> source, Function chosen) const {
        static_assert(!std::same_as<T, token>, "plain tokens are counted");
        domain<T>* colours = &net_->domain_of<T>();
        token_function erased = [colours, call = with_values(std::move(chosen))](binding values,
                                                                                 auto& tokens) {
            detail::append_tokens<T>(*colours, call(values), tokens);
        };
        return add({.kind = kind, .place = source.index, .tokens = std::move(erased)});
    }

    template <class Function>
    auto with_values(Function function) const {
        return detail::with_values<Function, Variables...>{std::move(function), variables_};
    }

    net* net_;
    transition_index index_;
    std::tuple<detail::variable<Variables>...> variables_;
};

inline transition_builder<> page::add_transition(const std::string& name) const {
    return {*net_, net_->new_transition(index_, full_name(name))};
}

inline transition_builder<> net::add_transition(const std::string& name) {
    return main_page().add_transition(name);
}

} // namespace weft::inline v0::petri
