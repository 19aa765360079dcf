// Failures and what is nested in them, as text.
#pragma once

#include <weft/error.hpp>
#include <weft/future.hpp>

#include <exception>
#include <stdexcept>
#include <string>

namespace weft::test {

/// The failure and what is nested in it: "not_run < lost".
inline std::string chain_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& thrown) {
        const auto* known = dynamic_cast<const error*>(&thrown);
        std::string text{known != nullptr ? std::string{name_of(known->code())} : thrown.what()};
        if (const auto* nested = dynamic_cast<const std::nested_exception*>(&thrown)) {
            text += " < " + chain_of(nested->nested_ptr());
        }
        return text;
    }
}
template <class T>
std::string outcome_of(future<T>& result) {
    try {
        static_cast<void>(result.get());
    } catch (...) {
        return chain_of(std::current_exception());
    }
    return "none";
}
inline std::exception_ptr lost() { return std::make_exception_ptr(std::runtime_error{"lost"}); }
inline int take_result(future<int> before) { return before.get(); }

} // namespace weft::test
