#include "shell/manual.hpp"

#include <fmt/format.h>

namespace weft::cli {
namespace {

/// As troff prints it literally: "-" is a minus, and a line may begin with a dot.
std::string escaped(std::string_view text) {
    std::string made;
    bool begins_line = true;
    for (const char each : text) {
        if (begins_line && (each == '.' || each == '\'')) made += "\\&";
        if (each == '\\') made += "\\e";
        else if (each == '-') made += "\\-";
        else made += each;
        begins_line = each == '\n';
    }
    return made;
}

std::string synopsis_of(const command& each, const std::string& path) {
    std::string text = "\\fB" + escaped(path) + "\\fR";
    if (!each.words.empty()) text += " \\fI" + escaped(each.words) + "\\fR";
    if (!each.parts.empty()) text += " \\fICOMMAND\\fR";
    if (!each.options.empty()) text += " [\\fIoptions\\fR]";
    return text;
}

std::string options_of(const command& each) {
    std::string text;
    for (const option& given : each.options) {
        text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escaped(given.name),
                            given.value.empty() ? "" : " \\fI" + escaped(given.value) + "\\fR",
                            escaped(given.about));
    }
    return text;
}

void add_commands(std::string& text, const command& parent, const std::string& path) {
    for (const command& each : parent.parts) {
        const std::string name = path + " " + each.name;
        text += fmt::format(".SS {}\n{}\n", synopsis_of(each, name), escaped(each.about + "."));
        text += options_of(each);
        if (each.parts.empty() && each.more_help != nullptr) {
            text += ".PP\n.nf\n" + escaped(each.more_help()) + "\n.fi\n";
        }
        add_commands(text, each, name);
    }
}

} // namespace

std::string manual_of(const command& program, std::string_view version) {
    const std::string about = program.about.substr(program.about.find(": ") + 2);
    std::string text =
        fmt::format(".TH {} 1 \"\" \"{} {}\"\n", program.name, program.name, version);
    text += fmt::format(".SH NAME\n{} \\- {}\n", program.name,
                        escaped(about.substr(0, about.find('\n'))));
    text += fmt::format(".SH SYNOPSIS\n{}\n", synopsis_of(program, program.name));
    text +=
        ".SH OPTIONS\n" + options_of(program) +
        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprints the help of the program or of a command\n";
    text += ".SH COMMANDS\n";
    add_commands(text, program, program.name);
    text += ".SH EXIT STATUS\n0: success; 1: the command failed, or a property that must hold does "
            "not; 2: the command line is wrong.\n";
    return text;
}

} // namespace weft::cli
