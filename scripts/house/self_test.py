"""Tests of the checks: a small tree without a fault passes, and each planted fault is found."""
import os
import shutil
import subprocess
import sys
import tempfile

from .tree import Tree

FOLDERS = """include/pliant src/base/simd src/geometry src/bounds src/body libs/asset tool/text
    tool/report tool/check lab/harness gallery examples fuzz docs tests/base tests/geometry
    tests/bounds tests/body tests/support build/src build/libs/asset libs/mpi/include/pliant
    libs/mpi/tests libs/mpi/lab""".split()

FILES = {
    "include/pliant/base.h": "#include <stdint.h>\n",
    "include/pliant/body.h": '#include "base.h"\n',
    "include/pliant/scene.h": '#include "body.h"\n',
    "include/pliant/volume.h": '#include "scene.h"\n',
    "src/base/simd/simd.h": "typedef float pli_lanes;\n",
    "src/base/error.h": '#include "pliant/base.h"\n',
    "src/bounds/from_modes.h": "void pli_bound_children_from_modes(void);\n",
    "src/geometry/box.c": '#include "base/error.h"\n#include "vec3.h"\n',
    "src/geometry/vec3.h": "#include <math.h>\n",
    "src/body/body.h": '#include "../geometry/vec3.h"\ntypedef struct pli_one {\n#include "pliant/body.h"\n',
    "libs/asset/asset.h": '#include "pliant/base.h"\n',
    "libs/mpi/include/pliant/mpi.h": '#include "pliant/base.h"\n',
    "libs/mpi/scene.h": '#include "pliant/mpi.h"\n',
    "libs/mpi/tests/world.h": '#include "libs/mpi/scene.h"\n#include "fixture.h"\n',
    "libs/mpi/lab/cast.h": '#include "gallery/gallery.h"\n#include "pliant/mpi.h"\n',
    "gallery/gallery.h": "#include <pliant/base.h>\n",
    "tool/cli.h": "#include <pliant/base.h>\n",
    "tool/text/json.h": "#include <stdio.h>\n",
    "tool/report/page.h": '#include "tool/text/json.h"\n#include "tool/cli.h"\n',
    "tool/main.c": '#include "check/check.h"\n#include "made.h"\n',
    "tool/check/check.h": '#include "tool/report/page.h"\n',
    "tool/CMakeLists.txt": 'file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/made.h CONTENT "")\n',
    "lab/harness/bench.h": '#include "gallery/gallery.h"\n#include "body/body.h"\n',
    "lab/main.c": '#include "tool/cli.h"\n#include "tool/report/page.h"\n',
    "examples/first.c": "#include <pliant/base.h>\n",
    "fuzz/target.c": '#include "fixture.h"\n',
    "tests/support/fixture.h": '#include "body/body.h"\n#include "lab/harness/bench.h"\n',
    "tests/base/test.c": "", "tests/geometry/test.c": "", "tests/bounds/test.c": "",
    "tests/body/test.c": "", "docs/page.md": "See `box.c`.\n",
}

# (file, line of the complaint, lines that are added at the end of the file)
FAULTS = [
    ("src/base/error.h", 2, '#include "geometry/vec3.h"'),
    ("src/geometry/box.c", 3, '#include "body/body.h"'),
    ("src/geometry/box.c", 3, '  #  include "../body/body.h"'),
    ("src/geometry/box.c", 3, "#include <body/body.h>"),
    ("src/geometry/box.c", 3, '#include "gallery/gallery.h"'),
    ("src/geometry/box.c", 3, '#include "geometry/absent.h"'),
    ("src/geometry/box.c", 3, '#include "pliant/body.h"'),
    ("src/geometry/box.c", 3, "struct pli_one {"),
    ("src/geometry/box.c", 3, "/* A comment about absent.c. */"),
    ("include/pliant/base.h", 2, '#include "../../src/base/error.h"'),
    ("include/pliant/body.h", 2, '#include "volume.h"'),
    ("libs/asset/asset.h", 2, '#include "geometry/vec3.h"'),
    ("libs/asset/asset.h", 2, '#include "base/error.h"'),
    ("libs/mpi/scene.h", 2, '#include "base/error.h"'),
    ("libs/mpi/scene.h", 2, '#include "libs/mpi/tests/world.h"'),
    ("libs/mpi/tests/world.h", 3, '#include "base/error.h"'),
    ("libs/mpi/lab/cast.h", 3, '#include "fixture.h"'),
    ("tests/support/fixture.h", 3, '#include "pliant/mpi.h"'),
    ("src/body/body.h", 4, '#include "pliant/scene.h"'),
    ("src/body/body.h", 4, "    pliant_scene *scene;"),
    ("src/body/body.h", 4, "pli_bound_children_from_blend(kernels);"),
    ("src/base/simd/simd.h", 2, "enum { PLI_VERTEX_STEP = 4 };"),
    ("gallery/gallery.h", 2, '#include "base/error.h"'),
    ("tool/main.c", 3, '#include "geometry/vec3.h"'),
    ("tool/main.c", 3, '#include "lab/harness/bench.h"'),
    ("tool/main.c", 3, '#include "missing.h"'),
    ("tool/text/json.h", 2, '#include "tool/report/page.h"'),
    ("tool/CMakeLists.txt", 2, "target_link_libraries(pliant_tool PRIVATE pliant_lab)"),
    ("lab/harness/bench.h", 3, '#include "tool/main.c"'),
    ("lab/harness/bench.h", 3, '#include "tool/check/check.h"'),
    ("examples/first.c", 2, '#include "base/error.h"'),
    ("docs/page.md", 2, "See `absent.c`."),
]

