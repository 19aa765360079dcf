#include <weft/lab/firing.hpp>

#include <algorithm>
#include <limits>

namespace weft::inline v0::petri {

content more_tokens(const net& net, place_index place, content held, std::int64_t change) {
    const std::int64_t sum = held + change;
    if (sum > std::numeric_limits<content>::max()) {
        throw error{fault::overflow, "'" + net.places()[place].name + "' has too many tokens"};
    }
    return static_cast<content>(sum);
}

bool firing::for_each(const marking& now, transition_index transition, const visitor& visit) {
    transition_ = &net_->transitions()[transition];
    visit_ = &visit;
    now_ = &now;
    work_ = now;
    values_.clear();
    return go_on(0);
}

bool firing::go_on(std::size_t clause_number) {
    if (clause_number == transition_->clauses.size()) return finish();
    const clause& next = transition_->clauses[clause_number];
    switch (next.kind) {
    case clause_kind::bind_take:
    case clause_kind::bind_read: return bind_each(clause_number);
    case clause_kind::computed_take:
    case clause_kind::computed_read: return compute(clause_number);
    case clause_kind::count_take:
    case clause_kind::count_read: return count(clause_number);
    case clause_kind::inhibit: return inhibits(next, *now_, values_) || go_on(clause_number + 1);
    case clause_kind::guard: return !next.guard(values_) || go_on(clause_number + 1);
    }
    return true;
}

bool firing::bind_each(std::size_t clause_number) {
    const clause& next = transition_->clauses[clause_number];
    const content held = work_[next.place];
    const bool takes = next.kind == clause_kind::bind_take;
    if (bag_table::is_single(held)) {
        if (takes) work_[next.place] = bag_table::empty;
        values_.push_back(bag_table::single_colour(held));
        const bool further = go_on(clause_number + 1);
        values_.pop_back();
        work_[next.place] = held;
        return further;
    }
    counted room{};
    const auto all = net_->bags().elements(held, room);
    for (std::size_t each = 0; each != all.size(); ++each) {
        // Looked up again, because the call below may add multisets to the table.
        const colour_id colour = net_->bags().elements(held, room)[each].colour;
        if (takes) work_[next.place] = net_->bags().remove(held, colour);
        values_.push_back(colour);
        const bool further = go_on(clause_number + 1);
        values_.pop_back();
        work_[next.place] = held;
        if (!further) return false;
    }
    return true;
}

bool firing::compute(std::size_t clause_number) {
    const clause& next = transition_->clauses[clause_number];
    std::vector<counted> wanted;
    next.tokens(values_, wanted);
    const content held = work_[next.place];
    content rest = held;
    for (const counted& each : wanted) {
        if (net_->bags().count(rest, each.colour) < each.count) return true;
        rest = net_->bags().remove(rest, each.colour, each.count);
    }
    if (next.kind == clause_kind::computed_take) work_[next.place] = rest;
    const bool further = go_on(clause_number + 1);
    work_[next.place] = held;
    return further;
}

bool firing::count(std::size_t clause_number) {
    const clause& next = transition_->clauses[clause_number];
    const content held = work_[next.place];
    if (held < next.count) return true;
    if (next.kind == clause_kind::count_take) work_[next.place] -= next.count;
    const bool further = go_on(clause_number + 1);
    work_[next.place] = held;
    return further;
}

bool firing::finish() {
    after_ = work_;
    for (const output& each : transition_->outputs) {
        if (!each.tokens) {
            after_[each.place] = more_tokens(*net_, each.place, after_[each.place], each.count);
            continue;
        }
        tokens_.clear();
        each.tokens(values_, tokens_);
        for (const counted& added : tokens_) {
            after_[each.place] = net_->bags().add(after_[each.place], added.colour, added.count);
        }
    }
    return (*visit_)(values_, after_);
}

bool firing::inhibits(const clause& inhibitor, const marking& now, binding values) const {
    if (!inhibitor.test)
        return net_->count(inhibitor.place, now[inhibitor.place]) >= inhibitor.count;
    counted room{};
    return std::ranges::any_of(
        net_->bags().elements(now[inhibitor.place], room),
        [&](const counted& each) { return inhibitor.test(values, each.colour); });
}

std::vector<binding_element> firing::enabled(const marking& now) {
    std::vector<binding_element> found;
    for (transition_index transition = 0; transition != net_->transitions().size(); ++transition) {
        for_each(now, transition, [&](binding values, const marking&) {
            found.push_back({transition, {values.begin(), values.end()}});
            return true;
        });
    }
    return found;
}

bool firing::is_enabled(const marking& now, transition_index transition) {
    return !for_each(now, transition, [](binding, const marking&) { return false; });
}

marking firing::fire(const marking& now, const binding_element& element) {
    marking result;
    const bool missed =
        for_each(now, element.transition, [&](binding values, const marking& after) {
            if (!std::ranges::equal(values, element.values)) return true;
            result = after;
            return false;
        });
    if (missed) {
        throw error{fault::not_enabled, "'" + net_->transitions()[element.transition].name +
                                            net_->binding_text(element.transition, element.values) +
                                            "' is not enabled"};
    }
    return result;
}

effect firing::effect_of(const binding_element& element) {
    const transition_data& transition = net_->transitions()[element.transition];
    effect result;
    std::size_t variable = 0;
    for (const clause& each : transition.clauses) {
        const bool takes = each.kind == clause_kind::bind_take ||
                           each.kind == clause_kind::computed_take ||
                           each.kind == clause_kind::count_take;
        auto& list = takes ? result.taken : result.looked_at;
        if (each.kind == clause_kind::bind_take || each.kind == clause_kind::bind_read) {
            list.push_back({each.place, {element.values[variable++], 1}});
        } else if (each.kind == clause_kind::count_take || each.kind == clause_kind::count_read) {
            list.push_back({each.place, {0, each.count}});
        } else if (each.tokens) {
            tokens_.clear();
            each.tokens(element.values, tokens_);
            for (const counted& added : tokens_) list.push_back({each.place, added});
        }
    }
    for (const output& each : transition.outputs) {
        tokens_.clear();
        if (each.tokens) each.tokens(element.values, tokens_);
        else tokens_.push_back({0, each.count});
        for (const counted& added : tokens_) result.put.push_back({each.place, added});
    }
    return result;
}

bool firing::passes_tests(const marking& now, const binding_element& element) {
    const auto& clauses = net_->transitions()[element.transition].clauses;
    return std::ranges::all_of(clauses, [&](const clause& each) {
        if (each.kind == clause_kind::guard) return each.guard(element.values);
        return each.kind != clause_kind::inhibit || !inhibits(each, now, element.values);
    });
}

void firing::add(marking& now, const effect::item& item) {
    content& held = now[item.place];
    if (net_->places()[item.place].is_plain())
        held = more_tokens(*net_, item.place, held, item.tokens.count);
    else held = net_->bags().add(held, item.tokens.colour, item.tokens.count);
}

void firing::remove(marking& now, const effect::item& item) {
    content& held = now[item.place];
    if (net_->places()[item.place].is_plain()) held -= item.tokens.count;
    else held = net_->bags().remove(held, item.tokens.colour, item.tokens.count);
}

bool firing::has(const marking& now, const effect::item& item) const {
    const content held = now[item.place];
    if (net_->places()[item.place].is_plain()) return held >= item.tokens.count;
    return net_->bags().count(held, item.tokens.colour) >= item.tokens.count;
}

} // namespace weft::inline v0::petri
