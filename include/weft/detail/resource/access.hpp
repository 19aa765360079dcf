// What a task names, as claims on resource words and as data for its body.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/resource/resource_queue.hpp>
#include <weft/detail/resource/ticket.hpp>
#include <weft/detail/sync/check.hpp>
#include <weft/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::inline v0 {

class limit;

namespace detail {

/// The word of a resource that tasks may read at the same time.
struct shared_word : limit_word {
    shared_word() noexcept : limit_word{most_capacity} {}
};
template <class Sharing>
using word_of = std::conditional_t<Sharing::is_shared, shared_word, resource_word>;

template <class Word>
void check_unused([[maybe_unused]] const Word& word,
                  [[maybe_unused]] const char* message) noexcept {
    WEFT_CHECK(word.idle(), message);
}

/// A key of a key space.
template <class Sharing>
struct key {
    word_of<Sharing>* word;
};
/// The next power of two; throws `invalid_argument` for 0 and for more than 2^40.
[[nodiscard]] WEFT_API std::size_t key_words(std::size_t wanted);
/// Spreads the bits of a hash: std::hash of a number is often the number itself.
inline std::size_t mix(std::size_t hash) noexcept {
    const std::uint64_t mixed = hash * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
}
template <class Key>
std::size_t hash_of(const Key& key) noexcept {
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
        return mix(std::hash<std::string_view>{}(key));
    } else {
        return mix(std::hash<Key>{}(key));
    }
}

/// A claim, and the data that belongs to it.
template <class T>
struct access {
    claim wanted;
    T* data;
    [[nodiscard]] std::tuple<T*> argument() const noexcept { return {data}; }
    void check(const char* /*call*/) const noexcept {}
};
/// A claim without data.
struct bare_access {
    claim wanted;
    std::uint32_t capacity; // of a limit; 0: any weight is right
    [[nodiscard]] static std::tuple<> argument() noexcept { return {}; }
    void check(const char* call) const {
        if (capacity == 0) return;
        if (wanted.weight == 0) throw error{errc::invalid_argument, call};
        if (wanted.weight > capacity) throw error{errc::overweight, call};
    }
};

/// Makes accesses from what a task names.
struct access_factory {
    template <class Resource>
    static auto make(Resource& named) noexcept
        requires requires { named.data_; }
    {
        return with_data(claim{&named.word_, full_weight(named.word_)}, named.data_);
    }
    template <class Named>
    static auto make(Named* named) noexcept
        requires requires { named->word_; }
    {
        return make(*named);
    }
    template <class Resource>
    static auto make_read(Resource& named) noexcept
        requires requires { named.data_; }
    {
        return with_data(claim{&named.word_, 1}, std::as_const(named.data_));
    }
    template <class Sharing>
    static bare_access make(const key<Sharing>& named) noexcept {
        return {claim{named.word, full_weight(*named.word)}, 0};
    }
    template <class Sharing>
    static bare_access make_read(const key<Sharing>& named) noexcept {
        return {claim{named.word, 1}, 0};
    }
    template <class Limit>
    static bare_access make_take(Limit& named, std::uint32_t weight) noexcept {
        return {claim{&named.word_, weight}, named.word_.capacity()};
    }
    template <class Limit>
    static bare_access make(Limit& named) noexcept
        requires std::is_same_v<Limit, limit>
    {
        return make_take(named, 1);
    }
    template <class T>
    static access<T> make(const access<T>& made) noexcept {
        return made;
    }
    static bare_access make(const bare_access& made) noexcept { return made; }
    template <class T>
    static auto make(const std::reference_wrapper<T>& named) noexcept {
        return make(named.get());
    }
    template <class T>
    static auto make(const std::unique_ptr<T>& named) noexcept {
        return make(*named);
    }
    /// The address that identifies a resource in reports.
    template <class Named>
    static const void* word(const Named& named) noexcept {
        return static_cast<const resource_word*>(&named.word_);
    }

private:
    template <class T>
    static access<T> with_data(claim wanted, T& data) noexcept {
        return {wanted, std::addressof(data)};
    }
    static std::uint32_t full_weight(const limit_word& word) noexcept { return word.capacity(); }
    static std::uint32_t full_weight(const resource_word& /*word*/) noexcept { return 0; }
};

/// What can be given to `when`. An array is a range, though it decays to a pointer to its first
/// element.
template <class Named>
concept nameable = !std::is_array_v<std::remove_reference_t<Named>> &&
                   requires(Named& named) { access_factory::make(named); };
/// A range that can be given to `when`.
template <class Range>
concept range_of_nameable = !nameable<Range> && requires(Range& range) {
    std::end(range);
    requires nameable<decltype(*std::begin(range))>;
};

/// The needs of a task that are known when it is compiled.
template <class... Access>
class fixed_needs {
public:
    explicit fixed_needs(const Access&... all) noexcept : all_{all...} {}

    [[nodiscard]] std::span<const claim> claims(const char* call) {
        std::apply(
            [&](const Access&... each) {
                (each.check(call), ...);
                claims_ = {each.wanted...};
            },
            all_);
        return std::span{claims_}.first(arrange(claims_));
    }
    [[nodiscard]] auto data() const noexcept {
        return std::apply([](const Access&... each) { return std::tuple_cat(each.argument()...); },
                          all_);
    }
    /// `body(data..., more...)`.
    template <class Body, class Data, class... More>
    static decltype(auto) call(Body& body, const Data& data, More&&... more) {
        return std::apply(
            [&](auto*... each) -> decltype(auto) {
                return std::invoke(body, *each..., std::forward<More>(more)...);
            },
            data);
    }

private:
    std::tuple<Access...> all_;
    std::array<claim, sizeof...(Access)> claims_{};
};

/// The needs of a task that are known at run time.
template <class Access>
class range_needs {
public:
    template <class Range>
    explicit range_needs(Range& range) {
        for (auto&& each : range) all_.push_back(access_factory::make(each));
    }

    [[nodiscard]] std::span<const claim> claims(const char* call) {
        claims_.reserve(all_.size());
        for (const Access& each : all_) {
            each.check(call);
            claims_.push_back(each.wanted);
        }
        return std::span{claims_}.first(arrange(claims_));
    }
    [[nodiscard]] auto data() const {
        if constexpr (std::is_same_v<Access, bare_access>) {
            return std::tuple<>{};
        } else {
            std::vector<decltype(Access::data)> pointers;
            pointers.reserve(all_.size());
            for (const Access& each : all_) pointers.push_back(each.data);
            return pointers;
        }
    }
    template <class Body, class Data, class... More>
    static decltype(auto) call(Body& body, const Data& data, More&&... more) {
        if constexpr (std::is_same_v<Access, bare_access>) {
            return std::invoke(body, std::forward<More>(more)...);
        } else {
            return std::invoke(body, std::span{data}, std::forward<More>(more)...);
        }
    }

private:
    std::vector<Access> all_;
    std::vector<claim> claims_;
};
template <class Range>
range_needs(Range& range) -> range_needs<decltype(access_factory::make(*std::begin(range)))>;

} // namespace detail
} // namespace weft::inline v0
