"""Lists the files of the library that run in a query: callgrind over a build without inlining."""
import os
import re
import shutil
import subprocess

QUERIES = {"collide": "pliant_collide", "scene": "pliant_scene_collide",
           "meetings": "pliant_find_meetings", "contours": "pliant_contours_find"}
FOLDER = "build/house"


def run(tree, *command):
    subprocess.run(command, cwd=tree.root, check=True, stdout=subprocess.DEVNULL)


def build(tree):
    """Builds the core at -O0 and the program of the paths; returns the program."""
    folder = os.path.join(tree.root, FOLDER)
    run(tree, "cmake", "-S", ".", "-B", FOLDER, "--log-level=WARNING", "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_C_FLAGS=-O0 -g", "-DPLIANT_BUILD_TOOL=OFF", "-DPLIANT_BUILD_LAB=OFF",
        "-DPLIANT_BUILD_TESTS=OFF", "-DPLIANT_BUILD_PYTHON=OFF", "-DPLIANT_INSTALL=OFF")
    run(tree, "cmake", "--build", FOLDER, "--parallel", str(os.cpu_count()), "--target", "pliant_static")
    program = os.path.join(folder, "paths")
    run(tree, "gcc", "-std=gnu17", "-O0", "-g", "-Iinclude", "scripts/house/paths.c",
        os.path.join(FOLDER, "src/libpliant.a"), "-lpthread", "-lm", "-o", program)
    return program


def functions_by_file(tree, program, path):
    """Returns {file of src/: its functions} of all calls below the query of a path."""
    profile = os.path.join(tree.root, FOLDER, path + ".callgrind")
    run(tree, "valgrind", "--quiet", "--tool=callgrind", "--toggle-collect=" + QUERIES[path],
        "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file=" + profile, program, path)
    found, file = {}, None
    with open(profile, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            kind, _, name = line.rstrip("\n").partition("=")
            if kind == "fl":
                file = re.search(r"(?:^|/)(src/[\w/.]+)$", name)
            elif kind == "fn" and file:
                found.setdefault(file[1], set()).add(name)
    return found


def report(tree):
    """Lists functions and files below each query; the aims are those of docs/architecture.md."""
    missing = [name for name in ("cmake", "gcc", "valgrind") if shutil.which(name) is None]
    if missing:
        yield f"paths: left out, {' and '.join(missing)} not installed"
        return
    program = build(tree)
    for path in QUERIES:
        found = functions_by_file(tree, program, path)
        sources = sum(not name.endswith(".h") for name in found)
        yield (f"path {path:10} {sum(map(len, found.values())):5} functions in {len(found):3} files, "
               f"{sources} of them .c or .inl")
