// Reports of which task waits for what: in words, as JSON and as a picture.
#include "conform/cpp/rendezvous.hpp"

#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

using namespace test;

/// What `waits(file)` writes.
std::string written(waits_format format) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return "no pipe";
    std::string all;
    {
        std::jthread writer{[&] {
            waits(ends[1], format);
            ::close(ends[1]);
        }};
        std::array<char, 256> some{};
        for (ssize_t got = 1; got > 0;) {
            got = ::read(ends[0], some.data(), some.size());
            if (got > 0) all.append(some.data(), static_cast<std::size_t>(got));
        }
    }
    ::close(ends[0]);
    return all;
}

std::string text_of(const void* address) {
    std::ostringstream text;
    text << "0x" << std::hex << reinterpret_cast<std::uintptr_t>(address);
    return text.str();
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// "audit" has the ledger and reads the rates, "transfer" waits for the ledger, "update" for the
/// rates.
class standstill : public testing::Test {
protected:
    standstill() {
        audit_ =
            when(ledger, read(rates)).submit(workers, {.name = "audit"}, [this](int&, const int&) {
                begun_.happen();
                blocking([&] { go_.await(); });
            });
        begun_.await();
        transfer_ = when(ledger, net).submit(workers, {.name = "transfer \"1\""}, [](int&) {});
        update_ = when(rates).submit(workers, {.name = "update"}, [](int&) {});
    }
    ~standstill() override {
        go_.happen();
        audit_.get();
        transfer_.get();
        update_.get();
        EXPECT_EQ(waits(), "no task waits for a resource\n");
        EXPECT_TRUE(tasks_on_resources().empty());
    }

    pool workers{2};
    resource<int, exclusive> ledger{0};
    resource<int> rates{0};
    limit net{4};
    resource_name ledger_name{ledger, "ledger"};

private:
    event begun_;
    event go_;
    future<void> audit_;
    future<void> transfer_;
    future<void> update_;
};

TEST_F(standstill, is_reported_in_words) {
    const std::string text = waits();
    EXPECT_TRUE(has(text, "transfer \"1\" waits for ledger to write, which audit has\n")) << text;
    EXPECT_TRUE(has(text, "update waits for resource 0x")) << text;
    EXPECT_TRUE(has(text, " to write, which audit has\n")) << text;
    EXPECT_EQ(written(waits_format::text), text);
}

TEST_F(standstill, is_reported_as_json) {
    const std::string text = waits(waits_format::json);
    EXPECT_TRUE(text.starts_with("{\"tasks\": [\n {\"id\": \"0x")) << text;
    EXPECT_TRUE(has(text, R"("name": "transfer \"1\"", "waits": [{"resource": "0x)")) << text;
    EXPECT_TRUE(has(text, R"("name": "ledger", "mode": "write", "holders": ["0x)")) << text;
    EXPECT_TRUE(has(text, R"("name": "update")")) << text;
    EXPECT_FALSE(has(text, R"("name": "audit")")) << "it does not wait";
    EXPECT_EQ(written(waits_format::json), text);
}

TEST_F(standstill, is_reported_as_a_picture) {
    const std::string text = waits(waits_format::dot);
    EXPECT_TRUE(text.starts_with("digraph waits {\n") && text.ends_with("}\n")) << text;
    EXPECT_TRUE(has(text, R"([label="transfer \"1\""];)")) << text;
    EXPECT_TRUE(has(text, R"([shape=box, label="ledger"];)")) << text;
    EXPECT_TRUE(has(text, R"([label="has"];)")) << text;
    EXPECT_EQ(written(waits_format::dot), text);
}

/// The whole text, from the same facts as data.
TEST_F(standstill, is_reported_in_full) {
    const std::vector<waiting_task> all = tasks_on_resources();
    const auto audit = std::ranges::find(all, "audit", &waiting_task::name);
    ASSERT_NE(audit, all.end());
    const std::string holder = text_of(audit->id);
    std::string words;
    std::string json;
    std::string dot = "digraph waits {\n";
    for (const waiting_task& each : all) {
        if (each.name == "audit") continue;
        const bool transfers = each.name != "update";
        const std::string id = text_of(each.id);
        const std::string wanted = transfers ? text_of(id_of(ledger)) : text_of(id_of(rates));
        const std::string label = transfers ? "ledger" : "resource " + wanted;
        const std::string name = transfers ? R"(transfer \"1\")" : "update";
        words += each.name + " waits for " + label + " to write, which audit has\n";
        json += json.empty() ? "\n" : ",\n";
        json += R"( {"id": ")" + id + R"(", "name": ")" + name + R"(", "waits": [{"resource": ")" +
                wanted + R"(", "name": ")" + (transfers ? "ledger" : "") +
                R"(", "mode": "write", "holders": [")" + holder + R"("]}], "holds": [)" +
                (transfers ? "\"" + text_of(id_of(net)) + "\"" : "") + "]}";
        dot += "  \"t" + id + "\" [label=\"" + name + "\"];\n";
        dot += "  \"r" + wanted + "\" [shape=box, label=\"" + label + "\"];\n";
        dot += "  \"t" + id + "\" -> \"r" + wanted + "\" [label=\"write\"];\n";
        dot += "  \"t" + holder + "\" [label=\"audit\"];\n";
        dot += "  \"r" + wanted + "\" -> \"t" + holder + "\" [label=\"has\"];\n";
    }
    EXPECT_EQ(waits(), words);
    EXPECT_EQ(waits(waits_format::json), "{\"tasks\": [" + json + "]}\n");
    EXPECT_EQ(waits(waits_format::dot), dot + "}\n");
}

TEST_F(standstill, is_reported_as_data) {
    const std::vector<waiting_task> all = tasks_on_resources();
    ASSERT_EQ(all.size(), 3U);
    for (const waiting_task& each : all) {
        for (const waiting_claim& claim : each.claims) {
            const bool of_ledger = claim.resource == id_of(ledger);
            EXPECT_EQ(claim.name, of_ledger ? "ledger" : "");
            if (each.name == "audit") {
                EXPECT_TRUE(claim.granted);
                EXPECT_EQ(claim.mode, of_ledger ? "write" : "read");
            } else if (claim.resource == id_of(net)) {
                EXPECT_TRUE(claim.granted);
                EXPECT_EQ(claim.mode, "take 1");
            } else {
                EXPECT_FALSE(claim.granted);
                EXPECT_EQ(claim.mode, "write");
            }
        }
    }
}

std::atomic<int> handled{0};

TEST_F(standstill, is_reported_in_a_signal_handler) {
    handled = 0; // the test may be repeated
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    static int target = -1;
    target = ends[1];
    struct sigaction before{};
    struct sigaction handler{};
    handler.sa_handler = [](int) {
        waits(target, waits_format::text);
        ++handled;
    };
    ASSERT_EQ(::sigaction(SIGUSR1, &handler, &before), 0);
    ::raise(SIGUSR1);
    ::sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(handled, 1);
    std::array<char, 4096> some{};
    const ssize_t got = ::read(ends[0], some.data(), some.size());
    ASSERT_GT(got, 0);
    const std::string text{some.data(), static_cast<std::size_t>(got)};
    EXPECT_TRUE(has(text, "which audit has")) << text;
    ::close(ends[0]);
    ::close(ends[1]);
}

/// What is cut off in the middle of a character would be no text any more, and no JSON.
TEST(waits_with_long_names, prints_whole_characters) {
    pool workers{1};
    resource<int> a{0};
    event go;
    const std::string most(62, 'x');
    const std::string cut = most + "\u00e9"; // two bytes, of which one has room
    const std::string fits = most.substr(1) + "\u00e9y";
    auto busy = when(a).submit(workers, [&](int&) { go.await(); });
    auto first = when(a).submit(workers, {.name = cut.c_str()}, [](int&) {});
    auto second = when(a).submit(workers, {.name = fits.c_str()}, [](int&) {});
    const std::string text = waits(waits_format::json);
    EXPECT_TRUE(has(text, "\"" + most + "\"")) << text;
    EXPECT_TRUE(has(text, "\"" + fits.substr(0, 63) + "\"")) << text;
    go.happen();
    first.get();
    second.get();
}

TEST(waits_with_odd_names, tells_them_so_that_they_can_be_read) {
    pool workers{1};
    resource<int> a{0};
    event go;
    auto busy = when(a).submit(workers, [&](int&) { go.await(); });
    auto next = when(a).submit(workers, {.name = R"(x\y"z)"}, [](int&) {});
    const std::string text = waits();
    EXPECT_TRUE(has(text, R"(x\y"z waits for resource 0x)")) << text;
    EXPECT_TRUE(has(text, "which task 0x")) << text;
    const std::string json = waits(waits_format::json);
    EXPECT_TRUE(has(json, R"("x\\y\"z")")) << json;
    go.happen();
    next.get();
}

TEST(waits_of_no_task, are_empty) {
    EXPECT_EQ(waits(waits_format::text), "no task waits for a resource\n");
    EXPECT_EQ(waits(waits_format::json), "{\"tasks\": []}\n");
    EXPECT_EQ(waits(waits_format::dot), "digraph waits {\n}\n");
}

TEST(waits_of_some_tasks, are_the_same_in_a_file) {
    pool workers{1};
    resource<int> a{0};
    event go;
    std::vector<future<void>> all;
    all.push_back(when(a).submit(workers, [&](int&) { go.await(); }));
    for (int i = 0; i < 50; ++i) {
        all.push_back(when(a).submit(workers, {.name = "one of several"}, [](int&) {}));
    }
    const std::string expected = waits();
    EXPECT_GT(expected.size(), 3'000U) << "it is written in several parts";
    EXPECT_EQ(written(waits_format::text), expected);
    go.happen();
    for (auto& each : all) each.get();
}

/// The report to a file says that there are more.
TEST(waits_of_many_tasks, writes_a_thousand_to_a_file) {
    if (sanitized) GTEST_SKIP() << "for each task all others are looked at: that takes too long";
    pool workers{1};
    resource<int> a{0};
    const resource_name name{a, "a"};
    event go;
    std::vector<future<void>> all;
    all.push_back(when(a).submit(workers, {.name = "busy"}, [&](int&) { go.await(); }));
    const auto wait = [&] { all.push_back(when(a).submit(workers, {.name = "x"}, [](int&) {})); };
    for (int i = 0; i < 1000; ++i) wait();
    spin_until([] { return has(waits(), "which busy has"); });
    std::string expected;
    for (int i = 0; i < 1000; ++i) expected += "x waits for a to write, which busy has\n";
    EXPECT_EQ(written(waits_format::text), expected);
    wait();
    EXPECT_EQ(written(waits_format::text), expected + "and others\n");
    EXPECT_EQ(waits(), expected + "x waits for a to write, which busy has\n");
    go.happen();
    for (auto& each : all) each.get();
}

/// A cancelled task passes on what it is granted, while it still waits for something else.
TEST(waits_after_cancelling, does_not_name_a_task_that_has_passed_on) {
    pool workers{1};
    resource<int, exclusive> first{0};
    resource<int, exclusive> second{0};
    const resource_name first_name{first, "first"};
    std::optional<completion<int>> of_first;
    std::optional<completion<int>> of_second;
    const auto hold = [&](auto& held_resource, std::optional<completion<int>>& kept,
                          const char* name) {
        auto held = when(held_resource)
                        .template hold<int>(
                            workers, {.name = name},
                            [&kept](int&, completion<int> done) { kept = std::move(done); },
                            [](int&, future<int> done) { done.get(); });
        workers.run([] {}); // it has begun
        return held;
    };
    auto holds_second = hold(second, of_second, "holder of the second");
    std::stop_source stop;
    stop.request_stop();
    auto cancelled =
        when(first, second)
            .submit(workers, {.name = "cancelled", .stop = stop.get_token()}, [](int&, int&) {});
    auto holds_first = hold(first, of_first, "holder of the first");
    auto last = when(first).submit(workers, {.name = "last"}, [](int&) {});
    const std::string text = waits();
    EXPECT_TRUE(has(text, "last waits for first to write, which holder of the first has\n"))
        << text;
    EXPECT_EQ(written(waits_format::text), text);
    for (const waiting_task& each : tasks_on_resources()) {
        EXPECT_EQ(each.claims.size(), 1U) << each.name;
    }
    of_first->complete(1);
    of_second->complete(1);
    last.get();
    holds_first.get();
    holds_second.get();
    EXPECT_EQ(error_of([&] { cancelled.get(); }), "cancelled");
}

/// Their cost does not grow with the number made before: otherwise this would not end in time.
TEST(resource_names, may_come_and_go_in_large_numbers) {
    constexpr int many = 100'000;
    const resource<int> named{0};
    for (int round = 0; round < 3; ++round) {
        std::deque<resource_name> all;
        for (int i = 0; i < many; ++i) all.emplace_back(named, "one of many");
    }
}

/// While tasks run it reports something, and disturbs none of them.
TEST(waits_while_tasks_run, is_a_guess_and_does_no_harm) {
    pool workers{2};
    std::array<resource<int>, 3> some{resource<int>{0}, resource<int>{0}, resource<int>{0}};
    std::atomic<bool> over{false};
    std::jthread looker{[&] {
        while (!over) {
            static_cast<void>(waits(waits_format::json));
            static_cast<void>(tasks_on_resources());
        }
    }};
    std::vector<future<void>> all;
    for (std::size_t i = 0; i < (sanitized ? 1'000 : 20'000); ++i) {
        all.push_back(when(some[i % 3], read(some[(i + 1) % 3]))
                          .submit(workers, {.name = "some"}, [](int& x, const int&) { ++x; }));
        if (all.size() == 500) {
            for (auto& each : all) each.get();
            all.clear();
        }
    }
    for (auto& each : all) each.get();
    over = true;
}

} // namespace
} // namespace weft
