import re
import unittest

from planted import REPOSITORY


class ErrorsPageTest(unittest.TestCase):
    def test_every_code_has_a_section_and_a_row(self):
        header = (REPOSITORY / "include/weft/error.hpp").read_text()
        page = (REPOSITORY / "docs/errors.md").read_text()
        codes = re.findall(r"^    (\w+),\s+///<", re.search(r"enum class errc.*?};", header, re.DOTALL)[0], re.MULTILINE)
        self.assertGreaterEqual(len(codes), 11)
        self.assertEqual(codes, re.findall(r"^### (\w+)$", page, re.MULTILINE))
        self.assertEqual(codes, re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \|", page, re.MULTILINE))


if __name__ == "__main__":
    unittest.main()
