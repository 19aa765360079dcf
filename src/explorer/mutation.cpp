#include "explorer/mutation.hpp"

#include "explorer/memory_machine.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace weft::inline v0::explorer::detail {
namespace {

bool same_operation(const operation_site& a, const operation_site& b) {
    return a.place.line() == b.place.line() && a.place.column() == b.place.column() &&
           a.operation == b.operation && a.update == b.update &&
           std::strcmp(a.place.file_name(), b.place.file_name()) == 0;
}

std::memory_order without_acquire(std::memory_order order) {
    return releases(order) ? std::memory_order_release : std::memory_order_relaxed;
}

std::memory_order without_release(std::memory_order order) {
    return acquires(order) ? std::memory_order_acquire : std::memory_order_relaxed;
}

} // namespace

bool mutation::hits(const site& place, std::string_view operation) const {
    return change_ != nullptr && change_->line == place.line() &&
           change_->column == place.column() && change_->operation == operation &&
           change_->file == place.file_name();
}

bool mutation::drops_fence(const site& place) const {
    return hits(place, "fence") && change_->kind == mutation_kind::drop_fence;
}

bool mutation::splits(const site& place, std::string_view operation) const {
    return hits(place, operation) && change_->kind == mutation_kind::split;
}

void mutation::note(const operation_site& operation) {
    const auto same = [&](const operation_site& known) { return same_operation(known, operation); };
    if (std::ranges::none_of(*sites_, same)) sites_->push_back(operation);
}

std::memory_order mutation::order_of(const operation_site& operation) {
    if (sites_ != nullptr) note(operation);
    if (!hits(operation.place, operation.operation)) return operation.order;
    const bool failed = operation.update == update::failed;
    switch (change_->kind) {
    case mutation_kind::drop_acquire:
        return failed ? operation.order : without_acquire(operation.order);
    case mutation_kind::drop_acquire_on_failure:
        return failed ? without_acquire(operation.order) : operation.order;
    case mutation_kind::drop_release: return without_release(operation.order);
    case mutation_kind::soften_fence: return std::memory_order_acq_rel;
    case mutation_kind::drop_fence:
    case mutation_kind::split: break;
    }
    return operation.order;
}

std::vector<mutant> mutants_of(const std::vector<operation_site>& sites,
                               std::string_view file_suffix) {
    std::vector<mutant> all;
    for (const operation_site& each : sites) {
        const std::string_view file = each.place.file_name();
        if (!file.ends_with(file_suffix)) continue;
        const auto add = [&](mutation_kind kind) {
            all.push_back({kind, std::string{file}, each.place.line(), each.place.column(),
                           std::string{each.operation}});
        };
        if (each.operation == "fence") {
            add(mutation_kind::drop_fence);
            if (each.order == std::memory_order_seq_cst) add(mutation_kind::soften_fence);
            continue;
        }
        if (each.update == update::failed) {
            if (acquires(each.order)) add(mutation_kind::drop_acquire_on_failure);
            continue;
        }
        if (acquires(each.order) && each.operation != "store") add(mutation_kind::drop_acquire);
        if (releases(each.order) && each.operation != "load") add(mutation_kind::drop_release);
        if (each.update == update::done) add(mutation_kind::split);
    }
    std::ranges::sort(all, {}, [](const mutant& each) {
        return std::tie(each.file, each.line, each.column, each.kind);
    });
    return all;
}

} // namespace weft::inline v0::explorer::detail

namespace weft::inline v0::explorer {

std::string_view name_of(mutation_kind kind) noexcept {
    switch (kind) {
    case mutation_kind::drop_acquire: return "drop_acquire";
    case mutation_kind::drop_acquire_on_failure: return "drop_acquire_on_failure";
    case mutation_kind::drop_release: return "drop_release";
    case mutation_kind::drop_fence: return "drop_fence";
    case mutation_kind::soften_fence: return "soften_fence";
    case mutation_kind::split: return "split";
    }
    return "?";
}

std::string mutant::describe() const {
    const std::size_t slash = file.rfind('/');
    return file.substr(slash == std::string::npos ? 0 : slash + 1) + ":" + std::to_string(line) +
           " " + operation + ": " + std::string{name_of(kind)};
}

bool mutation_report::all_caught() const noexcept {
    return !mutants.empty() && caught() == mutants.size() &&
           std::ranges::all_of(unchanged, &report::passed);
}

std::size_t mutation_report::caught() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(mutants, &mutant_result::caught));
}

std::string mutation_report::summary() const {
    std::string text = "explore: mutants: " + std::to_string(caught()) + " of " +
                       std::to_string(mutants.size()) + " caught\n";
    for (const mutant_result& each : mutants) {
        if (!each.caught) text += "  survived: " + each.mutant.describe() + "\n";
    }
    return text;
}

mutation_report mutate(const std::vector<scenario>& scenarios, std::string_view file_suffix) {
    mutation_report result;
    std::vector<detail::operation_site> sites;
    detail::mutation collecting;
    collecting.collect_into(&sites);
    for (const scenario& each : scenarios) {
        result.unchanged.push_back(
            detail::explore_with(each.name, each.options, each.body, collecting));
    }
    for (mutant& each : detail::mutants_of(sites, file_suffix)) {
        mutant_result outcome{.mutant = std::move(each), .caught_by = {}};
        detail::mutation change;
        change.apply(&outcome.mutant);
        for (const scenario& tried : scenarios) {
            explorer::options quiet = tried.options;
            quiet.print = false;
            const report found = detail::explore_with(tried.name, quiet, tried.body, change);
            outcome.executions += found.executions;
            if (found.passed() || found.failure->kind == failure_kind::misuse) continue;
            outcome.caught = true;
            outcome.caught_by = tried.name + ": " + found.failure->message;
            break;
        }
        result.mutants.push_back(std::move(outcome));
    }
    return result;
}

} // namespace weft::inline v0::explorer
