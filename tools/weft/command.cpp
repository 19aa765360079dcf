// On CLI11, which takes long to compile: no other file has to see it.
#include "command.hpp"

#include "nearest.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace weft::cli {
namespace {

/// Words come before options, and need no list of their own.
class formatter : public CLI::Formatter {
public:
    formatter() { column_width(28); }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        std::string text = "usage: " + name;
        if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) text += " COMMAND";
        std::size_t options = 0;
        for (const CLI::Option* each : app->get_options()) {
            if (each->get_positional()) text += " " + each->get_name(true);
            else ++options;
        }
        return text + (options > 1 ? " [options]\n" : "\n"); // besides --help
    }
    std::string make_positionals(const CLI::App* /*app*/) const override { return {}; }
};

/// What there is not is told by us, with the nearest; so the parser is to take everything.
void describe(CLI::App& app, const command& what) {
    app.allow_extras();
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "this");
    const auto accept = [](const CLI::results_t&) { return true; };
    if (!what.words.empty()) {
        app.add_option(what.words, accept)->expected(CLI::detail::expected_max_vector_size);
    }
    for (const option& each : what.options) {
        if (each.value.empty()) app.add_flag(each.name, each.about);
        else app.add_option(each.name, accept, each.about)->type_name(each.value)->take_last();
    }
    if (what.more_help != nullptr) app.footer(what.more_help);
    for (const command& each : what.parts) {
        CLI::App* part = app.add_subcommand(each.name, each.about);
        describe(*part->group("Commands"), each);
    }
}

std::unique_ptr<CLI::App> make_app(const command& all) {
    auto app = std::make_unique<CLI::App>(all.about, all.name);
    app->formatter(std::make_shared<formatter>());
    describe(*app, all);
    return app;
}

[[noreturn]] void complain(const command& what, bool at_top, const std::string& word) {
    std::vector<std::string> known;
    if (word.starts_with('-')) {
        for (const option& each : what.options) known.push_back(each.name);
        known.emplace_back("--help");
        throw usage_error{"there is no option " + word + nearest_text(word, known)};
    }
    for (const command& each : what.parts) known.push_back(each.name);
    if (at_top) {
        throw usage_error{"there is no command '" + word + "'" + nearest_text(word, known) +
                          " (see weft help)"};
    }
    if (known.empty()) throw usage_error{what.name + " takes no '" + word + "'"};
    std::string names;
    for (const std::string& each : known) {
        if (!names.empty()) names += &each == &known.back() ? " and " : ", ";
        names += each;
    }
    throw usage_error{what.name + " does not know '" + word + "'; it knows " + names +
                      nearest_text(word, known)};
}

arguments said_to(const CLI::App& app, const command& what) {
    std::vector<std::string> plain;
    if (!what.words.empty()) plain = app[what.words]->results();
    std::vector<arguments::option> options;
    for (const option& each : what.options) {
        const CLI::Option* said = app[each.name];
        if (said->count() == 0) continue;
        options.push_back({each.name, each.value.empty() ? "" : said->results().back()});
    }
    return {std::move(plain), std::move(options)};
}

const command* part_named(const command& of, const std::string& name) {
    const auto found = std::ranges::find(of.parts, name, &command::name);
    return found == of.parts.end() ? nullptr : &*found;
}

} // namespace

int run_command(const command& all, std::span<const char* const> words) {
    const auto app = make_app(all);
    std::vector<std::string> reversed(words.rbegin(), words.rend()); // as it wants them
    try {
        app->parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        std::fputs(app->help().c_str(), stdout);
        return success;
    } catch (const CLI::ArgumentMismatch& wrong) {
        // "--seed: 1 required N missing"
        const std::string text = wrong.what();
        throw usage_error{text.substr(0, text.find(':')) + " needs a value"};
    } catch (const CLI::ParseError& wrong) {
        throw usage_error{wrong.what()};
    }
    const CLI::App* at = app.get();
    const command* found = &all;
    for (;;) {
        // Of a command that has parts, a word that names none comes to lie here too.
        const auto rest = at->remaining();
        if (!rest.empty()) complain(*found, found == &all, rest.front());
        const auto next = at->get_subcommands();
        if (next.empty()) break;
        at = next.front();
        found = part_named(*found, at->get_name());
    }
    if (found->run) return found->run(said_to(*at, *found));
    std::fputs(app->help().c_str(), stdout);
    return success;
}

std::string help_of(const command& all, std::span<const std::string> names) {
    const auto app = make_app(all);
    const CLI::App* at = app.get();
    const command* found = &all;
    std::string before;
    for (const std::string& each : names) {
        const command* next = part_named(*found, each);
        if (next == nullptr) complain(*found, found == &all, each);
        before += (before.empty() ? "" : " ") + found->name;
        found = next;
        at = at->get_subcommand(each);
    }
    return at->help(before);
}

} // namespace weft::cli
