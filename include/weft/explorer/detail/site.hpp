// The place of a call in the source, for traces and mutants.
#pragma once

#include <cstdint>
#include <source_location>

namespace weft::inline v0::explorer::detail {

/// As a default argument, `site::current()` is the place of the call. Clang 14 has no
/// std::source_location yet, only what it is made of.
class site {
public:
    constexpr site() noexcept = default;

#ifdef __cpp_lib_source_location
    static constexpr site
    current(const std::source_location& location = std::source_location::current()) noexcept {
        return {location.file_name(), location.line(), location.column()};
    }
#else
    static constexpr site current(const char* file = __builtin_FILE(),
                                  std::uint32_t line = __builtin_LINE(),
                                  std::uint32_t column = __builtin_COLUMN()) noexcept {
        return {file, line, column};
    }
#endif

    [[nodiscard]] constexpr const char* file_name() const noexcept { return file_; }
    [[nodiscard]] constexpr std::uint32_t line() const noexcept { return line_; }
    [[nodiscard]] constexpr std::uint32_t column() const noexcept { return column_; }

private:
    constexpr site(const char* file, std::uint32_t line, std::uint32_t column) noexcept
        : file_{file}, line_{line}, column_{column} {}

    const char* file_ = "";
    std::uint32_t line_ = 0;
    std::uint32_t column_ = 0;
};

} // namespace weft::inline v0::explorer::detail
