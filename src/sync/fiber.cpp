#include "sync/fiber.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/detail/sync/tsan.hpp>

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef WEFT_SYNC_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef WEFT_SYNC_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define WEFT_SYNC_VALGRIND 1
#endif

#ifdef WEFT_SYNC_ASSEMBLY
// Saves what a called function must preserve (System V ABI, with the modes of the two floating
// point units) and exchanges the stacks.
extern "C" void weft_sync_switch(void** saved, void* restored) noexcept;
asm(R"(
.text
.hidden weft_sync_switch
.globl weft_sync_switch
.type weft_sync_switch, @function
weft_sync_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size weft_sync_switch, . - weft_sync_switch
)");
#endif

namespace weft::inline v0::sync {
namespace {

std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// The fiber that is being entered for the first time: a new stack has no frame yet in which to keep
// it.
thread_local fiber* entering = nullptr;

} // namespace

fiber::fiber(std::size_t stack_size, entry_function entry, void* argument)
    : size_{(stack_size + page_size() - 1) / page_size() * page_size()}, entry_{entry},
      argument_{argument} {
    make_stack();
#ifdef WEFT_SYNC_TSAN
    thread_fiber_ = __tsan_create_fiber(0);
#endif
#ifdef WEFT_SYNC_VALGRIND
    valgrind_id_ = VALGRIND_STACK_REGISTER(stack_, stack_ + size_ - 1);
#endif
    prepare();
}

fiber::~fiber() {
    if (stack_ == nullptr) return;
#ifdef WEFT_SYNC_TSAN
    __tsan_destroy_fiber(thread_fiber_);
#endif
#ifdef WEFT_SYNC_VALGRIND
    VALGRIND_STACK_DEREGISTER(valgrind_id_);
#endif
    free_stack();
}

#ifdef WEFT_MODEL
// From the explorer's heap, which gets it back when an execution is abandoned.
void fiber::make_stack() { stack_ = static_cast<char*>(allocate(size_, 4096)); }
void fiber::free_stack() noexcept { deallocate(stack_, 4096); }
#else
/// The page below the stack stays inaccessible: an overflow is a fault, not a surprise.
void fiber::make_stack() {
    const std::size_t guard = page_size();
    void* memory = ::mmap(nullptr, size_ + guard, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    stack_ = static_cast<char*>(memory) + guard;
    if (::mprotect(stack_, size_, PROT_READ | PROT_WRITE) == 0) return;
    ::munmap(memory, size_ + guard);
    throw std::bad_alloc{};
}
void fiber::free_stack() noexcept {
    unpoison(stack_, size_); // frames that were left
    ::munmap(stack_ - page_size(), size_ + page_size());
}
#endif

void fiber::prepare() noexcept {
    address_bottom_ = stack_;
    address_size_ = size_;
#ifdef WEFT_SYNC_ASSEMBLY
    // As weft_sync_switch left it: the modes, six registers, the return address, and above them a
    // word that makes the stack aligned as after a call.
    constexpr std::size_t saved_registers = 6;
    auto* top = reinterpret_cast<void**>(stack_ + size_) - 2;
    top[0] = reinterpret_cast<void*>(&fiber::first_steps);
    top[1] = nullptr;
    top -= saved_registers;
    std::fill_n(top, saved_registers, nullptr);
    top -= 1;
    std::uint32_t modes[2] = {};
    asm volatile("stmxcsr %0" : "=m"(modes[0]));
    asm volatile("fnstcw %0" : "=m"(modes[1]));
    std::memcpy(static_cast<void*>(top), modes, sizeof modes);
    context_ = static_cast<void*>(top);
#else
    ::getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = size_;
    context_.uc_link = nullptr;
    ::makecontext(&context_, &fiber::first_steps, 0);
#endif
}

void fiber::switch_to(fiber& running, fiber& next) noexcept {
    auto* globals = abi::__cxa_get_globals();
    std::memcpy(&running.exceptions_, globals, sizeof running.exceptions_);
    std::memcpy(globals, &next.exceptions_, sizeof next.exceptions_);
    entering = &next;
    next.came_from_ = &running;
#ifdef WEFT_SYNC_ASAN
    __sanitizer_start_switch_fiber(&running.fake_stack_, next.address_bottom_, next.address_size_);
#endif
#ifdef WEFT_SYNC_TSAN
    if (running.thread_fiber_ == nullptr) running.thread_fiber_ = __tsan_get_current_fiber();
    // Both belong to one thread, which orders what they do.
    __tsan_switch_to_fiber(next.thread_fiber_, 0);
#endif
#ifdef WEFT_SYNC_ASSEMBLY
    weft_sync_switch(&running.context_, next.context_);
#else
    ::swapcontext(&running.context_, &next.context_);
#endif
    running.arrive();
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): the annotations need the fiber
void fiber::arrive() noexcept {
#ifdef WEFT_SYNC_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
    if (came_from_->stack_ == nullptr) { // the thread's own stack is known only from here
        came_from_->address_bottom_ = bottom;
        came_from_->address_size_ = size;
    }
#endif
}

void fiber::first_steps() noexcept {
    fiber& self = *entering;
    self.arrive();
    self.entry_(self.argument_);
    std::abort();
}

} // namespace weft::inline v0::sync
