"""The outcomes of mutants in a file, so that a run can be cut off and continued.

An outcome belongs to a place and to the text of its file: when the file changes, its places are judged again. A killed mutant
stays killed; one that survived is judged again when a test has changed.
"""

import hashlib
import json
from pathlib import Path

from places import Place

REFUSED = "does not compile"
LEFT = ("survived", "not reached")


class Outcomes:
    def __init__(self, path: Path, root: Path, tests: list[str]):
        self.path, self.root = path, root
        self.tests = digest(*((root / name).read_bytes() for name in sorted(tests)))
        self.known: dict[str, str] = {}
        self.texts: dict[str, bytes] = {}
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        for line in lines:
            if not line.endswith("\n"):
                path.write_text("".join(lines[:-1]))  # the run was cut off within this line
                break
            entry = json.loads(line)
            if entry["outcome"] in LEFT and entry["tests"] != self.tests:
                self.known.pop(entry["place"], None)
            else:
                self.known[entry["place"]] = entry["outcome"]

    def find(self, place: Place) -> str | None:
        return self.known.get(self.key(place))

    def add(self, place: Place, outcome: str) -> None:
        self.known[self.key(place)] = outcome
        entry = {"place": self.key(place), "tests": self.tests, "outcome": outcome,
                 "about": f"{place.path}:{place.line}  {place.change}"}
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def key(self, place: Place) -> str:
        if place.path not in self.texts:
            self.texts[place.path] = (self.root / place.path).read_bytes()
        return digest(self.texts[place.path], f"{place.path} {place.first} {place.last} {place.change}".encode())


def digest(*texts: bytes) -> str:
    whole = hashlib.sha256()
    for text in texts:
        whole.update(hashlib.sha256(text).digest())
    return whole.hexdigest()[:16]
