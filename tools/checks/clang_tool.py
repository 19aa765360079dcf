"""Finding and running the clang tools that two of the checks are made of."""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterable, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def find(check: str, tool: str) -> str:
    """The path of the tool, whose Debian package has the same name; exits with 2 without it."""
    path = shutil.which(tool)
    if path is None:
        give_up(check, f"{tool} not found; it is in the Debian package {tool}")
    return path


def give_up(check: str, reason: str) -> None:
    print(f"{check}: {reason}", file=sys.stderr)
    sys.exit(2)


def in_parallel(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """work(item) for each item, on as many threads as there are cores; each runs a process."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(work, items))
