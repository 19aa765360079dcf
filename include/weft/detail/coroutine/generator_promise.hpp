// The promise of a generator, and how nested generators take turns.
#pragma once

#include <weft/detail/coroutine/frame.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

template <class T>
class generator;

namespace detail {

/// What the promise of every generator begins with. `parent` is the generator that yields the
/// elements of this one.
///
/// The outermost generator resumes the innermost, in a loop: so an element costs one resumption,
/// however deep the generator that yields it, and the depth needs no stack.
struct generator_head : frame_head {
    generator_head* outermost = this;
    generator_head* innermost = this; // of the outermost: what it resumes next; null at the end
    const void* yielded = nullptr;    // of the outermost: its element, or null

    /// Runs until there is an element, or the end. Throws what the outermost body threw.
    void advance() {
        yielded = nullptr;
        while (yielded == nullptr && innermost != nullptr) {
            generator_head& running = *innermost;
            running.self.resume();
            if (!running.self.done()) continue;
            innermost = static_cast<generator_head*>(running.parent);
            if (innermost == nullptr && running.failure) {
                std::rethrow_exception(std::move(running.failure));
            }
        }
    }
    /// Destroys it, and those that it is inside of, from the innermost outwards. To be called for
    /// an outermost generator.
    void destroy_all() noexcept {
        frame_head* each = innermost != nullptr ? innermost : this;
        while (each != nullptr) {
            frame_head* next = each->parent;
            destroy_frame(*each);
            each = next;
        }
    }
};

/// The end of a `co_yield` of an element.
class element_wait {
public:
    element_wait(generator_head& yielding, const void* element) noexcept {
        yielding.outermost->yielded = element;
    }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*self*/) const noexcept {}
    void await_resume() const noexcept {}
};
/// The same for a copy, which it keeps until the coroutine continues.
template <class Value>
class element_copy {
public:
    element_copy(generator_head& yielding, const Value& original) : copy_{original} {
        yielding.outermost->yielded = std::addressof(copy_);
    }
    element_copy(const element_copy&) = delete;
    element_copy& operator=(const element_copy&) = delete;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*self*/) const noexcept {}
    void await_resume() const noexcept {}

private:
    Value copy_;
};

/// A generator whose elements another one yields.
template <class T>
class nested_elements {
public:
    explicit nested_elements(generator<T>&& inner) noexcept : inner_{std::move(inner)} {}
    [[nodiscard]] generator_head* take() noexcept {
        return inner_.frame_ != nullptr ? &inner_.release() : nullptr;
    }

private:
    generator<T> inner_;
};
class nested_wait {
public:
    nested_wait(generator_head& outer, generator_head* inner) noexcept
        : outer_{&outer}, inner_{inner} {}
    nested_wait(const nested_wait&) = delete;
    nested_wait& operator=(const nested_wait&) = delete;
    /// Once it has begun, the outermost generator destroys it, before this frame.
    ~nested_wait() {
        if (inner_ != nullptr && !begun_) destroy_frame(*inner_);
    }
    [[nodiscard]] bool await_ready() const noexcept { return inner_ == nullptr; }
    void await_suspend(std::coroutine_handle<> /*self*/) noexcept {
        begun_ = true;
        inner_->parent = outer_;
        inner_->outermost = outer_->outermost;
        outer_->outermost->innermost = inner_;
    }
    void await_resume() {
        if (inner_ == nullptr) return;
        const std::exception_ptr failure = std::move(inner_->failure);
        std::exchange(inner_, nullptr)->self.destroy();
        if (failure) std::rethrow_exception(failure);
    }

private:
    generator_head* outer_;
    generator_head* inner_; // null: it has no elements left
    bool begun_ = false;
};

template <class T>
class generator_promise final : public generator_head {
    using value = std::remove_cvref_t<T>;

public:
    generator<T> get_return_object() noexcept {
        self = std::coroutine_handle<generator_promise>::from_promise(*this);
        return generator<T>{*this};
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_always final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }
    void return_void() const noexcept {}
    /// Elements are made without waiting.
    void await_transform() = delete;

    element_wait yield_value(std::remove_reference_t<T>&& element) noexcept
        requires(!std::is_lvalue_reference_v<T>)
    {
        return {*this, std::addressof(element)};
    }
    element_copy<value> yield_value(const value& element)
        requires(!std::is_lvalue_reference_v<T>)
    {
        return {*this, element};
    }
    element_wait yield_value(T element) noexcept
        requires std::is_lvalue_reference_v<T>
    {
        return {*this, std::addressof(element)};
    }
    nested_wait yield_value(nested_elements<T> inner) noexcept { return {*this, inner.take()}; }
};

} // namespace detail
} // namespace weft::inline v0
