// The operations of explored threads: each is a scheduling point, then its effect on the memory.
#include "explorer/engine.hpp"

namespace weft::inline v0::explorer::detail {

// What all operations share

handle engine::handle_of(std::size_t index) const {
    return {execution_, static_cast<std::uint32_t>(index)};
}

void engine::require_current(handle object) {
    if (object.execution == execution_) return;
    fail(failure_kind::misuse, "an object that was not made in this execution is used in it; what "
                               "it holds would pass from one execution to the next");
}

void engine::judge(access_result result, std::string&& message) {
    if (result.fault == access_fault::dead) {
        message += " after its end";
        fail(failure_kind::use_after_free, std::move(message));
    }
    message.insert(0, "nothing orders ");
    message += " and what " + threads_[result.other].name + " did with it";
    fail(failure_kind::data_race, std::move(message));
}

void engine::judge_atomic(access_result result, std::uint32_t object, const char* operation) {
    if (result.fault == access_fault::none) return;
    std::string message = std::string{operation} + " of " + memory_.name_of_atomic(object) +
                          " by " + threads_[current_].name;
    judge(result, std::move(message));
}

void engine::judge_plain(access_result result, std::uint32_t object, const char* operation) {
    if (result.fault == access_fault::none) return;
    std::string message = std::string{operation} + " of " + memory_.name_of_plain(object) + " by " +
                          threads_[current_].name;
    judge(result, std::move(message));
}

void engine::enter(handle object, const char* operation, const site& place) {
    point(place);
    require_current(object);
    const access_result result = memory_.check_atomic(current_, object.index);
    if (result.fault == access_fault::none) return;
    note(place, memory_.name_of_atomic(object.index) + "." + operation);
    judge_atomic(result, object.index, operation);
}

// Atomic objects

handle engine::add_atomic(const void* self, std::size_t size, std::uint64_t bits, value_kind kind) {
    return handle_of(memory_.add_atomic(current_, self, size, bits, kind));
}

void engine::end_atomic(handle object) {
    require_current(object);
    judge_atomic(memory_.end_atomic(current_, object.index), object.index, "the end");
}

void engine::label_atomic(handle object, const char* name) {
    require_current(object);
    memory_.label_atomic(object.index, name);
}

std::uint64_t engine::load(handle object, std::memory_order order, const site& place) {
    enter(object, "load", place);
    if (!change_.idle()) order = change_.order_of({place, "load", order, update::no});
    unsigned age = 0;
    if (stale_reads_left_ > 0) {
        const unsigned count = memory_.readable(current_, object.index, order);
        if (count > 1) age = choose(count);
        if (age > 0) --stale_reads_left_;
    } else if (!excluded_.stale_reads && options_.memory == memory_model::weak) {
        excluded_.stale_reads = memory_.readable(current_, object.index, order) > 1;
    }
    const std::uint64_t bits = memory_.read(current_, object.index, age, order);
    if (tracing_) {
        std::string text = memory_.name_of_atomic(object.index) + ".load(" +
                           std::string{name_of_order(order)} + ") is " +
                           memory_.show(object.index, bits);
        if (age > 0) {
            text += ", stale: the newest is " +
                    memory_.show(object.index, memory_.newest(object.index));
        }
        note(place, std::move(text));
    }
    memory_.advance_clock(current_);
    return bits;
}

void engine::store(handle object, std::uint64_t bits, std::memory_order order, const site& place) {
    enter(object, "store", place);
    if (!change_.idle()) order = change_.order_of({place, "store", order, update::no});
    memory_.write(current_, object.index, bits, order);
    if (tracing_) {
        note(place, memory_.name_of_atomic(object.index) + ".store(" +
                        memory_.show(object.index, bits) + ", " +
                        std::string{name_of_order(order)} + ")");
    }
    memory_.advance_clock(current_);
}

std::uint64_t engine::rmw_read(handle object, const site& place) {
    enter(object, "read-modify-write", place);
    return memory_.newest(object.index);
}

void engine::rmw_write(handle object, std::uint64_t bits, std::memory_order order,
                       const char* operation, const site& place) {
    if (!change_.idle()) order = change_.order_of({place, operation, order, update::done});
    const std::uint64_t old = memory_.read(current_, object.index, 0, order);
    if (tracing_) {
        note(place, memory_.name_of_atomic(object.index) + "." + operation + "(" +
                        std::string{name_of_order(order)} + ") from " +
                        memory_.show(object.index, old) + " to " +
                        memory_.show(object.index, bits));
    }
    if (!change_.idle() && change_.splits(place, operation)) {
        memory_.advance_clock(current_);
        enter(object, "store", place);
        memory_.write(current_, object.index, bits, order);
        note(place, "...the store of it, apart");
    } else {
        memory_.update(current_, object.index, bits, order);
    }
    memory_.advance_clock(current_);
}

void engine::rmw_fail(handle object, std::memory_order order, const char* operation,
                      const site& place) {
    if (!change_.idle()) order = change_.order_of({place, operation, order, update::failed});
    const std::uint64_t found = memory_.read(current_, object.index, 0, order);
    if (tracing_) {
        note(place, memory_.name_of_atomic(object.index) + "." + operation + "(" +
                        std::string{name_of_order(order)} + ") failed, it is " +
                        memory_.show(object.index, found));
    }
    memory_.advance_clock(current_);
}

bool engine::weak_exchange_fails() {
    if (stale_reads_left_ == 0) {
        if (options_.memory == memory_model::weak) excluded_.stale_reads = true;
        return false;
    }
    if (choose(2) == 0) return false;
    --stale_reads_left_;
    return true;
}

void engine::fence(std::memory_order order, const site& place) {
    if (!change_.idle()) {
        order = change_.order_of({place, "fence", order, update::no});
        if (change_.drops_fence(place)) return;
    }
    // A lesser fence changes nothing that another thread could see.
    if (order == std::memory_order_seq_cst) point(place);
    else count_step();
    memory_.fence(current_, order);
    if (tracing_) note(place, "fence(" + std::string{name_of_order(order)} + ")");
    memory_.advance_clock(current_);
}

bool engine::futex_wait(handle object, std::uint64_t expected, std::optional<nanoseconds> deadline,
                        const site& place) {
    enter(object, "futex_wait", place);
    const bool sleeps = memory_.newest(object.index) == expected;
    if (tracing_) {
        note(place, memory_.name_of_atomic(object.index) + ".futex_wait(" +
                        memory_.show(object.index, expected) + ")" +
                        (sleeps ? " sleeps" : " does not sleep"));
    }
    memory_.advance_clock(current_);
    if (!sleeps) {
        memory_.catch_up(current_); // it was compared with the newest value
        return true;
    }
    if (timeouts_left_ == 0) excluded_.timeouts = true;
    if (timeouts_left_ > 0 && choose(2) == 1) { // a futex may return for no reason
        --timeouts_left_;
        note(place, "woken for no reason");
        return true;
    }
    block(status::sleeping, object.index, deadline, place);
    return !threads_[current_].timed_out;
}

void engine::futex_wake(handle object, unsigned count, wake_by key, const site& place) {
    if (key == wake_by::object) {
        enter(object, "notify", place);
    } else {
        point(place);
        require_current(object);
    }
    if (tracing_) note(place, memory_.name_of_atomic(object.index) + ".futex_wake");
    memory_.advance_clock(current_);
    for (; count > 0; --count) {
        std::array<thread_index, max_threads> sleepers{};
        unsigned found = 0;
        for (thread_index index = 0; index < thread_count_; ++index) {
            const thread& each = threads_[index];
            if (each.state == status::sleeping && each.waits_for == object.index) {
                sleepers[found++] = index;
            }
        }
        if (found == 0) return;
        set_state(sleepers[found > 1 ? choose(found) : 0], status::ready);
    }
}

// Plain objects

handle engine::add_plain(const void* self, std::size_t size) {
    return handle_of(memory_.add_plain(current_, self, size));
}

void engine::end_plain(handle object) {
    require_current(object);
    judge_plain(memory_.end_plain(current_, object.index), object.index, "the end");
}

void engine::label_plain(handle object, const char* name) {
    require_current(object);
    memory_.label_plain(object.index, name);
}

void engine::read_plain(handle object, const site& place) {
    require_current(object);
    if (tracing_) note(place, "reads " + memory_.name_of_plain(object.index));
    judge_plain(memory_.read_plain(current_, object.index), object.index, "the read");
}

void engine::write_plain(handle object, const site& place) {
    require_current(object);
    if (tracing_) note(place, "writes " + memory_.name_of_plain(object.index));
    judge_plain(memory_.write_plain(current_, object.index), object.index, "the write");
}

// Threads

new_thread engine::reserve_thread(std::size_t size, std::size_t alignment) {
    if (thread_count_ == max_threads) {
        fail(failure_kind::misuse, "a scenario has at most eight threads, its own included");
    }
    const thread_index index = thread_count_++;
    return {index, threads_[index].stack.reserve(size, alignment)};
}

void engine::start_thread(thread_index index, const char* name, void (*body)(void*), void* callable,
                          const site& place) {
    thread& made = threads_[index];
    made.name = name;
    if (made.name.empty()) made.name.append(1, 'T').append(std::to_string(index));
    made.body = body;
    made.callable = callable;
    made.fresh = true;
    made.place = place;
    made.stack.prepare(&engine::run_thread, this);
    memory_.start_thread(index, current_);
    set_state(index, status::ready);
    threads_[current_].fresh = false; // from here on the new thread may come first
    if (tracing_) note(place, "starts " + made.name);
}

void engine::join_threads(thread_set set, const site& place) {
    if ((set & joined_) != 0) fail(failure_kind::misuse, "a thread was joined twice");
    if ((set & ~ended_) != 0) block(status::joining, set, std::nullopt, place);
    joined_ |= set;
    for (thread_index index = 0; index < thread_count_; ++index) {
        if ((set & bit(index)) != 0) memory_.acquire_from(current_, threads_[index].ending);
    }
}

void engine::yield_thread(const site& place) {
    memory_.catch_up(current_);
    if (mode_ == search::random) random_.fall_behind(current_);
    threads_[current_].fresh = false;
    yielded_ |= bit(current_);
    threads_[current_].owes = ready_ & ~bit(current_);
    if (tracing_) note(place, "yields");
    point(place);
    yielded_ &= ~bit(current_);
}

std::uint64_t& engine::word_of_thread(const void* key) {
    auto& words = threads_[current_].words;
    for (auto& [known, word] : words) {
        if (known == key) return word;
    }
    return words.emplace_back(key, 0).second;
}

void engine::at_thread_end(void (*end)(void*), void* owned) {
    threads_[current_].at_end.emplace_back(end, owned);
}

std::uintptr_t engine::stack_bottom() const noexcept { return threads_[current_].stack.bottom(); }

// Memory

void* engine::global_object(const void* key, const global_type& type) {
    for (const global& known : globals_) {
        if (known.key != key) continue;
        if (known.object == nullptr) {
            fail(failure_kind::misuse, "a global object is used while it is being made");
        }
        memory_.acquire_from(current_, known.baton);
        return known.object;
    }
    const std::size_t position = globals_.size();
    const row_index baton = memory_.new_baton();
    globals_.push_back({key, nullptr, type.destroy, baton});
    void* object = heap_.allocate(type.size, type.alignment, block_lifetime::permanent, site{});
    type.construct(object);
    memory_.release_to(current_, baton);
    memory_.advance_clock(current_);
    globals_[position].object = object;
    return object;
}

void* engine::allocate(std::size_t size, std::size_t alignment, block_lifetime lifetime,
                       const site& place) {
    return heap_.allocate(size, alignment, lifetime, place);
}

void engine::free(void* memory, const site& place) {
    if (memory == nullptr) return;
    heap::block* found = heap_.find(memory);
    if (found == nullptr || found->freed) {
        const auto kind = found == nullptr ? failure_kind::misuse : failure_kind::use_after_free;
        std::string message = "memory freed at " + short_place(place);
        message += found == nullptr ? " was not allocated in this execution" : " was free already";
        fail(kind, std::move(message));
    }
    found->freed = true;
    end_blocking_in(memory, found->size);
    const access_result result = memory_.end_range(current_, memory, found->size);
    if (result.fault == access_fault::none) return;
    std::string message =
        "the freeing of memory at " + short_place(place) + " by " + threads_[current_].name;
    judge(result, std::move(message));
}

} // namespace weft::inline v0::explorer::detail
