// Places with named tasks in them, and what the workers of a pool find there.
#pragma once

#include "pool/finder.hpp"

#include "support/unstarted_pool.hpp"

#include <weft/detail/fork_join/scoped_job.hpp>
#include <weft/pool.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace weft::finder_test {

/// A source that has work while `has_some` is set.
struct switched_source final : work_source {
    bool has_some = false;
    bool try_run() noexcept override { return std::exchange(has_some, false); }
    [[nodiscard]] bool has_work() const noexcept override { return has_some; }
};

/// A pool of two workers, or more, in whose places lie tasks with names.
class scene {
public:
    explicit scene(pool_options options = {.workers = 2}) : pool_{std::move(options)} {
        pool_.core().sources.attach(source);
    }
    ~scene() {
        while (search(0) != "") {
        }
        pool_.core().sources.detach(source);
    }
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;

    void arrive(const std::string& name, priority level = priority::normal) {
        pool_.core().arrivals[level].push(&make(name));
    }
    void queue(std::size_t owner, const std::string& name, priority level = priority::normal) {
        pool_[owner].keep(make(name), level);
    }
    /// A child that this worker has forked and shared.
    void share_child(std::size_t owner) {
        detail::scoped_child* child = pool_[owner].scoped.owner_next();
        detail::scoped_job<void (*)()>::describe(*child, nothing_to_do_);
        pool_[owner].scoped.owner_push(child);
        pool_[owner].publish();
    }

    [[nodiscard]] bool has_work() { return pool_.core().has_work(); }
    [[nodiscard]] detail::pool_core& core() { return pool_.core(); }
    [[nodiscard]] detail::worker& operator[](std::size_t index) { return pool_[index]; }

    /// What a worker finds, and takes away with it; nothing is "".
    std::string search(std::size_t index) { return name_of(finder(index).search()); }
    std::string find_near(std::size_t index) { return name_of(finder(index).find_near()); }
    std::string find_left(std::size_t index) { return name_of(finder(index).find_left()); }
    std::vector<std::string> search_all(std::size_t index) {
        std::vector<std::string> found;
        for (std::string next = search(index); next != ""; next = search(index)) {
            found.push_back(next);
        }
        return found;
    }

    switched_source source;

private:
    struct named_task : detail::task {
        std::string name;
    };

    detail::task& make(const std::string& name) {
        named_task& made = tasks_.emplace_back();
        made.name = name;
        return made;
    }
    detail::finder& finder(std::size_t index) {
        while (finders_.size() <= index) finders_.push_back(pool_.finder(finders_.size()));
        return finders_[index];
    }
    std::string name_of(detail::finding found) {
        using detail::finding;
        switch (found.kind()) {
        case finding::work::task: return static_cast<named_task&>(found.next()).name;
        case finding::work::child: return "child of " + std::to_string(found.victim());
        case finding::work::source: source.has_some = false; return "source";
        default: return "";
        }
    }

    test::unstarted_pool pool_;
    std::deque<named_task> tasks_;
    std::deque<detail::finder> finders_;
    void (*nothing_to_do_)() = [] {};
};

} // namespace weft::finder_test
