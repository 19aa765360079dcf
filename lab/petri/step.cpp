#include <weft/lab/step.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace weft::inline v0::petri {

namespace {

/// A step that grows element by element.
class growing_step {
public:
    growing_step(net& net, const marking& now, step_rule rule)
        : net_{&net}, firing_{net}, rule_{rule}, before_{now}, rest_{now} {}

    /// Adds the element to the step, or returns the reason why it cannot be added.
    std::optional<std::string> try_add(const binding_element& element) {
        if (!firing_.passes_tests(before_, element)) return "its guard is false or it is inhibited";
        effect change = firing_.effect_of(element);
        const marking kept = rest_;
        if (auto missing = take(change); !missing.empty()) {
            rest_ = kept;
            return "it finds no token in '" + missing + "'";
        }
        looked_at_.insert(looked_at_.end(), change.looked_at.begin(), change.looked_at.end());
        if (auto gone = first_not_in(rule_ == step_rule::strict ? rest_ : before_); !gone.empty()) {
            looked_at_.resize(looked_at_.size() - change.looked_at.size());
            rest_ = kept;
            return "a token that is read in '" + gone + "' is taken in the same step";
        }
        elements_.push_back(element);
        put_.insert(put_.end(), change.put.begin(), change.put.end());
        if (rule_ == step_rule::strict && any_inhibited()) {
            elements_.pop_back();
            put_.resize(put_.size() - change.put.size());
            looked_at_.resize(looked_at_.size() - change.looked_at.size());
            rest_ = kept;
            return "a token is put where another element is inhibited";
        }
        return {};
    }

    [[nodiscard]] const std::vector<binding_element>& elements() const { return elements_; }

    marking after() {
        for (const effect::item& each : put_) firing_.add(rest_, each);
        return rest_;
    }

private:
    /// Takes the tokens from the rest. Returns the name of a place that has too few, if any.
    std::string take(const effect& change) {
        for (const effect::item& each : change.taken) {
            if (!firing_.has(rest_, each)) return net_->places()[each.place].name;
            firing_.remove(rest_, each);
        }
        return {};
    }

    [[nodiscard]] std::string first_not_in(const marking& now) const {
        for (const effect::item& each : looked_at_) {
            if (!firing_.has(now, each)) return net_->places()[each.place].name;
        }
        return {};
    }

    /// Tests with all tokens that are put and none taken: the worst case of all orders.
    bool any_inhibited() {
        if (!net_->has_inhibitors()) return false;
        marking fullest = before_;
        for (const effect::item& each : put_) firing_.add(fullest, each);
        return !std::ranges::all_of(elements_, [&](const binding_element& each) {
            return elements_.size() == 1 || firing_.passes_tests(fullest, each);
        });
    }

    net* net_;
    firing firing_;
    step_rule rule_;
    marking before_;
    marking rest_;
    std::vector<binding_element> elements_;
    std::vector<effect::item> looked_at_;
    std::vector<effect::item> put_;
};

} // namespace

marking fire_step(net& net, const marking& now, const std::vector<binding_element>& step,
                  step_rule rule) {
    growing_step growing{net, now, rule};
    for (const binding_element& each : step) {
        if (const auto reason = growing.try_add(each)) {
            throw error{fault::not_enabled, "'" + net.transitions()[each.transition].name +
                                                "' cannot be part of the step: " + *reason};
        }
    }
    return growing.after();
}

std::vector<binding_element> random_step(net& net, const marking& now, step_rule rule,
                                         random_source& random) {
    auto candidates = firing{net}.enabled(now);
    random.shuffle(candidates);
    growing_step growing{net, now, rule};
    for (const binding_element& each : candidates) static_cast<void>(growing.try_add(each));
    return growing.elements();
}

} // namespace weft::inline v0::petri
