// Runs of a net: step by step or to the end, chosen or at random, with undo.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/petri/random.hpp>
#include <weft/lab/firing.hpp>
#include <weft/lab/step.hpp>
#include <weft/lab/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::inline v0::petri {

/// A run of a net, which must outlive it. The seed determines all random choices.
class WEFT_API simulation {
public:
    /// At the initial marking.
    explicit simulation(net& net, std::uint64_t seed = 1)
        : net_{&net}, firing_{net}, random_{seed}, markings_{net.initial()} {}

    /// The marking that was reached.
    [[nodiscard]] const marking& now() const { return markings_.back(); }
    /// The same, with the types of the places.
    [[nodiscard]] marking_view view() const { return {*net_, now()}; }
    /// The number of steps so far.
    [[nodiscard]] std::size_t steps() const { return taken_.size(); }
    /// What may fire next.
    [[nodiscard]] std::vector<binding_element> enabled() { return firing_.enabled(now()); }

    /// Throws an error if the element is not enabled.
    void fire(const binding_element& element);
    /// Fires the transition with that name in its only enabled binding, or in the one with that
    /// text.
    void fire(const std::string& transition, const std::string& values = {});
    /// Fires all of these in one step. Throws an error if they cannot.
    void fire(const std::vector<binding_element>& step, step_rule rule);

    /// Fires a random enabled element. False if none is enabled.
    bool step();
    /// Fires a random step that is maximal. False if nothing is enabled.
    bool concurrent_step(step_rule rule);
    /// Runs until nothing is enabled, a monitor stops it, or `most_steps` steps were made. Returns
    /// the number of steps.
    std::size_t run(std::size_t most_steps, bool concurrent = false,
                    step_rule rule = step_rule::strict);

    /// Undoes the last step. False at the beginning.
    bool undo();

    /// Called after every step; returns false to stop a run.
    using monitor =
        std::function<bool(const simulation&, const std::vector<binding_element>& step)>;
    /// Adds a monitor.
    void watch(monitor each) { monitors_.push_back(std::move(each)); }

    /// The steps so far.
    [[nodiscard]] trace taken() const;
    /// Replays a trace. An error names the step.
    void replay(const trace& recorded, step_rule rule = step_rule::strict);

private:
    void arrive(marking after, std::vector<binding_element> step);
    binding_element find(const trace_element& wanted);

    net* net_;
    firing firing_;
    random_source random_;
    std::vector<marking> markings_;
    std::vector<std::vector<binding_element>> taken_;
    std::vector<monitor> monitors_;
    bool stopped_ = false;
};

} // namespace weft::inline v0::petri
