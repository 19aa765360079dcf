// What was said behind a command.
#pragma once

#include <cstdint>
#include <optional>
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
    struct option {
        std::string name;
        std::string value;
    };
    arguments() = default;
    arguments(std::vector<std::string> plain, std::vector<option> options)
        : plain_{std::move(plain)}, options_{std::move(options)} {}

    [[nodiscard]] const std::vector<std::string>& plain() const { return plain_; }
    [[nodiscard]] bool has(std::string_view name) const { return value(name).has_value(); }
    [[nodiscard]] bool empty() const { return plain_.empty() && options_.empty(); }
    [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
    /// A whole number within bounds, or `otherwise` if the option is not there.
    [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise,
                                       std::uint64_t least, std::uint64_t most) const;

private:
    std::vector<std::string> plain_;
    std::vector<option> options_;
};

// What cannot be read or written is a std::runtime_error with the system's reason.
[[nodiscard]] std::string read_whole_file(const std::string& path);
/// To the file, or to standard output if it is "-".
void write_whole_file(const std::string& path, const std::string& text);
/// Before something that takes long: makes the file if need be.
void require_writable(const std::string& path);
/// Everything printed so far is out.
void end_output();

} // namespace weft::cli
