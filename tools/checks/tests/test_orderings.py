import sys
import unittest

from planted import CHECKS, PlantedTree

sys.path.insert(0, str(CHECKS))
sys.dont_write_bytecode = True

from functions import Functions  # noqa: E402

TABLE = """# Orderings

| tag | where | pairs with | the bug if weakened | model test | weakened |
|---|---|---|---|---|---|
| `DEQUE-1` | `push`: the item | `DEQUE-1` | a lost task | `deque.the_last_task_is_taken_once` | killed |
"""
GOOD = "orderings: 1 files, 1 tags, no violation"
USE = "void push() { bottom_.store(1, sync::release); } // pairs with push() [DEQUE-1]\n"


class OrderingsTest(PlantedTree):
    check = "orderings"

    def setUp(self):
        super().setUp()
        self.plant("docs/orderings.md", TABLE)
        self.plant("test/model/deque.cpp", "TEST(deque, the_last_task_is_taken_once) {}\n")
        self.plant("src/lockfree/use.cpp", USE)

    def code(self, text):
        """The statements of a function, on the lines that they have here."""
        self.plant("src/lockfree/a.cpp", "void push() {" + text + "}\n")

    def declares(self, text):
        self.plant("src/lockfree/a.hpp", text)

    def test_a_good_tree_passes(self):
        self.code("""
            auto a = top_.load(sync::relaxed);
            auto b = top_->load(relaxed);
            // acquire, since the thief
            // must see the slot [DEQUE-1]
            auto c = top_
                .load(sync::acquire);
            while (!top_.compare_exchange_weak(a, b,
                       sync::acq_rel,
                       sync::relaxed)) { // [DEQUE-1]
            }
            sync::fence(sync::seq_cst); // [DEQUE-1]
            top_.store(other_.load(sync::relaxed), sync::relaxed);
            auto old = std::exchange(a, b);
            slots[N-1] = load(path); // of slots[N-1]
        """)
        self.declares("class x { int load() const; };\n")
        self.passes("orderings: 3 files, 1 tags, no violation")

    def test_an_operation_without_an_order(self):
        for call in (".load()", "->load()", ".store(x)", ".exchange(x)", ".fetch_add(1)", ".fetch_sub(1)",
                     ".fetch_or(1)", ".fetch_and(1)", ".fetch_xor(1)", ".store(held.release())",
                     ".store(o.load(sync::relaxed))", ".compare_exchange_strong(e, d)"):
            with self.subTest(call=call):
                self.code(f"\na_{call};\n")
                name = call.lstrip(".->").split("(")[0]
                self.fails(f"src/lockfree/a.cpp:2: {name} names no order")

    def test_a_fence_without_an_order(self):
        self.code("sync::fence();\n")
        self.fails("src/lockfree/a.cpp:1: fence names no order")

    def test_a_compare_exchange_with_one_order(self):
        self.code("a_.compare_exchange_weak(e, d, sync::relaxed);\n")
        self.fails("src/lockfree/a.cpp:1: compare_exchange_weak names one order, not two")

    def test_an_order_without_a_tag(self):
        self.code("int x; // [DEQUE-1]\n\na_.load(acquire);\nload(sync::acquire);\n"
                  "a_.compare_exchange_weak(\n e, d, sync::relaxed,\n sync::acquire);\n"
                  "sync::fence(sync::release);\n")
        self.fails("src/lockfree/a.cpp:3: load is acquire and has no tag",
                   "src/lockfree/a.cpp:4: load is acquire and has no tag",
                   "src/lockfree/a.cpp:5: compare_exchange_weak is relaxed, acquire and has no tag",
                   "src/lockfree/a.cpp:8: fence is release and has no tag")

    def test_a_tag_in_a_comment_that_is_not_directly_above(self):
        self.code("// [DEQUE-1]\n\na_.load(acquire);\n")
        self.fails("src/lockfree/a.cpp:3: load is acquire and has no tag")

    def test_seq_cst_on_an_access(self):
        self.code("a_.store(1, sync::seq_cst); // [DEQUE-1]\n")
        self.fails("src/lockfree/a.cpp:1: seq_cst on store: it belongs on a fence")

    def test_a_tag_without_a_row(self):
        self.code("a_.load(acquire); // [DEQUE-2]\n")
        self.fails("src/lockfree/a.cpp:1: [DEQUE-2] has no row in docs/orderings.md")

    def test_a_row_that_is_not_used(self):
        self.plant("src/lockfree/use.cpp", "// see [DEQUE-1]\n")
        self.fails("docs/orderings.md:5: DEQUE-1 is on no operation in the code")

    def test_a_row_given_twice(self):
        self.plant("docs/orderings.md", TABLE + TABLE.splitlines()[-1] + "\n")
        self.fails("docs/orderings.md:6: DEQUE-1 has a row already")

    def test_a_model_test_that_does_not_exist(self):
        self.plant("test/model/deque.cpp", "// the_last_task_is_taken_once\n")
        self.fails("docs/orderings.md:5: the test deque.the_last_task_is_taken_once is nowhere under test/")

    def test_a_row_without_a_model_test(self):
        self.plant("docs/orderings.md", "\n| DEQUE-1 | `push` | DEQUE-1 | `c` | none | killed |\n")
        self.fails("docs/orderings.md:2: DEQUE-1 names no `model.test` in a fifth column")

    def test_a_row_that_does_not_say_what_became_of_the_weakened_operation(self):
        for outcome in ("", "caught"):
            with self.subTest(outcome=outcome):
                self.row(weakened=outcome)
                self.fails("docs/orderings.md:2: DEQUE-1 does not say in a sixth column: killed or argued")

    def weakened(self, *lines):
        self.plant("output.log", "".join(f"weakened: ../../src/lockfree/{line}\n" for line in lines))
        return ["--weakened", str(self.root / "output.log")]

    def test_what_became_of_weakened_operations_is_what_the_row_says(self):
        killed, survived = "use.cpp:1 store: drop_release: killed", "use.cpp:1 store: drop_release: survived"
        self.passes(GOOD, *self.weakened(killed))
        self.passes(GOOD, *self.weakened(survived, killed))  # one of two tests noticed
        self.plant("output.log", f"weakened: {self.root}/src/lockfree/{killed}\n")
        self.passes(GOOD, "--weakened", str(self.root / "output.log"))
        self.fails("src/lockfree/use.cpp:1: [DEQUE-1] is not killed: store: drop_release survives",
                   arguments=self.weakened(survived))
        self.fails("src/lockfree/use.cpp:1: [DEQUE-1] is weakened by no model test",
                   arguments=self.weakened("use.cpp:2 store: drop_release: killed"))
        self.row(weakened="argued")
        self.passes(GOOD, *self.weakened(survived))
        self.fails("docs/orderings.md:2: DEQUE-1 is argued, and killed", arguments=self.weakened(killed))

    def test_an_operation_that_is_not_in_the_model_build_is_argued(self):
        self.plant("src/lockfree/use.cpp", "\n")
        self.plant("src/sync/asymmetric_fence.cpp", "void push() { fence(seq_cst); } // [DEQUE-1]\n")
        self.fails("docs/orderings.md:5: DEQUE-1 is not killed: it is not in the model build", arguments=self.weakened())
        self.row(weakened="argued")
        self.passes("orderings: 2 files, 1 tags, no violation", *self.weakened())

    def row(self, function="`push`: the item", partner="DEQUE-1", weakened="killed"):
        self.plant("docs/orderings.md", f"\n| DEQUE-1 | {function} | {partner} | c | `deque.the_last_task_is_taken_once` | {weakened} |\n")

    def test_a_row_that_names_another_function(self):
        for function in ("`pop`: the item", "`deque::push`: the item"):
            with self.subTest(function=function):
                self.row(function)
                name = function.split("`")[1]
                self.fails(f"docs/orderings.md:2: DEQUE-1 is not in {name}",
                           f"src/lockfree/use.cpp:1: [DEQUE-1] is in push, not in {name}",
                           f"src/lockfree/use.cpp:1: [DEQUE-1] pairs with push(), but its partners are in {name}")

    def test_a_row_that_names_one_function_too_many(self):
        self.row("`push`, `pop`: the item")
        self.fails("docs/orderings.md:2: DEQUE-1 is not in pop")

    def test_a_row_that_names_no_function(self):
        self.row("the item")
        self.fails("docs/orderings.md:2: DEQUE-1 names no `function` in the second column")

    def test_a_partner_without_a_row(self):
        self.row(partner="DEQUE-1, PARK-3")
        self.fails("docs/orderings.md:2: DEQUE-1 pairs with PARK-3, which has no row")

    def test_a_row_without_a_partner(self):
        self.row(partner="the fence in `push`")
        self.fails("docs/orderings.md:2: DEQUE-1 names no partner in the third column")

    def test_a_partner_whose_row_does_not_name_the_row(self):
        self.two_rows(partner="DEQUE-2", partner_of_partner="DEQUE-2")
        self.fails("docs/orderings.md:2: DEQUE-1 pairs with DEQUE-2, whose row does not name DEQUE-1")

    def two_rows(self, partner="DEQUE-2", partner_of_partner="DEQUE-1"):
        """DEQUE-1 is in push and DEQUE-2 in deque::steal."""
        test = "| c | `deque.the_last_task_is_taken_once` | killed |"
        self.plant("docs/orderings.md", f"\n| DEQUE-1 | `push`: a | {partner} {test}\n"
                                        f"| DEQUE-2 | `deque::steal`: b | {partner_of_partner} {test}\n")
        self.plant("src/lockfree/use.cpp", "void push() { bottom_.store(1, sync::release); } // [DEQUE-1]\n")
        self.plant("src/lockfree/steal.cpp", """
void deque::steal() { bottom_.load(sync::acquire); } // [DEQUE-2]
void other::steal() { push(); sizeof(int); if (true) {} }
void push_all() {}
""")

    def test_a_partner_in_a_comment_that_does_not_exist(self):
        self.declares("// pairs with push() and the\n// fence of gone::away(), not with other(). pairs with push()\n"
                      "void declared(); // pairs with declared()\n")
        self.fails("src/lockfree/a.hpp:2: pairs with gone::away(), which is no function",
                   "src/lockfree/a.hpp:2: pairs with other(), which is no function",
                   "src/lockfree/a.hpp:3: pairs with declared(), which is no function")

    def test_a_partner_in_a_comment_that_is_called_but_not_defined(self):
        self.two_rows()
        self.code("\n// pairs with deque::drop() and sizeof() and if() [DEQUE-1]\na_.load(acquire);\n")
        self.fails("src/lockfree/a.cpp:2: pairs with deque::drop(), which is no function",
                   "src/lockfree/a.cpp:2: pairs with if(), which is no function",
                   "src/lockfree/a.cpp:2: pairs with sizeof(), which is no function")

    def test_a_partner_in_a_comment_that_is_not_one_of_the_tag(self):
        self.two_rows()
        for partner in ("push()", "push_all()", "other::steal()"):
            with self.subTest(partner=partner):
                self.code(f"\n// release, pairs with {partner}:\n// the item [DEQUE-1]\na_.load(acquire);\n")
                self.fails(f"src/lockfree/a.cpp:2: [DEQUE-1] pairs with {partner}, but its partners are in deque::steal")
        for partner in ("steal()", "deque::steal()"):
            with self.subTest(partner=partner):
                self.code(f"\n// pairs with {partner} [DEQUE-1]\na_.load(acquire); // pairs with push_all()\n")
                self.passes("orderings: 3 files, 2 tags, no violation")

    def test_a_partner_in_a_comment_is_of_the_same_class_if_it_can_be(self):
        self.two_rows()
        self.plant("src/lockfree/use.cpp", "void other::push() {\n"
                                           "    bottom_.store(1, sync::release); // pairs with steal() [DEQUE-1]\n}\n")
        self.fails("src/lockfree/use.cpp:2: [DEQUE-1] pairs with steal(), but its partners are in deque::steal")

    def test_a_partner_in_a_comment_without_a_function(self):
        self.code("\n// pairs with the thief [DEQUE-1]\na_.load(acquire);\n\n// a pair: it pairs with everything\n")
        self.fails("src/lockfree/a.cpp:2: [DEQUE-1] pairs with no function()")

    def test_an_operation_that_a_class_does_not_have(self):
        self.declares("""/// | operation | who | progress |
/// |---|---|---|
/// | push, owner_pop | any thread | wait-free |
/// | steal (again), ~deque | all() | fine |
/// | fetch_add, load | any thread | wait-free |
/// | inner_only, size, each, at_start | any thread | wait-free |
template <class T>
class alignas(64) deque final : base {
    struct inner {
        void inner_only() {}
    };
    int owner_pop_ = 0;
    int count_{fetch_add(1)};
    int start_ = at_start(1);
public:
    void push(T item) { pop(item); bottom_.fetch_add(1, relaxed); while (top_.load(relaxed)) {} }
    void steal();
    [[nodiscard]] int size() const noexcept { return 0; }
    template <class Visit>
        requires std::invocable<Visit>
    void each(Visit visit = Visit{}) const noexcept(noexcept(visit())) {}
    ~deque();
};
void owner_pop();
""")
        self.fails("src/lockfree/a.hpp:3: deque has no owner_pop",
                   "src/lockfree/a.hpp:5: deque has no fetch_add",
                   "src/lockfree/a.hpp:5: deque has no load",
                   "src/lockfree/a.hpp:6: deque has no at_start",
                   "src/lockfree/a.hpp:6: deque has no inner_only")

    def test_what_is_not_checked(self):
        for path in ("include/weft/detail/sync/atomic.hpp", "include/weft/detail/sync/fence.hpp", "src/explorer/a.hpp",
                     "include/weft/explorer.hpp", "test/unit/a.cpp", "lab/sim/a.cpp"):
            self.plant(path, "a_.load(); a_.store(1, seq_cst);\n")
        self.passes("orderings: 1 files, 1 tags, no violation")

    def test_the_rest_of_sync_and_the_public_headers_are_checked(self):
        self.plant("include/weft/a.hpp", "a_.load();\n")
        self.plant("src/sync/event.cpp", "a_.load();\n")
        self.fails("include/weft/a.hpp:1: load names no order", "src/sync/event.cpp:1: load names no order")


