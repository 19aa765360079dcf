"""The archive for C programs defines five global symbols, and wants none of weft's.

global_symbols.py <nm> <archive>
"""

import subprocess
import sys

PROMISED = {"thread_pool_new", "thread_pool_shutdown_and_destroy", "thread_pool_submit", "future_get", "future_free"}


def symbols(nm: str, kind: str, archive: str) -> set[str]:
    listed = subprocess.run([nm, "--extern-only", "--format=posix", kind, archive],
                            check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in listed.splitlines() if " " in line}


def main() -> int:
    nm, archive = sys.argv[1:]
    defined = symbols(nm, "--defined-only", archive)
    wanted = {name for name in symbols(nm, "--undefined-only", archive) if "weft" in name}
    for problem, names in [("defined too", defined - PROMISED), ("not defined", PROMISED - defined),
                           ("wanted from elsewhere", wanted)]:
        for name in sorted(names):
            print(f"{problem}: {name}")
    return 0 if defined == PROMISED and not wanted else 1


if __name__ == "__main__":
    sys.exit(main())
