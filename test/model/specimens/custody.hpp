// Items that pass from thread to thread: each is received once, with what was written to it before.
#pragma once

#include <weft/detail/sync/plain.hpp>
#include <weft/explorer.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace weft::specimen {

/// Numbers below `Count`, each with data that only its holder may touch.
template <std::size_t Count>
class custody {
public:
    /// Before the item is given away.
    int prepare(int item) {
        data_[index(item)].write(item);
        return item;
    }

    /// After it was received; nothing received is nothing to do.
    void receive(std::optional<int> item) {
        if (!item) return;
        explorer::check(data_[index(*item)].read() == *item, "what was prepared is received");
        data_[index(*item)].write(-1); // a second receiver would race, or find this
        ++received_[index(*item)];
    }

    /// When all threads have ended and the rest was received too.
    void check_all_received() const {
        for (const int times : received_) {
            explorer::check(times == 1, "each item is received exactly once");
        }
    }

private:
    static std::size_t index(int item) { return static_cast<std::size_t>(item); }

    std::array<sync::plain<int>, Count> data_{};
    std::array<int, Count> received_{};
};

} // namespace weft::specimen
