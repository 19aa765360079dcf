#include "models/matrix_file.hpp"

#include <weft/lab/error.hpp>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace weft::models {

namespace {

using petri::error;
using petri::fault;

constexpr std::string_view spaces = " \t\r\v\f";
constexpr std::string_view separators = " \t\r\v\f,;";

/// A word of a file in quotes; short, and without control characters.
std::string shown(std::string_view word) {
    constexpr std::size_t most = 40;
    std::string text = "'";
    for (const char each : word.substr(0, most)) {
        text += static_cast<unsigned char>(each) < 0x20 || each == 0x7F ? '?' : each;
    }
    return text += word.size() > most ? "…'" : "'";
}

/// The numbers of one line.
class row_reader {
public:
    row_reader(std::string_view line, std::size_t number)
        : rest_{line.substr(0, line.find('#'))}, number_{number} {}

    std::vector<std::int32_t> read() {
        std::vector<std::int32_t> row;
        skip_spaces();
        while (!rest_.empty()) {
            row.push_back(take_number());
            skip_spaces();
            if (rest_.empty() || (rest_.front() != ',' && rest_.front() != ';')) continue;
            rest_.remove_prefix(1);
            skip_spaces();
            if (rest_.empty()) fail("a number is missing at the end");
        }
        return row;
    }

    [[noreturn]] void fail(const std::string& message) const {
        throw error{fault::bad_file, "line " + std::to_string(number_) + ": " + message};
    }

private:
    void skip_spaces() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(spaces), rest_.size()));
    }

    std::int32_t take_number() {
        const std::string_view word = rest_.substr(0, rest_.find_first_of(separators));
        rest_.remove_prefix(word.size());
        if (word.empty()) fail("a number is missing before a separator");
        std::string_view digits = word;
        if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
        std::int32_t value = 0;
        const auto [end, failed] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (failed == std::errc::result_out_of_range)
            fail(shown(word) + " does not fit into 32 bits");
        if (failed != std::errc{} || end != digits.data() + digits.size())
            fail(shown(word) + " is not a whole number");
        return value;
    }

    std::string_view rest_;
    std::size_t number_;
};

std::string text_of(std::size_t count, const char* things) {
    return std::to_string(count) + " " + things;
}

/// An upper bound of every sum on the way to a cell.
std::uint64_t largest_sum(const matrix_product& product, std::size_t row, std::size_t column) {
    std::uint64_t sum = 0;
    for (std::size_t each = 0; each != product.b.size(); ++each) {
        sum += static_cast<std::uint64_t>(std::llabs(product.a[row][each])) *
               static_cast<std::uint64_t>(std::llabs(product.b[each][column]));
    }
    return sum;
}

} // namespace

matrix read_matrix(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    matrix rows;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        row_reader line{text.substr(0, end), number};
        text.remove_prefix(std::min(end + 1, text.size()));
        auto row = line.read();
        if (row.empty()) continue;
        if (!rows.empty() && row.size() != rows.front().size()) {
            line.fail("a row of " + text_of(row.size(), "numbers") + ", where the first row has " +
                      std::to_string(rows.front().size()));
        }
        if (row.size() > most_rows || rows.size() == most_rows) {
            line.fail("more than " + text_of(most_rows, "rows or columns"));
        }
        rows.push_back(std::move(row));
    }
    if (rows.empty()) throw error{fault::bad_file, "line 1: there is no row of numbers"};
    return rows;
}

matrix_product product_of(matrix a, matrix b) {
    if (a.empty() || b.empty() || a.front().size() != b.size()) {
        const std::size_t columns = a.empty() ? 0 : a.front().size();
        throw error{fault::bad_net, "the matrices cannot be multiplied: A has " +
                                        text_of(columns, "columns") + ", B has " +
                                        text_of(b.size(), "rows")};
    }
    matrix_product product{.a = std::move(a), .b = std::move(b)};
    for (std::size_t row = 0; row != product.a.size(); ++row) {
        for (std::size_t column = 0; column != product.b.front().size(); ++column) {
            if (largest_sum(product, row, column) <= std::numeric_limits<std::int32_t>::max())
                continue;
            throw error{fault::bad_net, "row " + std::to_string(row + 1) + " of A times column " +
                                            std::to_string(column + 1) +
                                            " of B might not fit into 32 bits"};
        }
    }
    return product;
}

} // namespace weft::models
