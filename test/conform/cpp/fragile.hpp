// Elements whose operations throw when they are told to, and which know how many of them there are.
#pragma once

#include "conform/cpp/algorithm_cases.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace weft::test {

/// What a user's type or callable does in an algorithm.
enum class operation : std::uint8_t { copy, move, compare, project, apply };

/// Decides which operation throws, and counts objects.
class fuse {
public:
    /// From now on, the `call`-th operation of this kind throws; if `lasting`, all after it too.
    void arm(operation kind, std::int64_t call, bool lasting) {
        kind_ = kind;
        lasting_ = lasting;
        left_ = call;
        armed_ = true;
    }
    void disarm() { armed_ = false; }
    void pass(operation kind) {
        if (!armed_ || kind != kind_) return;
        const std::int64_t left = --left_;
        if (left == 0 || (left < 0 && lasting_)) {
            ++thrown_;
            throw thrown_at{0};
        }
    }
    [[nodiscard]] std::size_t thrown() const { return thrown_; }

    void add_object() { ++alive_; }
    void remove_object() { --alive_; }
    [[nodiscard]] std::size_t alive() const { return alive_; }

    void look_at_empty() { ++looks_at_empty_; }
    [[nodiscard]] std::size_t looks_at_empty() const { return looks_at_empty_; }

private:
    operation kind_ = operation::copy; // written before and after a call only, as are the next two
    bool lasting_ = false;
    bool armed_ = false;
    std::atomic<std::int64_t> left_{0};
    std::atomic<std::size_t> thrown_{0};
    std::atomic<std::size_t> alive_{0};
    std::atomic<std::size_t> looks_at_empty_{0};
};

/// A number whose copies and moves may throw, and then change nothing. It is empty after it was
/// moved from.
class fragile {
public:
    fragile(fuse& by, int number) : fuse_{&by}, number_{std::make_unique<int>(number)} {
        fuse_->add_object();
    }
    fragile(const fragile& other) : fuse_{other.fuse_} {
        fuse_->pass(operation::copy);
        number_ = other.copy_number();
        fuse_->add_object();
    }
    fragile(fragile&& other) : fuse_{other.fuse_} { // NOLINT(*-noexcept-move*): it may throw
        fuse_->pass(operation::move);
        number_ = std::move(other.number_);
        fuse_->add_object();
    }
    fragile& operator=(const fragile& other) {
        if (this == &other) return *this;
        fuse_->pass(operation::copy);
        number_ = other.copy_number();
        return *this;
    }
    fragile& operator=(fragile&& other) { // NOLINT(*-noexcept-move*): it may throw
        fuse_->pass(operation::move);
        number_ = std::move(other.number_);
        return *this;
    }
    ~fragile() { fuse_->remove_object(); }

    [[nodiscard]] bool is_empty() const { return number_ == nullptr; }
    [[nodiscard]] int number() const {
        if (number_) return *number_;
        fuse_->look_at_empty();
        return 0;
    }
    [[nodiscard]] fuse& steps() const { return *fuse_; }

private:
    [[nodiscard]] std::unique_ptr<int> copy_number() const {
        return number_ ? std::make_unique<int>(*number_) : nullptr;
    }

    fuse* fuse_;
    std::unique_ptr<int> number_;
};

/// The callables of an algorithm over such elements.
struct fragile_less {
    bool operator()(int a, int b) const {
        steps->pass(operation::compare);
        return a < b;
    }
    fuse* steps;
};
struct fragile_projection {
    int operator()(const fragile& each) const {
        each.steps().pass(operation::project);
        return each.number();
    }
};
struct fragile_sum {
    fragile operator()(const fragile& a, const fragile& b) const {
        a.steps().pass(operation::apply);
        return {a.steps(), a.number() + b.number()};
    }
};
struct fragile_condition {
    bool operator()(int number) const {
        steps->pass(operation::apply);
        return number % 3 == 0;
    }
    fuse* steps;
};

} // namespace weft::test
