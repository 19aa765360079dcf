// Pipelines: items from a source, through parts in parallel and in order, to a sink.
#pragma once

#include <weft/detail/stage/pipeline_run.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/pool.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::inline v0 {

/// Options of a run of a pipeline.
struct pipeline_options {
    /// The maximum number of items between the source and the end of the pipeline, from 1 to 2^30.
    std::size_t capacity = 64;
};

namespace detail {
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class Call>
concept pipeline_source = std::invocable<Call&> && is_optional<std::invoke_result_t<Call&>>::value;
} // namespace detail

/// A source and the parts behind it, joined with `|`:
///
///     auto lines = source(read_line) | parallel(parse) | ordered(write);
///     lines.run(pool).get();
///
/// A worker takes a few items from the source and brings them through the parts one after the
/// other, so that there are no queues in between; several workers do that at the same time. The
/// source and ordered parts are called by one worker at a time, with the items in the order of the
/// source. The source is not called while `capacity` items have not reached the end: if the end is
/// slow, the source waits, and no thread does.
template <class Source, class... Parts>
class pipeline {
public:
    /// For `source` and `|` only.
    pipeline(Source source, std::tuple<Parts...> parts)
        : source_(std::move(source)), parts_(std::move(parts)) {}

    /// Runs the pipeline, which is used up by that, until the source returns nothing. The future
    /// has the number of items. It has the first exception that the source or a part throws: after
    /// that the source is not called, other workers call a part only for the items that they have
    /// in hand, at most 64, and items that have not reached the end are destroyed. If the pool is
    /// stopped with `on_stop::cancel`, it has `errc::not_run`.
    ///
    /// As for other futures that no worker can complete by itself, waiting for it on a worker
    /// throws `errc::would_deadlock`: use `then` there.
    ///
    /// Throws `errc::invalid_argument` for a capacity outside its range, `errc::stopped`, and
    /// std::bad_alloc; then nothing was run.
    [[nodiscard]] future<std::size_t> run(pool& target, const pipeline_options& options = {}) && {
        constexpr const char* call = "weft::pipeline::run";
        constexpr std::size_t most = std::size_t{1} << 30;
        if (options.capacity == 0 || options.capacity > most) {
            throw error{errc::invalid_argument, call};
        }
        return detail::pipeline_run<Source, Parts...>::begin(target, options.capacity, call,
                                                             std::move(source_), std::move(parts_));
    }

    /// The pipeline with another part behind it.
    template <class Call, bool Ordered>
    [[nodiscard]] auto operator|(detail::pipeline_part<Call, Ordered> next) && {
        using part = detail::pipeline_part<Call, Ordered>;
        return pipeline<Source, Parts..., part>{
            std::move(source_),
            std::tuple_cat(std::move(parts_), std::tuple<part>{std::move(next)})};
    }

private:
    Source source_;
    std::tuple<Parts...> parts_;
};

/// The beginning of a pipeline: `next()` returns a `std::optional` with the next item, or without
/// one at the end.
template <class Next>
    requires detail::pipeline_source<std::decay_t<Next>>
[[nodiscard]] auto source(Next&& next) {
    return pipeline<std::decay_t<Next>>{std::decay_t<Next>(std::forward<Next>(next)), {}};
}
/// A part that several workers may call at the same time, with an item as an rvalue. What it
/// returns is the item of the next part.
template <class Call>
[[nodiscard]] auto parallel(Call&& call) {
    return detail::pipeline_part<std::decay_t<Call>, false>{std::forward<Call>(call)};
}
/// A part that is called with one item after the other, in the order of the source. Otherwise as
/// `parallel`.
template <class Call>
[[nodiscard]] auto ordered(Call&& call) {
    return detail::pipeline_part<std::decay_t<Call>, true>{std::forward<Call>(call)};
}

} // namespace weft::inline v0
