// Running a net: step by step or to the end, by choice or at random, and back.
#pragma once

#include "petri/firing.hpp"
#include "petri/random.hpp"
#include "petri/step.hpp"
#include "petri/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::petri {

class simulation {
public:
    explicit simulation(net& net, std::uint64_t seed = 1)
        : net_{&net}, firing_{net}, random_{seed}, markings_{net.initial()} {}

    [[nodiscard]] const marking& now() const { return markings_.back(); }
    [[nodiscard]] marking_view view() const { return {*net_, now()}; }
    [[nodiscard]] std::size_t steps() const { return taken_.size(); }
    [[nodiscard]] std::vector<binding_element> enabled() { return firing_.enabled(now()); }

    /// Fires it; an error if it may not fire.
    void fire(const binding_element& element);
    /// Fires the only binding in which the transition of that name may fire, or the one of that text.
    void fire(const std::string& transition, const std::string& values = {});
    void fire(const std::vector<binding_element>& step, step_rule rule);

    /// One element, all equally likely. False if none is enabled.
    bool step();
    /// A step that nothing can be added to. False if nothing is enabled.
    bool concurrent_step(step_rule rule);
    /// Goes on until nothing is enabled, or a monitor stops it, or so many steps were done here. How many were.
    std::size_t run(std::size_t most_steps, bool concurrent = false,
                    step_rule rule = step_rule::strict);

    /// Takes the last step back. False at the beginning.
    bool undo();

    /// Called after every step; false stops a run.
    using monitor =
        std::function<bool(const simulation&, const std::vector<binding_element>& step)>;
    void watch(monitor each) { monitors_.push_back(std::move(each)); }

    [[nodiscard]] trace taken() const;
    /// Does what the trace says; an error names its line.
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

} // namespace weft::petri
