"""Puts the packages of package-lock.json into a folder of the build, given as the argument, if they are not there.

Where npm cannot reach its registry, the reason is printed and left in the folder as `unreachable`, and the exit code is
77: the tests of pages are skipped. Anything else that npm reports, such as a package with a wrong checksum, is a failure.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = ("package.json", "package-lock.json")
SKIPPED = 77
# Node has its own list of certificates; what the system trusts beyond it, such as a proxy's certificate, counts too.
TRUSTED = {"NODE_EXTRA_CA_CERTS": "/etc/ssl/certs/ca-certificates.crt"}
COMMAND = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"]

# npm's error codes for a registry that was not reached: no name or no way to it, no answer, a proxy or a server that
# refuses, a connection that cannot be trusted.
UNREACHED = re.compile(
    r"^npm (?:ERR!|error) code (E(?:NOTFOUND|AI_AGAIN|CONN\w+|NETUNREACH|HOSTUNREACH|TIMEDOUT|SOCKETTIMEDOUT|PIPE|PROTO|403|407|5\d\d)"
    r"|ERR_SOCKET_TIMEOUT|FETCH_ERROR|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_\w+|UNABLE_TO_\w+)$",
    re.MULTILINE)


def is_current(folder: Path) -> bool:
    if not (folder / "installed").is_file():
        return False
    return all((folder / name).is_file() and (folder / name).read_bytes() == (HERE / name).read_bytes() for name in FILES)


def install(folder: Path) -> tuple[int, str]:
    """npm's exit code, and why it did not reach the registry if that is what went wrong."""
    try:
        run = subprocess.run(COMMAND, cwd=folder, env=TRUSTED | os.environ, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace")
    except FileNotFoundError:
        return 1, "npm is not installed"
    print(run.stdout, flush=True)
    code = UNREACHED.search(run.stdout) if run.returncode else None
    return run.returncode, f"npm cannot reach its registry ({code[1]})" if code else ""


def main() -> int:
    folder = Path(sys.argv[1])
    if is_current(folder):
        print("the packages are installed already")
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    for mark in ("installed", "unreachable"):
        (folder / mark).unlink(missing_ok=True)
    for name in FILES:
        shutil.copy(HERE / name, folder / name)
    status, reason = install(folder)
    if status == 0:
        (folder / "installed").touch()
    elif reason:
        (folder / "unreachable").write_text(f"skipped: {reason}\n")
        print(f"skipped: {reason}")
        return SKIPPED
    return status


if __name__ == "__main__":
    sys.exit(main())
