#include "models/matrix_file.hpp"

#include <weft/lab/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace weft::models {
namespace {

/// The message of the error, which must be of this kind.
template <class Call>
std::string matrix_message(petri::fault wanted, Call call) {
    try {
        call();
    } catch (const petri::error& wrong) {
        EXPECT_EQ(wrong.code(), wanted);
        return wrong.what();
    }
    return "no error";
}

std::string reading(const std::string& text) {
    return matrix_message(petri::fault::bad_file, [&] { static_cast<void>(read_matrix(text)); });
}

TEST(matrix_file, has_a_row_on_each_line) {
    const matrix wanted{{1, -2, 3}, {4, 5, 6}};
    EXPECT_EQ(read_matrix("1 -2 3\n4 5 6\n"), wanted);
    EXPECT_EQ(read_matrix("# numbers\n\n  1,-2 ,\t+3 # a row\r\n4;5;6"), wanted);
    EXPECT_EQ(read_matrix("\xEF\xBB\xBF"
                          "7"),
              (matrix{{7}}));
    EXPECT_EQ(read_matrix("2147483647 -2147483648"), (matrix{{2147483647, -2147483648}}));
}

TEST(matrix_file, errors_name_the_line_and_the_reason) {
    EXPECT_EQ(reading(""), "line 1: there is no row of numbers");
    EXPECT_EQ(reading("# nothing\n\n"), "line 1: there is no row of numbers");
    EXPECT_EQ(reading("1 2\n3 x\n"), "line 2: 'x' is not a whole number");
    EXPECT_EQ(reading("1.5"), "line 1: '1.5' is not a whole number");
    EXPECT_EQ(reading("+-1"), "line 1: '+-1' is not a whole number");
    EXPECT_EQ(reading("1 4294967296"), "line 1: '4294967296' does not fit into 32 bits");
    EXPECT_EQ(reading("1 2\n\n3\n"), "line 3: a row of 1 numbers, where the first row has 2");
    EXPECT_EQ(reading("1,,2"), "line 1: a number is missing before a separator");
    EXPECT_EQ(reading(",1"), "line 1: a number is missing before a separator");
    EXPECT_EQ(reading("1,2,"), "line 1: a number is missing at the end");
    EXPECT_EQ(reading(std::string{"1\0"
                                  "2",
                                  3}),
              "line 1: '1?2' is not a whole number");
    EXPECT_EQ(reading(std::string(100, 'x')),
              "line 1: '" + std::string(40, 'x') + "…' is not a whole number");
}

TEST(matrix_file, is_at_most_100_by_100) {
    std::string row = "1";
    for (int each = 1; each != 100; ++each) row += " 1";
    std::string rows;
    for (int each = 0; each != 100; ++each) rows += row + "\n";
    EXPECT_EQ(read_matrix(rows).size(), 100U);
    EXPECT_EQ(reading(rows + row), "line 101: more than 100 rows or columns");
    EXPECT_EQ(reading(row + " 1"), "line 1: more than 100 rows or columns");
}

TEST(matrix_file, products_that_make_no_sense_or_do_not_fit_are_refused) {
    const auto multiplying = [](const matrix& a, const matrix& b) {
        return matrix_message(petri::fault::bad_net, [&] { static_cast<void>(product_of(a, b)); });
    };
    EXPECT_EQ(multiplying({{1, 2}}, {{1, 2}}),
              "the matrices cannot be multiplied: A has 2 columns, B has 1 rows");
    EXPECT_EQ(multiplying({{1, 1}}, {{1, 1'500'000'000}, {1, -1'500'000'000}}),
              "row 1 of A times column 2 of B might not fit into 32 bits");
    EXPECT_EQ(multiplying({{-2147483648}}, {{-2147483648}}),
              "row 1 of A times column 1 of B might not fit into 32 bits");
    EXPECT_EQ(product_of({{2147483647}}, {{1, -1}}).b.front().size(), 2U);
}

} // namespace
} // namespace weft::models
