#include "pool/pool_number.hpp"

#include <utility>

namespace weft::detail {
namespace {

struct known_numbers {
    sync::mutex mutex;
    pool_number* first = nullptr;
    std::uint64_t last_value = 0;
};

known_numbers& known() noexcept {
    static known_numbers all;
    return all;
}

} // namespace

pool_number::pool_number() noexcept {
    known_numbers& all = known();
    const sync::lock_guard one_at_a_time{all.mutex};
    value_ = ++all.last_value;
    next_ = std::exchange(all.first, this);
}

pool_number::~pool_number() { forget(); }

void pool_number::forget() noexcept {
    known_numbers& all = known();
    const sync::lock_guard one_at_a_time{all.mutex};
    pool_number** link = &all.first;
    while (*link != nullptr && *link != this) link = &(*link)->next_;
    if (*link != nullptr) *link = next_;
}

sync::mutex& pool_number::known_mutex() noexcept { return known().mutex; }

bool pool_number::is_known(std::uint64_t value) noexcept {
    const pool_number* each = known().first;
    while (each != nullptr && each->value_ != value) each = each->next_;
    return each != nullptr;
}

} // namespace weft::detail
