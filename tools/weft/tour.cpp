#include "tour.hpp"

#include "host.hpp"
#include "sleep_protocols.hpp"

#include <weft/explorer.hpp>
#include <weft/version.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>

namespace weft::tour {

void narration::say(const std::string& text) {
    said_ += text + "\n";
    if (!prints_) return;
    std::fputs(text.c_str(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void narration::add_step(bool (*show)(narration&)) {
    said_.clear();
    const bool as_expected = show(*this);
    steps_.push_back({said_, as_expected});
}

bool narration::as_expected() const { return std::ranges::all_of(steps_, &step::as_expected); }

namespace {

using explorer::failure_kind;
using explorer::options;
using explorer::report;

void say_indented(narration& told, const std::string& text) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) told.say("    " + line);
}

void introduce(narration& told) {
    told.say("weft " + std::string{version} + ", " + cli::compiler_text());
    told.say(R"(
The parts of weft:
  fork/join  a work-stealing pool whose waiting threads run other tasks; futures, groups, a C interface
  contracts  tasks that run whenever they are signalled, never concurrently with themselves
  resources  a task names the resources it needs, and runs when it holds all of them
  explorer   runs code along all its interleavings within bounds, under a weak memory model;
             it checks every lock-free algorithm of weft
  lab        Petri nets, and a simulator of stealing policies

First the pool. The code is in tools/weft/pool_tour.cpp.)");
}

void introduce_explorer(narration& told) {
    told.say(R"(
Now the explorer. A sleeper waits for a parcel; a giver delivers it, and wakes the sleeper only if
the sleeper has announced that it is asleep. The code is in tools/weft/sleep_protocols.hpp.)");
}

void print(narration& told, const report& found) {
    std::string line = std::to_string(found.executions) + " executions [" + found.bounds + "]: ";
    if (found.failure) line += name_of(found.failure->kind);
    else line += found.exhaustive ? "all interleavings within the bounds pass" : "capped";
    told.say("    " + line);
    if (!found.failure) return;
    std::string steps = found.explanation();
    steps.erase(steps.rfind("again:")); // WEFT_REPLAY would repeat the whole tour
    say_indented(told, steps);
}

options quiet(options limits) {
    limits.print = false;
    return limits;
}

/// Prints what an exploration found; true if that is what the tour expects.
template <class Protocol>
bool find_lost_wake_up(narration& told, const options& limits) {
    const report found = explorer::explore("one parcel", quiet(limits), one_parcel<Protocol>);
    print(told, found);
    return found.failure && found.failure->kind == failure_kind::deadlock;
}

template <class Protocol>
bool find_nothing(narration& told, const options& limits) {
    const report found = explorer::explore("one parcel", quiet(limits), one_parcel<Protocol>);
    print(told, found);
    return found.passed() && found.exhaustive;
}

bool show_naive(narration& told) {
    told.say(
        "\n5. The sleeper looks for the parcel, then announces that it is asleep, then parks.");
    if (!find_lost_wake_up<naive>(told, options::sequential())) return false;
    told.say("    The giver came between the look and the announcement: a lost wake-up.");
    return true;
}

bool show_hopeful(narration& told) {
    told.say("\n6. The sleeper announces that it is asleep first, then looks again.");
    if (!find_nothing<hopeful>(told, options::sequential())) return false;
    told.say("    That is correct if every thread sees every store at once. On weak memory:");
    if (!find_lost_wake_up<hopeful>(told, options::weak())) return false;
    told.say("    The giver looked later, and still read the old value. A test on one machine may\n"
             "    never show that.");
    return true;
}

bool show_repaired(narration& told) {
    told.say("\n7. Both exchange the word: the second of the two sees what the first has done.");
    constexpr int many = 100;
    return find_nothing<repaired>(told, options::sequential()) &&
           find_nothing<repaired>(told, options::weak()) &&
           find_nothing<repaired>(told, options::weak(many, many));
}

bool show_mutants(narration& told) {
    told.say("\n8. Is every memory order needed? Each operation of the last version is weakened in "
             "turn:");
    const auto found = explorer::mutate(
        {{"one parcel", quiet(options::weak()), one_parcel<repaired>}}, "sleep_protocols.hpp");
    for (const explorer::mutant_result& each : found.mutants) {
        told.say("    " + each.mutant.describe() + (each.caught ? "  caught" : "  SURVIVED"));
    }
    return !found.mutants.empty() && found.all_caught();
}

} // namespace

void tell(narration& told) {
    introduce(told);
    add_pool_steps(told);
    introduce_explorer(told);
    for (const auto show : {show_naive, show_hopeful, show_repaired, show_mutants}) {
        told.add_step(show);
    }
    told.say(told.as_expected() ? "\nEverything went as expected. README.md says where to read on."
                                : "\nThis is not the expected result: please report it.");
}

} // namespace weft::tour
