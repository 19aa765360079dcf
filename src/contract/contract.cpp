#include <weft/contract.hpp>

#include "contract/contract_core.hpp"

namespace weft::inline v0 {

bool contract::schedule() const noexcept { return core_ != nullptr && core_->schedule(index_); }
bool contract::release() const noexcept { return core_ != nullptr && core_->release(index_); }
bool contract::valid() const noexcept { return core_ != nullptr && core_->valid(index_); }

void contract::set_priority(priority next) const noexcept {
    if (core_ != nullptr) core_->set_priority(index_, next);
}

void contract::drop() noexcept {
    if (core_ != nullptr) core_->drop_handle(index_);
}

bool contract_token::release() noexcept { return block_->request_release(bit_); }

contract_group::contract_group(contract_group_options options)
    : core_{std::make_shared<detail::contract_core>(std::move(options))} {
    core_->attach();
}
contract_group::~contract_group() { core_->end(); }

contract contract_group::create_from(const detail::contract_parts& parts,
                                     contract_options options) {
    return {core_, core_->create(parts, std::move(options))};
}

bool contract_group::try_execute_next(const selection_bias& bias) {
    return core_->execute_next(bias);
}
std::size_t contract_group::execute_some(std::size_t most, const selection_bias& bias) {
    return core_->execute(most, bias);
}
bool contract_group::execute_next_or_wait(const selection_bias& bias) {
    return core_->execute_or_wait(nullptr, bias);
}
bool contract_group::execute_until(sync::clock::time_point deadline, const selection_bias& bias) {
    return core_->execute_or_wait(&deadline, bias);
}
void contract_group::set_worker_bias(std::size_t worker, selection_bias bias) {
    core_->set_worker_bias(worker, std::move(bias));
}
unsigned contract_group::levels() const noexcept { return core_->levels(); }

void contract_group::wait() { core_->wait(); }
void contract_group::stop(on_stop mode) { core_->stop(mode); }
std::size_t contract_group::size() const noexcept { return core_->size(); }
std::size_t contract_group::memory() const noexcept { return core_->memory(); }

} // namespace weft::inline v0
