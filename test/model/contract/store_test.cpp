// The entries of contracts and the seats of threads.
#include "contract/contract_store.hpp"
#include "contract/seat.hpp"
#include "support/thorough.hpp"

#include <weft/detail/sync/plain.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace weft {
namespace {

using detail::contract_seat;
using detail::contract_store;
using detail::seat_list;
using explorer::check;
using explorer::named;
using explorer::together;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

void explore(const std::string& name, const std::function<void()>& body) {
    using explorer::options;
    test::explore_within({options::sequential(2), options::weak(2, 1),
                          options::random(test::scaled(2'000, 200'000))},
                         name, body);
}

void entries_are_taken_once() {
    contract_store store;
    store.give_back(store.take(no_limit));
    std::array<std::uint32_t, 2> taken{};
    together(named("one", [&] { taken[0] = store.take(no_limit); }),
             named("other", [&] { taken[1] = store.take(no_limit); }));
    check(taken[0] + taken[1] == 1, "they have the first two entries");
}

void an_entry_comes_with_what_was_done() {
    contract_store store;
    sync::plain<int> content{0};
    const std::uint32_t entry = store.take(no_limit);
    together(named("one",
                   [&] {
                       content.write(1);
                       store.give_back(entry);
                   }),
             named("other", [&] {
                 if (store.take(no_limit) == entry) content.write(2);
             }));
}

/// Taken and given back while another thread is about to take it (ABA): the head has a new number.
void an_entry_is_not_mistaken_for_itself() {
    contract_store store;
    const std::array entries{store.take(no_limit), store.take(no_limit)};
    for (const std::uint32_t each : entries) store.give_back(each);
    std::array<std::uint32_t, 3> taken{};
    together(named("one", [&] { taken[0] = store.take(no_limit); }), named("other", [&] {
                 const std::uint32_t first = store.take(no_limit);
                 taken[1] = store.take(no_limit);
                 store.give_back(first);
             }));
    taken[2] = store.take(no_limit);
    check(taken[0] != taken[1] && taken[1] != taken[2] && taken[0] != taken[2],
          "no two have the same entry");
}

void two_are_given_back() {
    contract_store store;
    const std::array entries{store.take(no_limit), store.take(no_limit)};
    together(named("one", [&] { store.give_back(entries[0]); }),
             named("other", [&] { store.give_back(entries[1]); }));
    check(store.take(no_limit) + store.take(no_limit) == 1, "both are free");
}

void two_make_room() {
    contract_store store;
    const auto use = [&store] {
        const std::uint32_t entry = store.take(no_limit);
        check((store.block(0).look().running() >> entry & 1) != 0, "it is made");
    };
    together(named("one", use), named("other", use),
             named("observer", [&] { static_cast<void>(store.memory()); }));
    check(store.used() == 2 && store.blocks() == 1, "two are used");
}

void what_is_in_use_is_looked_at() {
    contract_store store;
    together(named("one", [&] { static_cast<void>(store.take(no_limit)); }), named("other", [&] {
                 if (store.used() != 0) check(!store.block(0).living(), "it is made");
             }));
}

void a_seat_is_taken_by_one() {
    seat_list seats;
    std::array<sync::plain<int>, 8> uses;
    const auto sit = [&] {
        contract_seat& seat = seats.take();
        ++uses[seat.index].modify();
        seat_list::leave(seat);
    };
    together(named("one", sit), named("other", sit));
    check(seats.used() >= 1 && seats.used() <= 2, "as many seats as threads at once");
}

/// All seats have had an owner; a new thread takes the seat of one that has left.
void a_thread_that_left_is_not_inside() {
    seat_list seats;
    std::array<char, 5> threads{};
    std::array<contract_seat*, 4> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = &seats.take(&threads[i]);
    check(seats.is_inside(&threads[0]), "it is inside");
    for (contract_seat* each : taken) seat_list::leave(*each);
    together(named("newcomer",
                   [&] {
                       contract_seat& seat = seats.take(&threads[4]);
                       check(seats.is_inside(&threads[4]), "it is inside");
                       seat_list::leave(seat);
                   }),
             named("leaver", [&] { check(!seats.is_inside(&threads[0]), "it is outside"); }));
}

void seats_grow() {
    seat_list seats;
    for (int i = 0; i < 4; ++i) static_cast<void>(seats.take());
    const auto sit = [&] { check(seats.take().index >= 4, "it is a new one"); };
    together(named("one", sit), named("other", sit), named("observer", [&] {
                 static_cast<void>(seats.find(
                     [](contract_seat& each) { return each.batch.idle_since() == std::nullopt; }));
             }));
    check(seats.used() == 6, "each has a seat");
}

/// Of two that want to borrow a seat, one has it at a time: both at once are a race.
void a_seat_is_borrowed_by_one() {
    seat_list seats;
    const char thread = 0;
    contract_seat& seat = seats.take(&thread);
    seat_list::leave(seat);
    const auto borrow = [&seat] {
        if (!seat_list::try_borrow(seat)) return;
        ++seat.kept.modify().items;
        seat_list::leave(seat);
    };
    together(named("borrower", borrow), named("other borrower", borrow));
    explorer::check(seat.kept.read().items != 0, "one of them had it");
}

/// A seat that is borrowed shows what its thread has left there.
void a_borrowed_seat_shows_what_was_left() {
    seat_list seats;
    const char thread = 0;
    contract_seat& seat = seats.take(&thread);
    together(named("thread",
                   [&] {
                       seat.kept.modify().items = 3;
                       seat_list::leave(seat);
                   }),
             named("borrower", [&] {
                 if (!seat_list::try_borrow(seat)) return;
                 explorer::check(seat.kept.read().items == 3, "it is seen");
                 seat.kept.modify().items = 0;
                 seat_list::leave(seat);
             }));
    contract_seat& again = seats.take(&thread);
    explorer::check(&again == &seat, "it is still the thread's");
}

TEST(contract_store, entries_are_taken_once) {
    explore("store: taken once", entries_are_taken_once);
}
TEST(contract_store, an_entry_comes_with_what_was_done) {
    explore("store: comes with what was done", an_entry_comes_with_what_was_done);
}
TEST(contract_store, an_entry_is_not_mistaken_for_itself) {
    explore("store: not mistaken for itself", an_entry_is_not_mistaken_for_itself);
}
TEST(contract_store, two_entries_may_be_given_back_at_once) {
    explore("store: two are given back", two_are_given_back);
}
TEST(contract_store, two_make_room) { explore("store: two make room", two_make_room); }
TEST(contract_store, what_is_in_use_can_be_looked_at) {
    explore("store: looked at", what_is_in_use_is_looked_at);
}
TEST(seat_list, a_seat_is_taken_by_one) { explore("seats: taken by one", a_seat_is_taken_by_one); }
TEST(seat_list, a_thread_that_left_is_not_inside) {
    explore("seats: a thread that left", a_thread_that_left_is_not_inside);
}
TEST(seat_list, a_borrowed_seat_shows_what_was_left) {
    explore("seats: borrowed", a_borrowed_seat_shows_what_was_left);
    explore("seats: two borrow", a_seat_is_borrowed_by_one);
}
TEST(seat_list, grows) { explore("seats: grow", seats_grow); }

TEST(contract_store, every_mutant_is_caught) {
    const explorer::options weak = explorer::options::weak(2, 1);
    const std::vector<explorer::scenario> scenarios = {
        {"store: taken once", weak, entries_are_taken_once},
        {"store: comes with what was done", weak, an_entry_comes_with_what_was_done},
        {"store: not mistaken for itself", weak, an_entry_is_not_mistaken_for_itself},
        {"store: two are given back", weak, two_are_given_back},
        {"store: two make room", weak, two_make_room},
        {"store: looked at", weak, what_is_in_use_is_looked_at},
    };
    EXPECT_EQ(test::survivors(scenarios, "contract/contract_store.hpp"),
              std::vector<std::string>{});
}

TEST(seat_list, every_mutant_is_caught) {
    const explorer::options weak = explorer::options::weak(2, 1);
    const std::vector<explorer::scenario> scenarios = {
        {"seats: taken by one", weak, a_seat_is_taken_by_one},
        {"seats: borrowed", weak, a_borrowed_seat_shows_what_was_left},
        {"seats: two borrow", weak, a_seat_is_borrowed_by_one},
        {"seats: grow", weak, seats_grow},
    };
    EXPECT_EQ(test::survivors(scenarios, "contract/seat.hpp"), std::vector<std::string>{});
}

} // namespace
} // namespace weft
