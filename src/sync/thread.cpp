#include <weft/detail/sync/thread.hpp>

#include "sync/cpu_mask.hpp"

#ifndef WEFT_MODEL

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <new>

namespace weft::inline v0::sync {

std::uintptr_t stack_bottom() noexcept {
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
    void* bottom = nullptr;
    std::size_t size = 0;
    ::pthread_attr_getstack(&attributes, &bottom, &size);
    ::pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(bottom);
}

namespace {

cpu_mask affinity() {
    return cpu_mask::read_by(
        [](std::size_t bytes, cpu_set_t* set) { return ::sched_getaffinity(0, bytes, set); });
}

bool set_affinity(const cpu_mask& mask) noexcept {
    return ::pthread_setaffinity_np(::pthread_self(), mask.bytes(), mask.set()) == 0;
}

} // namespace

bool stay_on_cpu(std::size_t cpu) noexcept try {
    cpu_mask one{cpu + 1};
    one.add(cpu);
    return set_affinity(one);
} catch (const std::bad_alloc&) {
    return false;
}

void move_to_cpu(std::size_t cpu) noexcept try {
    const cpu_mask allowed = affinity();
    if (allowed.contains(cpu) && stay_on_cpu(cpu)) set_affinity(allowed);
} catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): it stays where it is
}

void wake_on_time() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

std::size_t current_cpu() noexcept {
    const int cpu = ::sched_getcpu();
    return cpu >= 0 ? static_cast<std::size_t>(cpu) : 0;
}

std::vector<std::size_t> allowed_cpus() { return affinity().cpus(); }

} // namespace weft::inline v0::sync

#include <weft/detail/sync/check.hpp>

#include <weft/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <system_error>

namespace weft::inline v0::sync {
namespace {

/// The attributes of a new thread, destroyed in any case.
class attributes {
public:
    attributes() {
        if (const int code = ::pthread_attr_init(&value_); code != 0) refuse(code);
    }
    ~attributes() { ::pthread_attr_destroy(&value_); }
    attributes(const attributes&) = delete;
    attributes& operator=(const attributes&) = delete;

    void stack_size(std::size_t wanted) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
        const std::size_t pages = (std::max(wanted, least) - 1) / page + 1;
        if (const int code = ::pthread_attr_setstacksize(&value_, pages * page); code != 0) {
            throw error{errc::invalid_argument,
                        "weft::sync::thread: stack of " + std::to_string(wanted) + " bytes"};
        }
    }

    [[noreturn]] static void refuse(int code) {
        throw error{errc::no_thread,
                    "weft::sync::thread: " + std::generic_category().message(code)};
    }

    [[nodiscard]] const pthread_attr_t& get() const noexcept { return value_; }

private:
    pthread_attr_t value_{};
};

} // namespace

void thread::start(const thread_options& options, void* (*entry)(void*), void* state) {
    attributes wanted;
    if (options.stack_size != 0) wanted.stack_size(options.stack_size);
    if (const int code = ::pthread_create(&id_, &wanted.get(), entry, state); code != 0) {
        attributes::refuse(code);
    }
    joinable_ = true;
    constexpr std::size_t kept = 15; // the kernel's limit
    if (!options.name.empty()) ::pthread_setname_np(id_, options.name.substr(0, kept).c_str());
}

thread& thread::operator=(thread&& other) noexcept {
    if (this != &other) {
        if (joinable_) join();
        id_ = other.id_;
        joinable_ = std::exchange(other.joinable_, false);
    }
    return *this;
}

thread::~thread() {
    if (joinable_) join();
}

void thread::join() noexcept {
    WEFT_CHECK(joinable_, "weft::sync::thread::join: the thread is not joinable");
    ::pthread_join(id_, nullptr);
    joinable_ = false;
}

} // namespace weft::inline v0::sync

#endif
