import json
import os
import shutil
import unittest

from planted import PlantedTree

HEADER = "#pragma once\ninline int* here() { return nullptr; }\n"
SOURCE = '#include "part/a.hpp"\nint* there() { return here(); }\n'


class TidyTree(PlantedTree):
    check = "tidy"

    def setUp(self):
        super().setUp()
        self.plant(".clang-tidy", "Checks: '-*,modernize-use-nullptr'\nHeaderFilterRegex: '.*'\n")
        self.plant("src/part/a.hpp", HEADER)
        self.plant("src/part/a.cpp", SOURCE)
        self.plant("src/part/b.cpp", "int b() { return 1; }\n")
        self.compile_with("-Wall")

    def compile_with(self, flags):
        build = self.root / "build/dev"
        sources = ["src/part/a.cpp", "src/part/b.cpp", "build/dev/generated.cpp"]
        self.plant("build/dev/generated.cpp", "int* x = 0;\n")
        self.plant("build/dev/compile_commands.json", json.dumps([
            {"directory": str(build), "file": str(self.root / source),
             "command": f"/usr/bin/g++ -I{self.root}/src -std=c++20 {flags} -c {self.root / source}"}
            for source in sources]))


class WithoutTheToolTest(TidyTree):
    def test_without_the_tool_it_says_what_to_install(self):
        run = self.run_check(env={"PATH": ""})
        self.assertEqual(run.returncode, 2)
        self.assertIn("the Debian package clang-tidy-19", run.stderr)


@unittest.skipUnless(shutil.which("clang-tidy-19"), "needs clang-tidy-19")
class TidyTest(TidyTree):
    def test_what_passed_is_not_checked_again(self):
        self.passes("tidy: 2 files checked, 0 cached, no violation")
        self.passes("tidy: 0 files checked, 2 cached, no violation")

    def test_whatever_the_verdict_rests_on_is_checked_again(self):
        self.passes("tidy: 2 files checked, 0 cached, no violation")
        self.plant("src/part/b.cpp", "int b() { return 2; }\n")
        self.passes("tidy: 1 files checked, 1 cached, no violation")
        self.plant("src/part/a.hpp", HEADER + "\n")
        self.passes("tidy: 1 files checked, 1 cached, no violation")
        self.plant(".clang-tidy", "Checks: '-*,modernize-use-override'\n")
        self.passes("tidy: 2 files checked, 0 cached, no violation")
        self.compile_with("-Wextra")
        self.passes("tidy: 2 files checked, 0 cached, no violation")

    def test_findings_in_sources_and_headers_every_time(self):
        self.plant("src/part/a.hpp", HEADER.replace("nullptr", "0"))
        self.plant("src/part/b.cpp", '#include "part/a.hpp"\n\nint* b() { return 0; }\n')
        for _ in range(2):
            self.fails("src/part/a.hpp:2: use nullptr [modernize-use-nullptr]",
                       "src/part/b.cpp:3: use nullptr [modernize-use-nullptr]")

    def test_a_file_that_does_not_compile(self):
        self.plant("src/part/b.cpp", "int b() { return c; }\n")
        self.fails("src/part/b.cpp:1: use of undeclared identifier 'c' [clang-diagnostic-error]")

    def test_files_whose_names_clash_are_read_alone(self):
        for name in ("a", "b"):
            self.plant(f"src/part/{name}.cpp", f"namespace {{ int helper() {{ return 1; }} }}\nint {name}() {{ return helper(); }}\n")
        self.passes("tidy: 2 files checked (2 of them alone, since together they clash), 0 cached, no violation")
        self.passes("tidy: 0 files checked, 2 cached, no violation")

    def test_a_name_that_only_another_file_declares_is_no_shadow(self):
        self.compile_with("-Wall -Wshadow")
        self.plant("src/part/a.cpp", "namespace { int steps = 1; }\nint a() { return steps; }\n")
        self.plant("src/part/b.cpp", "int b(int steps) { return steps; }\n")
        self.passes("tidy: 2 files checked, 0 cached, no violation")

    def test_files_that_are_compiled_differently_are_read_apart(self):
        self.plant("src/part/b.cpp", "#ifndef ONLY_B\n#error\n#endif\nint b() { return 1; }\n")
        commands = json.loads((self.root / "build/dev/compile_commands.json").read_text())
        commands[1]["command"] += " -DONLY_B"
        self.plant("build/dev/compile_commands.json", json.dumps(commands))
        self.passes("tidy: 2 files checked, 0 cached, no violation")

    def test_full_runs_read_every_file_alone(self):
        self.plant(".clang-tidy", "Checks: '-*,misc-unused-using-decls'\n")
        self.plant("src/part/a.cpp", "namespace x { struct y {}; }\nusing x::y;\n")
        run = self.run_check(env={**os.environ, "WEFT_FULL": "1"})
        self.assertEqual(run.stdout, "src/part/a.cpp:2: using decl 'y' is unused [misc-unused-using-decls]\n")

    def test_flags_that_only_gcc_knows(self):
        self.compile_with("-Werror -Wduplicated-cond -fconcepts-diagnostics-depth=3 -fmodules-ts")
        self.passes("tidy: 2 files checked, 0 cached, no violation")

    def test_a_build_that_is_not_configured(self):
        run = self.run_check("--build", "build/none")
        self.assertEqual(run.returncode, 2)
        self.assertIn("has no compile_commands.json", run.stderr)


if __name__ == "__main__":
    unittest.main()
