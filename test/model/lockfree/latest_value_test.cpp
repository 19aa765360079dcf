#include "lockfree/latest_value.hpp"

#include "support/thorough.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// What a value consists of is plain: a thread that uses or destroys one without having seen its
/// construction is a race.
struct letter {
    explicit letter(int text = 0) : content{sync::make<sync::plain<int>>(text)} {}
    letter(letter&& other) noexcept : content{std::exchange(other.content, nullptr)} {}
    letter& operator=(letter&& other) noexcept {
        std::swap(content, other.content);
        return *this;
    }
    ~letter() {
        if (content == nullptr) return;
        content->write(0);
        sync::destroy(content);
    }
    [[nodiscard]] int read() const { return content->read(); }
    sync::plain<int>* content;
};
using latest = detail::latest_value<letter>;

void what_was_given_is_seen() {
    latest value{letter{1}};
    int seen = 0;
    together(named("giver", [&] { value.give(letter{2}); }), named("owner", [&] {
                 seen = value.owner_get().read();
                 const int next = value.owner_get().read();
                 explorer::check(seen <= next, "it does not go back");
             }));
    explorer::check(seen == 1 || seen == 2, "the first or the second");
    explorer::check(value.owner_get().read() == 2, "what was given stays");
}

void two_give() {
    latest value{letter{1}};
    together(named("giver", [&] { value.give(letter{2}); }),
             named("other giver", [&] { value.give(letter{3}); }),
             named("owner", [&] { static_cast<void>(value.owner_get().read()); }));
    explorer::check(value.owner_get().read() != 1, "one of the two is the latest");
}

/// It is destroyed with what nobody has taken in.
void nobody_looks() {
    latest value{letter{1}};
    together(named("giver", [&] { value.give(letter{2}); }),
             named("other giver", [&] { value.give(letter{3}); }));
}

TEST(latest_value, what_was_given_is_seen_whole) {
    test::explore_thoroughly("latest: given and read", what_was_given_is_seen);
}
TEST(latest_value, one_of_two_givers_is_the_latest) {
    test::explore_thoroughly("latest: two give", two_give);
}
TEST(latest_value, what_nobody_reads_is_destroyed) {
    test::explore_thoroughly("latest: nobody looks", nobody_looks);
}
TEST(latest_value, neither_side_waits_for_the_other) {
    const auto report = explorer::explore("latest: a thread is stopped",
                                          explorer::options::weak(1, 1).freezing(), two_give);
    EXPECT_TRUE(report.passed() && report.exhaustive) << report.explanation();
}

TEST(latest_value, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"latest: given and read", bounds, what_was_given_is_seen},
        {"latest: nobody looks", bounds, nobody_looks},
        {"latest: two give", bounds, two_give},
    };
    EXPECT_EQ(test::survivors(scenarios, "lockfree/latest_value.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
