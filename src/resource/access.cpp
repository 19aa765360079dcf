#include <weft/detail/resource/access.hpp>

#include <weft/detail/pool/represented_pool.hpp>
#include <weft/detail/resource/completion_task.hpp>
#include <weft/error.hpp>
#include <weft/resource.hpp>

#include <bit>

namespace weft::inline v0 {

limit::limit(std::uint32_t capacity) : word_{capacity} {
    if (capacity == 0 || capacity > detail::limit_word::most_capacity) {
        throw error{errc::invalid_argument, "weft::limit"};
    }
}

namespace detail {

std::size_t key_words(std::size_t wanted) {
    constexpr std::size_t most = std::size_t{1} << 40U;
    if (wanted == 0 || wanted > most) throw error{errc::invalid_argument, "weft::key_space"};
    return std::bit_ceil(wanted);
}

pool_front& completion_pool(weft::pool* named) {
    if (named != nullptr) return named->front();
    const worker* caller = worker::current();
    pool_front* target = caller != nullptr ? &caller->pool() : pool_representative::pool();
    if (target == nullptr) throw error{errc::outside_pool, "weft::completion"};
    return *target;
}

} // namespace detail
} // namespace weft::inline v0