CODE = """
namespace weft::inline v0::sync {
template <class T, class = std::enable_if_t<(1 > 0)>>
struct alignas(64) word : base<T> {
    explicit word(int a) noexcept(false) : a_{a}, b_{at<1>(a)} { HERE0; }
    ~word() { HERE1; }
    [[nodiscard]] std::optional<T> take(T value = T{}) const noexcept
        requires std::integral<T>
    {
        if (value) { HERE2; } else { HERE3; }
        each([&](auto& x) mutable noexcept -> int { return x{HERE4}; });
        return {HERE5};
    }
    word& operator=(word&& other) { HERE6; }
    int a_{HERE7};
private:
    enum class state : int { one, two };
    static constexpr int table[] = {1, 2};
};
decltype(auto) word<int>::outside() const { for (;;) { switch (a) { case 1: { HERE8; } } } }
}
"""


class FunctionsTest(unittest.TestCase):
    def test_the_function_around_a_place(self):
        functions = Functions(CODE)
        found = ["::".join(functions.enclosing(CODE.index(f"HERE{n}"))) for n in range(9)]
        take = "weft::v0::sync::word::take"
        self.assertEqual(found, ["weft::v0::sync::word::word", "weft::v0::sync::word::~word", take, take, take, take,
                                 "weft::v0::sync::word::operator=", "", "weft::v0::sync::word::outside"])


if __name__ == "__main__":
    unittest.main()
