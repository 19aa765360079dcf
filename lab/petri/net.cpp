#include <weft/lab/net.hpp>

#include <algorithm>

namespace weft::inline v0::petri {

namespace {

template <class Names>
auto find_name(const Names& names, const std::string& name, const char* kind) {
    const auto found = names.find(name);
    if (found == names.end()) {
        throw error{fault::bad_net, std::string{"there is no "} + kind + " '" + name + "'"};
    }
    return found->second;
}

} // namespace

std::string page::full_name(const std::string& name) const {
    std::string full = name;
    for (page_index ancestor = index_; ancestor != 0; ancestor = net_->pages_[ancestor].above) {
        std::string longer = net_->pages_[ancestor].name;
        longer += '.';
        longer += full;
        full = std::move(longer);
    }
    return full;
}

place<token> page::add_place(const std::string& name, std::uint32_t tokens) const {
    const place<token> made{net_->new_place(index_, full_name(name), nullptr)};
    net_->initial_[made.index] = tokens;
    return made;
}

place<token> page::add_fusion(const std::string& set, std::uint32_t tokens) const {
    const auto [index, is_new] = fused(set, typeid(token), nullptr);
    if (is_new) net_->initial_[index] = tokens;
    return {index};
}

std::pair<place_index, bool> page::fused(const std::string& set, std::type_index type,
                                         const any_domain* colours) const {
    auto found = net_->fusion_sets_.find(set);
    const bool is_new = found == net_->fusion_sets_.end();
    if (is_new) {
        const place_index made = net_->new_place(0, set, colours);
        net_->places_[made].is_fusion = true;
        found = net_->fusion_sets_.emplace(set, std::pair{made, type}).first;
    } else if (found->second.second != type) {
        throw error{fault::bad_net, "the fusion set '" + set + "' has a different colour"};
    }
    net_->pages_[index_].ports.push_back({set, found->second.first});
    return {found->second.first, is_new};
}

page page::substitute(const std::string& name) const {
    const auto made = static_cast<page_index>(net_->pages_.size());
    net_->pages_.push_back({.name = name, .above = index_, .ports = {}});
    return {net_, made};
}

net::net() : pages_(1), bags_{std::make_unique<bag_table>()} {}

place_index net::new_place(page_index page, const std::string& name, const any_domain* domain) {
    const auto made = static_cast<place_index>(places_.size());
    if (!place_names_.emplace(name, made).second) {
        throw error{fault::bad_net, "there are two places '" + name + "'"};
    }
    places_.push_back({.name = name, .colours = domain, .on_page = page, .drawn_at = {}});
    initial_.push_back(0);
    return made;
}

transition_index net::new_transition(page_index page, const std::string& name) {
    const auto made = static_cast<transition_index>(transitions_.size());
    if (!transition_names_.emplace(name, made).second) {
        throw error{fault::bad_net, "there are two transitions '" + name + "'"};
    }
    transition_data data;
    data.name = name;
    data.on_page = page;
    transitions_.push_back(std::move(data));
    return made;
}

place_index net::place_named(const std::string& name) const {
    return find_name(place_names_, name, "place");
}

transition_index net::transition_named(const std::string& name) const {
    return find_name(transition_names_, name, "transition");
}

bool net::is_plain() const {
    return std::ranges::all_of(places_, &place_data::is_plain) &&
           std::ranges::all_of(transitions_, &transition_data::plain);
}

bool net::has_inhibitors() const {
    return std::ranges::any_of(transitions_, [](const transition_data& each) {
        return std::ranges::any_of(
            each.clauses, [](const clause& asked) { return asked.kind == clause_kind::inhibit; });
    });
}

std::size_t net::value_bytes() const {
    std::size_t bytes = bags_->bytes();
    for (const auto& [type, values] : domains_) bytes += values->bytes();
    return bytes;
}

std::uint64_t net::count(place_index place, content held) const {
    return places_[place].is_plain() ? held : bags_->size(held);
}

std::string net::content_text(place_index place, content held) const {
    if (places_[place].is_plain()) return std::to_string(held);
    counted room{};
    return multiset_text(place, bags_->elements(held, room));
}

std::string net::multiset_text(place_index place, std::span<const counted> held) const {
    std::string text;
    for (const counted& each : held) {
        if (!text.empty()) text += " + ";
        if (each.count != 1) text += std::to_string(each.count) + "`";
        text += places_[place].colours->text(each.colour);
    }
    return text.empty() ? "empty" : text;
}

std::string net::marking_text(const marking& elements) const {
    std::string text;
    for (place_index each = 0; each != places_.size(); ++each) {
        if (elements[each] == 0) continue;
        if (!text.empty()) text += "; ";
        text += places_[each].name + ": " + content_text(each, elements[each]);
    }
    return text.empty() ? "no tokens" : text;
}

std::string net::binding_text(transition_index transition,
                              std::span<const colour_id> values) const {
    const auto& variables = transitions_[transition].variables;
    std::string text;
    for (std::size_t each = 0; each != variables.size(); ++each) {
        if (!text.empty()) text += ", ";
        text += places_[variables[each]].colours->text(values[each]);
    }
    return text.empty() ? text : "(" + text + ")";
}

} // namespace weft::inline v0::petri
