import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLLOW = Path(__file__).resolve().parent / "follow.py"


class FollowTest(unittest.TestCase):
    def follow(self, page):
        with tempfile.TemporaryDirectory() as scratch:
            (Path(scratch) / "page.md").write_text(page)
            command = [sys.executable, FOLLOW, Path(scratch) / "page.md", Path(scratch) / "walk"]
            run = subprocess.run(command, capture_output=True, text=True)
            return run.returncode, run.stdout + run.stderr

    def test_commands_files_and_what_is_printed(self):
        page = ("```sh\nmkdir here\ncd here\n```\n<!-- file: a.txt -->\n<!-- quoted: x -->\n```cpp\none\n```\n"
                "<!-- append: a.txt -->\n```cpp\ntwo\n```\n<!-- not run -->\n```sh\nfalse\n```\n"
                "```sh\ncat a.txt\nls ../weft/CMakeLists.txt\n```\n"
                "<!-- prints -->\n```text\none\ntwo\n../weft/CMakeLists.txt\n```\n")
        self.assertEqual(self.follow(page), (0, "4 commands, 2 files: all as told\n"))

    def test_a_command_that_fails(self):
        code, said = self.follow("<!-- file: a -->\n```text\n```\n\n```sh\nfalse\ntrue\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("line 6: ended with 1", said)

    def test_something_else_is_printed(self):
        code, said = self.follow("```sh\necho one\n```\n<!-- prints -->\n```text\ntwo\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("line 6: told: 'two\\n', printed: 'one\\n'", said)

    def test_a_block_that_nothing_is_said_of(self):
        code, said = self.follow("```cmake\nproject(x)\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("line 2: nothing says", said)

    def test_a_page_without_commands(self):
        self.assertEqual(self.follow("# Nothing\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
