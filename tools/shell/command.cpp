// CLI11 takes long to compile: no other file includes it.
#include "shell/command.hpp"

#include "shell/files.hpp"
#include "shell/nearest.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace weft::cli {
namespace {

/// Shows positional words in the usage line only.
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
        return text + (options > 1 ? " [options]\n" : "\n"); // --help is always one
    }
    std::string make_positionals(const CLI::App* /*app*/) const override { return {}; }
};

/// The parser accepts unknown words: run_command() reports them, with a suggestion.
void describe(CLI::App& app, const command& described) {
    app.allow_extras();
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "prints this help");
    const auto accept = [](const CLI::results_t&) { return true; };
    if (!described.words.empty()) {
        app.add_option(described.words, accept)->expected(CLI::detail::expected_max_vector_size);
    }
    for (const option& each : described.options) {
        if (each.value.empty()) app.add_flag(each.name, each.about);
        else app.add_option(each.name, accept, each.about)->type_name(each.value)->take_last();
    }
    if (described.more_help != nullptr) app.footer(described.more_help);
    for (const command& each : described.parts) {
        CLI::App* part = app.add_subcommand(each.name, each.about);
        describe(*part->group("Commands"), each);
    }
}

std::unique_ptr<CLI::App> make_app(const command& program) {
    auto app = std::make_unique<CLI::App>(program.about, program.name);
    app->formatter(std::make_shared<formatter>());
    describe(*app, program);
    return app;
}

[[noreturn]] void reject(const command& described, bool is_program, const std::string& word) {
    std::vector<std::string> known;
    if (word.starts_with('-')) {
        for (const option& each : described.options) known.push_back(each.name);
        known.emplace_back("--help");
        throw usage_error{"there is no option " + word + nearest_text(word, known)};
    }
    for (const command& each : described.parts) known.push_back(each.name);
    if (is_program) {
        throw usage_error{"there is no command '" + word + "'" + nearest_text(word, known) +
                          " (see weft help)"};
    }
    if (known.empty()) throw usage_error{described.name + " takes no argument '" + word + "'"};
    std::string names;
    for (const std::string& each : known) {
        if (!names.empty()) names += &each == &known.back() ? " and " : ", ";
        names += each;
    }
    throw usage_error{described.name + " has no command '" + word + "'; it has " + names +
                      nearest_text(word, known)};
}

arguments read_arguments(const CLI::App& app, const command& described) {
    std::vector<std::string> plain;
    if (!described.words.empty()) plain = app[described.words]->results();
    std::vector<arguments::option> options;
    for (const option& each : described.options) {
        const CLI::Option* given = app[each.name];
        if (given->count() == 0) continue;
        options.push_back({each.name, each.value.empty() ? "" : given->results().back()});
    }
    return {std::move(plain), std::move(options)};
}

const command* part_named(const command& parent, const std::string& name) {
    const auto found = std::ranges::find(parent.parts, name, &command::name);
    return found == parent.parts.end() ? nullptr : &*found;
}

/// Throws `usage_error`.
int run_command(const command& program, std::span<const char* const> words) {
    const auto root = make_app(program);
    std::vector<std::string> reversed(words.rbegin(), words.rend()); // as CLI11 wants them
    try {
        root->parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        std::fputs(root->help().c_str(), stdout);
        return success;
    } catch (const CLI::ArgumentMismatch& wrong) {
        // "--seed: 1 required N missing"
        const std::string text = wrong.what();
        throw usage_error{text.substr(0, text.find(':')) + " needs a value"};
    } catch (const CLI::ParseError& wrong) {
        throw usage_error{wrong.what()};
    }
    const CLI::App* app = root.get();
    const command* found = &program;
    for (;;) {
        // A word that names no subcommand is among these too.
        const auto rest = app->remaining();
        if (!rest.empty()) reject(*found, found == &program, rest.front());
        const auto next = app->get_subcommands();
        if (next.empty()) break;
        app = next.front();
        found = part_named(*found, app->get_name());
    }
    if (found->run) return found->run(read_arguments(*app, *found));
    std::fputs(root->help().c_str(), stdout);
    return success;
}

} // namespace

int run_program(const command& program, int count, const char* const* words) {
    const auto report = [&](const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", program.name.c_str(), error.what());
    };
    try {
        const std::span all{words, static_cast<std::size_t>(count)};
        const int code = run_command(program, all.empty() ? all : all.subspan(1));
        end_output();
        return code;
    } catch (const usage_error& error) {
        report(error);
        return wrong_use;
    } catch (const std::exception& error) {
        report(error);
        return failure;
    }
}

std::string help_of(const command& program, std::span<const std::string> names) {
    const auto root = make_app(program);
    const CLI::App* position = root.get();
    const command* found = &program;
    std::string before;
    for (const std::string& each : names) {
        const command* next = part_named(*found, each);
        if (next == nullptr) reject(*found, found == &program, each);
        before += (before.empty() ? "" : " ") + found->name;
        found = next;
        position = position->get_subcommand(each);
    }
    return position->help(before);
}

} // namespace weft::cli
