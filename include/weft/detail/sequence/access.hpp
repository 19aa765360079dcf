// What a task names, as claims on words and as data for its callable.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/sequence/slot.hpp>
#include <weft/detail/sequence/ticket.hpp>
#include <weft/detail/sync/check.hpp>
#include <weft/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The word of a resource that may be read together.
struct shared_word : gate_word {
    shared_word() noexcept : gate_word{most_capacity} {}
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
/// The next power of two; throws `invalid_argument` for none and for too many.
[[nodiscard]] WEFT_API std::size_t key_words(std::size_t wanted);
/// Many hashes leave numbers as they are.
inline std::size_t mix(std::size_t hash) noexcept {
    const std::uint64_t mixed = hash * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32U));
}
template <class Key>
std::size_t hash_of(const Key& which) noexcept {
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
        return mix(std::hash<std::string_view>{}(which));
    } else {
        return mix(std::hash<Key>{}(which));
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
    std::uint32_t capacity;
    [[nodiscard]] static std::tuple<> argument() noexcept { return {}; }
    void check(const char* call) const {
        if (capacity == 0) return;
        if (wanted.weight == 0) throw error{errc::invalid_argument, call};
        if (wanted.weight > capacity) throw error{errc::overweight, call};
    }
};

/// Makes accesses of what was named.
struct access_of {
    template <class Resource>
    static auto of(Resource& what) noexcept
        requires requires { what.data_; }
    {
        return with_data(claim{&what.word_, all_of(what.word_)}, what.data_);
    }
    template <class Resource>
    static auto of(Resource* what) noexcept
        requires requires { what->data_; }
    {
        return of(*what);
    }
    template <class Resource>
    static auto reading(Resource& what) noexcept
        requires requires { what.data_; }
    {
        return with_data(claim{&what.word_, 1}, std::as_const(what.data_));
    }
    template <class Sharing>
    static bare_access of(const key<Sharing>& what) noexcept {
        return {claim{what.word, all_of(*what.word)}, 0};
    }
    template <class Sharing>
    static bare_access reading(const key<Sharing>& what) noexcept {
        return {claim{what.word, 1}, 0};
    }
    template <class Limit>
    static bare_access taking(Limit& what, std::uint32_t weight) noexcept {
        return {claim{&what.word_, weight}, what.word_.capacity()};
    }
    template <class Limit>
    static bare_access of(Limit& what) noexcept
        requires std::is_same_v<Limit, limit>
    {
        return taking(what, 1);
    }
    template <class T>
    static access<T> of(const access<T>& already) noexcept {
        return already;
    }
    static bare_access of(const bare_access& already) noexcept { return already; }
    template <class T>
    static auto of(const std::reference_wrapper<T>& what) noexcept {
        return of(what.get());
    }
    template <class T>
    static auto of(const std::unique_ptr<T>& what) noexcept {
        return of(*what);
    }
    /// For introspection.
    template <class Named>
    static const void* word(const Named& what) noexcept {
        return static_cast<const resource_word*>(&what.word_);
    }

private:
    template <class T>
    static access<T> with_data(claim wanted, T& data) noexcept {
        return {wanted, std::addressof(data)};
    }
    static std::uint32_t all_of(const gate_word& word) noexcept { return word.capacity(); }
    static std::uint32_t all_of(const resource_word& /*word*/) noexcept { return 0; }
};

/// The needs of a task that are known when it is compiled.
template <class... Access>
class few {
public:
    explicit few(const Access&... all) noexcept : all_{all...} {}

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

/// Those of a range.
template <class Access>
class many {
public:
    template <class Range>
    explicit many(Range& all) {
        for (auto&& each : all) all_.push_back(access_of::of(each));
    }

    [[nodiscard]] std::span<const claim> claims(const char* call) {
        claims_.clear();
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
many(Range& all) -> many<decltype(access_of::of(*std::begin(all)))>;

} // namespace detail
} // namespace weft::inline v0
