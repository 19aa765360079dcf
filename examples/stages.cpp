// Stages and pipelines over real files: the lines of logs are parsed by several workers and written
// in order; files go through stages with queues, of which one is slow, one fails now and then, and
// one drops what it cannot take.
#include <weft/weft.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

namespace files = std::filesystem;

/// A folder of logs, removed at the end.
class folder {
public:
    folder() : path_{files::temp_directory_path() / ("weft_stages_" + std::to_string(::getpid()))} {
        files::create_directory(path_);
        for (int file = 0; file < 8; ++file) {
            std::ofstream log{path_ / (std::to_string(file) + ".log")};
            for (int line = 0; line < 500; ++line) {
                log << (line % 10 == 0 ? "error " : "info ") << file << ' ' << line << '\n';
            }
        }
    }
    ~folder() {
        std::error_code ignored;
        files::remove_all(path_, ignored);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    [[nodiscard]] const files::path& path() const { return path_; }

private:
    files::path path_;
};

std::size_t errors_of_one_log(weft::pool& pool, const files::path& folder) {
    std::ifstream input{folder / "0.log"};
    std::ofstream output{folder / "0.errors"};
    std::size_t errors = 0;
    // [pipeline]
    const auto read_line = [&]() -> std::optional<std::string> {
        std::string line;
        if (!std::getline(input, line)) return {};
        return line;
    };
    const auto parse = [](std::string line) {
        return std::pair{line.starts_with("error"), std::move(line)};
    };
    const auto write = [&](const std::pair<bool, std::string>& parsed) {
        if (!parsed.first) return;
        output << parsed.second << '\n';
        ++errors; // no lock: an ordered part is called by one worker at a time
    };
    auto lines = weft::source(read_line) | weft::parallel(parse) | weft::ordered(write);
    std::move(lines).run(pool, {.capacity = 256}).get();
    // [/pipeline]
    return errors;
}

std::size_t lines_of_all_logs(weft::pool& pool, const files::path& folder) {
    std::size_t lines = 0;
    // [stages]
    weft::stage_group group{pool};
    weft::stage<std::string> count{
        group, {.name = "count", .capacity = 64, .batch = 16}, [&](std::span<std::string> texts) {
            for (const std::string& text : texts) lines += std::ranges::count(text, '\n');
        }};
    weft::stage<files::path> read{
        group, {.name = "read", .capacity = 16, .workers = 4}, [&](const files::path& path) {
            std::ifstream file{path};
            count.push({std::istreambuf_iterator<char>{file}, {}}); // waits if `count` is full
        }};
    for (const auto& each : files::directory_iterator{folder}) {
        if (each.path().extension() == ".log") read.push_or_wait(each.path());
    }
    group.wait();
    // [/stages]
    return lines;
}

bool shows_what_else_there_is(weft::pool& pool) {
    weft::stage_group group{pool};
    std::atomic<int> dead{0};
    std::atomic<int> dropped{0};
    // [options]
    weft::stage<int> careful{group,
                             {.name = "careful",
                              .capacity = 100,
                              .retries = 2,
                              .on_error = [&](int&, std::exception_ptr) { ++dead; }, // dead letters
                              .on_drop = [&](int&, weft::drop_reason) { ++dropped; }},
                             [](const int& i) {
                                 if (i == 13) throw std::runtime_error{"unlucky"};
                             }};
    for (int i = 0; i < 50; ++i) careful.push(i, weft::when_full::drop_oldest);
    group.wait();
    const weft::stage_statistics seen = careful.statistics();
    // [/options]

    // [needs]
    weft::key_space customers{1'024};
    std::map<int, std::atomic<int>> visits;
    for (int i = 0; i < 3; ++i) visits[i] = 0;
    weft::stage<int> serve{
        group,
        {.name = "serve", .workers = 8},
        [&](int& customer) { return weft::when(customers(customer)); }, // what an item needs
        [&](int customer) { ++visits.at(customer); }};
    for (int i = 0; i < 30; ++i) serve.push_or_wait(i % 3);
    group.stop(); // runs what is queued
    // [/needs]
    return seen.entered == seen.done + seen.failed + seen.dropped && dead == 1 && dropped == 0 &&
           visits.at(0) == 10;
}

} // namespace

int main() {
    weft::pool pool;
    const folder logs;
    const bool right = errors_of_one_log(pool, logs.path()) == 50 &&
                       lines_of_all_logs(pool, logs.path()) == 4'000 &&
                       shows_what_else_there_is(pool);
    std::cout << (right ? "all as expected\n" : "something is wrong\n");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
