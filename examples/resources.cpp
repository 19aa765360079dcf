// Resources without locks: a task names what it needs, and runs when it has all of it.
#include <weft/completion.hpp>
#include <weft/resource.hpp>
#include <weft/waits.hpp>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// [transfer]
struct account {
    std::int64_t balance = 100;
};

weft::future<bool> transfer(weft::pool& pool, weft::resource<account>& from,
                            weft::resource<account>& to, std::int64_t amount) {
    return weft::when(from, to).submit(pool, [amount](account& a, account& b) {
        if (a.balance < amount) return false;
        a.balance -= amount; // no other task has them now
        b.balance += amount;
        return true;
    });
}
// [/transfer]

// [read]
weft::future<std::int64_t> sum_of(weft::pool& pool, weft::resource<account>& one,
                                  weft::resource<account>& other) {
    return weft::when(weft::read(one), weft::read(other))
        .submit(pool, [](const account& a, const account& b) { return a.balance + b.balance; });
}
// [/read]

// [limit]
weft::future<std::string> fetch(weft::pool& pool, weft::limit& connections, std::string name) {
    return weft::when(connections).submit(pool, [name = std::move(name)] {
        return "content of " + name; // no more of these run at a time than the limit allows
    });
}
// [/limit]

// [keys]
weft::future<void> append(weft::pool& pool, weft::key_space& files, const std::string& path,
                          std::string& content) {
    return weft::when(files(path)).submit(pool, [&content] { content += "a line\n"; });
}
// [/keys]

// [find]
using directory = std::map<std::string, weft::resource<account>*>;

/// One task looks up the accounts; another one changes them.
void collect(weft::pool& pool, weft::resource<directory>& people, std::vector<std::string> names) {
    weft::when(weft::read(people)).submit(pool, [names = std::move(names)](const directory& all) {
        std::vector<weft::resource<account>*> found;
        for (const std::string& name : names) found.push_back(all.at(name));
        weft::when(found).submit([](std::span<account* const> accounts) {
            for (account* each : accounts) each->balance -= 1;
        });
    });
}
// [/find]

// [hold]
/// An interface that is not ours: it returns at once and calls back from its own thread.
void read_file(const std::string& name, std::function<void(std::string)> done) {
    std::thread{[name, done = std::move(done)] { done("content of " + name); }}.detach();
}

weft::future<std::size_t> load(weft::pool& pool, weft::resource<std::string>& cache) {
    return weft::when(cache).hold<std::string>(
        pool,
        [](std::string&, weft::completion<std::string> done) {
            void* token = done.release(); // a std::function must be copyable
            read_file("a file", [token](std::string content) {
                weft::completion<std::string>::adopt(token).complete(std::move(content));
            });
        },
        [](std::string& kept, weft::future<std::string> content) { // no other task had it meanwhile
            kept = content.get();
            return kept.size();
        });
}
// [/hold]

} // namespace

int main() { // NOLINT(bugprone-exception-escape): then it ends, and says why
    weft::resource<account> alice;
    weft::resource<account> bob;
    weft::resource<directory> people{directory{{"Alice", &alice}, {"Bob", &bob}}};
    weft::limit connections{4};
    weft::key_space files{1'024};
    weft::resource<std::string> cache;
    std::string content;
    weft::pool pool{2};

    bool right = transfer(pool, alice, bob, 30).get() && !transfer(pool, alice, bob, 71).get();
    right = right && sum_of(pool, alice, bob).get() == 200;
    right = right && fetch(pool, connections, "a page").get() == "content of a page";
    append(pool, files, "/tmp/log", content).get();
    right = right && content == "a line\n" && load(pool, cache).get() == 17;
    collect(pool, people, {"Alice", "Bob"});
    pool.stop();
    right = right && weft::waits() == "no task waits for a resource\n";
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
