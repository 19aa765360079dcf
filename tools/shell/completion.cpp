#include "shell/completion.hpp"

#include "shell/nearest.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace weft::cli {
namespace {

constexpr std::array<std::string_view, 3> shells{"bash", "zsh", "fish"};

/// Calls `visit(command, path)` for the program and all commands; the path of `net run` is
/// "/net/run".
template <class Visit>
void visit_all(const command& each, const std::string& path, const Visit& visit) {
    visit(each, path);
    for (const command& part : each.parts) visit_all(part, path + "/" + part.name, visit);
}

/// Subcommands, and positional words that are known.
std::vector<std::string> words_of(const command& each) {
    std::vector<std::string> words =
        each.known_words != nullptr ? each.known_words() : std::vector<std::string>{};
    for (const command& part : each.parts) words.push_back(part.name);
    return words;
}

/// Walks the words before the cursor down the commands, then offers what that command takes. Where
/// nothing fits, the shell completes the name of a file.
std::string bash_completion(const command& program) {
    std::string paths;
    std::string cases;
    visit_all(program, "", [&](const command& each, const std::string& path) {
        if (!path.empty()) paths += (paths.empty() ? "" : " | ") + path;
        std::string words;
        for (const std::string& word : words_of(each)) words += word + " ";
        for (const option& given : each.options) words += given.name + " ";
        cases += fmt::format("    '{}') words='{}--help' ;;\n", path, words);
    });
    return fmt::format(R"(# Completion of {0} for bash.
_{0}() {{
  local word command= words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $command/$word in
      {1}) command+=/$word ;;
    esac
  done
  case $command in
{2}  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _{0} {0}
)",
                       program.name, paths, cases);
}

/// zsh runs completions for bash.
std::string zsh_completion(const command& program) {
    return fmt::format("#compdef {}\nautoload -U +X bashcompinit && bashcompinit\n{}", program.name,
                       bash_completion(program));
}

/// As a word in single quotes.
std::string shell_word(std::string_view text) {
    std::string made = "'";
    for (const char each : text) {
        if (each == '\'' || each == '\\') made += '\\';
        made += each;
    }
    return made + "'";
}

/// The condition under which fish offers what a command takes: its name was typed, and none of its
/// subcommands was.
std::string fish_condition(const command& each, const std::string& path) {
    std::string parts;
    for (const command& part : each.parts) parts += " " + part.name;
    if (path.empty()) return "__fish_use_subcommand";
    std::string condition = "__fish_seen_subcommand_from " + each.name;
    if (!parts.empty()) condition += "; and not __fish_seen_subcommand_from" + parts;
    return condition;
}

std::string fish_completion(const command& program) {
    std::string text = fmt::format("# Completion of {} for fish.\n", program.name);
    visit_all(program, "", [&](const command& each, const std::string& path) {
        const std::string begin = fmt::format("complete -c {} -n {} ", program.name,
                                              shell_word(fish_condition(each, path)));
        for (const command& part : each.parts) {
            text += fmt::format("{}-f -a {} -d {}\n", begin, part.name, shell_word(part.about));
        }
        if (each.known_words != nullptr) {
            text += fmt::format("{}-f -a {}\n", begin,
                                shell_word(fmt::format("{}", fmt::join(each.known_words(), " "))));
        }
        for (const option& given : each.options) {
            text += fmt::format("{}-l {} {}-d {}\n", begin, given.name.substr(2),
                                given.value.empty() ? "" : "-r ", shell_word(given.about));
        }
    });
    return text;
}

} // namespace

std::span<const std::string_view> completed_shells() { return shells; }

std::string completion_of(const command& program, std::string_view shell) {
    if (shell == "bash") return bash_completion(program);
    if (shell == "zsh") return zsh_completion(program);
    if (shell == "fish") return fish_completion(program);
    const std::vector<std::string> known(shells.begin(), shells.end());
    throw usage_error{fmt::format("there is no completion for '{}', only for {}{}", shell,
                                  fmt::join(shells, ", "), nearest_text(shell, known))};
}

} // namespace weft::cli
