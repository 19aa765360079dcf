"""A folder includes only folders below it.

The layers are read from the block ```layers of docs/architecture.md, top to bottom. A row is one or
more folders, each ending in '/', and a description, which may hold
  [public: version.hpp detail/]  headers of include/weft/ (a .h: of include/) that belong to the row
  [graph: node.hpp]              the same on a row of several folders, here for src/graph/
  [only: src/balance/]           the only other folders that the row may include
<weft/pool.hpp>, <weft/pool/...> and <weft/detail/pool/...> belong to the row src/pool/ without being named, and
<weft/detail/petri/...> to lab/petri/.

A class of namespace weft itself is for users, so it is defined in a public header: not in src/ or include/weft/detail/.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from functions import Functions
from source_tree import Source, Violation, arguments, cpp_files, read, report, resolve

DOCUMENT = "docs/architecture.md"
UMBRELLA = "include/weft/weft.hpp"
NOT_PUBLIC = ("src/", "include/weft/detail/")
VERSION = "v0"  # the inline namespace
LAYERED = ("src/", "include/", "lab/")  # every file below these belongs to a layer

BLOCK = re.compile(r"^```layers[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"\s*((?:\S+/(?:\s+|$))+)(.*)")


@dataclass(frozen=True)
class Layer:
    folder: str
    row: int
    public: tuple[str, ...]
    only: tuple[str, ...]

    def may_include(self, other: "Layer") -> bool:
        if other == self:
            return True
        if self.only:
            return other.folder in self.only
        return self.row < other.row

    def owns(self, path: str) -> bool:
        return any(path.startswith(name) if name.endswith("/") else path == name
                   for name in (self.folder, *self.public))


class Layers:
    def __init__(self, layers: list[Layer]):
        self._layers = sorted(layers, key=lambda layer: -len(layer.folder))  # the nearest folder wins

    def owner(self, path: str) -> Layer | None:
        if part := re.match(r"include/weft/detail/(\w+)/", path):
            parts = (f"src/{part[1]}/", f"lab/{part[1]}/")
            return next((layer for layer in self._layers if layer.folder in parts), None)
        if stem := re.match(r"include/weft/(\w+)(?:\.hpp|/)", path):
            for layer in self._layers:
                if layer.folder == f"src/{stem[1]}/":
                    return layer
        return next((layer for layer in self._layers if layer.owns(path)), None)


def annotation(key: str, description: str) -> list[str]:
    found = re.search(rf"\[{key}:([^\]]*)\]", description)
    return found[1].split() if found else []


def public_headers(folders: list[str], folder: str, description: str) -> tuple[str, ...]:
    names = annotation(Path(folder).name, description)
    if len(folders) == 1:
        names += annotation("public", description)
    return tuple(f"include/{n}" if n.endswith(".h") else f"include/weft/{n}" for n in names)


def read_layers(text: str) -> tuple[list[Layer], list[Violation]]:
    block = BLOCK.search(text)
    if not block:
        return [], [Violation(DOCUMENT, 1, "has no block ```layers")]
    layers, violations = [], []
    first_line = text.count("\n", 0, block.start(1)) + 1
    for line, row in enumerate(block[1].splitlines(), first_line):
        parts = ROW.fullmatch(row)
        folders, description = (parts[1].split(), parts[2]) if parts else ([], "")
        if not folders and row.strip():
            violations.append(Violation(DOCUMENT, line, "a row starts with a folder and its '/'"))
        if len(folders) > 1 and annotation("public", description):
            message = "[public: …] on a row of several folders: say [<folder>: …]"
            violations.append(Violation(DOCUMENT, line, message))
        only = tuple(annotation("only", description))
        layers += [Layer(folder, line, public_headers(folders, folder, description), only)
                   for folder in folders]
    return layers, violations + named_twice(layers)


def named_twice(layers: list[Layer]) -> list[Violation]:
    seen, violations = set(), []
    for layer in layers:
        for name in (layer.folder, *layer.public):
            if name in seen:
                violations.append(Violation(DOCUMENT, layer.row, f"{name} is named twice"))
            seen.add(name)
    return violations


def problem(layers: Layers, path: str, target: str) -> str | None:
    """What is wrong with `path` including `target`, if anything."""
    includer, included = layers.owner(path), layers.owner(target)
    if path == UMBRELLA:
        return None if target.startswith("include/") else f"the umbrella includes {target}, not public"
    if includer is None:
        return None
    if target == UMBRELLA:
        inside = path.startswith(LAYERED)
        return f"the umbrella {UMBRELLA} is for users, not for weft itself" if inside else None
    if included is None:
        return f"{includer.folder} may not include {target}, which belongs to no layer"
    if not includer.may_include(included):
        return f"{includer.folder} may not include {included.folder} ({target})"
    return None


def check(root: Path, layers: Layers, path: str, source: Source) -> Iterator[Violation]:
    if path.startswith(LAYERED) and path != UMBRELLA and layers.owner(path) is None:
        yield Violation(path, 1, f"belongs to no layer of {DOCUMENT}")
    for include in source.includes:
        target = resolve(root, path, include.name, include.angled)
        if target and (message := problem(layers, path, target)):
            yield Violation(path, include.line, message)


def check_classes(path: str, source: Source) -> Iterator[Violation]:
    if not path.startswith(NOT_PUBLIC):
        return
    for each in Functions(source.code).classes():
        namespace, name = [part for part in each.path[:-1] if part != VERSION], each.path[-1]
        if namespace == ["weft"]:
            yield Violation(path, source.line(each.first), f"weft::{name} is defined here, not in a public header")


def main() -> int:
    root = arguments(__doc__).parse_args().root
    document = root / DOCUMENT
    rows, violations = read_layers(read(document) if document.is_file() else "")
    if not rows:
        return report("layers", "", violations)
    layers, count = Layers(rows), 0
    for count, (path, source) in enumerate(cpp_files(root), 1):
        violations += check(root, layers, path, source)
        violations += check_classes(path, source)
    return report("layers", f"{count} files", violations)


if __name__ == "__main__":
    sys.exit(main())
