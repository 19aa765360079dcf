// Generators: coroutines that yield elements one by one, to a loop.
#pragma once

#include <weft/detail/coroutine/generator_promise.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// A coroutine that yields elements to a loop, on the thread of the loop, as far as the loop goes:
///
///     weft::generator<int> squares() {
///         for (int i = 1;; ++i) co_yield i * i;
///     }
///     for (int square : squares() | std::views::take(3)) ...
///
/// The elements are rvalues of a `T`, or lvalues if `T` is a reference. It is an input range, to be
/// gone through once. What the coroutine throws is thrown by `begin` or by the increment of the
/// iterator. It may end early: the coroutine is destroyed where it is. It needs no pool; on a
/// worker its frame comes from the worker's memory.
template <class T>
class [[nodiscard]] generator : public std::ranges::view_base {
public:
    /// What the compiler makes of the coroutine.
    using promise_type = detail::generator_promise<T>;
    /// Of an element.
    using value_type = std::remove_cvref_t<T>;
    /// What an iterator refers to.
    using reference = std::conditional_t<std::is_reference_v<T>, T, T&&>;

    /// Goes through the elements.
    class iterator {
    public:
        using iterator_concept = std::input_iterator_tag; ///< one pass
        using value_type = generator::value_type;         ///< of an element
        using difference_type = std::ptrdiff_t;           ///< never used

        /// For weft's own use.
        explicit iterator(promise_type& frame) noexcept : frame_{&frame} {}
        /// `other` must not be used afterwards.
        iterator(iterator&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
        /// `other` must not be used afterwards.
        iterator& operator=(iterator&& other) noexcept {
            frame_ = std::exchange(other.frame_, nullptr);
            return *this;
        }
        ~iterator() = default;

        /// The element, which lives until the next increment.
        [[nodiscard]] reference operator*() const noexcept {
            using element = std::remove_reference_t<T>;
            return static_cast<reference>(
                *static_cast<element*>(const_cast<void*>(frame_->yielded)));
        }
        /// Runs the coroutine until its next element; throws what it throws.
        iterator& operator++() {
            frame_->advance();
            return *this;
        }
        /// The same.
        void operator++(int) { ++*this; }
        /// Whether there are no more elements.
        friend bool operator==(const iterator& position, std::default_sentinel_t /*end*/) noexcept {
            return position.frame_->innermost == nullptr;
        }

    private:
        promise_type* frame_;
    };

    /// Without elements.
    generator() noexcept = default;
    /// For weft's own use.
    explicit generator(promise_type& frame) noexcept : frame_{&frame} {}
    /// `other` has no elements afterwards.
    generator(generator&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
    /// Destroys the coroutine it had before. `other` has no elements afterwards.
    generator& operator=(generator&& other) noexcept {
        generator taken{std::move(other)};
        std::swap(frame_, taken.frame_);
        return *this;
    }
    /// Destroys the coroutine.
    ~generator() {
        if (frame_ != nullptr) frame_->destroy_all();
    }

    /// Runs the coroutine until its first element; throws what it throws. To be called once.
    [[nodiscard]] iterator begin() {
        if (frame_ == nullptr) frame_ = &empty().release();
        frame_->advance();
        return iterator{*frame_};
    }
    /// After the last element.
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
    friend detail::nested_elements<T>;
    static generator empty() { co_return; }
    [[nodiscard]] promise_type& release() noexcept { return *std::exchange(frame_, nullptr); }

    promise_type* frame_ = nullptr;
};

/// All elements of another generator, inside a generator: `co_yield weft::elements_of(inner());`.
/// An element costs the same at any depth, and the depth is limited by memory, not by the stack.
template <class T>
[[nodiscard]] detail::nested_elements<T> elements_of(generator<T> inner) noexcept {
    return detail::nested_elements<T>{std::move(inner)};
}

} // namespace weft::inline v0
