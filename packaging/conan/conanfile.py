"""The recipe for Conan 2. From the root of the repository: conan create packaging/conan --build=missing"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class WeftRecipe(ConanFile):
    name = "weft"
    description = "Many tasks on few threads, without locks in user code"
    license = "Apache-2.0"
    topics = ("threads", "tasks", "work-stealing", "fork-join", "scheduler")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"VERSION (\d+\.\d+\.\d+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("weft is for Linux")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "LAB", "TOOLS"):
            toolchain.cache_variables[f"WEFT_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for written_by_conan in (("lib", "cmake"), ("lib", "pkgconfig"), ("share",)):
            rmdir(self, os.path.join(self.package_folder, *written_by_conan))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "weft")

        error = self.cpp_info.components["error"]
        error.set_property("cmake_target_name", "weft::error")
        error.libs = ["weft_error"]
        error.system_libs = ["pthread"]

        for component, library, pc in (("weft", "weft", "weft"), ("explorer", "weft_explorer", "weft-explorer")):
            part = self.cpp_info.components[component]
            part.set_property("cmake_target_name", f"weft::{component}")
            part.set_property("pkg_config_name", pc)
            part.libs = [library]
            part.requires = ["error"]

        threadpool = self.cpp_info.components["threadpool"]
        threadpool.set_property("cmake_target_name", "weft::threadpool")
        threadpool.set_property("pkg_config_name", "weft-threadpool")
        threadpool.libs = ["weft_threadpool"]
        threadpool.system_libs = ["stdc++", "pthread"]
