// Ranks in one process, whose messages take random times.
#pragma once

#include "cluster/network.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace weft::test {

/// Between two ranks messages keep their order; otherwise any may come before any other. One clock
/// for all ranks, which moves on with every step of the test.
class delayed_network {
public:
    delayed_network(int size, std::uint64_t seed) : random_{seed}, channels_(square(size)) {
        for (int rank = 0; rank != size; ++rank) {
            ports_.push_back(std::make_unique<port>(*this, rank, size));
        }
    }

    [[nodiscard]] detail::network& of_rank(std::size_t rank) { return *ports_[rank]; }
    void pass_time() { now_ += 1; }
    [[nodiscard]] std::mt19937_64& random() { return random_; }
    /// Messages of this kind that are on their way.
    [[nodiscard]] std::size_t count_underway(detail::message_kind kind) const {
        std::size_t count = 0;
        for (const auto& channel : channels_) {
            for (const auto& each : channel) count += each.kind == kind ? 1 : 0;
        }
        return count;
    }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

private:
    struct letter {
        detail::message_kind kind;
        std::vector<std::byte> bytes;
        std::uint64_t arrives;
    };
    class port final : public detail::network {
    public:
        port(delayed_network& all, int rank, int size) : all_{&all}, rank_{rank}, size_{size} {}
        [[nodiscard]] int rank() const noexcept override { return rank_; }
        [[nodiscard]] int size() const noexcept override { return size_; }
        void send(int destination, detail::message_kind kind,
                  std::vector<std::byte> bytes) override {
            ++all_->sent_;
            // Most are fast; one in eight takes long.
            const std::uint64_t random = all_->random_();
            const std::uint64_t delay = random % 8 == 0 ? random / 8 % 2'000 : random / 8 % 40;
            all_->channel(rank_, destination, size_)
                .push_back({kind, std::move(bytes), all_->now_ + delay});
        }
        [[nodiscard]] bool receive(detail::message& filled) override {
            const auto first = static_cast<int>(all_->random_() % static_cast<unsigned>(size_));
            for (int i = 0; i != size_; ++i) {
                const int source = (first + i) % size_;
                auto& channel = all_->channel(source, rank_, size_);
                if (channel.empty() || channel.front().arrives > all_->now_) continue;
                filled.source = source;
                filled.kind = channel.front().kind;
                filled.bytes = std::move(channel.front().bytes);
                channel.pop_front();
                return true;
            }
            return false;
        }
        [[nodiscard]] double now() const noexcept override {
            return static_cast<double>(all_->now_) * 1e-6;
        }

    private:
        delayed_network* all_;
        int rank_;
        int size_;
    };

    static std::size_t square(int size) {
        return static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    }
    std::deque<letter>& channel(int source, int destination, int size) {
        return channels_[static_cast<std::size_t>(source * size + destination)];
    }

    std::mt19937_64 random_;
    std::vector<std::deque<letter>> channels_;
    std::vector<std::unique_ptr<port>> ports_;
    std::uint64_t now_ = 0;
    std::uint64_t sent_ = 0;
};

} // namespace weft::test
