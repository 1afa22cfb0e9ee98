"""How large the house is: files, lines, functions."""
import re

FOLDERS = ("include", "src", "libs", "bindings", "tool", "web", "gallery", "examples", "fuzz", "lab",
           "tests", "scripts")
MOST_LINES, MOST_HEADER, MOST_FUNCTION, MOST_P99 = 600, 300, 50, 40
SMALL = 60

FUNCTION = re.compile(r"^(?![ \t#}/*{]|typedef\b|struct\b.*\{|enum\b|union\b)[^\n;=]*\([^;{}]*\)[^;{}()]*\n\{\n(.*?)^\}",
                      re.M | re.S)


def functions(text):
    """Yields (lines of the body, line number) for the C functions of a formatted file."""
    for found in FUNCTION.finditer(text):
        yield found.group(1).count("\n"), text.count("\n", 0, found.start()) + 1


def part_of(name):
    return name.split("/")[0] if "/" in name else "."


def measure(tree):
    """Returns the counts of the ratchet that files and functions give."""
    counts = {"lines.all": 0}
    for name in tree.code():
        part, lines = part_of(name), tree.lines(name)
        counts["lines.all"] += lines
        for key in (f"lines.{part}", f"files.{part}"):
            counts.setdefault(key, 0)
        counts[f"lines.{part}"] += lines
        counts[f"files.{part}"] += 1
    counts["files.long"] = sum(tree.lines(name) > MOST_LINES for name in tree.code())
    counts["files.long-header"] = sum(
        tree.lines(name) > MOST_HEADER for name in tree.code(endings=(".h", ".hpp")))
    counts["files.small"] = sum(
        tree.lines(name) < SMALL and not name.endswith("kernels.c")
        for name in tree.code("src", (".c",)))
    lengths = sorted(length for name in tree.code("src", (".c", ".h", ".inl"))
                     for length, _ in functions(tree.text(name)))
    everywhere = [length for name in tree.code(endings=(".c", ".h", ".inl"))
                  for length, _ in functions(tree.text(name))]
    counts["functions.long"] = sum(length > MOST_FUNCTION for length in everywhere)
    counts["functions.p99"] = lengths[len(lengths) * 99 // 100] if lengths else 0
    return counts


def report(tree):
    """Lists lines, files and functions by part, then folders of src/."""
    yield f"{'part':18} {'files':>6} {'lines':>8} {'functions':>10} {'median':>7} {'p99':>5} {'longest':>8}"
    parts = [(part, tree.code(part)) for part in FOLDERS]
    folders = sorted({"/".join(name.split("/")[:2]) for name in tree.code("src")})
    parts += [(folder, tree.code(folder)) for folder in folders]
    for part, names in parts + [("all", tree.code())]:
        lengths = sorted(length for name in names if name.endswith((".c", ".h", ".inl"))
                         for length, _ in functions(tree.text(name)))
        shown = [0, 0, 0] if not lengths else [
            lengths[len(lengths) // 2], lengths[len(lengths) * 99 // 100], lengths[-1]]
        lines = sum(tree.lines(name) for name in names)
        yield f"{part:18} {len(names):6} {lines:8} {len(lengths):10} {shown[0]:7} {shown[1]:5} {shown[2]:8}"
