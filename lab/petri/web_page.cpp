#include <weft/lab/web_page.hpp>

#include "petri/layout.hpp"
#include "petri/plain_rules.hpp"
#include "petri/web_assets.hpp"
#include <weft/lab/firing.hpp>
#include <weft/lab/state_space.hpp>

#include <cstdio>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

namespace weft::inline v0::petri {

namespace {

/// A JSON string that is also safe inside <script>.
std::string quoted(std::string_view text) {
    std::string json_text = "\"";
    for (const char each : text) {
        const auto code = static_cast<unsigned char>(each);
        if (code < 0x20 || each == '<' || each == '>' || each == '&' || code == 0x7F) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
            json_text += escaped;
        } else {
            if (each == '"' || each == '\\') json_text += '\\';
            json_text += each;
        }
    }
    return json_text += '"';
}

const char* json(bool value) { return value ? "true" : "false"; }

class description {
public:
    description(net& net, const web_page_options& options) : net_{&net}, options_{&options} {}

    std::string write() {
        const layout positions = lay_out(*net_);
        out_ << "{\"name\":" << quoted(net_->name()) << ",\"width\":" << positions.width
             << ",\"height\":" << positions.height;
        write_nodes(positions);
        write_arcs();
        out_ << ",\"trace\":" << quoted(write_trace(options_->shown));
        if (net_->is_plain()) write_rules();
        else if (options_->script.empty()) write_graph();
        out_ << "}";
        return out_.str();
    }

private:
    template <class Items, class Write>
    void write_list(const char* name, const Items& items, Write write) {
        out_ << ",\"" << name << "\":[";
        bool first = true;
        for (const auto& each : items) {
            if (!std::exchange(first, false)) out_ << ',';
            write(each);
        }
        out_ << ']';
    }

    void write_nodes(const layout& positions) {
        std::size_t next = 0;
        write_list("places", net_->places(), [&](const place_data& each) {
            const point position = positions.places[next];
            out_ << "{\"name\":" << quoted(each.name) << ",\"x\":" << position.x
                 << ",\"y\":" << position.y << ",\"plain\":" << json(each.is_plain())
                 << ",\"initial\":"
                 << quoted(
                        net_->content_text(static_cast<place_index>(next), net_->initial()[next]))
                 << '}';
            ++next;
        });
        next = 0;
        write_list("transitions", net_->transitions(), [&](const transition_data& each) {
            const point position = positions.transitions[next++];
            out_ << "{\"name\":" << quoted(each.name) << ",\"x\":" << position.x
                 << ",\"y\":" << position.y << '}';
        });
    }

    void write_arcs() {
        write_list("arcs", drawn_arcs(*net_), [&](const drawn_arc& each) {
            out_ << "{\"place\":" << each.place << ",\"transition\":" << each.transition
                 << ",\"into\":" << json(each.into_transition)
                 << ",\"out\":" << json(each.out_of_transition)
                 << ",\"inhibits\":" << json(each.inhibits) << ",\"reads\":" << json(each.reads)
                 << ",\"weight\":" << each.weight << '}';
        });
    }

    void write_rules() {
        write_list("initial", net_->initial(), [&](content each) { out_ << each; });
        const auto pair = [&](const auto& each) {
            out_ << '[' << each.place << ',' << each.count << ']';
        };
        const auto change = [&](const auto& each) {
            out_ << '[' << each.place << ',' << each.difference << ']';
        };
        out_ << ",\"rules\":[";
        bool first = true;
        for (const plain_rule& rule : rules_of(*net_)) {
            if (!std::exchange(first, false)) out_ << ',';
            out_ << "{\"kind\":0";
            write_list("needs", rule.needs, pair);
            write_list("limits", rule.limits, pair);
            write_list("changes", rule.changes, change);
            out_ << '}';
        }
        out_ << ']';
    }

    /// Each marking as indices of texts, and each arc as transition, values and target.
    void write_graph() {
        const state_space all = explore(*net_, {.most_markings = options_->most_markings});
        if (!all.complete()) {
            throw error{fault::bad_net, "the state space of '" + net_->name() +
                                            "' does not fit on a page: " + all.reason()};
        }
        std::map<marking, std::uint32_t> numbers;
        for (std::uint32_t each = 0; each != all.markings(); ++each)
            numbers.emplace(all.marking_at(each), each);
        std::map<std::string, std::size_t> texts;
        std::ostringstream nodes;
        for (std::uint32_t each = 0; each != all.markings(); ++each) {
            nodes << (each == 0 ? "" : ",");
            write_node(all.marking_at(each), numbers, texts, nodes);
        }
        std::vector<std::string> by_number(texts.size());
        for (const auto& [text, number] : texts) by_number[number] = text;
        write_list("texts", by_number, [&](const std::string& each) { out_ << quoted(each); });
        out_ << ",\"graph\":[" << nodes.str() << ']';
    }

    void write_node(const marking& now, const std::map<marking, std::uint32_t>& numbers,
                    std::map<std::string, std::size_t>& texts, std::ostringstream& target) {
        target << "[[";
        for (place_index place = 0; place != now.size(); ++place) {
            const auto text =
                texts.try_emplace(net_->content_text(place, now[place]), texts.size()).first;
            target << (place == 0 ? "" : ",") << text->second << ','
                   << net_->count(place, now[place]);
        }
        target << "],[";
        firing firing{*net_};
        bool first = true;
        for (transition_index transition = 0; transition != net_->transitions().size();
             ++transition) {
            firing.for_each(now, transition, [&](binding values, const marking& after) {
                target << (std::exchange(first, false) ? "" : ",") << '[' << transition << ','
                       << quoted(net_->binding_text(transition, values)) << ',' << numbers.at(after)
                       << ']';
                return true;
            });
        }
        target << "]]";
    }

    net* net_;
    const web_page_options* options_;
    std::ostringstream out_;
};

/// The template with the mark replaced.
std::string filled(std::string text, const std::string& mark, const std::string& replacement) {
    const auto start = text.find(mark);
    return text.replace(start, mark.size(), replacement);
}

} // namespace

std::string web_page(net& net, const web_page_options& options) {
    const std::string script = options.script.empty() ? "null" : options.script;
    std::string text =
        filled(std::string{token_game_page}, "/*net*/null", description{net, options}.write());
    return filled(std::move(text), "/*model*/null", script);
}

} // namespace weft::inline v0::petri
