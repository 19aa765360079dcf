// What a net is made of, without the types of its colours.
#pragma once

#include "petri/bag.hpp"
#include "petri/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::petri {

using place_index = std::uint32_t;
using transition_index = std::uint32_t;
using page_index = std::uint32_t;

/// What every place of a net holds, in the order of the places.
using marking = std::vector<content>;

struct point {
    double x = 0;
    double y = 0;
};

struct place_data {
    std::string name;
    const any_domain* colours = nullptr; // none: plain tokens
    page_index on_page = 0;
    bool is_fusion = false;
    std::optional<point> drawn_at{};

    [[nodiscard]] bool is_plain() const { return colours == nullptr; }
};

/// The values that a transition's variables have, by their numbers.
using binding = std::span<const colour_id>;

using guard_function = std::function<bool(binding)>;
using token_test = std::function<bool(binding, colour_id)>;
/// Appends tokens, which need not be distinct.
using token_function = std::function<void(binding, std::vector<counted>&)>;

enum class clause_kind : std::uint8_t {
    bind_take,     // a variable gets each token of the place in turn; it is taken
    bind_read,     // the same, and the token stays
    computed_take, // the tokens that a function names are taken
    computed_read, // they must be there, and stay
    count_take,    // so many plain tokens
    count_read,    //
    inhibit, // no token of which the test is true; without a test, fewer than `count` tokens; before the firing
    guard,
};

/// One thing that a transition asks of a marking. They are asked in their order.
struct clause {
    clause_kind kind = clause_kind::guard;
    place_index place = 0;
    std::uint32_t count = 1;
    guard_function guard{};
    token_test test{};
    token_function tokens{};
};

struct output {
    place_index place = 0;
    std::uint32_t count = 1; // of plain tokens, when there is no function
    bool exact = true;       // always `count` tokens, whatever the function gives
    token_function tokens{};
};

struct transition_data {
    std::string name;
    page_index on_page = 0;
    std::vector<clause> clauses;
    std::vector<output> outputs;
    std::vector<place_index> variables; // the place that each variable comes from
    bool plain = true;                  // plain tokens only
    std::optional<point> drawn_at{};
};

struct port_data {
    std::string name;
    place_index place;
};

struct page_data {
    std::string name; // of the substitution transition; the main page has none
    page_index above = 0;
    std::vector<port_data> ports{};
};

} // namespace weft::petri
