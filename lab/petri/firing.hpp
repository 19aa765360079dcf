// Which transitions may fire in a marking, in what bindings, and what comes of it.
#pragma once

#include "petri/net.hpp"

#include <functional>
#include <span>
#include <vector>

namespace weft::petri {

/// A transition with values for its variables.
struct binding_element {
    transition_index transition = 0;
    std::vector<colour_id> values;

    friend bool operator==(const binding_element&, const binding_element&) = default;
};

/// What a binding element does to a marking, apart: what it takes, what it only looks at, and what it puts.
struct effect {
    struct item {
        place_index place;
        counted tokens; // of plain tokens, colour 0
    };
    std::vector<item> taken;
    std::vector<item> looked_at;
    std::vector<item> put;
};

/// How many plain tokens a place has after a change; an error if they are too many to be counted.
[[nodiscard]] content more_tokens(const net& net, place_index place, content held,
                                  std::int64_t change);

/// Walks the enabled binding elements of markings. Keeps its working memory from call to call.
class firing {
public:
    explicit firing(net& net) : net_{&net} {}

    /// Called with the values and the marking after firing; false ends the walk.
    using visitor = std::function<bool(binding values, const marking& after)>;
    /// Every binding in which the transition may fire, in a fixed order. False if the visitor ended it.
    bool for_each(const marking& now, transition_index transition, const visitor& visit);

    [[nodiscard]] std::vector<binding_element> enabled(const marking& now);
    [[nodiscard]] bool is_enabled(const marking& now, transition_index transition);
    /// The marking after firing; an error that names the transition if it may not fire.
    [[nodiscard]] marking fire(const marking& now, const binding_element& element);

    /// What an enabled element takes, looks at and puts.
    [[nodiscard]] effect effect_of(const binding_element& element);
    /// Whether its guards hold and no inhibitor stops it in this marking; for concurrent steps.
    [[nodiscard]] bool passes_tests(const marking& now, const binding_element& element);

    /// Adds or takes away; a taken item must be there.
    void add(marking& now, const effect::item& item);
    void remove(marking& now, const effect::item& item);
    [[nodiscard]] bool has(const marking& now, const effect::item& item) const;

private:
    bool go_on(std::size_t clause_number);
    bool bind_each(std::size_t clause_number);
    bool compute(std::size_t clause_number);
    bool count(std::size_t clause_number);
    bool finish();
    [[nodiscard]] bool inhibits(const clause& inhibitor, const marking& now, binding values) const;

    net* net_;
    const transition_data* transition_ = nullptr;
    const visitor* visit_ = nullptr;
    const marking* now_ = nullptr; // before the firing
    marking work_;
    marking after_;
    std::vector<colour_id> values_;
    std::vector<counted> tokens_;
};

} // namespace weft::petri
