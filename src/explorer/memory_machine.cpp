#include "explorer/memory_machine.hpp"

#include <algorithm>
#include <cstdio>

namespace weft::inline v0::explorer::detail {

memory_machine::memory_machine() { reset(); }

void memory_machine::reset() {
    views_.reset();
    atomic_count_ = 0;
    plains_.clear();
    ordered_.clear();
    views_.clock(current(0), 0) = 1;
}

void memory_machine::start_thread(thread_index thread, thread_index parent) {
    views_.copy(current(parent), current(thread));
    views_.clock(current(thread), thread) = 1;
    advance_clock(parent);
}

void memory_machine::advance_clock(thread_index thread) { ++views_.clock(current(thread), thread); }

auto memory_machine::born(thread_index thread, const void* address, std::size_t size) -> lifetime {
    return {.address = static_cast<const char*>(address),
            .size = size,
            .label = nullptr,
            .born_by = thread,
            .born_at = now(thread),
            .alive = true};
}

std::uint32_t memory_machine::add_atomic(thread_index thread, const void* address, std::size_t size,
                                         std::uint64_t bits, value_kind kind) {
    const std::size_t index = atomic_count_++;
    if (atomics_.size() < atomic_count_) atomics_.emplace_back();
    views_.need_objects(atomic_count_);
    atomic_object& object = atomics_[index];
    static_cast<lifetime&>(object) = born(thread, address, size);
    object.kind = kind;
    object.accessed = {};
    object.accessed[thread] = now(thread);
    object.history.clear();
    const row_index view = views_.take();
    views_.clear(view);
    object.history.push_back({bits, view});
    return static_cast<std::uint32_t>(index);
}

std::uint32_t memory_machine::add_plain(thread_index thread, const void* address,
                                        std::size_t size) {
    plain_object object{};
    static_cast<lifetime&>(object) = born(thread, address, size);
    object.written[thread] = now(thread);
    plains_.push_back(object);
    return static_cast<std::uint32_t>(plains_.size() - 1);
}

access_result memory_machine::unordered(thread_index thread, const clocks& others) {
    for (thread_index other = 0; other < max_threads; ++other) {
        if (others[other] > views_.clock(current(thread), other)) {
            return {access_fault::race, other};
        }
    }
    return {};
}

access_result memory_machine::check_life(thread_index thread, const lifetime& object) {
    if (!object.alive) return {access_fault::dead, 0};
    if (object.born_at > views_.clock(current(thread), object.born_by)) {
        return {access_fault::race, object.born_by};
    }
    return {};
}

access_result memory_machine::check_atomic(thread_index thread, std::uint32_t object) {
    atomics_[object].accessed[thread] = now(thread);
    return check_life(thread, atomics_[object]);
}

unsigned memory_machine::readable(thread_index thread, std::uint32_t object,
                                  std::memory_order order) {
    const auto last = static_cast<stamp>(atomics_[object].history.size() - 1);
    stamp oldest =
        std::max(views_.seen(current(thread), object), views_.seen(caught_up(thread), object));
    if (order == std::memory_order_seq_cst && oldest < last) {
        oldest = std::max(oldest, oldest_in_order(thread, object));
    }
    return static_cast<unsigned>(last - oldest) + 1;
}

auto memory_machine::clocks_of(row_index row) -> clocks {
    clocks all{};
    for (std::size_t each = 0; each < max_threads; ++each) all[each] = views_.clock(row, each);
    return all;
}

void memory_machine::note_ordered(thread_index thread, std::uint32_t object, std::size_t position,
                                  bool stored) {
    ordered_.push_back({.thread = thread,
                        .time = now(thread),
                        .object = object,
                        .position = static_cast<stamp>(position),
                        .stored = stored,
                        .before = clocks_of(current(thread))});
    stamp& reached = views_.seen(access_order, object);
    reached = std::max(reached, static_cast<stamp>(position));
}

/// The oldest store that a seq_cst load may return (M5): what the accesses reached that precede it
/// in S, whatever it returns. These are the accesses that happen before it, those that precede one
/// of them, and so on.
stamp memory_machine::oldest_in_order(thread_index thread, std::uint32_t object) {
    stamp oldest = views_.seen(fence_order, object);
    unvisited_ = ordered_;
    visited_.clear();
    const auto visit_if = [&](auto precedes) {
        const auto rest = std::partition(unvisited_.begin(), unvisited_.end(),
                                         [&](const auto& each) { return !precedes(each); });
        visited_.insert(visited_.end(), rest, unvisited_.end());
        unvisited_.erase(rest, unvisited_.end());
    };
    const clocks now_known = clocks_of(current(thread));
    visit_if([&](const ordered_access& each) { return each.happens_before(now_known); });
    // NOLINTNEXTLINE(modernize-loop-convert): it grows meanwhile
    for (std::size_t i = 0; i < visited_.size(); ++i) {
        const ordered_access reached = visited_[i];
        if (reached.object == object) oldest = std::max(oldest, reached.position);
        visit_if([&](const ordered_access& each) { return each.precedes(reached); });
    }
    return oldest;
}

std::uint64_t memory_machine::newest(std::uint32_t object) const {
    return atomics_[object].history.back().bits;
}

std::uint64_t memory_machine::read(thread_index thread, std::uint32_t object, unsigned age,
                                   std::memory_order order) {
    const auto& history = atomics_[object].history;
    const std::size_t position = history.size() - 1 - age;
    if (order == std::memory_order_seq_cst) note_ordered(thread, object, position, false);
    views_.seen(current(thread), object) = static_cast<stamp>(position);
    views_.join(acquires(order) ? current(thread) : pending(thread), history[position].view);
    return history[position].bits;
}

void memory_machine::append(thread_index thread, std::uint32_t object, std::uint64_t bits,
                            std::memory_order order, std::optional<row_index> continued) {
    auto& history = atomics_[object].history;
    const auto position = static_cast<stamp>(history.size());
    views_.seen(current(thread), object) = position;
    const row_index view = views_.take();
    views_.copy(releases(order) ? current(thread) : fenced(thread), view);
    views_.seen(view, object) = position;
    if (continued) views_.join(view, *continued);
    history.push_back({bits, view});
}

void memory_machine::write(thread_index thread, std::uint32_t object, std::uint64_t bits,
                           std::memory_order order) {
    if (order == std::memory_order_seq_cst) {
        note_ordered(thread, object, atomics_[object].history.size(), true);
    }
    append(thread, object, bits, order, std::nullopt);
}

void memory_machine::update(thread_index thread, std::uint32_t object, std::uint64_t bits,
                            std::memory_order order) {
    const row_index continued = atomics_[object].history.back().view;
    append(thread, object, bits, order, continued);
    if (order != std::memory_order_seq_cst) return;
    ordered_access& own_read = ordered_.back(); // the read and the store are one access
    own_read.position = static_cast<stamp>(atomics_[object].history.size() - 1);
    own_read.stored = true;
    views_.seen(access_order, object) = own_read.position;
}

void memory_machine::fence(thread_index thread, std::memory_order order) {
    if (acquires(order)) views_.join(current(thread), pending(thread));
    if (order == std::memory_order_seq_cst) {
        views_.join_objects(fence_order, access_order); // M5: all accesses so far come before it
        ordered_.clear();
        views_.join_objects(current(thread), fence_order);
        views_.join_objects(fence_order, current(thread));
    }
    if (releases(order)) views_.copy(current(thread), fenced(thread));
}

void memory_machine::catch_up(thread_index thread) {
    for (std::size_t object = 0; object < atomic_count_; ++object) {
        views_.seen(caught_up(thread), object) =
            static_cast<stamp>(atomics_[object].history.size() - 1);
    }
}

access_result memory_machine::read_plain(thread_index thread, std::uint32_t object) {
    plain_object& plain = plains_[object];
    plain.read[thread] = now(thread);
    const access_result life = check_life(thread, plain);
    return life.fault != access_fault::none ? life : unordered(thread, plain.written);
}

access_result memory_machine::write_plain(thread_index thread, std::uint32_t object) {
    const access_result read = read_plain(thread, object);
    plain_object& plain = plains_[object];
    plain.written[thread] = now(thread);
    return read.fault != access_fault::none ? read : unordered(thread, plain.read);
}

access_result memory_machine::end_atomic(thread_index thread, std::uint32_t object) {
    atomic_object& atomic = atomics_[object];
    if (!atomic.alive) return {access_fault::dead, 0};
    atomic.alive = false;
    return unordered(thread, atomic.accessed);
}

access_result memory_machine::end_plain(thread_index thread, std::uint32_t object) {
    const access_result result = write_plain(thread, object);
    plains_[object].alive = false;
    return result;
}

access_result memory_machine::end_range(thread_index thread, const void* begin, std::size_t size) {
    const auto* first = static_cast<const char*>(begin);
    const auto inside = [&](const lifetime& object) {
        return object.alive && object.address >= first && object.address < first + size;
    };
    access_result worst;
    for (std::uint32_t object = 0; object < atomic_count_; ++object) {
        if (!inside(atomics_[object])) continue;
        const access_result result = end_atomic(thread, object);
        if (result.fault != access_fault::none) worst = result;
    }
    for (std::uint32_t object = 0; object < plains_.size(); ++object) {
        if (!inside(plains_[object])) continue;
        const access_result result = end_plain(thread, object);
        if (result.fault != access_fault::none) worst = result;
    }
    return worst;
}

row_index memory_machine::new_baton() {
    const row_index baton = views_.take();
    views_.clear(baton);
    return baton;
}

void memory_machine::release_to(thread_index thread, row_index baton) {
    views_.join(baton, current(thread));
}

void memory_machine::acquire_from(thread_index thread, row_index baton) {
    views_.join(current(thread), baton);
}

access_result memory_machine::check_received(thread_index thread, row_index baton) {
    return unordered(thread, clocks_of(baton));
}

std::string memory_machine::name_of_atomic(std::uint32_t object) const {
    const char* label = atomics_[object].label;
    return label != nullptr ? label : "atomic#" + std::to_string(object);
}

std::string memory_machine::name_of_plain(std::uint32_t object) const {
    const char* label = plains_[object].label;
    return label != nullptr ? label : "plain#" + std::to_string(object);
}

std::string memory_machine::show(std::uint32_t object, std::uint64_t bits) const {
    switch (atomics_[object].kind) {
    case value_kind::boolean: return (bits & 1) != 0 ? "true" : "false";
    case value_kind::unsigned_integer: return std::to_string(bits);
    case value_kind::pointer: {
        if (bits == 0) return "null";
        char text[2 + 16 + 1];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
        return text;
    }
    case value_kind::signed_integer: return std::to_string(static_cast<std::int64_t>(bits));
    }
    return {};
}

} // namespace weft::inline v0::explorer::detail
