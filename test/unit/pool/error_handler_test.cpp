#include <weft/detail/pool/error_handler.hpp>

#include <weft/error.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace weft::inline v0::detail {
namespace {

/// What is nested in an error, level by level: "not_run < cancelled < text".
std::string levels_of(const std::exception_ptr& failure) {
    std::string text;
    try {
        std::rethrow_exception(failure);
    } catch (const error& known) {
        text = known.code() == errc::not_run     ? "not_run"
               : known.code() == errc::cancelled ? "cancelled"
                                                 : "error";
        const auto* nesting = dynamic_cast<const std::nested_exception*>(&known);
        if (nesting != nullptr) text += " < " + levels_of(nesting->nested_ptr());
    } catch (const std::exception& other) {
        text = other.what();
    } catch (...) {
        text = "other";
    }
    return text;
}

std::exception_ptr root() { return std::make_exception_ptr(std::runtime_error{"root"}); }

TEST(make_error, nests_its_cause) {
    EXPECT_EQ(levels_of(make_error(errc::not_run, "call", nullptr)), "not_run");
    EXPECT_EQ(levels_of(make_error(errc::not_run, "call", root())), "not_run < root");
    const auto own = std::make_exception_ptr(error{errc::stopped, "call"});
    EXPECT_EQ(levels_of(make_error(errc::cancelled, "call", own)), "cancelled < error");
    EXPECT_EQ(levels_of(make_error(errc::not_run, "call", std::make_exception_ptr(1))),
              "not_run < other");
}

TEST(make_error, nests_the_cause_of_a_cause_that_was_not_run_either) {
    for (const errc code : {errc::not_run, errc::cancelled}) {
        const std::exception_ptr caused = make_error(code, "call", root());
        EXPECT_EQ(levels_of(make_error(errc::not_run, "call", caused)), "not_run < root");
        const std::exception_ptr first = make_error(code, "call", nullptr);
        EXPECT_EQ(levels_of(make_error(errc::not_run, "call", first)), "not_run");
    }
}

class failure_collections : public testing::Test {
protected:
    void fail(int number) {
        failure_collection::keep_or_report(handler_, std::make_exception_ptr(number));
    }
    static int number_of(const std::exception_ptr& failure) {
        if (!failure) return 0;
        try {
            std::rethrow_exception(failure);
        } catch (int number) {
            return number;
        }
    }
    int reported = 0;

private:
    std::shared_ptr<const error_handler> handler_ = std::make_shared<error_handler>(error_handler{
        [this](const std::exception_ptr& failure) { reported = number_of(failure); }});
};

TEST_F(failure_collections, keep_the_first_failure_while_they_live) {
    {
        const failure_collection kept;
        EXPECT_EQ(kept.first(), nullptr);
        EXPECT_EQ(kept.handler(), nullptr);
        fail(1);
        fail(2);
        EXPECT_EQ(number_of(kept.first()), 1);
        EXPECT_NE(kept.handler(), nullptr);
        EXPECT_EQ(reported, 0);
    }
    fail(3);
    EXPECT_EQ(reported, 3);
}

TEST_F(failure_collections, nest) {
    const failure_collection outer;
    {
        const failure_collection inner;
        fail(1);
        EXPECT_EQ(number_of(inner.first()), 1);
        EXPECT_EQ(outer.first(), nullptr);
    }
    fail(2);
    EXPECT_EQ(number_of(outer.first()), 2);
    EXPECT_EQ(reported, 0);
}

} // namespace
} // namespace weft::inline v0::detail
