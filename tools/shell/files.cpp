#include "shell/files.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace weft::cli {
namespace {

struct closing {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, closing>;

[[noreturn]] void fail(const std::string& action) {
    throw std::runtime_error{"cannot " + action + ": " + std::generic_category().message(errno)};
}

open_file open(const std::string& path, const char* mode, const std::string& action) {
    open_file file{std::fopen(path.c_str(), mode)};
    if (!file) fail(action);
    return file;
}

} // namespace

std::string read_whole_file(const std::string& path) {
    const open_file file = open(path, "rb", "read " + path);
    std::string text;
    std::array<char, 65'536> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
        text.append(part.data(), count);
    }
    if (std::ferror(file.get()) != 0) fail("read " + path);
    return text;
}

void write_whole_file(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout); // end_output() checks it
        return;
    }
    open_file file = open(path, "wb", "write " + path);
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) {
        fail("write " + path);
    }
    if (std::fclose(file.release()) != 0) fail("write " + path);
}

void write_json(const std::string& path, const nlohmann::ordered_json& value) {
    write_whole_file(path, value.dump(1) + "\n");
}

void require_writable(const std::string& path) {
    if (path == "-") return;
    const bool was_there = ::access(path.c_str(), F_OK) == 0;
    open(path, "ab", "write " + path);
    if (!was_there)
        std::remove(path.c_str()); // nothing empty stays behind if the work is interrupted
}

void print_now(const std::string& text) {
    write_whole_file("-", text);
    std::fflush(stdout);
}

void end_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail("write standard output");
}

} // namespace weft::cli
