#include <weft/signal_tree.hpp>

#include <weft/error.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

namespace weft::inline v0 {

// How a tree works. A signal is a bit; 64 are a word. The marks say which words have a bit set: a
// thread sets its bit and then marks the word, and a thread that takes the last bit of a word
// withdraws its mark and looks again, with a fence on each side (mark_tree, T1). So what was set
// has marks above it as soon as `set` has returned, whatever other threads do or leave undone.

namespace {

constexpr std::size_t none = detail::mark_tree::none;
constexpr std::size_t most_signals = std::size_t{1} << 40; // what the marks have room for

std::size_t words_for(std::size_t signals) noexcept {
    constexpr std::size_t width = 64;
    return std::max<std::size_t>((signals + width - 1) / width, 1);
}
std::size_t checked(std::size_t signals) {
    if (signals > most_signals) throw std::bad_alloc{};
    return signals;
}

} // namespace

signal_tree::signal_tree(std::size_t signals)
    : size_{checked(signals)}, marks_{words_for(signals)},
      words_{static_cast<word*>(sync::allocate(words_for(signals) * sizeof(word), alignof(word)))} {
    for (std::size_t each = 0; each < words_for(size_); ++each) {
        std::construct_at(words_ + each, 0);
    }
}
signal_tree::~signal_tree() {
    std::destroy_n(words_, words_for(size_));
    sync::deallocate(words_, alignof(word));
}

void signal_tree::require_below_size(std::size_t signal, const char* call) const {
    if (signal >= size_) [[unlikely]]
        throw error{errc::invalid_argument, call};
}

bool signal_tree::set(std::size_t signal) {
    require_below_size(signal, "weft::signal_tree::set");
    // One bit of the old value is used, as contract_block::schedule() does: one instruction on x86.
    const std::uint64_t bit = bit_of(signal);
    // release, pairs with take() [SIGNAL-1]
    const bool was_set = (words_[signal / width].fetch_or(bit, sync::release) & bit) != 0;
    marks_.mark(signal / width); // also if it was set: the thread that set it may have stopped here
    return !was_set;
}

bool signal_tree::reset(std::size_t signal) {
    require_below_size(signal, "weft::signal_tree::reset");
    return take(signal);
}

bool signal_tree::is_set(std::size_t signal) const {
    require_below_size(signal, "weft::signal_tree::is_set");
    return (words_[signal / width].load(sync::relaxed) & bit_of(signal)) != 0;
}

/// Takes a signal if it is set.
bool signal_tree::take(std::size_t signal) noexcept {
    const std::uint64_t bit = bit_of(signal);
    // acquire, pairs with set(); release, pairs with retire(), so that a thread that finds the word
    // empty and withdraws its mark passes on what came before this [SIGNAL-2]
    const std::uint64_t before = words_[signal / width].fetch_and(~bit, sync::acq_rel);
    if (before == bit) retire(signal / width);
    return (before & bit) != 0;
}

/// Withdraws the mark of an empty word; true if it is withdrawn.
bool signal_tree::retire(std::size_t word_index) noexcept {
    return marks_.retire(word_index, [each = words_ + word_index] {
        return each->load(sync::acquire) != 0; // pairs with take() [SIGNAL-3]
    });
}

std::optional<std::size_t> signal_tree::select(signal_cursor& cursor,
                                               const selection_bias& bias) noexcept {
    using kind = selection_bias::kind;
    const std::uint64_t turn = cursor.turn++;
    switch (bias.kind_in(turn)) {
    case kind::range: {
        const std::size_t last = std::min(bias.last(), size_);
        if (bias.first() >= last) break;
        if (const auto found = take_in_turn(cursor.next_preferred, bias.first(), last)) {
            return found;
        }
        break;
    }
    case kind::path: return take_nearest(bias.target(levels(), turn));
    case kind::fair:
    case kind::priority: break;
    }
    return take_in_turn(cursor.next, 0, size_);
}

/// Takes one of `first` to `last - 1`, from `next` on, wrapping at the end.
std::optional<std::size_t> signal_tree::take_in_turn(std::size_t& next, std::size_t first,
                                                     std::size_t last) noexcept {
    const std::size_t start = next >= first && next < last ? next : first;
    auto found = take_from(start, last);
    if (!found) found = take_from(first, start); // NOLINT(readability-suspicious-call-argument)
    if (found) next = *found + 1;
    return found;
}

/// Takes the first from `start` to `end - 1`.
std::optional<std::size_t> signal_tree::take_from(std::size_t start, std::size_t end) noexcept {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const std::size_t words = (end + width - 1) / width;
    for (std::size_t index = start / width; (index = marks_.find(index, words)) != none; ++index) {
        std::uint64_t wanted = all;
        if (index == start / width) wanted &= all << start % width;
        if (index == end / width) wanted &= bit_of(end) - 1;
        for (;;) {
            const std::uint64_t now = words_[index].load(sync::relaxed); // take() acquires
            if (now == 0) retire(index);
            if ((now & wanted) == 0) break;
            const std::size_t signal =
                index * width + static_cast<std::size_t>(std::countr_zero(now & wanted));
            if (take(signal)) return signal;
        }
    }
    return std::nullopt;
}

/// Takes the one that the path to `target` comes to.
std::optional<std::size_t> signal_tree::take_nearest(std::size_t target) noexcept {
    for (;;) {
        const std::size_t index = marks_.find_nearest(target / width);
        if (index == none) return std::nullopt;
        const std::uint64_t now = words_[index].load(sync::relaxed); // take() acquires
        if (now != 0) {
            const std::size_t signal =
                index * width + detail::nearest_bit(now, static_cast<unsigned>(target % width));
            if (take(signal)) return signal;
            continue; // another thread has taken it
        }
        // A mark that stays is in the hands of another thread, which may have stopped: the others
        // are looked at without it.
        if (!retire(index)) return take_from(0, size_);
    }
}

unsigned signal_tree::levels() const noexcept {
    return size_ <= 1 ? 0 : static_cast<unsigned>(std::bit_width(size_ - 1));
}

std::size_t signal_tree::memory() const noexcept {
    return marks_.memory() + words_for(size_) * sizeof(word);
}

} // namespace weft::inline v0
