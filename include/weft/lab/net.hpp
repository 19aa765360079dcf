// Coloured Petri nets, and how to build them.
//
// A transition takes tokens, which become the arguments of all functions that follow: computed
// takes, guards and puts.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/petri/bag.hpp>
#include <weft/detail/petri/domain.hpp>
#include <weft/detail/petri/structure.hpp>
#include <weft/lab/colour.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace weft::inline v0::petri {

template <class... Variables>
class transition_builder;

class net;

/// A place of a net, with its colour as the type. Valid as long as the net exists.
template <colour T>
struct place {
    /// Its number: places are numbered in the order of their creation.
    place_index index = 0;

    friend bool operator==(const place&, const place&) = default;
};

/// A page of a hierarchical net. Its places and transitions belong to the flat net that is run;
/// their names begin with the page's name.
class WEFT_API page {
public:
    /// A place that belongs to this page.
    template <colour T>
    place<T> add_place(const std::string& name, const std::vector<T>& initial = {}) const;
    /// The same for plain tokens.
    place<token> add_place(const std::string& name, std::uint32_t tokens = 0) const;

    /// A place of the page above (the socket), under another name (the port).
    template <colour T>
    place<T> add_port(const std::string& name, place<T> socket) const;

    /// A member of a fusion set: all members, on any page, are the same place.
    template <colour T>
    place<T> add_fusion(const std::string& set, const std::vector<T>& initial = {}) const;
    /// The same for plain tokens.
    place<token> add_fusion(const std::string& set, std::uint32_t tokens = 0) const;

    /// A transition of this page, to which what it takes, tests and puts is added next.
    [[nodiscard]] transition_builder<> add_transition(const std::string& name) const;

    /// Adds a substitution transition and returns its page.
    [[nodiscard]] page substitute(const std::string& name) const;

private:
    friend class net;
    page(net* owner, page_index index) : net_{owner}, index_{index} {}
    [[nodiscard]] std::string full_name(const std::string& name) const;
    /// The place of a fusion set, and whether it is new.
    [[nodiscard]] std::pair<place_index, bool> fused(const std::string& set, std::type_index type,
                                                     const any_domain* colours) const;

    net* net_;
    page_index index_;
};

/// A net is built on its main page. Its structure must not change after it has been run.
class WEFT_API net {
public:
    /// A net without places and transitions.
    net();
    /// Places keep their numbers.
    net(net&&) noexcept = default;
    /// Places keep their numbers.
    net& operator=(net&&) noexcept = default;
    ~net() = default;

    /// The page that all others are below.
    [[nodiscard]] page main_page() { return {this, 0}; }
    /// A place of the main page.
    template <colour T>
    place<T> add_place(const std::string& name, const std::vector<T>& initial = {}) {
        return main_page().add_place<T>(name, initial);
    }
    /// A place of plain tokens on the main page.
    place<token> add_place(const std::string& name, std::uint32_t tokens = 0) {
        return main_page().add_place(name, tokens);
    }
    /// A transition of the main page.
    [[nodiscard]] transition_builder<> add_transition(const std::string& name);

    /// All places, by number.
    [[nodiscard]] const std::vector<place_data>& places() const { return places_; }
    /// All transitions, by number.
    [[nodiscard]] const std::vector<transition_data>& transitions() const { return transitions_; }
    /// All pages; the first is the main page.
    [[nodiscard]] const std::vector<page_data>& pages() const { return pages_; }
    /// The initial marking.
    [[nodiscard]] const marking& initial() const { return initial_; }
    /// The name, at first "net".
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Changes the name.
    void set_name(std::string name) { name_ = std::move(name); }
    /// Sets the position of a place in drawings; what has none is placed by the layout.
    void draw_place(place_index place, point position) { places_.at(place).drawn_at = position; }
    /// The same for a transition.
    void draw_transition(transition_index transition, point position) {
        transitions_.at(transition).drawn_at = position;
    }

    /// The place with that name. Throws an error if there is none.
    [[nodiscard]] place_index place_named(const std::string& name) const;
    /// The transition with that name. Throws an error if there is none.
    [[nodiscard]] transition_index transition_named(const std::string& name) const;

    /// Whether the net has only plain tokens, with weights on arcs.
    [[nodiscard]] bool is_plain() const;
    /// Whether some transition has an inhibitor arc.
    [[nodiscard]] bool has_inhibitors() const;

