// Three ways to sleep until a parcel comes. The tour lets the explorer judge them.
//
// All have one sleeper, who takes the parcel, and one giver, who leaves it and wakes the sleeper only
// if that one says to be asleep: waking costs a system call, so nobody does it in vain.
#pragma once

#include <weft/detail/sync/order.hpp>
#include <weft/explorer.hpp>

namespace weft::tour {

inline constexpr auto relaxed = decltype(sync::relaxed)::value;
inline constexpr auto acquire = decltype(sync::acquire)::value;
inline constexpr auto release = decltype(sync::release)::value;

/// What sleeper and giver share.
struct doorstep {
    explorer::plain<int> parcel{0};
    explorer::atomic<bool> delivered{false};
    explorer::atomic<bool> asleep{false};
    explorer::parker bed;

    doorstep() {
        parcel.label("parcel");
        delivered.label("delivered");
        asleep.label("asleep");
    }
};

/// Looks, then says to be asleep. The giver may come in between.
struct naive {
    static void sleep_until_delivered(doorstep& at) {
        while (!at.delivered.load(acquire)) {
            at.asleep.store(true, relaxed);
            at.bed.park();
        }
    }
    static void deliver(doorstep& at) {
        at.parcel.write(1);
        at.delivered.store(true, release);
        if (at.asleep.load(relaxed)) at.bed.unpark();
    }
};

/// Says to be asleep, then looks again. Right if every thread saw every store at once.
struct hopeful {
    static void sleep_until_delivered(doorstep& at) {
        while (!at.delivered.load(acquire)) {
            at.asleep.store(true, relaxed);
            if (at.delivered.load(acquire)) break;
            at.bed.park();
        }
    }
    static void deliver(doorstep& at) {
        at.parcel.write(1);
        at.delivered.store(true, release);
        if (at.asleep.load(relaxed)) at.bed.unpark();
    }
};

/// The same, but both exchange the word `asleep`. Exchanges have an order: either the giver's is the
/// second and finds the sleeper, or the sleeper's is and brings what the giver had done.
struct repaired {
    static void sleep_until_delivered(doorstep& at) {
        while (!at.delivered.load(acquire)) {
            at.asleep.exchange(true, acquire);
            if (at.delivered.load(acquire)) break;
            at.bed.park();
        }
    }
    static void deliver(doorstep& at) {
        at.parcel.write(1);
        at.delivered.store(true, release);
        if (at.asleep.exchange(false, release)) at.bed.unpark();
    }
};

/// One parcel, one sleeper, one giver.
template <class Protocol>
void one_parcel() {
    doorstep at;
    explorer::together(explorer::named{"sleeper",
                                       [&] {
                                           Protocol::sleep_until_delivered(at);
                                           explorer::check(at.parcel.read() == 1,
                                                           "the parcel is there");
                                       }},
                       explorer::named{"giver", [&] { Protocol::deliver(at); }});
}

} // namespace weft::tour
