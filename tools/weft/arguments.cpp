#include "arguments.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <system_error>

namespace weft::cli {
namespace {

struct closing {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, closing>;

[[noreturn]] void cannot(const std::string& what) {
    throw std::runtime_error{"cannot " + what + ": " + std::generic_category().message(errno)};
}

open_file open(const std::string& path, const char* mode, const std::string& what) {
    open_file file{std::fopen(path.c_str(), mode)};
    if (!file) cannot(what);
    return file;
}

} // namespace

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
    const open_file file = open(path, "rb", "read " + path);
    std::string text;
    std::array<char, 65'536> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
        text.append(part.data(), count);
    }
    if (std::ferror(file.get()) != 0) cannot("read " + path);
    return text;
}

void write_whole_file(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout); // looked at by end_output
        return;
    }
    open_file file = open(path, "wb", "write " + path);
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) {
        cannot("write " + path);
    }
    if (std::fclose(file.release()) != 0) cannot("write " + path);
}

void require_writable(const std::string& path) {
    if (path != "-") open(path, "ab", "write " + path);
}

void end_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) cannot("write standard output");
}

} // namespace weft::cli
