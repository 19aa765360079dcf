// Tables for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

enum class align : std::uint8_t { left, right };

struct column {
    std::string name;
    align side = align::right;
};

/// Rows under a head; each column is as wide as its widest cell.
class table {
public:
    explicit table(std::vector<column> columns);
    /// One cell for each column.
    void add(std::vector<std::string> cells);
    [[nodiscard]] std::string text() const;

private:
    std::vector<align> sides_;
    std::vector<std::vector<std::string>> rows_; // the first is the head
};

/// With as many decimals as make four digits: "1.234", "123.4", "12345".
[[nodiscard]] std::string four_digits(double value);

} // namespace weft::cli
