// What tests ask of an exploration, in words that read well inside EXPECT_TRUE and EXPECT_EQ.
#pragma once

#include <weft/explorer.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <string>
#include <string_view>

namespace weft::test {

using scenario_body = std::function<void()>;

/// The running test as "suite.test": scenarios are named after it, and replayed by that name.
inline std::string test_name() {
    const testing::TestInfo& running = *testing::UnitTest::GetInstance()->current_test_info();
    return std::string{running.test_suite_name()} + "." + running.name();
}

/// The same without a line on standard output, for scenarios that are meant to fail.
inline explorer::options quiet(explorer::options bounds) {
    bounds.print = false;
    return bounds;
}

inline testing::AssertionResult contains(std::string_view text, std::string_view part) {
    if (text.find(part) != std::string_view::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

/// All interleavings within the bounds pass.
inline testing::AssertionResult passes(const explorer::options& bounds, const scenario_body& body) {
    const explorer::report found = explorer::explore(test_name(), quiet(bounds), body);
    if (!found.passed()) return testing::AssertionFailure() << found.explanation();
    if (!found.exhaustive) return testing::AssertionFailure() << found.summary();
    std::cout << found.summary() << '\n';
    return testing::AssertionSuccess();
}

/// Some interleaving within the bounds fails, and in this way.
inline testing::AssertionResult fails_with(explorer::failure_kind expected,
                                           const explorer::options& bounds,
                                           const scenario_body& body) {
    const explorer::report found = explorer::explore(test_name(), quiet(bounds), body);
    if (found.passed()) return testing::AssertionFailure() << found.summary();
    if (found.failure->kind != expected) return testing::AssertionFailure() << found.explanation();
    return testing::AssertionSuccess();
}

} // namespace weft::test
