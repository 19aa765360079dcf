#include <weft/lab/simulation.hpp>

#include <algorithm>
#include <utility>

namespace weft::inline v0::petri {

void simulation::arrive(marking after, std::vector<binding_element> step) {
    markings_.push_back(std::move(after));
    taken_.push_back(std::move(step));
    for (const monitor& each : monitors_) {
        if (!each(*this, taken_.back())) stopped_ = true;
    }
}

void simulation::fire(const binding_element& element) {
    arrive(firing_.fire(now(), element), {element});
}

void simulation::fire(const std::string& transition, const std::string& values) {
    fire(find({transition, values}));
}

void simulation::fire(const std::vector<binding_element>& step, step_rule rule) {
    arrive(fire_step(*net_, now(), step, rule), step);
}

bool simulation::step() {
    const auto choices = enabled();
    if (choices.empty()) return false;
    fire(choices[random_.below(choices.size())]);
    return true;
}

bool simulation::concurrent_step(step_rule rule) {
    const auto step = random_step(*net_, now(), rule, random_);
    if (step.empty()) return false;
    fire(step, rule);
    return true;
}

std::size_t simulation::run(std::size_t most_steps, bool concurrent, step_rule rule) {
    stopped_ = false;
    std::size_t done = 0;
    while (done != most_steps && !stopped_ && (concurrent ? concurrent_step(rule) : step())) ++done;
    return done;
}

bool simulation::undo() {
    if (taken_.empty()) return false;
    markings_.pop_back();
    taken_.pop_back();
    return true;
}

trace simulation::taken() const {
    trace all;
    for (const auto& step : taken_) {
        std::vector<trace_element> line;
        line.reserve(step.size());
        for (const binding_element& each : step) {
            line.push_back({net_->transitions()[each.transition].name,
                            net_->binding_text(each.transition, each.values)});
        }
        all.steps.push_back(std::move(line));
    }
    return all;
}

binding_element simulation::find(const trace_element& wanted) {
    const transition_index index = net_->transition_named(wanted.transition);
    std::vector<binding_element> found;
    firing_.for_each(now(), index, [&](binding values, const marking&) {
        if (wanted.values.empty() || net_->binding_text(index, values) == wanted.values) {
            found.push_back({index, {values.begin(), values.end()}});
        }
        return true;
    });
    const std::string name = "'" + wanted.transition + wanted.values + "'";
    if (found.empty()) throw error{fault::not_enabled, name + " is not enabled"};
    if (found.size() > 1) {
        throw error{fault::bad_trace, name + " has " + std::to_string(found.size()) +
                                          " enabled bindings; the trace must name the values"};
    }
    return found.front();
}

void simulation::replay(const trace& recorded, step_rule rule) {
    std::size_t line = 0;
    for (const auto& step : recorded.steps) {
        ++line;
        try {
            std::vector<binding_element> elements;
            elements.reserve(step.size());
            for (const trace_element& each : step) elements.push_back(find(each));
            if (elements.size() == 1) fire(elements.front());
            else fire(elements, rule);
        } catch (const error& wrong) {
            throw error{wrong.code(), "step " + std::to_string(line) + ": " + wrong.what()};
        }
    }
}

} // namespace weft::inline v0::petri
