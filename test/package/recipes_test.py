"""The recipes of packaging/ can be read, and say of weft what the rest of the tree says.

recipes_test.py <source folder>
"""

import ast
import json
import re
import sys
from pathlib import Path


def recipe_classes(path: Path) -> list[ast.ClassDef]:
    return [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]


def constants(recipe: ast.ClassDef) -> dict[str, object]:
    """name = "weft" and the like, of the body of a class."""
    return {target.id: node.value.value for node in recipe.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets if isinstance(target, ast.Name)}


def main() -> int:
    source = Path(sys.argv[1])
    project = (source / "CMakeLists.txt").read_text()
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", project)[1]
    description = re.search(r'DESCRIPTION "([^"]+)"', project)[1]

    port = json.loads((source / "packaging/vcpkg/weft/vcpkg.json").read_text())
    (recipe,) = recipe_classes(source / "packaging/conan/conanfile.py")
    (_,) = recipe_classes(source / "packaging/conan/test_package/conanfile.py")
    conan = constants(recipe)
    header = (source / "include/weft/version.hpp").read_text()
    exported = re.search(r"for pattern in \(([^)]*)\)", (source / "packaging/conan/conanfile.py").read_text())[1]
    wrong = [what for what, holds in {
        "the version in version.hpp": f'"{version}"' in header,
        "the port's name": port["name"] == "weft",
        "the port's version": port["version"] == version,
        "the port's description": port["description"] == description,
        "the port's licence": port["license"] == "Apache-2.0",
        "Conan's name": conan["name"] == "weft",
        "Conan's description": conan["description"] == description,
        "Conan's licence": conan["license"] == "Apache-2.0",
        "what Conan exports": all(list(source.glob(each)) for each in re.findall(r'"([^"]+)"', exported)),
    }.items() if not holds]
    for what in wrong:
        print(f"wrong: {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
