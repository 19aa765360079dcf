// Several binding elements at the same time.
#pragma once

#include "petri/firing.hpp"
#include "petri/random.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::petri {

/// What must hold for elements to occur in one step. In both, no token is taken twice.
enum class step_rule : std::uint8_t {
    /// As coloured nets have it: what one element looks at no other takes, and nothing is put where another
    /// is inhibited. Such a step may also be fired one by one in any order.
    strict,
    /// Everybody looks at the marking before the step. Others may take what is only looked at.
    a_priori,
};

/// The marking after the step.
/// An error that says why, if the elements may not occur together.
[[nodiscard]] marking fire_step(net& net, const marking& now,
                                const std::vector<binding_element>& step, step_rule rule);

/// A step that nothing can be added to, of the elements in a random order.
[[nodiscard]] std::vector<binding_element> random_step(net& net, const marking& now, step_rule rule,
                                                       random_source& random);

} // namespace weft::petri
