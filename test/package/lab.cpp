// A program of somebody who checks a design as a Petri net.
#include <weft/lab.hpp>

#include <cstdlib>
#include <string>
#include <vector>

using namespace weft::petri;

int main() {
    net letters;
    const auto sent = letters.add_place<std::string>("sent", {"a", "b"});
    const auto read = letters.add_place<std::vector<std::string>>("read", {{}});
    letters.add_transition("read").take(sent).take(read).put(
        read, [](const std::string& letter, std::vector<std::string> so_far) {
            so_far.push_back(letter);
            return so_far;
        });

    simulation run{letters, 1};
    run.run(10);
    const bool all_read = run.view().one(read).size() == 2;

    const state_space all = explore(letters);
    const report result = analyse(all);
    const bool two_ends =
        all.complete() && result.markings == 5 && result.dead_markings.size() == 2;

    bool thrown = false;
    try {
        run.fire("read");
    } catch (const error& wrong) { // of the library's type
        thrown = wrong.code() == fault::not_enabled;
    }
    net plain;
    const auto one = plain.add_place("one", 1);
    plain.add_transition("go").take(one).put(plain.add_place("two"));
    net again = read_pnml(write_pnml(plain));
    const bool kept = explore(again).markings() == 2;
    const bool drawn = web_page(letters).find("<html") != std::string::npos;
    return all_read && two_ends && thrown && kept && drawn ? EXIT_SUCCESS : EXIT_FAILURE;
}
