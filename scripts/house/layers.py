"""Checks includes between folders, names of objects in lower layers, and exported symbols."""
import glob
import os
import re
import shutil
import subprocess

# Folders of src/ and of tool/, from the foundation upward: each may use itself and those before it.
SRC = "base geometry mesh tree model shape bounds body broad scene query contour volume".split()
TOOL = "text report check replay".split()

# The lowest folder of src/ that may include each public header of the core.
PUBLIC = {
    "base.h": "base", "extend.h": "base", "triangle.h": "geometry", "moving.h": "geometry",
    "shape.h": "mesh", "attach.h": "model", "view.h": "shape", "body.h": "body", "query.h": "scene",
    "distance.h": "scene", "continuous.h": "scene", "proxy.h": "scene", "contour.h": "contour",
    "volume.h": "scene", "backend.h": "volume", "scene.h": "scene", "scene_query.h": "scene",
    "recording.h": "scene", "draw.h": "query"}
BESIDE = ("libs/mpi", "libs/cuda")          # projects of their own, with tests, an example and a laboratory

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
FOLDERS = ("include", "src", "libs", "tool", "lab", "gallery", "examples", "fuzz", "tests")


def part_of(name):
    """Names the part of the project that a file belongs to."""
    if name.startswith("include/pliant/"):
        return "public"
    if name == "tool/cli.h":  # options and exit status, for every program
        return name
    steps = name.split("/")
    if "/".join(steps[:2]) in BESIDE and steps[2] in ("tests", "lab", "example"):
        return "/".join(steps[:3])
    nested = steps[0] in ("src", "libs", "tool") and len(steps) > 2
    return "/".join(steps[:2]) if nested else steps[0]


def is_below(one, other, order):
    return one in order and other in order and order.index(one) < order.index(other)


def may_see(folder, header):
    lowest = PUBLIC.get(header)
    return lowest is not None and (lowest == folder or is_below(lowest, folder, SRC))


def may_include(source, target):
    """Returns true if a file of part `source` may include one of part `target`."""
    if source == target or (target == "public" and source != "public"):
        return True
    kind = source.split("/")[0]
    project = "/".join(source.split("/")[:2])
    if target.startswith(BESIDE):
        return target in (source, project)
    if project in BESIDE:
        return (source.endswith("/tests") and target == "tests"
                or source.endswith("/lab") and target in ("lab", "gallery"))
    if source == "tool/cli.h" or source == "tool":
        return target.startswith("tool/") or target == "gallery"
    if kind == "src":
        return target.startswith("src/") and is_below(target[4:], source[4:], SRC)
    if kind == "tool":
        return target == "tool/cli.h" or is_below(target[5:], source[5:], TOOL)
    if kind == "lab":
        return (target.startswith("src/") or target == "gallery"
                or target in ("tool/text", "tool/report", "tool/cli.h"))
    if kind == "fuzz":
        return target.startswith("src/") or target in ("tests", "tool/replay", "tool/check")
    return kind == "tests"  # public, libs, gallery, examples: the public interface only


def resolve(tree, names, folder, name):
    """Finds the file that an include means, or None."""
    for place in (folder, "src", "include", ".", "tests/support", *(beside + "/include" for beside in BESIDE)):
        found = os.path.normpath(os.path.join(place, name))
        if found in names:
            return found
    return None


def is_made(tree, file, name):
    """Returns true if a CMakeLists.txt of the file's folder or building makes this header."""
    for folder in (os.path.dirname(file), file.split("/")[0]):
        lists = folder + "/CMakeLists.txt"
        if lists in tree.names and re.search("/" + re.escape(name) + "[ )]", tree.text(lists)):
            return True
    return False


def check_includes(tree):
    names = set(tree.names)
    for file in tree.names:
        if not (file.startswith(tuple(f + "/" for f in FOLDERS))
                and file.endswith((".c", ".h", ".cpp", ".hpp", ".inl"))):
            continue
        text, source = tree.text(file), part_of(file)
        for found in INCLUDE.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            name = found.group(2)
            target = resolve(tree, names, os.path.dirname(file), name)
            if target is None:
                if found.group(1) == '"' and not is_made(tree, file, name):
                    tree.complain(file, line, f'"{name}" is not a file of this project')
                continue
            part = part_of(target)
            header = os.path.basename(target)
            if not may_include(source, part):
                tree.complain(file, line, f"{source} may not include {part} ({name})")
            elif part == "public" and source.startswith("src/") and not may_see(source[4:], header):
                tree.complain(file, line, f"{header} belongs to a layer above")
            elif part == source == "public":
                own = PUBLIC.get(os.path.basename(file))
                if own and not may_see(own, header):
                    tree.complain(file, line, f"{header} belongs to a layer above")


