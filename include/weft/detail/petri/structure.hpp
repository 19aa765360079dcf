// The structure of a net, without the types of its colours.
#pragma once

#include <weft/detail/petri/bag.hpp>
#include <weft/lab/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::inline v0::petri {

using place_index = std::uint32_t;
using transition_index = std::uint32_t;
using page_index = std::uint32_t;

/// The contents of all places, in their order.
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

/// The values of a transition's variables, as numbers.
using binding = std::span<const colour_id>;

using guard_function = std::function<bool(binding)>;
using token_test = std::function<bool(binding, colour_id)>;
/// Appends tokens, which need not be distinct.
using token_function = std::function<void(binding, std::vector<counted>&)>;

enum class clause_kind : std::uint8_t {
    bind_take,     // binds a variable to each token of the place in turn, and takes it
    bind_read,     // the same, but the token stays
    computed_take, // takes the tokens that a function computes
    computed_read, // the same, but the tokens stay
    count_take,    // takes plain tokens
    count_read,    // the same, but the tokens stay
    inhibit, // no token that passes the test; without a test, fewer than `count` tokens; before the
             // firing
    guard,
};

/// One condition of a transition. Conditions are evaluated in their order.
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
    std::uint32_t count = 1; // of plain tokens, without a function
    bool exact = true;       // the function always returns `count` tokens
    token_function tokens{};
};

struct transition_data {
    std::string name;
    page_index on_page = 0;
    std::vector<clause> clauses;
    std::vector<output> outputs;
    std::vector<place_index> variables; // the place of each variable
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

} // namespace weft::inline v0::petri