    /// The values of a colour that occurred so far, numbered.
    template <colour T>
    [[nodiscard]] domain<T>& domain_of() {
        auto& found = domains_[std::type_index{typeid(T)}];
        if (!found) found = std::make_unique<domain<T>>();
        return static_cast<domain<T>&>(*found);
    }
    /// The multisets of tokens that occurred so far.
    [[nodiscard]] bag_table& bags() { return *bags_; }
    /// The multisets of tokens that occurred so far.
    [[nodiscard]] const bag_table& bags() const { return *bags_; }
    /// The approximate memory of all values and multisets.
    [[nodiscard]] std::size_t value_bytes() const;

    /// The number of tokens of any colour in a place.
    [[nodiscard]] std::uint64_t count(place_index place, content held) const;
    /// The content of a place as text.
    [[nodiscard]] std::string content_text(place_index place, content held) const;
    /// A multiset of tokens of a place as text.
    [[nodiscard]] std::string multiset_text(place_index place, std::span<const counted> held) const;
    /// A marking as text, place by place.
    [[nodiscard]] std::string marking_text(const marking& elements) const;
    /// The values of a binding, as in "(a, b)"; empty if there are none.
    [[nodiscard]] std::string binding_text(transition_index transition,
                                           std::span<const colour_id> values) const;

private:
    friend class page;
    friend class tables_reader;
    template <class... Variables>
    friend class transition_builder;

    place_index new_place(page_index page, const std::string& name, const any_domain* domain);
    transition_index new_transition(page_index page, const std::string& name);
    template <colour T>
    void set_initial(place<T> target, const std::vector<T>& tokens);

    std::string name_ = "net";
    std::vector<place_data> places_;
    std::vector<transition_data> transitions_;
    std::vector<page_data> pages_;
    std::map<std::string, place_index> place_names_;
    std::map<std::string, transition_index> transition_names_;
    std::map<std::string, std::pair<place_index, std::type_index>> fusion_sets_;
    std::map<std::type_index, std::unique_ptr<any_domain>> domains_;
    std::unique_ptr<bag_table> bags_;
    marking initial_;
};

/// A typed view of a marking.
class marking_view {
public:
    /// The net and the contents of its places must outlive it.
    marking_view(net& net, std::span<const content> contents) : net_{&net}, contents_{contents} {}

    /// The number of tokens of a place, of any colour.
    template <colour T>
    [[nodiscard]] std::uint64_t count(place<T> target) const {
        return net_->count(target.index, contents_[target.index]);
    }
    /// The token of a place that has exactly one token.
    template <colour T>
    [[nodiscard]] const T& one(place<T> target) const {
        return net_->domain_of<T>().value(bag_table::single_colour(contents_[target.index]));
    }
    /// All tokens, with duplicates.
    template <colour T>
    [[nodiscard]] std::vector<T> tokens(place<T> target) const {
        std::vector<T> found;
        counted room{};
        for (const counted& each : net_->bags().elements(contents_[target.index], room)) {
            found.insert(found.end(), each.count, net_->domain_of<T>().value(each.colour));
        }
        return found;
    }
    /// The content of each place, as numbers.
    [[nodiscard]] std::span<const content> contents() const { return contents_; }

private:
    net* net_;
    std::span<const content> contents_;
};

// ---------------------------------------------------------------------------------------------------------

template <colour T>
void net::set_initial(place<T> target, const std::vector<T>& tokens) {
    content held = bag_table::empty;
    for (const T& each : tokens) held = bags_->add(held, domain_of<T>().id_of(each));
    initial_[target.index] = held;
}

template <colour T>
place<T> page::add_place(const std::string& name, const std::vector<T>& initial) const {
    static_assert(!std::same_as<T, token>, "a place of plain tokens takes a number, not a list");
    const place<T> made{net_->new_place(index_, full_name(name), &net_->domain_of<T>())};
    net_->set_initial(made, initial);
    return made;
}

template <colour T>
place<T> page::add_port(const std::string& name, place<T> socket) const {
    net_->pages_[index_].ports.push_back({name, socket.index});
    return socket;
}

template <colour T>
place<T> page::add_fusion(const std::string& set, const std::vector<T>& initial) const {
    static_assert(!std::same_as<T, token>, "a place of plain tokens takes a number, not a list");
    const auto [index, is_new] = fused(set, typeid(T), &net_->domain_of<T>());
    if (is_new) net_->set_initial(place<T>{index}, initial);
    return {index};
}

} // namespace weft::inline v0::petri

#include <weft/lab/transition_builder.hpp> // IWYU pragma: export
