#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace weft::cli {

std::optional<std::string> arguments::value(std::string_view name) const {
    const auto found = std::ranges::find(options_, name, &option::name);
    return found == options_.end() ? std::nullopt : std::optional{found->value};
}

std::uint64_t arguments::number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                                std::uint64_t most) const {
    const auto text = value(name);
    if (!text) return otherwise;
    std::uint64_t read = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), read);
    if (failed != std::errc{} || end != text->data() + text->size() || read < least ||
        read > most) {
        throw usage_error{std::string{name} + " takes a number from " + std::to_string(least) +
                          " to " + std::to_string(most) + ", not '" + *text + "'"};
    }
    return read;
}

std::string read_whole_file(const std::string& path) {
    const std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || !text) throw std::runtime_error{"cannot read " + path};
    return text.str();
}

void write_whole_file(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return;
    }
    std::ofstream file{path, std::ios::binary};
    file << text << std::flush;
    if (!file) throw std::runtime_error{"cannot write " + path};
}

} // namespace weft::cli
