// The words behind a command.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// What somebody typed makes no sense; the message says why.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Plain words in their order, and options "--name value" or "--name".
class arguments {
public:
    arguments(std::span<const char* const> words, std::span<const std::string_view> with_value,
              std::span<const std::string_view> without_value);

    [[nodiscard]] const std::vector<std::string>& plain() const { return plain_; }
    [[nodiscard]] bool has(std::string_view name) const { return value(name).has_value(); }
    [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
    /// A whole number within bounds, or `otherwise` if the option is not there.
    [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise,
                                       std::uint64_t least, std::uint64_t most) const;

private:
    struct option {
        std::string name;
        std::string value;
    };
    std::vector<std::string> plain_;
    std::vector<option> options_;
};

[[nodiscard]] std::string read_whole_file(const std::string& path);
/// To the file, or to standard output if it is "-".
void write_whole_file(const std::string& path, const std::string& text);

/// The commands of the lab; the exit code.
int run_net(std::span<const char* const> words);
int run_mss(std::span<const char* const> words);
int run_sim(std::span<const char* const> words);

} // namespace weft::cli
