#include <weft/detail/graph/graph_core.hpp>

#include "graph/graph_plan.hpp"

#include <weft/detail/sync/memory.hpp>
#include <weft/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::inline v0::detail {

void* body_arena::grow(std::size_t size, std::size_t alignment) {
    constexpr std::size_t first = 1024;
    constexpr std::size_t most = std::size_t{1} << 20;
    const std::size_t wanted = std::max(size + alignment, std::clamp(last_size_ * 2, first, most));
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(wanted));
    last_size_ = wanted;
    left_ = wanted;
    free_ = chunks_.back().get();
    return std::align(alignment, size, free_, left_);
}

void body_arena::clear() noexcept {
    if (chunks_.empty()) return;
    std::swap(chunks_.front(), chunks_.back());
    chunks_.resize(1);
    free_ = chunks_.front().get();
    left_ = last_size_;
}

graph_core::~graph_core() {
    drop_plan();
    destroy_bodies();
}

void graph_core::refuse_node() { throw error{errc::full, "weft::graph::add"}; }

void graph_core::remove_last(std::size_t edges_before) noexcept {
    const node& last = nodes.back();
    inputs.resize(last.first_input);
    edges.resize(edges_before);
    if (last.has_needs) all_needs.pop_back();
    if (last.kind->destroy != nullptr) last.kind->destroy(last.body);
    nodes.pop_back();
}

void graph_core::add_needs(std::span<const claim> claims) {
    const auto owner = static_cast<node_index>(nodes.size() - 1);
    all_needs.push_back({owner, {claims.begin(), claims.end()}});
    nodes.back().has_needs = true;
}

void graph_core::clear() noexcept {
    destroy_bodies();
    nodes.clear();
    edges.clear();
    inputs.clear();
    choices.clear();
    all_needs.clear();
    names.clear();
    arena_.clear();
}

/// The last that was added first, as with the members of an object.
void graph_core::destroy_bodies() noexcept {
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 does not compile the view of libstdc++ 12
    for (auto each = nodes.rbegin(); each != nodes.rend(); ++each) {
        if (each->kind->destroy != nullptr) each->kind->destroy(each->body);
    }
}

std::string graph_core::name_of(node_index index) const {
    std::string name{given_name(index)};
    if (name.empty()) name.append("#").append(std::to_string(index));
    return name;
}

graph_plan& graph_core::plan() {
    // pairs with plan(), the update below: the content of the plan [PLAN-1]
    if (graph_plan* known = plan_.load(sync::acquire)) return *known;
    struct guard {
        graph_plan* unused = sync::make<graph_plan>();
        ~guard() { sync::destroy(unused); }
    } made;
    made.unused->build(*this);
    graph_plan* first = nullptr;
    // release for the threads that find it; acquire, if another thread was faster, for its plan
    // [PLAN-2]
    if (plan_.compare_exchange_strong(first, made.unused, sync::release, sync::acquire)) {
        first = std::exchange(made.unused, nullptr);
    }
    return *first;
}

void graph_core::drop_plan() noexcept {
    // Relaxed: no other thread uses the graph.
    sync::destroy(plan_.load(sync::relaxed));
    plan_.store(nullptr, sync::relaxed);
}

} // namespace weft::inline v0::detail
