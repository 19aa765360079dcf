// A pipeline over real files: the lines of a log are parsed by several workers and written in
// order.
#include <weft/weft.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

namespace files = std::filesystem;

/// A folder with a log, removed at the end.
class folder {
public:
    folder()
        : path_{files::temp_directory_path() / ("weft_pipeline_" + std::to_string(::getpid()))} {
        files::create_directory(path_);
        std::ofstream log{path_ / "all.log"};
        for (int line = 0; line < 500; ++line) {
            log << (line % 10 == 0 ? "error " : "info ") << line << '\n';
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

std::size_t errors_of_log(weft::pool& pool, const files::path& folder) {
    std::ifstream input{folder / "all.log"};
    std::ofstream output{folder / "errors.log"};
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

} // namespace

int main() {
    weft::pool pool;
    const folder logs;
    const bool right = errors_of_log(pool, logs.path()) == 50;
    std::cout << (right ? "all as expected\n" : "something is wrong\n");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
