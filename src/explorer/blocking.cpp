// Mutexes and parkers of explored threads.
#include "explorer/engine.hpp"

namespace weft::inline v0::explorer::detail {

handle engine::add_mutex(const void* self) {
    mutexes_.push_back({self, memory_.new_baton(), std::nullopt, true});
    return handle_of(mutexes_.size() - 1);
}

engine::mutex_state& engine::mutex_at(handle object) {
    require_current(object);
    mutex_state& found = mutexes_[object.index];
    if (!found.alive) fail(failure_kind::use_after_free, "a mutex was used after its end");
    return found;
}

void engine::end_mutex(handle object) {
    mutex_state& mutex = mutex_at(object);
    if (mutex.owner) fail(failure_kind::misuse, "a mutex ended while it was locked");
    mutex.alive = false;
    judge_baton(mutex.baton, "the end of a mutex by ");
}

void engine::lock(handle object, const site& place) {
    while (!try_lock(object, place)) {
        block(status::locking, object.index, std::nullopt, place);
    }
}

bool engine::try_lock(handle object, const site& place) {
    point(place);
    mutex_state& mutex = mutex_at(object);
    const bool free = !mutex.owner;
    if (tracing_) note(place, free ? "locks a mutex" : "finds a mutex locked");
    if (free) {
        mutex.owner = current_;
        memory_.acquire_from(current_, mutex.baton);
    }
    memory_.advance_clock(current_);
    return free;
}

void engine::unlock(handle object, const site& place) {
    point(place);
    mutex_state& mutex = mutex_at(object);
    if (mutex.owner != current_) {
        std::string message = threads_[current_].name + " unlocks a mutex it does not hold";
        fail(failure_kind::misuse, std::move(message));
    }
    if (tracing_) note(place, "unlocks a mutex");
    mutex.owner.reset();
    memory_.release_to(current_, mutex.baton);
    memory_.advance_clock(current_);
    for (thread_index index = 0; index < thread_count_; ++index) {
        const thread& each = threads_[index];
        if (each.state == status::locking && each.waits_for == object.index) {
            set_state(index, status::ready);
        }
    }
}

handle engine::add_parker(const void* self) {
    parkers_.push_back({self, memory_.new_baton(), false, true});
    return handle_of(parkers_.size() - 1);
}

engine::parker_state& engine::parker_at(handle object) {
    require_current(object);
    parker_state& found = parkers_[object.index];
    if (!found.alive) fail(failure_kind::use_after_free, "a parker was used after its end");
    return found;
}

void engine::end_parker(handle object) {
    parker_state& parker = parker_at(object);
    parker.alive = false;
    judge_baton(parker.baton, "the end of a parker by ");
}

void engine::end_blocking_in(const void* begin, std::size_t size) {
    const auto* first = static_cast<const char*>(begin);
    const auto inside = [&](const auto& object) {
        const auto* address = static_cast<const char*>(object.address);
        return object.alive && address >= first && address < first + size;
    };
    for (std::size_t i = 0; i < mutexes_.size(); ++i) {
        if (inside(mutexes_[i])) end_mutex(handle_of(i));
    }
    for (std::size_t i = 0; i < parkers_.size(); ++i) {
        if (inside(parkers_[i])) end_parker(handle_of(i));
    }
}

void engine::judge_baton(row_index baton, const char* happening) {
    const access_result result = memory_.check_received(current_, baton);
    if (result.fault == access_fault::none) return;
    std::string message = happening + threads_[current_].name;
    judge(result, std::move(message));
}

bool engine::park(handle object, std::optional<nanoseconds> deadline, const site& place) {
    point(place);
    if (!parker_at(object).token) {
        if (tracing_) note(place, "parks");
        block(status::parked, object.index, deadline, place);
    }
    parker_state& parker = parker_at(object);
    const bool woken = parker.token;
    parker.token = false;
    if (woken) memory_.acquire_from(current_, parker.baton);
    if (tracing_) note(place, woken ? "takes the token of its parker" : "gives up parking");
    memory_.advance_clock(current_);
    return woken;
}

void engine::unpark(handle object, const site& place) {
    point(place);
    parker_state& parker = parker_at(object);
    parker.token = true;
    memory_.release_to(current_, parker.baton);
    memory_.advance_clock(current_);
    if (tracing_) note(place, "unparks");
    for (thread_index index = 0; index < thread_count_; ++index) {
        const thread& each = threads_[index];
        if (each.state == status::parked && each.waits_for == object.index) {
            set_state(index, status::ready);
        }
    }
}

} // namespace weft::inline v0::explorer::detail
