"""Threads, atomics, locks and clocks are named in src/sync/ only; macros are few and prefixed."""

import re
import sys
from typing import Iterator

from source_tree import Source, Violation, arguments, cpp_files, report

GUARDED = ("src/", "include/", "lab/", "tools/")  # tests, benches and examples are free

NAMES = re.compile(
    r"""\b(?:
      std\s*::\s*(?:
          atomic\w* | memory_order\w* | thread | jthread | this_thread
        | (?:recursive_|shared_)?(?:timed_)?mutex | lock | lock_guard | unique_lock | scoped_lock
        | shared_lock | once_flag | call_once | condition_variable\w*
        | counting_semaphore | binary_semaphore | latch | barrier )
    | (?:std\s*::\s*)?chrono\s*::\s*\w+_clock | clock_gettime
    | thread_local | __thread
    | atomic_thread_fence | atomic_signal_fence | __atomic_\w+ | __sync_\w+
    | futex | SYS_futex | FUTEX_\w+ | pthread_\w+
    )\b""",
    re.VERBOSE,
)

HEADERS = {"atomic", "stdatomic.h", "thread", "mutex", "shared_mutex", "condition_variable",
           "semaphore", "latch", "barrier", "pthread.h", "linux/futex.h"}

# Where (start of the path), what may be named there all the same, and why.
EXPLORER = ("src/explorer/", "include/weft/explorer")
EXCEPTIONS = (
    (("src/sync/", "include/weft/detail/sync/"), r".*", "the seam itself"),
    (EXPLORER, r"std::memory_order\w*|<atomic>", "sync is built on it, and passes the orders to it as values"),
    (EXPLORER, r"atomic_thread_fence", "its own, which sync takes in model builds; never that of std"),
    (EXPLORER, r"thread_local", "an operation finds the execution it is part of"),
    (EXPLORER, r"std::chrono::steady_clock|clock_gettime", "an exploration has a time budget"),
)

# Where a macro WEFT_… may be defined, and why.
MACRO_HOMES = (
    ("src/sync/", "real or model primitives are chosen by the preprocessor"),
    ("include/weft/detail/sync/", "real or model primitives are chosen by the preprocessor"),
    ("src/explorer/", "as in sync, which stands on it"),
    ("include/weft/api.hpp", "what a shared library shows"),
    ("include/weft/version.hpp", "generated: a version the preprocessor can compare"),
    ("test/", "not installed"),
    ("bench/", "not installed"),
    ("examples/", "not installed"),
)

DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def excepted(path: str, name: str) -> bool:
    return any(path.startswith(start) and re.fullmatch(pattern, name) for start, pattern, _ in EXCEPTIONS)


def check_names(path: str, source: Source) -> Iterator[Violation]:
    found = [(include.line, f"<{include.name}>")
             for include in source.includes if include.name in HEADERS]
    found += [(source.line(match.start()), re.sub(r"\s", "", match[0]))
              for match in NAMES.finditer(source.code)]
    for line, name in found:
        if not excepted(path, name):
            yield Violation(path, line, f"{name} is named outside src/sync/")


def check_macros(path: str, source: Source) -> Iterator[Violation]:
    for define in DEFINE.finditer(source.code):
        line, name = source.line(define.start(1)), define[1]
        if not name.startswith("WEFT_"):
            yield Violation(path, line, f"the macro {name} does not start with WEFT_")
        elif not path.startswith(tuple(home for home, _ in MACRO_HOMES)):
            yield Violation(path, line, f"the macro {name} is defined outside src/sync/")


def main() -> int:
    root = arguments(__doc__).parse_args().root
    violations, count = [], 0
    for count, (path, source) in enumerate(cpp_files(root), 1):
        violations += check_macros(path, source)
        if path.startswith(GUARDED):
            violations += check_names(path, source)
    return report("seam", f"{count} files", violations)


if __name__ == "__main__":
    sys.exit(main())
