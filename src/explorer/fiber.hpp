// Stacks that one OS thread switches between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::inline v0::explorer::detail {

/// A flow of control with a stack of its own. A fiber without a stack stands for the OS thread.
///
/// Each fiber keeps its own state of C++ exceptions, so that one may be inside a catch clause while
/// another throws, and tells AddressSanitizer which stack is in use.
class fiber {
public:
    fiber() noexcept = default;
    ~fiber();
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    /// Room for `size` bytes at the base of the stack, for the entry's argument. Makes the stack if
    /// there is none; whatever ran on it before is forgotten, without destructors.
    void* reserve(std::size_t size, std::size_t alignment);

    /// The next switch to this fiber calls `entry(argument)`, which must never return.
    void prepare(void (*entry)(void*), void* argument);

    /// Leaves `running`, which must be the running fiber, for `next`.
    static void switch_to(fiber& running, fiber& next) noexcept;
    /// The same for good: `running` is not switched to again before it was prepared anew.
    [[noreturn]] static void leave(fiber& running, fiber& next) noexcept;

    static constexpr std::size_t stack_size = std::size_t{256} * 1024;
    /// The lowest address of the stack.
    [[nodiscard]] std::uintptr_t bottom() const noexcept {
        return reinterpret_cast<std::uintptr_t>(stack_);
    }

private:
    struct exception_state {
        void* caught;
        std::uintptr_t uncaught;
    };

    static void first_steps() noexcept;
    static void exchange_stacks(fiber& running, fiber& next, bool for_good) noexcept;
    void make_stack();
    void arrive(fiber* previous) noexcept;

    void* context_ = nullptr; // saved stack pointer, or the ucontext where there is no assembly
    char* stack_ = nullptr;
    std::size_t reserved_ = 0;
    exception_state exceptions_{};
    void (*entry_)(void*) = nullptr;
    void* argument_ = nullptr;
    void* fake_stack_ = nullptr; // AddressSanitizer's
    const void* sanitizer_bottom_ = nullptr;
    std::size_t sanitizer_size_ = 0;
};

} // namespace weft::inline v0::explorer::detail
