#include "contract/seat.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace weft::inline v0::detail {
namespace {

constexpr std::array<char, 16> threads{};

TEST(seat_list_alone, a_thread_takes_the_seat_that_it_had_before) {
    seat_list seats;
    std::array<contract_seat*, 6> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = &seats.take(&threads[i]);
    for (contract_seat* each : taken) seat_list::leave(*each);
    for (const std::size_t i : {5U, 2U, 0U, 4U}) EXPECT_EQ(&seats.take(&threads[i]), taken[i]);
}

TEST(seat_list_alone, a_new_thread_takes_a_seat_that_no_thread_has_had) {
    seat_list seats;
    contract_seat& first = seats.take(&threads[0]);
    seat_list::leave(first);
    contract_seat& second = seats.take(&threads[1]);
    EXPECT_NE(&second, &first);
    EXPECT_EQ(seats.used(), 2U);
    EXPECT_EQ(&seats.take(&threads[0]), &first);
}

TEST(seat_list_alone, a_seat_is_made_only_if_none_is_free) {
    seat_list seats;
    std::array<contract_seat*, constants::seats_in_row> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = &seats.take(&threads[i]);
    seat_list::leave(*taken[1]);
    EXPECT_EQ(&seats.take(&threads[8]), taken[1]);
    EXPECT_EQ(seats.take(&threads[9]).index, taken.size());
}

TEST(seat_list_alone, knows_which_threads_are_inside) {
    seat_list seats;
    contract_seat& first = seats.take(&threads[0]);
    EXPECT_TRUE(seats.is_inside(&threads[0]));
    EXPECT_FALSE(seats.is_inside(&threads[1]));
    seat_list::leave(first);
    EXPECT_FALSE(seats.is_inside(&threads[0]));
}

} // namespace
} // namespace weft::inline v0::detail
