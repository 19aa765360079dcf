"""Which function of a C++ file a place is in, as far as tokens tell."""

import re
from dataclasses import dataclass
from typing import Iterator

CONTROL = re.compile(r"(?:else\s+)?(?:if|for|while|switch|catch)\b|else\b|do\b|try\b")
SCOPE = re.compile(r"\b(namespace|class|struct|union)\b(?:\s*\[\[[^\]]*\]\]|\s*alignas\s*\([^)]*\)|\s*[A-Z_]+\b(?=\s+\w))*\s*([\w:]*)")
TEMPLATE = re.compile(r"\btemplate\s*<")
NAME = re.compile(r"((?:\w+(?:<[^<>]*>)?\s*::\s*)*(?:operator\s*(?:\(\)|[^\s\w(]+|\w+)|~?\w+))\s*\(")
NO_NAMES = frozenset("if for while switch catch return requires decltype noexcept alignas explicit sizeof static_assert "
                     "__attribute__ alignof typeid and or not".split())
LAMBDA = re.compile(r"\]\s*(?:<[^<>]*>\s*)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*(?:mutable|noexcept|constexpr|->\s*[\w:<>&* ]+|\s)*$")


@dataclass(frozen=True)
class Scope:
    """A brace pair: what it is, and its name with those around it."""

    kind: str  # namespace, class, function, inside (of a function), value
    path: tuple[str, ...]
    first: int
    last: int


def without_templates(header: str) -> str:
    """The text without `template <…>`, whose contents may look like anything."""
    while found := TEMPLATE.search(header):
        depth, end = 1, found.end()
        while end < len(header) and depth:
            depth += (header[end] == "<") - (header[end] == ">")
            end += 1
        header = header[: found.start()] + " " * (end - found.start()) + header[end:]
    return header


def classify(header: str, within: str) -> tuple[str, tuple[str, ...]]:
    header = re.sub(r"(?:(?<=::)|\b)inline\s+(?=[\w:]+\s*$|namespace\b)", "", without_templates(header)).strip()
    last = header[-1:]
    while (plain := re.sub(r"\{[^{}]*\}", "", header)) != header:  # values of members, in a constructor
        header = plain
    scope = SCOPE.search(header)
    if scope and within in ("namespace", "class", "") and not NAME.search(header[: scope.start()]) and "=" not in header:
        return ("namespace" if scope[1] == "namespace" else "class"), tuple(filter(None, scope[2].split("::")))
    if within in ("function", "inside") or LAMBDA.search(header):
        block = not header or CONTROL.match(header) or LAMBDA.search(header) or header.endswith(":")
        return ("inside" if block else "value"), ()
    if re.search(r"(?:=|\breturn|,|\()\s*$", header) or header.startswith("enum") or header.count("(") > header.count(")"):
        return "value", ()
    # a member that a constructor initialises: `word{1}`; the body stands behind the last of them
    if last not in "})" and re.search(r"\)[^;]*[^:]:(?!:)[^;]*\w$", header):
        return "value", ()
    for name in NAME.finditer(header):
        if name[1] not in NO_NAMES:
            return "function", tuple(re.sub(r"<[^<>]*>|\s", "", name[1]).split("::"))
    return "value", ()


def scopes(code: str) -> Iterator[Scope]:
    """Every brace pair of `code`, which has no comments or literals."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda line: re.sub(r"[^\n]", " ", line[0]), code, flags=re.MULTILINE)
    open_scopes: list[tuple[str, tuple[str, ...], int]] = []
    start = 0
    for mark in re.finditer(r"[;{}]|\b(?:public|private|protected)\s*:", code):
        if mark[0] == "{":
            within = open_scopes[-1][0] if open_scopes else ""
            kind, names = classify(code[start : mark.start()], within) if within != "value" else ("value", ())
            around = open_scopes[-1][1] if open_scopes else ()
            open_scopes.append((kind, around + names, mark.start()))
            if kind != "value":
                start = mark.end()
        elif mark[0] == "}":
            if open_scopes:
                kind, path, first = open_scopes.pop()
                yield Scope(kind, path, first, mark.start())
                if kind != "value":
                    start = mark.end()
        elif not (open_scopes and open_scopes[-1][0] == "value"):
            start = mark.end()


class Functions:
    """The functions and classes of a file."""

    def __init__(self, code: str):
        self._code = code
        self._scopes = sorted(scopes(code), key=lambda scope: scope.first)

    def definitions(self) -> set[tuple[str, ...]]:
        """The names of all functions with a body, each with its classes and namespaces."""
        return {each.path for each in self._scopes if each.kind == "function" and each.path}

    def enclosing(self, offset: int) -> tuple[str, ...]:
        """The name of the function around an offset, with its classes and namespaces; () outside of functions."""
        around = [each for each in self._scopes if each.kind == "function" and each.first <= offset <= each.last]
        return around[0].path if around else ()

    def surroundings(self, offset: int) -> tuple[str, ...]:
        """The classes and namespaces around an offset, also where a member is defined outside of its class."""
        if function := self.enclosing(offset):
            return function[:-1]
        around = [each for each in self._scopes if each.kind in ("namespace", "class") and each.first <= offset <= each.last]
        return around[-1].path if around else ()

    def class_after(self, offset: int) -> Scope | None:
        """The next class that begins behind an offset."""
        return next((each for each in self._scopes if each.kind == "class" and each.first > offset), None)

    def classes(self) -> Iterator[Scope]:
        """The classes with a body and a name that other files can use: in no unnamed namespace."""
        unnamed = [each for each in self._scopes if each.kind == "namespace" and not self._adds_name(each)]
        for each in self._scopes:
            hidden = any(around.first < each.first and each.last < around.last for around in unnamed)
            if each.kind == "class" and self._adds_name(each) and not hidden:
                yield each

    def _adds_name(self, scope: Scope) -> bool:
        around = [each for each in self._scopes if each.first < scope.first and scope.last < each.last]
        return scope.path != (around[-1].path if around else ())

    def members(self, described: Scope) -> set[str]:
        """The functions that a class defines or declares, without those of classes inside it."""
        body, end = [], described.first + 1
        for inner in self._scopes:
            if end <= inner.first and inner.last <= described.last:  # the outermost that are left
                body.append(self._code[end : inner.first])
                end = inner.last + 1
                if inner.kind == "function":
                    body.append(";")
        body.append(self._code[end : described.last])
        names = set()
        for statement in re.split(r";|\b(?:public|private|protected)\s*:", "".join(body)):
            name = next((each[1] for each in NAME.finditer(without_templates(statement)) if each[1] not in NO_NAMES), None)
            if name and "=" not in statement[: statement.index(name)]:
                names.add(re.sub(r"<[^<>]*>|\s", "", name).rsplit("::", 1)[-1])
        return names
