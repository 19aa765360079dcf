// Messages between ranks, as the protocols see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::inline v0::detail {

enum class message_kind : std::uint8_t {
    wish,     // to the parent: the subtree wants a round
    begin,    // to the children: a round begins
    gather,   // to the parent: the states of the subtree
    conclude, // to the children: what the round has found
    tasks,
    request, // for tasks
    refusal, // of a request
};

struct message {
    int source = 0;
    message_kind kind{};
    std::vector<std::byte> bytes;
};

/// The messages of one rank. Those from one rank to another arrive in their order; nothing else is
/// known of their order. One thread at a time calls it.
class network {
public:
    virtual ~network() = default;
    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int size() const noexcept = 0;
    virtual void send(int destination, message_kind kind, std::vector<std::byte> bytes) = 0;
    /// False if no message has arrived.
    [[nodiscard]] virtual bool receive(message& filled) = 0;
    /// Seconds since some time in the past.
    [[nodiscard]] virtual double now() const noexcept = 0;
};

} // namespace weft::inline v0::detail