def check_pattern(tree, folder, pattern, text, skip="", flags=0):
    """Complains about each line below a folder that matches a pattern."""
    matcher = re.compile(pattern, flags)
    for file in tree.names:
        if not file.startswith(folder) or (skip and file.startswith(skip)):
            continue
        for number, line in enumerate(tree.text(file).split("\n"), 1):
            if matcher.search(line):
                tree.complain(file, number, text)


def check_names(tree):
    """Checks which objects, kinds of bounds and libraries each layer names."""
    for thing in ("shape", "body", "query", "volume", "scene"):
        for folder in SRC[:SRC.index(thing)]:
            check_pattern(tree, f"src/{folder}/", rf"\bpliant_{thing}\b",
                          f"pliant_{thing} belongs to a layer above")
    check_pattern(tree, "src/base/simd/", r"cluster|node|record|vert(ex|ices)|bod(y|ies)",
                  "lanes know nothing of clusters, nodes, records, vertices or bodies", flags=re.I)
    check_pattern(tree, "src/", r"pli_bound_children_from_(blend|modes)\(",
                  "only pli_bound_children_from_coefficients() chooses the kind of bound",
                  skip="src/bounds/")
    check_pattern(tree, "tool/CMakeLists.txt", r"pliant_(lab|peers|bench)",
                  "the tool may not link the laboratory")


def check_folders(tree):
    """Checks that each folder of src/ is a layer and has tests."""
    folders = {name.split("/")[1] for name in tree.names
               if name.startswith("src/") and name.count("/") > 1}
    tested = {name.split("/")[1] for name in tree.names if name.startswith("tests/")}
    for folder in sorted(folders):
        if folder not in SRC:
            tree.complain("src/" + folder, 1, "it is not in the list of layers")
        if folder not in tested:
            tree.complain("src/" + folder, 1, f"it has no folder tests/{folder}")


def check_types(tree):
    """Checks that no type is defined twice."""
    where = {}
    pattern = re.compile(r"^(?:typedef )?(?:struct|enum|union) (\w+) \{", re.M)
    for file in tree.names:
        if part_of(file).startswith(("src/", "libs/")) and part_of(file).count("/") == 1 \
                and file.endswith((".c", ".h", ".inl")):
            text = tree.text(file)
            for found in pattern.finditer(text):
                if where.setdefault(found.group(1), file) != file:
                    line = text.count("\n", 0, found.start()) + 1
                    tree.complain(file, line, f"there is another type {found.group(1)}")


def symbols(library, *options):
    """Lists (letter, name) of the symbols in a built library."""
    listed = subprocess.run(["nm", *options, library], capture_output=True, text=True).stdout
    return [line.split()[-2:] for line in listed.split("\n") if re.match(r"\S* *[A-Za-z] \S+$", line)]


def check_symbols(tree):
    """Where a release build exists: libraries define only names of ours, and take none of the inside."""
    built = os.path.join(tree.root, "build")
    if shutil.which("nm") is None:
        return
    def libraries(ending):
        return [found for place in ("src/libpliant", "libs/*/libpliant_*", "mpi/libpliant_mpi", "cuda/libpliant_cuda")
                for found in glob.glob(os.path.join(built, place + ending))]
    for library in libraries(".so"):
        for letter, name in symbols(library, "--defined-only", "--extern-only", "--dynamic"):
            if letter not in "uVW" and not re.fullmatch(r"(pliant_.*@@)?PLIANT_[0-9.]+", name):
                tree.complain(os.path.relpath(library, tree.root), 1, f"it exports {name}")
    for library in libraries(".a"):
        defined = symbols(library, "--defined-only", "--extern-only")
        for letter, name in defined:
            if letter not in "uVW" and not re.match(r"(pliant|pli)_", name):
                tree.complain(os.path.relpath(library, tree.root), 1, f"it exports {name}")
        if "libpliant_" in library:
            own = {name for _, name in symbols(library, "--defined-only")}
            for _, name in symbols(library, "--undefined-only"):
                if name.startswith("pli_") and name not in own:
                    tree.complain(os.path.relpath(library, tree.root), 1,
                                  f"it uses {name} of the core")


def check(tree):
    check_includes(tree)
    check_names(tree)
    check_folders(tree)
    check_types(tree)
    check_symbols(tree)
