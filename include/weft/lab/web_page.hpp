// A net as an interactive page for the browser: a single file without external references.
#pragma once

#include <weft/api.hpp>
#include <weft/lab/net.hpp>
#include <weft/lab/trace.hpp>

#include <cstddef>
#include <string>

namespace weft::inline v0::petri {

/// What is on a page besides the net.
struct web_page_options {
    /// The trace that is loaded initially.
    trace shown{};
    /// JavaScript that plays a coloured net: an expression that is a function of the net's
    /// description and returns an object with start, enabled(state), fire(state, choice),
    /// texts(state), counts(state) and optionally tables(state). Without it, the state space of a
    /// coloured net is embedded in the page.
    std::string script{};
    /// The limit for an embedded state space.
    std::size_t most_markings = 20'000;
};

/// Throws an error if the net has colours, there is no script, and the state space exceeds the
/// limit.
[[nodiscard]] WEFT_API std::string web_page(net& net, const web_page_options& options = {});

} // namespace weft::inline v0::petri
