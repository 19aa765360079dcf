"""Uses weft as strangers do: each way to get it is a project beside this file, which is configured, built and run.

package_test.py <step> --source DIR --build DIR --work DIR [--cc CC] [--cxx CXX] [--ccache CCACHE]

  install           installs the build into WORK/prefix-shared, for find_package and pkg_config
  find_package      with the shared libraries of that installation
  pkg_config        the same without CMake
  fetch_content     with weft as part of the project, whose libraries are static; installs it into WORK/prefix-static
  static            find_package with that installation
  add_subdirectory  with weft in a folder of the project
  single_header     with one header and nothing else
  deb               the Debian packages, unpacked into an empty folder
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]


class Consumer:
    """A copy of the projects in a folder of its own."""

    def __init__(self, options: argparse.Namespace):
        self.source, self.build, self.work = options.source, options.build, options.work
        self.compilers = {"C": options.cc, "CXX": options.cxx}
        self.launcher = [options.ccache] if options.ccache else []
        self.projects = self.work / options.step
        shutil.rmtree(self.projects, ignore_errors=True)
        shutil.copytree(HERE, self.projects)

    def cmake(self, project: str, *settings: str, targets: list[str] | None = None) -> Path:
        """Configures and builds a project; where it was built."""
        built = self.projects / "built"
        settings += ("CMAKE_BUILD_TYPE=Debug", "CMAKE_CXX_FLAGS_DEBUG=-O0")
        for language, compiler in self.compilers.items():
            settings += (f"CMAKE_{language}_COMPILER={compiler}",)
            if self.launcher:
                settings += (f"CMAKE_{language}_COMPILER_LAUNCHER={self.launcher[0]}",)
        run("cmake", "-S", self.projects / project, "-B", built, "-G", "Ninja", *(f"-D{each}" for each in settings))
        run("cmake", "--build", built, *(["--target", *targets] if targets else []))
        return built

    def compile(self, *arguments: str | Path) -> None:
        run(*self.launcher, self.compilers["CXX"], *arguments, cwd=self.projects)

    # The steps.

    def install(self) -> None:
        prefix = fresh(self.work / "prefix-shared")
        for component in ("runtime", "development"):
            run("cmake", "--install", self.build, "--prefix", prefix, "--component", component)
        must("weft.hpp is installed", (prefix / "include/weft/weft.hpp").is_file())

    def find_package(self) -> None:
        self.find_package_in(self.work / "prefix-shared", "program", "explores", "lab", "program_in_c")

    def find_package_in(self, prefix: Path, *programs: str) -> None:
        built = self.cmake("find_package", f"CMAKE_PREFIX_PATH={prefix}", targets=list(programs))
        for program in programs:
            run(built / program)

    def pkg_config(self) -> None:
        self.pkg_config_in(self.work / "prefix-shared")

    def pkg_config_in(self, prefix: Path) -> None:
        libraries = next(prefix.rglob("weft.pc")).parent.parent
        commands = self.projects / "commands"  # cc and c++ as this build has them
        commands.mkdir()
        for name, language in (("cc", "C"), ("c++", "CXX")):
            command = " ".join([*self.launcher, self.compilers[language]])
            (commands / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (commands / name).chmod(0o755)
        environment = {"PKG_CONFIG_PATH": f"{libraries}/pkgconfig", "PATH": f"{commands}:{os.environ['PATH']}"}
        run("sh", "-e", "build.sh", cwd=self.projects / "pkg_config", **environment)
        for program in ("program", "lab", "program_in_c"):
            run(self.projects / "pkg_config" / program, LD_LIBRARY_PATH=str(libraries))

    def fetch_content(self) -> None:
        built = self.cmake(
            "fetch_content",
            f"FETCHCONTENT_SOURCE_DIR_WEFT={self.source}",
            "CMAKE_UNITY_BUILD=ON",  # for speed
            "CMAKE_UNITY_BUILD_BATCH_SIZE=0",
            "WEFT_BUILD_LAB=ON",
            "WEFT_INSTALL=ON",
        )
        run(built / "program")
        run("cmake", "--install", built, "--prefix", fresh(self.work / "prefix-static"))

    def static(self) -> None:
        self.find_package_in(self.work / "prefix-static", "program", "lab", "program_in_c")

    def add_subdirectory(self) -> None:
        (self.projects / "add_subdirectory/weft").symlink_to(self.source)
        unity = ("CMAKE_UNITY_BUILD=ON", "CMAKE_UNITY_BUILD_BATCH_SIZE=0")
        run(self.cmake("add_subdirectory", *unity, targets=["program_in_c"]) / "program_in_c")

    def single_header(self) -> None:
        header = self.projects / "alone/weft/weft.hpp"
        header.parent.mkdir(parents=True)
        run(sys.executable, self.source / "tools/single_header.py", header)
        for source in ("program.cpp", "single_header/implementation.cpp"):
            self.compile(*STRICT, "-Ialone", "-c", source, "-o", f"{Path(source).stem}.o")
        self.compile("program.o", "implementation.o", "-o", "program")
        run(self.projects / "program")

    def deb(self) -> None:
        packed, root = self.projects / "packed", self.projects / "root"
        run("cpack", "--config", self.build / "CPackConfig.cmake", "-G", "DEB", "-B", packed)
        packages = {package.name.split("_")[0]: package for package in packed.glob("*.deb")}
        must(f"there are three packages: {sorted(packages)}", len(packages) == 3)
        for name, package in packages.items():
            run("dpkg-deb", "--extract", package, root)
            depends = output("dpkg-deb", "--field", package, "Depends")
            print(f"{name} depends on {depends}")
            wanted = "libweft0" if name == "libweft-dev" else "libstdc++6"
            must(f"{name} depends on {wanted}", wanted in depends)
        self.pkg_config_in(root)
        run(root / "usr/bin/weft", "version")


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> None:
    print("+", *command, flush=True)
    subprocess.run(command, check=True, cwd=cwd, env={**os.environ, **environment})


def output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def must(what: str, holds: bool) -> None:
    if not holds:
        sys.exit(f"not so: {what}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step")
    for folder in ("source", "build", "work"):
        parser.add_argument(f"--{folder}", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--ccache", default="")
    options = parser.parse_args()
    try:
        getattr(Consumer(options), options.step)()
    except subprocess.CalledProcessError as failed:
        sys.exit(f"failed: {failed}")


if __name__ == "__main__":
    main()
