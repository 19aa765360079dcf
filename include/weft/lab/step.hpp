// Steps: several binding elements that fire at the same time.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/petri/random.hpp>
#include <weft/lab/firing.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::inline v0::petri {

/// The condition for elements to fire in one step. By both rules, no token is taken twice.
enum class step_rule : std::uint8_t {
    /// The rule of coloured Petri nets: no element takes a token that another reads, or puts one
    /// where another is inhibited. The elements of such a step may also be fired one by one in any
    /// order.
    strict,
    /// All elements read the marking before the step. Others may take tokens that are only read.
    a_priori,
};

/// The marking after the step. Throws an error with the reason if the elements cannot fire
/// together.
[[nodiscard]] WEFT_API marking fire_step(net& net, const marking& now,
                                         const std::vector<binding_element>& step, step_rule rule);

/// A maximal step, built from the enabled elements in random order.
[[nodiscard]] WEFT_API std::vector<binding_element>
random_step(net& net, const marking& now, step_rule rule, random_source& random);

} // namespace weft::inline v0::petri
