#include "tour.hpp"

#include "host.hpp"
#include "sleep_protocols.hpp"

#include <weft/explorer.hpp>
#include <weft/version.hpp>

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>

namespace weft::tour {

void say(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

namespace {

using explorer::failure_kind;
using explorer::options;
using explorer::report;

void say_indented(const std::string& text) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) say("    " + line);
}

void introduce() {
    say("weft " + std::string{version} + ", " + cli::compiler_text());
    say(R"(
The parts of weft:
  fork/join  a work-stealing pool whose waiting threads run other tasks; futures, groups, a C interface
  contracts  tasks that run whenever they are signalled, never concurrently with themselves
  resources  a task names the resources it needs, and runs when it holds all of them
  explorer   runs code along all its interleavings within bounds, under a weak memory model;
             it checks every lock-free algorithm of weft
  lab        Petri nets, and a simulator of stealing policies

First the pool. The code is in tools/weft/pool_tour.cpp.)");
}

void introduce_explorer() {
    say(R"(
Now the explorer. A sleeper waits for a parcel; a giver delivers it, and wakes the sleeper only if
the sleeper has announced that it is asleep. The code is in tools/weft/sleep_protocols.hpp.)");
}

void print(const report& found) {
    std::string line = std::to_string(found.executions) + " executions [" + found.bounds + "]: ";
    if (found.failure) line += name_of(found.failure->kind);
    else line += found.exhaustive ? "all interleavings within the bounds pass" : "capped";
    say("    " + line);
    if (!found.failure) return;
    std::string steps = found.explanation();
    steps.erase(steps.rfind("again:")); // WEFT_REPLAY would repeat the whole tour
    say_indented(steps);
}

options quiet(options limits) {
    limits.print = false;
    return limits;
}

/// Prints what an exploration found; true if that is what the tour expects.
template <class Protocol>
bool find_lost_wake_up(const options& limits) {
    const report found = explorer::explore("one parcel", quiet(limits), one_parcel<Protocol>);
    print(found);
    return found.failure && found.failure->kind == failure_kind::deadlock;
}

template <class Protocol>
bool find_nothing(const options& limits) {
    const report found = explorer::explore("one parcel", quiet(limits), one_parcel<Protocol>);
    print(found);
    return found.passed() && found.exhaustive;
}

bool show_naive() {
    say("\n5. The sleeper looks for the parcel, then announces that it is asleep, then parks.");
    if (!find_lost_wake_up<naive>(options::sequential())) return false;
    say("    The giver came between the look and the announcement: a lost wake-up.");
    return true;
}

bool show_hopeful() {
    say("\n6. The sleeper announces that it is asleep first, then looks again.");
    if (!find_nothing<hopeful>(options::sequential())) return false;
    say("    That is correct if every thread sees every store at once. On weak memory:");
    if (!find_lost_wake_up<hopeful>(options::weak())) return false;
    say("    The giver looked later, and still read the old value. A test on one machine may\n"
        "    never show that.");
    return true;
}

bool show_repaired() {
    say("\n7. Both exchange the word: the second of the two sees what the first has done.");
    constexpr int many = 100;
    return find_nothing<repaired>(options::sequential()) &&
           find_nothing<repaired>(options::weak()) &&
           find_nothing<repaired>(options::weak(many, many));
}

bool show_mutants() {
    say("\n8. Is every memory order needed? Each operation of the last version is weakened in "
        "turn:");
    const auto found = explorer::mutate(
        {{"one parcel", quiet(options::weak()), one_parcel<repaired>}}, "sleep_protocols.hpp");
    for (const explorer::mutant_result& each : found.mutants) {
        say("    " + each.mutant.describe() + (each.caught ? "  caught" : "  SURVIVED"));
    }
    return !found.mutants.empty() && found.all_caught();
}

} // namespace

bool run() {
    introduce();
    bool as_expected = show_pool();
    introduce_explorer();
    as_expected &= show_naive() && show_hopeful() && show_repaired() && show_mutants();
    say(as_expected ? "\nEverything went as expected. README.md says where to read on."
                    : "\nThis is not the expected result: please report it.");
    return as_expected;
}

} // namespace weft::tour
