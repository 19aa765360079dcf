#include "shell/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace weft::cli {

std::optional<std::string> arguments::value(std::string_view name) const {
    const auto found = std::ranges::find(options_, name, &option::name);
    return found == options_.end() ? std::nullopt : std::optional{found->value};
}

std::vector<std::string> arguments::list(std::string_view name, std::string_view fallback) const {
    const std::string text = value(name).value_or(std::string{fallback});
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return parts;
}

std::uint64_t arguments::number(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                                std::uint64_t most) const {
    const auto text = value(name);
    if (!text) return fallback;
    const auto parsed = parse_number(*text, least, most);
    if (parsed) return *parsed;
    throw usage_error{
        fmt::format("{} takes a number from {} to {}, not '{}'", name, least, most, *text)};
}

std::vector<std::size_t> arguments::numbers(std::string_view name, std::string_view fallback,
                                            std::uint64_t least, std::uint64_t most) const {
    std::vector<std::size_t> all;
    for (const std::string& each : list(name, fallback)) {
        const auto parsed = parse_number(each, least, most);
        if (!parsed) {
            throw usage_error{
                fmt::format("{} takes numbers from {} to {}, not '{}'", name, least, most, each)};
        }
        all.push_back(*parsed);
    }
    return all;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most) {
    std::uint64_t parsed = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, parsed);
    if (failed != std::errc{} || rest != end || parsed < least || parsed > most) return {};
    return parsed;
}

} // namespace weft::cli
