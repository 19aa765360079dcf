import unittest

from planted import PlantedTree


class NamesTest(PlantedTree):
    check = "names"

    def code(self, text):
        self.plant("src/pool/a.hpp", text)

    def refuses(self, text, *names):
        self.code(text)
        self.fails(*(f"src/pool/a.hpp:1: {name} is no noun or verb" for name in names))

    def test_good_names_pass(self):
        self.code("""
            // of, at and which in a comment
            #define WEFT_X "at" in
            struct range { int first, next, before_, after_; int inside; int whichever; };
            int index_of(const range& all, int each, int other) { return all.first + each; }
            auto text = "how"; auto place = list.at(1); x.from = y->to; std::ranges::to<int>();
            const char* what() const noexcept override;
        """)
        self.plant("tools/a.py", "for each in all_of(x): print(each.of, how)\n")
        self.plant("test/a.cpp", "int of; int at(int in);\n")
        self.passes("names: 2 files, no violation")

    def test_parameters(self):
        for parameter in ("int at", "const options& how", "task* which", "T&& with", "std::vector<int> from",
                          "Args&&... to", "int by = 1", "int in[]", "[[maybe_unused]] int its"):
            with self.subTest(parameter=parameter):
                self.refuses(f"void f({parameter});", parameter.split("[]")[0].split(" = ")[0].split()[-1].strip("&*."))

    def test_members_variables_and_functions(self):
        for declaration, name in (("int at_;", "at_"), ("int of{1};", "of"), ("auto mine = f();", "mine"),
                                  ("net& of() const;", "of"), ("worker(pool& where) : a{1} {}", "where"),
                                  ("for (auto& which : all) {}", "which"), ("int on : 3;", "on"),
                                  ("pool::pool(int how) {}", "how"), ("std::array<int, 2> by;", "by")):
            with self.subTest(declaration=declaration):
                self.refuses(declaration + "\n", name)

    def test_bindings_captures_and_enumerators(self):
        self.refuses("auto [first, to] = f();\n", "to")
        self.refuses("const auto& [from, second] : all\n", "from")
        self.refuses("auto f = [&, of = x] {};\n", "of")
        self.refuses("enum class kind : char { good, by, with = 3 };\n", "by", "with")

    def test_every_folder(self):
        for folder in ("include/weft", "src/pool", "lab/sim", "tools/weft"):
            self.plant(f"{folder}/b.cpp", "\nint how;\n")
        self.fails(*(f"{folder}/b.cpp:2: how is no noun or verb"
                     for folder in ("include/weft", "lab/sim", "src/pool", "tools/weft")))

    def test_python_of_the_tools(self):
        self.plant("tools/a.py", "def of(at):\n    x.how = 1\n    which = [who for who in y]\n")
        self.fails("tools/a.py:1: at is no noun or verb", "tools/a.py:1: of is no noun or verb",
                   "tools/a.py:2: how is no noun or verb", "tools/a.py:3: which is no noun or verb",
                   "tools/a.py:3: who is no noun or verb")

    def test_phrases_in_documents_and_comments(self):
        self.plant("README.md", "It never runs beside\nitself. Code is fine: `the own`.\n\n```sh\nis told\n```\n> the own queue\n")
        self.code("/// The source\n/// is told of it. Who waits sleeps.\nint x; // the own one\nauto y = \"is told\";\n")
        self.fails("README.md:1: “beside itself”: say …", "README.md:7: “the own”: say …",
                   "src/pool/a.hpp:2: “Who waits”: say …", "src/pool/a.hpp:2: “is told”: say …",
                   "src/pool/a.hpp:3: “the own”: say …")

    def test_questions_and_relative_clauses_are_english(self):
        self.plant("README.md", "Who uses it? The people who read this know who may call it. It is its own owner.\n"
                   "A caller who waits is fine.\n\n| operation | who may call |\n")
        self.passes("names: 1 files, no violation")


if __name__ == "__main__":
    unittest.main()
