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
    return named != nullptr ? named->front() : implied_pool("weft::completion");
}

} // namespace detail
} // namespace weft::inline v0
