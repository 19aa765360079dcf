// The result of callables that return void.
#pragma once

namespace weft::inline v0 {

/// The result of a callable that returns void, where a value is needed: in the tuple of
/// `fork_join`.
struct nothing {};

} // namespace weft::inline v0
