#include "pool/source_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::inline v0::detail {
namespace {

struct silent final : work_source {
    bool try_run() noexcept override { return false; }
    [[nodiscard]] bool has_work() const noexcept override { return false; }
};

std::vector<work_source*> visited(source_list& list) {
    std::vector<work_source*> all;
    list.visit([&](work_source& each) {
        all.push_back(&each);
        return false;
    });
    return all;
}

TEST(source_list, visits_all_that_are_attached_once) {
    source_list list;
    silent first;
    silent second;
    EXPECT_TRUE(visited(list).empty());
    list.attach(first);
    list.attach(second);
    EXPECT_EQ(visited(list).size(), 2U);
    list.detach(first);
    EXPECT_EQ(visited(list), std::vector<work_source*>{&second});
    list.detach(first);
    list.detach(second);
    EXPECT_TRUE(visited(list).empty());
}

TEST(source_list, visits_those_behind_a_place_that_was_used_again) {
    source_list list;
    std::vector<silent> sources(4);
    for (std::size_t i = 0; i < 3; ++i) list.attach(sources[i]);
    list.detach(sources[0]);
    list.attach(sources[3]);
    EXPECT_EQ(visited(list), (std::vector<work_source*>{&sources[3], &sources[1], &sources[2]}));
}

TEST(source_list, refuses_a_source_that_it_has) {
    source_list list;
    silent first;
    silent second;
    list.attach(first);
    list.attach(second);
    EXPECT_THROW(list.attach(first), error);
    EXPECT_THROW(list.attach(second), error);
    EXPECT_EQ(visited(list).size(), 2U);
}

TEST(source_list, ends_a_visit_when_a_source_was_used) {
    source_list list;
    silent first;
    silent second;
    list.attach(first);
    list.attach(second);
    int visits = 0;
    EXPECT_TRUE(list.visit([&](work_source&) {
        ++visits;
        return true;
    }));
    EXPECT_EQ(visits, 1);
}

TEST(source_list, has_a_bounded_number_of_places_and_uses_them_again) {
    source_list list;
    std::vector<silent> sources(source_list::most);
    for (int round = 0; round < 3; ++round) {
        for (silent& each : sources) list.attach(each);
        silent another;
        EXPECT_THROW(list.attach(another), error);
        for (silent& each : sources) list.detach(each);
    }
}

} // namespace
} // namespace weft::inline v0::detail
