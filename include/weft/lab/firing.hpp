// The enabled transitions of a marking with their bindings, and the markings after firing.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/net.hpp>

#include <functional>
#include <span>
#include <vector>

namespace weft::inline v0::petri {

/// A transition with values for its variables.
struct binding_element {
    /// The transition.
    transition_index transition = 0;
    /// The numbers of its values, in the order in which they are bound.
    std::vector<colour_id> values;

    friend bool operator==(const binding_element&, const binding_element&) = default;
};

/// The tokens that a binding element takes, reads and puts.
struct effect {
    /// Equal tokens of one place.
    struct item {
        /// Where they are.
        place_index place;
        /// Their colour, which is 0 for plain tokens, and how many they are.
        counted tokens;
    };
    /// What is taken.
    std::vector<item> taken;
    /// What is read.
    std::vector<item> looked_at;
    /// What is put.
    std::vector<item> put;
};

/// The number of plain tokens after a change. Throws an error if it is too large.
[[nodiscard]] WEFT_API content more_tokens(const net& net, place_index place, content held,
                                           std::int64_t change);

/// Enumerates the enabled binding elements of markings. Its memory is reused from call to call.
class WEFT_API firing {
public:
    /// The net must outlive it.
    explicit firing(net& net) : net_{&net} {}

    /// Called with the values and the marking after firing; returns false to stop.
    using visitor = std::function<bool(binding values, const marking& after)>;
    /// Visits every enabled binding of the transition in a fixed order. False if the visitor
    /// stopped it.
    bool for_each(const marking& now, transition_index transition, const visitor& visit);

    /// All elements that are enabled in this marking.
    [[nodiscard]] std::vector<binding_element> enabled(const marking& now);
    /// Whether the transition is enabled with some values.
    [[nodiscard]] bool is_enabled(const marking& now, transition_index transition);
    /// The marking after firing. Throws an error that names the transition if it is not enabled.
    [[nodiscard]] marking fire(const marking& now, const binding_element& element);

    /// The effect of an enabled element.
    [[nodiscard]] effect effect_of(const binding_element& element);
    /// Whether its guards are true and no inhibitor disables it in this marking; for concurrent
    /// steps.
    [[nodiscard]] bool passes_tests(const marking& now, const binding_element& element);

    /// Adds tokens.
    void add(marking& now, const effect::item& item);
    /// Removes tokens, which must be there.
    void remove(marking& now, const effect::item& item);
    /// Whether these tokens are there.
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

} // namespace weft::inline v0::petri
