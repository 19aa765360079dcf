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
What stands:
  fork/join  a work-stealing pool whose waits help; futures, groups; a C interface
  contracts  work that is run whenever it is signalled, and never beside itself
  resources  a task names what it needs, and runs when it has all of it
  explorer   runs code along all its interleavings within bounds, on a weak memory model;
             all that weft shares without locks is checked with it
  lab        Petri nets, and a simulator of schedulers

The pool at work. The code is in tools/weft/pool_tour.cpp.)");
}

void introduce_explorer() {
    say(R"(
The explorer at work. A sleeper waits for a parcel; a giver leaves it, and wakes the sleeper only
if that one says to be asleep. The code is in tools/weft/sleep_protocols.hpp.)");
}

void tell(const report& found) {
    std::string line = std::to_string(found.executions) + " executions [" + found.bounds + "]: ";
    if (found.failure) line += name_of(found.failure->kind);
    else line += found.exhaustive ? "all interleavings within the bounds pass" : "capped";
    say("    " + line);
    if (!found.failure) return;
    std::string steps = found.explanation();
    steps.erase(steps.rfind("again:")); // WEFT_REPLAY is of no use here: the tour goes on
    say_indented(steps);
}

options quiet(options how) {
    how.print = false;
    return how;
}

/// Tells what an exploration found, and whether that was to be expected.
template <class Protocol>
bool find_lost_wake_up(const options& how) {
    const report found = explorer::explore("one parcel", quiet(how), one_parcel<Protocol>);
    tell(found);
    return found.failure && found.failure->kind == failure_kind::deadlock;
}

template <class Protocol>
bool find_nothing(const options& how) {
    const report found = explorer::explore("one parcel", quiet(how), one_parcel<Protocol>);
    tell(found);
    return found.passed() && found.exhaustive;
}

bool show_naive() {
    say("\n5. The sleeper looks for the parcel, then says to be asleep, then parks.");
    if (!find_lost_wake_up<naive>(options::sequential())) return false;
    say("    The giver came between the look and the announcement: a lost wake-up.");
    return true;
}

bool show_hopeful() {
    say("\n6. The sleeper says to be asleep first, then looks again.");
    if (!find_nothing<hopeful>(options::sequential())) return false;
    say("    So it would be if every thread saw every store at once. On weak memory:");
    if (!find_lost_wake_up<hopeful>(options::weak())) return false;
    say("    The giver looked later, and still read the old value. A test on one machine may "
        "never\n"
        "    show that.");
    return true;
}

bool show_repaired() {
    say("\n7. Both exchange the word: the second of the two learns what the first had done.");
    constexpr int many = 100;
    return find_nothing<repaired>(options::sequential()) &&
           find_nothing<repaired>(options::weak()) &&
           find_nothing<repaired>(options::weak(many, many));
}

bool show_mutants() {
    say("\n8. Is anything there in vain? Each operation of the last is weakened in turn:");
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
    say(as_expected ? "\nAll as it should be. README.md tells where to read on."
                    : "\nThis is not what should have come out: please report it.");
    return as_expected;
}

} // namespace weft::tour
