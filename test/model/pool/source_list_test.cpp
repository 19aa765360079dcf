#include "pool/source_list.hpp"

#include "support/thorough.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/plain.hpp>

namespace weft {
namespace {

using explorer::named;
using explorer::together;

/// A source whose every use must be ordered between its making and its end.
class source final : public work_source {
public:
    bool try_run() noexcept override {
        explorer::check(made_.read(), "what was made is seen");
        uses_.fetch_add(1, sync::relaxed);
        return true;
    }
    [[nodiscard]] bool has_work() const noexcept override { return made_.read(); }

private:
    sync::plain<bool> made_{true};
    sync::atomic<int> uses_{0};
};

bool use(work_source& each) { return each.try_run(); }

/// A list with a source that always has work and another place before it. A visit ends there: the
/// places behind it would be looked at in every interleaving for nothing.
struct fixture {
    detail::source_list list;
    source standing;

    fixture() {
        source holder;
        list.attach(holder);
        list.attach(standing);
        list.detach(holder);
    }

    source* attach() {
        auto* made = sync::make<source>();
        list.attach(*made);
        return made;
    }
    /// The source ends at once: nobody is inside.
    void detach(source* made) {
        list.detach(*made);
        sync::destroy(made);
    }
    void visit() { explorer::check(list.visit(use), "one is always there"); }
};

void attached_while_visited() {
    fixture all;
    source* made = nullptr;
    together(named("owner", [&] { made = all.attach(); }), named("visitor", [&] { all.visit(); }));
    all.detach(made);
}

void detached_while_visited() {
    fixture all;
    source* made = all.attach();
    together(named("owner", [&] { all.detach(made); }), named("visitor", [&] { all.visit(); }));
}

void detached_while_two_visit() {
    fixture all;
    source* made = all.attach();
    together(named("owner", [&] { all.detach(made); }), named("visitor", [&] { all.visit(); }),
             named("other visitor", [&] { all.visit(); }));
}

/// The place is used again while a visitor that came for the first source is still there.
void a_place_used_again() {
    fixture all;
    source* made = all.attach();
    together(named("owner",
                   [&] {
                       all.detach(made);
                       made = all.attach();
                       all.detach(made);
                   }),
             named("visitor", [&] { all.visit(); }));
}

void attached_and_detached() {
    fixture all;
    together(named("owner", [&] { all.detach(all.attach()); }),
             named("other owner", [&] { all.detach(all.attach()); }),
             named("visitor", [&] { all.visit(); }));
}

void visited_again_and_again() {
    fixture all;
    together(named("owner", [&] { all.detach(all.attach()); }), named("visitor", [&] {
                 all.visit();
                 all.visit();
             }));
}

void two_attach() {
    detail::source_list list;
    source first;
    source second;
    together(named("owner", [&] { list.attach(first); }),
             named("other owner", [&] { list.attach(second); }));
    int visited = 0;
    list.visit([&](work_source& each) {
        visited += each.has_work() ? 1 : 0;
        return false;
    });
    explorer::check(visited == 2, "each has a place of its own");
    list.detach(first);
    explorer::check(list.visit(use), "the other is still attached");
    list.detach(second);
    explorer::check(!list.visit(use), "both are gone");
}

TEST(source_list, what_was_attached_is_visited) {
    test::explore_thoroughly("sources: attached while visited", attached_while_visited);
}

TEST(source_list, nobody_is_inside_after_detach) {
    test::explore_thoroughly("sources: detached while visited", detached_while_visited);
}

TEST(source_list, none_of_two_visitors_is_inside_after_detach) {
    test::explore_thoroughly("sources: detached while two visit", detached_while_two_visit);
}

TEST(source_list, a_place_may_be_used_again) {
    test::explore_thoroughly("sources: a place used again", a_place_used_again);
}

TEST(source_list, owners_do_not_disturb_each_other) {
    test::explore_thoroughly("sources: attached and detached", attached_and_detached);
}

TEST(source_list, may_be_visited_again_and_again) {
    test::explore_thoroughly("sources: visited again and again", visited_again_and_again);
}

TEST(source_list, each_source_has_a_place) {
    test::explore_thoroughly("sources: two attach", two_attach);
}

TEST(source_list, every_mutant_is_caught) {
    const explorer::options bounds = explorer::options::weak(2, 2);
    const std::vector<explorer::scenario> scenarios = {
        {"sources: attached while visited", bounds, attached_while_visited},
        {"sources: detached while visited", bounds, detached_while_visited},
        {"sources: two attach", bounds, two_attach},
        {"sources: a place used again", bounds, a_place_used_again},
        {"sources: detached while two visit", bounds, detached_while_two_visit},
    };
    EXPECT_EQ(test::survivors(scenarios, "source_list.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
