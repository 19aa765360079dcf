// The words behind a command, parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::cli {

/// The command line is wrong; the message says why.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Positional words in their order, and options "--name value" or "--name".
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
    /// The parts of a value that is a list such as "a,b"; those of `fallback` if the option is
    /// absent.
    [[nodiscard]] std::vector<std::string> list(std::string_view name,
                                                std::string_view fallback = {}) const;
    /// A whole number within bounds, or `fallback` if the option is absent.
    [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t fallback,
                                       std::uint64_t least, std::uint64_t most) const;
    /// A list of such numbers.
    [[nodiscard]] std::vector<std::size_t> numbers(std::string_view name, std::string_view fallback,
                                                   std::uint64_t least, std::uint64_t most) const;

private:
    std::vector<std::string> plain_;
    std::vector<option> options_;
};

/// The whole of `text` as a number, or nothing if it is none or exceeds the bounds.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                                        std::uint64_t most);

} // namespace weft::cli