EXPORTED = "int pliant_good, pli_inside, loud;\n"
MAP = "PLIANT_1.2 { global: pliant_good; pli_inside; local: *; };\n"
USED = "extern int pli_inside, pli_own; int *pliant_asset_good(void) { return &pli_inside + pli_own; }\n"


class SelfTest:
    def __init__(self, root, check):
        self.root, self.check, self.failed = root, check, False

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def complaints(self):
        tree = Tree(self.root)
        self.check(tree)
        return tree.complaints

    def expect(self, text, fault):
        """Fails unless one complaint contains the text; returns all complaints."""
        found = self.complaints()
        if not any(text in complaint for complaint in found):
            print(f"check-house: self-test: not found: {fault} ({found})", file=sys.stderr)
            self.failed = True
        return found

    def refuse(self, text, found):
        """Fails if a complaint contains the text."""
        if any(text in complaint for complaint in found):
            print(f"check-house: self-test: wrong complaint: {text} ({found})", file=sys.stderr)
            self.failed = True

    def run(self, *command):
        subprocess.run(command, cwd=self.root, check=True)

    def test_symbols(self):
        """Builds libraries with foreign names."""
        self.write("exported.c", EXPORTED)
        self.write("exported.map", MAP)
        library = "build/src/libpliant.so"
        self.run("gcc", "-shared", "-fPIC", "exported.c", "-Wl,--version-script=exported.map", "-o", library)
        found = self.expect("it exports pli_inside", "an internal name that is exported")
        self.refuse("pliant_good", found)
        self.refuse("exports PLIANT", found)
        self.run("gcc", "-shared", "-fPIC", "exported.c", "-o", library)
        self.expect("it exports pliant_good", "a name without a version")
        os.remove(os.path.join(self.root, library))
        self.write("used.c", USED)
        self.write("own.c", "int pli_own;\n")
        self.run("gcc", "-c", "used.c", "own.c", "exported.c")
        self.run("ar", "rc", "build/libs/asset/libpliant_asset.a", "used.o", "own.o")
        self.expect("it uses pli_inside of the core", "an internal name that a library uses")
        os.remove(os.path.join(self.root, "build/libs/asset/libpliant_asset.a"))
        self.run("ar", "rc", "build/src/libpliant.a", "exported.o")
        found = self.expect("it exports loud", "a foreign name in the archive")
        self.refuse("exports pli_inside", found)


def run(check):
    """Runs the self-test of `check`, a function of a tree; returns the exit status."""
    with tempfile.TemporaryDirectory() as root:
        test = SelfTest(root, check)
        for folder in FOLDERS:
            os.makedirs(os.path.join(root, folder))
        for name, text in FILES.items():
            test.write(name, text)
        for complaint in test.complaints():
            print(f"check-house: self-test: {complaint}, in a tree without a fault", file=sys.stderr)
            test.failed = True
        for name, line, text in FAULTS:
            test.write(name, FILES[name] + text + "\n")
            test.expect(f"{name}:{line}: ", f"{text} in {name}")
            test.write(name, FILES[name])
        os.remove(os.path.join(root, "tests/base/test.c"))
        test.expect("src/base:1: ", "a folder without tests")
        test.write("tests/base/test.c", "")
        test.write("src/extra/file.c", "")
        test.write("tests/extra/test.c", "")
        test.expect("src/extra:1: ", "a folder that is not a layer")
        shutil.rmtree(os.path.join(root, "src/extra"))
        if shutil.which("gcc"):
            test.test_symbols()
        return 1 if test.failed else 0
