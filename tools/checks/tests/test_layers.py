import unittest

from planted import PlantedTree

LAYERS = """# Architecture

```layers
tools/weft/                              the command line
lab/petri/                               nets [public: lab.hpp lab/] [only: src/error/]
lab/sim/                                 pure [only: src/balance/]
src/capi/                                the C API [public: threadpool.h]
src/graph/ src/stage/ what people compose [graph: node.hpp] [stage: gate.hpp]
src/pool/
src/balance/                             pure functions
src/sync/                                the seam
src/error/                               the one error type [public: version.hpp detail/]
```
"""


class LayersTest(PlantedTree):
    check = "layers"

    def setUp(self):
        super().setUp()
        self.plant("docs/architecture.md", LAYERS)
        for layer in ("pool", "balance", "sync", "error"):
            self.plant(f"src/{layer}/{layer}.hpp", "#pragma once\n")
        self.plant("include/weft/pool.hpp", '#include <vector>\n#include "sync/sync.hpp"\n')
        self.plant("include/weft/weft.hpp", "#include <weft/pool.hpp>\n")

    def test_a_good_tree_passes(self):
        self.plant("src/pool/worker.cpp", '#include "pool.hpp"\n#include "balance/balance.hpp"\n')
        self.plant("src/graph/graph.cpp", "#include <weft/pool.hpp>\n#include <weft/node.hpp>\n")
        self.plant("src/capi/capi.cpp", "#include <threadpool.h>\n#include <weft/version.hpp>\n")
        self.plant("include/threadpool.h", "#include <stddef.h>\n")
        self.plant("include/weft/version.hpp", "")
        self.plant("include/weft/node.hpp", "#include <weft/detail/slot.hpp>\n")
        self.plant("include/weft/detail/slot.hpp", "")
        self.plant("include/weft/pool/options.hpp", "#include <weft/version.hpp>\n")
        self.plant("lab/sim/sim.hpp", '#include "balance/balance.hpp"\n')
        self.plant("lab/sim/sim.cpp", '#include "sim/sim.hpp"\n')
        self.plant("include/weft/detail/petri/bag.hpp", '#include <weft/version.hpp>\n')
        self.plant("include/weft/lab.hpp", "#include <weft/lab/net.hpp>\n")
        self.plant("include/weft/lab/net.hpp", "#include <weft/detail/petri/bag.hpp>\n")
        self.plant("tools/weft/main.cpp", '#include <weft/weft.hpp>\n#include "sim/sim.hpp"\n')
        self.plant("test/unit/pool.cpp", '#include "pool/pool.hpp"\n#include <weft/weft.hpp>\n')
        self.passes("layers: 21 files, no violation")

    def test_a_class_for_users_outside_of_the_public_headers(self):
        for path in ("src/pool/task.hpp", "src/pool/pool.cpp", "include/weft/detail/pool/task.hpp"):
            for text in ("namespace weft::inline v0 {\nclass task {\n};\n}\n",
                         "namespace weft {\ntemplate <class T>\nstruct alignas(64) task final : base<T> { int a{0}; }; }\n",
                         "namespace weft { inline namespace v0 {\nenum class task : int { a, b }; } }\n"):
                with self.subTest(path=path, text=text):
                    self.plant(path, text)
                    line = 1 + text[: text.index("task")].count("\n")
                    self.fails(f"{path}:{line}: weft::task is defined here, not in a public header")
            self.plant(path, "")

    def test_classes_that_are_not_for_users_or_in_public_headers(self):
        self.plant("src/pool/task.hpp", """
namespace weft::inline v0 {
class declared;
namespace detail { class task { struct link {}; }; }
namespace { class local {}; }
struct pool::core { int a; };
void function() { struct inside {}; }
}
namespace weft::detail { class other {}; }
namespace weft::v0::sync { class word {}; }
class outside {};
""")
        self.plant("include/weft/pool.hpp", "namespace weft::inline v0 { class pool {}; }\n")
        self.plant("test/unit/a.cpp", "namespace weft { class thing {}; }\n")
        self.passes("layers: 8 files, no violation")

    def test_an_include_upwards(self):
        self.plant("src/sync/atomic.hpp", '#pragma once\n#include "pool/pool.hpp"\n')
        self.fails("src/sync/atomic.hpp:2: src/sync/ may not include src/pool/ (src/pool/pool.hpp)")

    def test_an_include_upwards_by_a_relative_path(self):
        self.plant("src/sync/atomic.hpp", '#include "../pool/pool.hpp"\n')
        self.fails("src/sync/atomic.hpp:1: src/sync/ may not include src/pool/ (src/pool/pool.hpp)")

    def test_an_include_of_a_public_header_upwards(self):
        self.plant("src/sync/atomic.hpp", "#include <weft/pool.hpp>\n")
        self.fails("src/sync/atomic.hpp:1: src/sync/ may not include src/pool/ (include/weft/pool.hpp)")

    def test_a_public_header_is_bound_by_its_layer(self):
        self.plant("include/weft/version.hpp", "#include <weft/pool.hpp>\n")
        self.fails("include/weft/version.hpp:1: src/error/ may not include src/pool/ …")

    def test_what_users_of_the_lab_compile_is_bound_by_its_layer(self):
        for path in ("include/weft/detail/petri/bag.hpp", "include/weft/lab/net.hpp"):
            with self.subTest(path):
                self.plant(path, "#include <weft/pool.hpp>\n")
                self.fails(f"{path}:1: lab/petri/ may not include src/pool/ (include/weft/pool.hpp)")
                self.plant(path, "")

    def test_an_include_within_a_row(self):
        self.plant("src/graph/graph.hpp", "")
        self.plant("src/stage/stage.hpp", '#include "graph/graph.hpp"\n')
        self.fails("src/stage/stage.hpp:1: src/stage/ may not include src/graph/ (src/graph/graph.hpp)")

    def test_public_headers_of_one_row_keep_apart(self):
        self.plant("include/weft/node.hpp", "")
        self.plant("include/weft/gate.hpp", "#include <weft/node.hpp>\n")
        self.fails("include/weft/gate.hpp:1: src/stage/ may not include src/graph/ …")

    def test_a_folder_that_is_not_listed(self):
        self.plant("src/extra/extra.cpp", "")
        self.plant("lab/other/other.cpp", "")
        self.fails("lab/other/other.cpp:1: belongs to no layer of docs/architecture.md",
                   "src/extra/extra.cpp:1: belongs to no layer of docs/architecture.md")

    def test_a_public_header_without_a_layer(self):
        self.plant("include/weft/stray.hpp", "")
        self.fails("include/weft/stray.hpp:1: belongs to no layer of docs/architecture.md")

    def test_the_umbrella_inside_the_library(self):
        self.plant("src/pool/worker.cpp", "#include <weft/weft.hpp>\n")
        self.fails("src/pool/worker.cpp:1: the umbrella include/weft/weft.hpp is for users, …")

    def test_an_umbrella_over_what_is_private(self):
        self.plant("include/weft/weft.hpp", '#include "pool/pool.hpp"\n')
        self.fails("include/weft/weft.hpp:1: the umbrella includes src/pool/pool.hpp, not public")

    def test_a_row_with_only_may_not_include_other_lower_rows(self):
        self.plant("lab/sim/sim.cpp", '#include "pool/pool.hpp"\n')
        self.fails("lab/sim/sim.cpp:1: lab/sim/ may not include src/pool/ (src/pool/pool.hpp)")

    def test_an_include_of_what_has_no_layer(self):
        self.plant("bench/config.hpp", "")
        self.plant("src/pool/worker.cpp", '#include "../../bench/config.hpp"\n')
        self.fails("src/pool/worker.cpp:1: src/pool/ may not include bench/config.hpp, which …")

    def test_a_document_without_the_block(self):
        self.plant("docs/architecture.md", "# Architecture\n")
        self.fails("docs/architecture.md:1: has no block ```layers")

    def test_rows_that_are_unclear(self):
        self.plant("docs/architecture.md", """```layers
what is this
src/graph/ src/stage/ two [public: node.hpp]
src/pool/ src/balance/ [balance: version.hpp]
src/sync/
src/error/ [public: version.hpp]
src/pool/ again
```
""")
        self.fails("docs/architecture.md:2: a row starts with a folder and its '/'",
                   "docs/architecture.md:3: [public: …] on a row of several folders: say [<folder>: …]",
                   "docs/architecture.md:6: include/weft/version.hpp is named twice",
                   "docs/architecture.md:7: src/pool/ is named twice")


if __name__ == "__main__":
    unittest.main()
