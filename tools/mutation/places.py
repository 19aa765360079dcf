"""Where a C++ file can be mutated, read from clang's syntax tree, and its text with every mutant in it.

A mutant is switched on by its number when the program runs: `weft_mutant::active(17)` (see programs.py). So all mutants of a
file are compiled at once. Line numbers stay as they are.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable

sys.path.append("/usr/lib/python3/dist-packages")  # where Debian puts python3-clang-19, whichever python3 runs this

try:
    from clang.cindex import Config, CursorKind, Index, TokenKind, TranslationUnit, TypeKind

    Config.set_library_file("libclang-19.so.1")
    Index.create()
    MISSING = ""
except Exception as error:  # the module or the library
    MISSING = f"clang's Python bindings are missing ({error}); install python3-clang-19 and libclang1-19"

DELETED, SKIPPED, NEGATED, IGNORED, OFF_BY_ONE, FLIPPED = (
    "statement deleted", "call skipped", "condition negated", "operand ignored", "bound off by one", "return flipped",
)
# Assertions, what is discarded, and hints to the CPU and the scheduler, without which everything still works.
LEFT_ALONE = ("WEFT_", "(void)", "static_cast<void>", "sync::pause(", "sync::yield(", "sync::prefetch(")
OTHER_BOUND = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
FLAGS = ["-x", "c++", "-std=c++20", "-DWEFT_CHECKED=1", "-ferror-limit=0"]

Render = Callable[[int, int], str]  # the text of a range, with the mutants inside of it


@dataclass(eq=False)
class Place:
    """One change, at one place."""

    path: str
    line: int
    last_line: int
    first: int  # offsets of the changed text
    last: int
    function: str
    operator: str
    code: str  # the changed text, on one line
    mutated: Callable[[int, Render], str] = field(repr=False)  # its replacement, by the number of the mutant
    number: int = 0

    @property
    def change(self) -> str:
        return f"{self.operator}: {self.code}"


def switch(number: int) -> str:
    return f"::weft_mutant::active({number})"


def one_line(text: str) -> str:
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


class Finder:
    """Walks the functions of one file."""

    def __init__(self, path: str, text: str):
        self.path, self.bytes = path, text.encode()
        self.function = ""
        self.returns_bool = False
        self.ends_of_switches: set[int] = set()  # offsets of breaks
        self.places: list[Place] = []

    # Text. Clang counts bytes, and so do the offsets here.

    def text(self, first: int, last: int) -> str:
        return self.bytes[first:last].decode()

    @staticmethod
    def extent(cursor) -> tuple[int, int]:
        return cursor.extent.start.offset, cursor.extent.end.offset

    def code(self, cursor) -> str:
        return self.text(*self.extent(cursor))

    def add(self, operator: str, first: int, last: int, mutated: Callable[[int, Render], str]) -> None:
        line = self.bytes.count(b"\n", 0, first) + 1
        last_line = line + self.bytes.count(b"\n", first, last)
        code = one_line(self.text(first, last))
        self.places.append(Place(self.path, line, last_line, first, last, self.function, operator, code, mutated))

    # The tree.

    def visit_declarations(self, cursor) -> None:
        for child in cursor.get_children():
            place = child.location
            if place.file is None or place.file.name != self.path:
                continue
            body = next((part for part in child.get_children() if part.kind.is_statement()), None)
            if body is not None and child.kind in FUNCTIONS:
                self.function = qualified_name(child)
                self.returns_bool = child.result_type.get_canonical().kind == TypeKind.BOOL
                self.visit(body)
            elif body is None:
                self.visit_declarations(child)

    def visit(self, cursor) -> None:
        code = self.code(cursor)
        if code.startswith(("WEFT_", "static_assert", "constexpr ", "static constexpr ")):
            return  # assertions, and what is computed by the compiler
        kind, children = cursor.kind, list(cursor.get_children())
        if kind == CursorKind.COMPOUND_STMT:
            for child in children:
                self.statement(child)
        elif kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.FOR_STMT, CursorKind.DO_STMT,
                      CursorKind.CXX_FOR_RANGE_STMT):
            children = self.control(cursor, children)
        elif kind == CursorKind.SWITCH_STMT:
            self.ends_of_switches |= {each.extent.start.offset for each in last_breaks(children[-1])}
        elif kind in (CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT) and children:
            self.statement(children[-1])
            children = children[-1:]
        elif kind == CursorKind.CONDITIONAL_OPERATOR:
            self.negate(children[0])
        elif kind == CursorKind.RETURN_STMT and children:
            self.flip(children[0])
        elif kind in (CursorKind.BINARY_OPERATOR, CursorKind.CALL_EXPR):
            self.binary(children)
        elif kind == CursorKind.LAMBDA_EXPR:
            around, self.returns_bool = self.returns_bool, False  # what it returns is seen at each return, if at all
            for child in children:
                self.visit(child)
            self.returns_bool = around
            return
        for child in children:
            self.visit(child)

    def statement(self, cursor, deletable: bool = False) -> None:
        """A statement among others, or under a condition."""
        cursor = bare(cursor)
        first, last = self.extent(cursor)
        if not re.match(r"\s*;", self.text(last, last + 80)):
            return
        kind, code = cursor.kind, self.code(cursor)
        if code.startswith(LEFT_ALONE) or first in self.ends_of_switches:
            return
        if kind == CursorKind.CALL_EXPR and not is_operator(cursor):
            operator = SKIPPED
        elif kind in DELETABLE or deletable or code == "return":
            operator = DELETED
        else:
            return
        # It has an else of its own, so that a following one still belongs to the if around it.
        self.add(operator, first, last, lambda number, render: f"if ({switch(number)}) {{}} else {render(first, last)}")

    def control(self, cursor, children) -> list:
        """The condition and the statements under it; those of the children that are to be visited."""
        body_of_do = cursor.kind == CursorKind.DO_STMT
        opening, closing, semicolons = self.header(cursor, children[0] if body_of_do else None)
        inside = [each for each in children if opening < each.extent.start.offset < closing]
        under = [each for each in children if each not in inside]
        compiled = "constexpr" in self.text(cursor.extent.start.offset, opening)
        is_if = cursor.kind == CursorKind.IF_STMT
        for each in under:
            self.statement(each)
        if is_if and len(under) == 1 and not compiled:
            self.early_return(under[0])
        if not compiled and cursor.kind != CursorKind.CXX_FOR_RANGE_STMT:
            first, last = opening, closing
            if cursor.kind == CursorKind.FOR_STMT:
                first, last = semicolons
            elif semicolons:
                first = semicolons[-1]
            self.condition([each for each in inside if first < each.extent.start.offset < last], is_if and not semicolons)
        return under if compiled else children

    def early_return(self, body) -> None:
        """The return at the end of an if without an else; behind others there would be no value to return."""
        if body.kind == CursorKind.COMPOUND_STMT:
            body = (list(body.get_children()) or [body])[-1]
        if body.kind == CursorKind.RETURN_STMT:
            self.statement(body, deletable=True)

    def condition(self, parts, may_declare: bool) -> None:
        declared = [each for each in parts if each.kind in (CursorKind.VAR_DECL, CursorKind.DECL_STMT)]
        if declared and may_declare:
            self.negate_declared(declared[0])
        elif parts and not declared:
            self.negate(parts[-1])

    def header(self, cursor, skipped) -> tuple[int, int, list[int]]:
        """The parentheses of a control statement, and the semicolons between them."""
        begin = skipped.extent.end.offset if skipped else cursor.extent.start.offset
        depth, opening, semicolons = 0, -1, []
        for token in cursor.get_tokens():
            offset, spelling = token.extent.start.offset, token.spelling
            if offset < begin or token.kind != TokenKind.PUNCTUATION:
                continue
            if spelling in "([{":
                opening = offset if opening < 0 else opening
                depth += 1
            elif spelling in ")]}":
                depth -= 1
                if depth == 0:
                    return opening, offset, semicolons
            elif spelling == ";" and depth == 1:
                semicolons.append(offset)
        return -1, -1, []

    # The changes.

    def negate(self, condition, operator: str = "") -> None:
        first, last = self.extent(condition)
        self.add(operator or NEGATED, first, last,
                 lambda number, render: f"({switch(number)} != static_cast<bool>({render(first, last)}))")

    def negate_declared(self, declaration) -> None:
        first, last = self.extent(declaration)
        variable = declaration
        while variable.kind != CursorKind.VAR_DECL:
            variable = next(variable.get_children())
        name = variable.spelling
        self.add(NEGATED, first, last,
                 lambda number, render: f"{render(first, last)}; {switch(number)} != static_cast<bool>({name})")

    def flip(self, value) -> None:
        # In a template the type of the value may be unknown.
        is_bool = value.type.get_canonical().kind == TypeKind.BOOL
        if is_bool or (self.returns_bool and value.kind != CursorKind.INIT_LIST_EXPR):
            self.negate(value, FLIPPED)

    def binary(self, children) -> None:
        if len(children) < 2:
            return
        (first, between), (beyond, last) = self.extent(children[0]), self.extent(children[-1])
        sign = one_line(self.text(between, beyond)) if first < between <= beyond < last else ""
        if sign in OTHER_BOUND:
            self.shift_bound(sign, first, between, beyond, last)
        elif sign in ("+", "-") and self.text(beyond, last) == "1":
            self.add_one_less(first, beyond, last)
        elif sign in ("&&", "||"):
            for each in (children[0], children[-1]):
                self.ignore(each, sign)

    def shift_bound(self, sign: str, first: int, between: int, beyond: int, last: int) -> None:
        def mutated(number: int, render: Render) -> str:
            left, right, space = render(first, between), render(beyond, last), self.text(between, beyond)
            other = space.replace(sign, OTHER_BOUND[sign], 1)
            # Once more as it stands, on the same line: the copy in front has no line ends.
            return f"({switch(number)} ? ({one_line(left + other + right)}) : ({left}{space}{right}))"

        self.add(OFF_BY_ONE, first, last, mutated)

    def add_one_less(self, first: int, beyond: int, last: int) -> None:
        self.add(OFF_BY_ONE, first, last,
                 lambda number, render: f"{render(first, beyond)}({switch(number)} ? 0 : 1)")

    def ignore(self, operand, sign: str) -> None:
        """The operand is as if it were not in the chain; a chain inside a chain has operands of its own."""
        inner = [self.extent(each) for each in bare(operand).get_children()]
        if len(inner) == 2 and one_line(self.text(inner[0][1], inner[1][0])) == sign:
            return
        first, last = self.extent(operand)
        absent = "!{} && " if sign == "||" else "{} || "
        self.add(IGNORED, first, last,
                 lambda number, render: f"({absent.format(switch(number))}static_cast<bool>({render(first, last)}))")


def bare(cursor):
    """Without what the compiler adds around an expression."""
    while cursor.kind == CursorKind.UNEXPOSED_EXPR:
        inner = list(cursor.get_children())
        if len(inner) != 1 or inner[0].extent != cursor.extent:
            break
        cursor = inner[0]
    return cursor


def last_breaks(body) -> list:
    """The breaks of a switch behind which it does nothing: without them, everything goes on as before."""
    found = []
    for each in reversed(list(body.get_children())):
        while each.kind in (CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT):
            each = list(each.get_children())[-1]
        if each.kind == CursorKind.COMPOUND_STMT:
            return found + last_breaks(each)
        if each.kind != CursorKind.BREAK_STMT:
            break
        found.append(each)
    return found


def is_operator(call) -> bool:
    """Whether a call is written as an operator; one that depends on a template's parameters is among the children."""
    names = [call.spelling] if call.spelling else [each.spelling for each in call.get_children()]
    return any(re.match(r"operator[^\w(]", name) for name in names)


