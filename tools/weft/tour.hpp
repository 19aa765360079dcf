// The tour: what weft does, step by step.
#pragma once

#include <string>
#include <vector>

namespace weft::tour {

struct step {
    std::string text;
    bool as_expected = false;
};

/// What the tour says, step by step; printed at once if that is wanted.
class narration {
public:
    explicit narration(bool prints) : prints_{prints} {}

    /// A line.
    void say(const std::string& text);
    /// Calls `show`, which says what happens and returns whether that is what should happen.
    void add_step(bool (*show)(narration&));

    [[nodiscard]] const std::vector<step>& steps() const { return steps_; }
    [[nodiscard]] bool as_expected() const;

private:
    bool prints_;
    std::string said_; // in this step
    std::vector<step> steps_;
};

/// The whole tour.
void tell(narration& told);
/// The steps about the pool.
void add_pool_steps(narration& told);

} // namespace weft::tour
