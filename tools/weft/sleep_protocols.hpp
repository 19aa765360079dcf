// Three ways to sleep until a parcel comes, which the tour checks with the explorer.
//
// All have one sleeper, who takes the parcel, and one giver, who delivers it and wakes the sleeper
// only if the sleeper has announced that it is asleep: waking costs a system call.
#pragma once

#include <weft/detail/sync/order.hpp>
#include <weft/explorer.hpp>

namespace weft::tour {

inline constexpr auto relaxed = decltype(sync::relaxed)::value;
inline constexpr auto acquire = decltype(sync::acquire)::value;
inline constexpr auto release = decltype(sync::release)::value;

/// Shared by the sleeper and the giver.
struct doorstep {
    explorer::plain<int> parcel{0};
    explorer::atomic<bool> delivered{false};
    explorer::atomic<bool> asleep{false};
    explorer::parker parker;

    doorstep() {
        parcel.label("parcel");
        delivered.label("delivered");
        asleep.label("asleep");
    }
};

/// Looks, then announces sleep. The giver may come in between.
struct naive {
    static void sleep_until_delivered(doorstep& shared) {
        while (!shared.delivered.load(acquire)) {
            shared.asleep.store(true, relaxed);
            shared.parker.park();
        }
    }
    static void deliver(doorstep& shared) {
        shared.parcel.write(1);
        shared.delivered.store(true, release);
        if (shared.asleep.load(relaxed)) shared.parker.unpark();
    }
};

/// Announces sleep, then looks again. Correct if every thread sees every store at once.
struct hopeful {
    static void sleep_until_delivered(doorstep& shared) {
        while (!shared.delivered.load(acquire)) {
            shared.asleep.store(true, relaxed);
            if (shared.delivered.load(acquire)) break;
            shared.parker.park();
        }
    }
    static void deliver(doorstep& shared) {
        shared.parcel.write(1);
        shared.delivered.store(true, release);
        if (shared.asleep.load(relaxed)) shared.parker.unpark();
    }
};

/// The same, but both exchange the word `asleep`. Exchanges are ordered: if the giver's is the
/// second, it finds the sleeper; if the sleeper's is, it sees the delivery.
struct repaired {
    static void sleep_until_delivered(doorstep& shared) {
        while (!shared.delivered.load(acquire)) {
            shared.asleep.exchange(true, acquire);
            if (shared.delivered.load(acquire)) break;
            shared.parker.park();
        }
    }
    static void deliver(doorstep& shared) {
        shared.parcel.write(1);
        shared.delivered.store(true, release);
        if (shared.asleep.exchange(false, release)) shared.parker.unpark();
    }
};

/// One parcel, one sleeper, one giver.
template <class Protocol>
void one_parcel() {
    doorstep shared;
    explorer::together(explorer::named{"sleeper",
                                       [&] {
                                           Protocol::sleep_until_delivered(shared);
                                           explorer::check(shared.parcel.read() == 1,
                                                           "the parcel is delivered");
                                       }},
                       explorer::named{"giver", [&] { Protocol::deliver(shared); }});
}

} // namespace weft::tour