def qualified_name(cursor) -> str:
    names = [cursor.spelling]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind not in (CursorKind.TRANSLATION_UNIT, CursorKind.NAMESPACE):
        names.append(parent.spelling)
        parent = parent.semantic_parent
    return re.sub(r"<[^<>]*>", "", "::".join(reversed(names)))


if not MISSING:
    FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONSTRUCTOR,
                 CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION}
    DELETABLE = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.UNARY_OPERATOR,
                 CursorKind.CALL_EXPR, CursorKind.BREAK_STMT, CursorKind.CONTINUE_STMT, CursorKind.CXX_THROW_EXPR,
                 CursorKind.CXX_DELETE_EXPR, CursorKind.CXX_NEW_EXPR}


def find(path: str, text: str, include_folders: list[Path] = []) -> list[Place]:
    """Every place of a file, in the order of the text."""
    if MISSING:
        raise RuntimeError(MISSING)
    flags = [*FLAGS, *(f"-I{folder}" for folder in include_folders)]
    unit = TranslationUnit.from_source(path, flags, unsaved_files=[(path, text)])
    errors = [str(each) for each in unit.diagnostics if each.severity >= 3]
    if errors:
        raise RuntimeError(f"{path} is not understood: {errors[0]}")
    finder = Finder(path, text)
    finder.visit_declarations(unit.cursor)
    unique = {(each.first, each.last, each.operator): each for each in finder.places}
    return in_order(unique.values())


def in_order(places: Iterable[Place]) -> list[Place]:
    """The outer ones first. A bound is inside a condition of the same text, as it is made of its two sides."""
    return sorted(places, key=lambda each: (each.first, -each.last, each.operator == OFF_BY_ONE, each.operator))


def mutate(text: str, places: list[Place]) -> str:
    """The text with all these places switchable."""
    whole = text.encode()

    def render(first: int, last: int, inside: list[Place]) -> str:
        parts, offset = [], first
        while inside:
            outer = inside[0]
            within = [each for each in inside[1:] if each.first < outer.last]
            inside = inside[1 + len(within):]
            if any(each.last > outer.last for each in within):
                raise RuntimeError(f"{outer.path}:{outer.line}: places overlap")
            parts.append(whole[offset : outer.first].decode())
            parts.append(outer.mutated(outer.number, lambda begin, end: render(
                begin, end, [each for each in within if begin <= each.first and each.last <= end])))
            offset = outer.last
        return "".join(parts) + whole[offset:last].decode()

    mutated = render(0, len(whole), in_order(places))
    for each in places:
        if switch(each.number) not in mutated:
            raise RuntimeError(f"{each.path}:{each.line}: {each.change} is lost")
    return mutated

