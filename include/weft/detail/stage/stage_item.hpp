// An item with its type, and what holds it until it is in a queue.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/fork_join/future_state.hpp>
#include <weft/detail/stage/stage_core.hpp>
#include <weft/detail/stage/stage_node.hpp>
#include <weft/stage_options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace weft::inline v0::detail {

[[nodiscard]] WEFT_API void* allocate_item(const stage_core& core, std::size_t size,
                                           std::size_t alignment);

template <class In>
struct stage_item : stage_node {
    union {
        In item; // until it was handled or dropped
    };

    template <class Item>
    [[nodiscard]] static stage_item& make(const stage_core& core, const push_options& options,
                                          const std::function<std::size_t(const In&)>& key,
                                          Item&& item) {
        std::unique_ptr<void, raw_memory> memory{
            allocate_item(core, sizeof(stage_item), alignof(stage_item))};
        auto* made = ::new (memory.get()) stage_item;
        ::new (static_cast<void*>(std::addressof(made->item))) In(std::forward<Item>(item));
        static_cast<void>(memory.release());
        made->level = options.priority;
        made->deadline = options.deadline;
        if (key == nullptr) return *made;
        std::unique_ptr<stage_item, whole> unkeyed{made};
        made->key = key(made->item);
        return *unkeyed.release();
    }
    void end_item() noexcept { std::destroy_at(std::addressof(item)); }
    static void free(stage_item& ended) noexcept { raw_memory{}(&ended); }

    struct whole {
        void operator()(stage_item* made) const noexcept {
            made->end_item();
            free(*made);
        }
    };

private:
    struct raw_memory {
        void operator()(void* memory) const noexcept {
            free_task(memory, sizeof(stage_item), alignof(stage_item));
        }
    };
    stage_item() noexcept {} // NOLINT(modernize-use-equals-default): the union stays unmade
    ~stage_item() = default; // never called
};

/// Destroys the item unless a stage takes it.
template <class In>
class item_guard {
public:
    explicit item_guard(stage_item<In>& made) noexcept : made_{&made} {}
    item_guard(item_guard&&) noexcept = default;
    item_guard& operator=(item_guard&&) = delete;
    ~item_guard() = default;
    [[nodiscard]] stage_item<In>& operator*() const noexcept { return *made_; }
    void release() noexcept { static_cast<void>(made_.release()); }

private:
    std::unique_ptr<stage_item<In>, typename stage_item<In>::whole> made_;
};

/// A place in a queue, given back unless it is used.
class reserved_room {
public:
    explicit reserved_room(stage_core& core) noexcept : core_{&core} {}
    ~reserved_room() {
        if (core_ != nullptr) core_->give_room(1);
    }
    reserved_room(const reserved_room&) = delete;
    reserved_room& operator=(const reserved_room&) = delete;
    void use() noexcept { core_ = nullptr; }

private:
    stage_core* core_;
};

} // namespace weft::inline v0::detail
