#!/usr/bin/env python3
"""Writes what the binding takes from the headers: tables of all public structs and enums.

    generate.py tables API INCLUDE OUTPUT   the C tables; the build calls this
    generate.py python API INCLUDE [--check]    pliant/_types.py and pliant/_core.pyi, which are kept

API is interface/api.json, INCLUDE the folder of the public headers, whose comments become docstrings.
"""
from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Arrays of answers: which field counts them. "@0" to "@3" are numbers that the caller knows: of
# vertices of both bodies, of triangles of both; "@0" of a list by ray is the number of rays + 1.
COUNTS = {
    "pliant_contacts": {"pairs": "count", "segments": "count", "separations": "count"},
    "pliant_ray_hits": {"starts": "@0", "hits": "count"},
    "pliant_proximities": {"pairs": "count"},
    "pliant_features": {"pairs": "count", "crossings": "crossing_count"},
    "pliant_meetings": {"pairs": "count", "meetings": "count"},
    "pliant_proxy_contacts": {"contacts": "count"},
    "pliant_contour_set": {
        "contours": "contour_count", "points": "point_count", "segments": "segment_count",
        "touches": "touch_count", "regions": "region_count", "vertex_regions": "@0",
        "triangle_regions": "@2", "pieces": "piece_count", "corners": "corner_count",
        "gradients": "@0"},
    "pliant_volume_measure": {"spans": "span_count", "vertices": "vertex_count"},
    "pliant_scene_contacts": {
        "bodies": "body_pair_count", "pairs": "count", "segments": "count", "separations": "count",
        "undecided": "undecided_count"},
    "pliant_scene_proxy_contacts": {"bodies": "body_pair_count", "contacts": "count"},
    "pliant_scene_proximities": {"bodies": "body_pair_count", "pairs": "count"},
    "pliant_scene_meetings": {
        "bodies": "body_pair_count", "pairs": "count", "meetings": "count",
        "undecided": "undecided_count"},
    "pliant_scene_features": {"bodies": "body_pair_count", "pairs": "count"},
    "pliant_scene_ray_hits": {"starts": "@0", "hits": "count"},
    "pliant_scene_triangles": {"bodies": "body_count", "triangles": "count"},
    "pliant_scene_volumes": {"pairs": "count"},
    "pliant_asset_mesh": {
        "positions": "vertex_count", "triangles": "triangle_count", "groups": "triangle_count",
        "group_names": "group_count", "modes": "@0", "mode_names": "mode_count",
        "influence_offsets": "@1", "influence_joints": "@2", "influence_weights": "@2"},
    "pliant_asset_body": {"joint_names": "joint_count"},
    "pliant_asset_state": {
        "coordinates": "coordinate_count", "transforms": "transform_count",
        "positions": "position_count"},
    "pliant_fit": {"rest": "vertex_count", "modes": "@0", "coordinates": "@1"},
}
# Numbers per element of arrays of plain numbers, where it is not 1.
WIDTHS = {
    ("pliant_contour_set", "corners"): 3, ("pliant_contour_set", "gradients"): 3,
    ("pliant_asset_mesh", "positions"): 3, ("pliant_asset_mesh", "triangles"): 3,
    ("pliant_asset_mesh", "modes"): 3, ("pliant_asset_state", "positions"): 3,
    ("pliant_asset_state", "transforms"): 12, ("pliant_fit", "rest"): 3,
    ("pliant_fit", "modes"): 3,
}
# What pliant/_answers.py adds to answers.
ADDED = {
    "pliant_contacts": """    @property
    def normals(self) -> NDArray[numpy.float32]: ...
    @property
    def depths(self) -> NDArray[numpy.float32]: ...
    @property
    def points(self) -> NDArray[numpy.float32]: ...
    def page(self) -> str: ...
    def show(self, path: str | None = None) -> str: ...
    def _repr_html_(self) -> str: ...""",
    "pliant_meetings": """    @property
    def times(self) -> NDArray[numpy.float64]: ...""",
}
# What is None unless it was asked for.
OPTIONAL = {
    ("pliant_contacts", "segments"), ("pliant_contacts", "separations"),
    ("pliant_scene_contacts", "segments"), ("pliant_scene_contacts", "separations"),
    ("pliant_contour_set", "vertex_regions"), ("pliant_contour_set", "triangle_regions"),
    ("pliant_contour_set", "gradients"), ("pliant_asset_mesh", "groups"),
    ("pliant_asset_mesh", "influence_offsets"), ("pliant_asset_mesh", "influence_joints"),
    ("pliant_asset_mesh", "influence_weights"), ("pliant_asset_mesh", "triangles"),
    ("pliant_asset_state", "transforms"), ("pliant_asset_state", "positions"),
    ("pliant_asset_state", "coordinates"),
}
# Names that mean something else in Python.
RENAMED = {"self": "self_contact"}
KINDS = {
    "bool": ("BOOL", "bool", "?"), "int32_t": ("INT32", "int", "i4"),
    "uint16_t": ("UINT16", "int", "u2"), "uint32_t": ("UINT32", "int", "u4"),
    "uint64_t": ("UINT64", "int", "u8"), "size_t": ("UINT64", "int", "u8"),
    "float": ("FLOAT", "float", "f4"), "double": ("DOUBLE", "float", "f8"),
}
# Structs that no Python value is made of: options and definitions, and what holds functions.
HIDDEN = {
    "pliant_files", "pliant_allocator", "pliant_scheduler", "pliant_logger", "pliant_stage_hooks",
    "pliant_backend_triangles", "pliant_backend_crossings", "pliant_drawer", "pliant_groups",
    "pliant_state", "pliant_scene_state", "pliant_asset_output", "pliant_triangle",
    "pliant_moving_point", "pliant_moving_triangle", "pliant_moving_edge", "pliant_ray",
    "pliant_recorded_answer", "pliant_tear", "pliant_torn_corner",
}
# Options that the binding reads itself, with their types: functions and arrays.
OWN_OPTIONS = {
    "pliant_collide_options": {"callback": "Callable[[Contacts], object] | None"},
    "pliant_meeting_options": {"callback": "Callable[[Meetings], object] | None"},
    "pliant_advance_options": {"groups": "Sequence[Iterable[int] | None] | None"},
    "pliant_contour_options": {"pairs": "ArrayLike | None"},
    "pliant_scene_options": {
        "filter": "Callable[[BodyId, BodyId], object] | None",
        "callback": "Callable[[BodyId, BodyId, Contacts], object] | None",
        "meetings_callback": "Callable[[BodyId, BodyId, Meetings], object] | None"},
    "pliant_scene_select": {"filter": "Callable[[BodyId], object] | None"},
    "pliant_shape_def": {
        "groups": "ArrayLike | None", "modes": "ArrayLike | None",
        "mode_offsets": "ArrayLike | None", "mode_vertices": "ArrayLike | None",
        "influence_offsets": "ArrayLike | None", "influence_joints": "ArrayLike | None",
        "influence_weights": "ArrayLike | None", "slot_joints": "ArrayLike | None",
        "slot_weights": "ArrayLike | None"},
    "pliant_volume_def": {},
}
# Fields of definitions that follow from arrays, or that Python has no use for.
DERIVED = {
    "pliant_shape_def": {
        "positions", "triangles", "triangles16", "vertex_count", "triangle_count",
        "position_stride", "triangle_stride", "group_stride", "mode_count", "mode_vertex_stride",
        "mode_stride", "slot_count", "slot_joint_type", "slot_weight_type", "slot_joint_stride",
        "slot_weight_stride"},
    "pliant_contour_options": {"pair_count"},
    "pliant_asset_def": {"path_count", "clip_path_count"},
}


# Libraries beside the core that are no part of the package, and what is for such libraries alone.
BESIDE = {"gl.h", "view.h"}


def python_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.removeprefix("pliant_").split("_"))


class Interface:
    """interface/api.json, with the comments of the headers."""

    def __init__(self, api: str, include: str) -> None:
        data = json.loads(Path(api).read_text())
        self.structs = {s["name"]: s["fields"] for s in data["structs"]
                        if s["header"] not in BESIDE}
        self.enums = {e["name"]: e["values"] for e in data["enums"]
                      if e["header"] not in BESIDE}
        self.comments: dict[tuple[str, str], str] = {}
        for header in sorted(Path(include).glob("*.h")):
            self.read_comments(header.read_text())

    def read_comments(self, text: str) -> None:
        for match in re.finditer(r"typedef (?:struct|enum) \w+ \{(.*?)\n\} (\w+);", text, re.S):
            body, name = match.groups()
            pattern = r"(/\*.*?\*/)|([^;,/{}]+(?:\([^)]*\))?[^;,/{}]*)[;,]?"
            names: list[str] = []
            for comment, code in re.findall(pattern, body, re.S):
                if comment and names:
                    words = " ".join(comment[2:-2].replace("\n *", " ").split())
                    for one in names:
                        self.comments.setdefault((name, one), words)
                elif code.strip():
                    found = re.search(r"(\w+)\s*(?:\[[^;]*\])?\s*(?:=\s*-?\w+\s*)?$",
                                      code.strip().split("(")[0] or code.strip())
                    names = [found.group(1)] if found else []

    def comment(self, struct: str, field: str) -> str:
        return self.comments.get((struct, field), "")

    def is_answer(self, struct: str) -> bool:
        return struct in COUNTS

    def is_settings(self, struct: str) -> bool:
        return bool(self.structs[struct]) and self.structs[struct][0]["name"] == "tag"

    def is_tuple(self, struct: str) -> bool:
        return not self.is_answer(struct) and struct not in HIDDEN and (
            struct == "pliant_member_def" or not self.is_settings(struct))

    def split_type(self, text: str) -> tuple[str, list[int]]:
        match = re.match(r"(.*?)((?:\[\w+\])*)$", text)
        assert match is not None
        base, tail = match.groups()
        return base.strip(), [int(n) for n in re.findall(r"\[(\d+)\]", tail)]

    def fields(self, struct: str) -> list[dict[str, object]]:
        """Fields with their kinds; those that Python has no use for are left out."""
        found = []
        for field in self.structs[struct]:
            name, text = field["name"], field["type"]
            base, dims = self.split_type(text)
            if "(*)" in base: # a pointer to rows, whose length WIDTHS has
                dims = []
            if name in ("tag", "reserved") or name in DERIVED.get(struct, ()):
                continue
            if name in OWN_OPTIONS.get(struct, ()):
                continue
            one = {"name": RENAMED.get(name, name), "c_name": name, "dims": dims, "type": None, "count": None, "width": 1}
            list_of = COUNTS.get(struct, {}).get(name)
            if list_of is not None:
                one["count"] = list_of
                one["width"] = WIDTHS.get((struct, name), 1)
                element = base.replace("const ", "").replace("(*)", "").replace("*const", "")
                element = element.replace("*", "").strip()
                if element == "char":
                    one["kind"], one["element"] = "NAMES", "char *"
                elif element in KINDS:
                    one["kind"], one["element"] = "LIST_" + KINDS[element][0], element
                else:
                    one["kind"], one["element"] = "LIST_STRUCT", element
                    one["type"] = element
            elif base in KINDS:
                one["kind"] = KINDS[base][0]
            elif base in self.enums:
                one["kind"], one["type"] = "ENUM", base
            elif base == "pliant_groups":
                one["kind"] = "GROUPS"
            elif base in self.structs and base not in HIDDEN:
                one["kind"], one["type"] = "STRUCT", base
            elif base == "const char *":
                one["kind"] = "TEXT"
            else:
                continue
            found.append(one)
        return found

    def enum_names(self, enum: str) -> dict[str, int]:
        """Constants without what all of them begin with."""
        names = list(self.enums[enum])
        words = [n.split("_") for n in names]
        common = 0
        while all(len(w) > common + 1 and w[common] == words[0][common] for w in words):
            common += 1
        shorts = ["_".join(w[common:]) for w in words]
        if any(s[0].isdigit() for s in shorts):
            common -= 1
        return {"_".join(w[common:]): self.enums[enum][n] for w, n in zip(words, names)}

    def used_structs(self) -> list[str]:
        return [s for s in self.structs
                if self.is_answer(s) or self.is_tuple(s) or self.is_settings(s)]


# ------------------------------------------------------------------------------------ C tables

def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def option_names(api: Interface, struct: str) -> list[str]:
    """In the order of the struct."""
    own = OWN_OPTIONS.get(struct, {})
    taken = {f["c_name"] for f in api.fields(struct)} | set(own)
    return [RENAMED.get(f["name"], f["name"]) for f in api.structs[struct] if f["name"] in taken]


def plain_names(api: Interface, struct: str) -> list[str]:
    """Those of questions that have one answer and call nobody."""
    own = OWN_OPTIONS.get(struct, {})
    return [n for n in option_names(api, struct) if n != "mode" and n not in own]


def c_field(api: Interface, struct: str, field: dict[str, object]) -> str:
    name, dims = field["name"], field["dims"]
    count_at, count_kind, extra = "0", "PL_BOOL", "-1"
    if field["count"] is not None:
        if str(field["count"]).startswith("@"):
            extra = str(field["count"])[1:]
        else:
            count_at = f"offsetof({struct}, {field['count']})"
            of = next(f for f in api.structs[struct] if f["name"] == field["count"])
            count_kind = "PL_" + KINDS[api.split_type(of["type"])[0]][0]
    rows, columns = (dims + [1, 1])[:2] if len(dims) != 1 else (1, dims[0])
    of_enum = field["kind"] == "ENUM"
    kind = field["kind"]
    type_at = "NULL"
    if field["type"] is not None:
        type_at = ("&pl_enum_" if of_enum else "&pl_struct_") + str(field["type"])
    c_name = field["c_name"]
    return (f"    {{{quote(str(name))}, {quote(api.comment(struct, str(c_name)))}, "
            f"offsetof({struct}, {c_name}), PL_{kind}, {rows}, {columns}, {field['width']}, "
            f"{type_at if not of_enum else 'NULL'}, {type_at if of_enum else 'NULL'}, "
            f"{count_at}, {count_kind}, {extra}}},")


def write_tables(api: Interface, output: str) -> None:
    lines = ["/* Made by bindings/python/generate.py from interface/api.json. */"]
    for enum in api.enums:
        pairs = api.enum_names(enum)
        items = ", ".join(f"{{{quote(n.lower())}, {v}}}" for n, v in pairs.items())
        lines += [f"static const pl_constant constants_{enum}[] = {{{items}}};",
                  f"const pl_enum pl_enum_{enum} = {{{quote(python_name(enum))}, "
                  f"constants_{enum}, {len(pairs)}}};"]
    used = api.used_structs()
    for struct in used:
        lines.append(f"extern const pl_struct pl_struct_{struct};")
    for struct in used:
        fields = api.fields(struct)
        if fields:
            lines.append(f"static const pl_field fields_{struct}[] = {{")
            lines += [c_field(api, struct, f) for f in fields]
            lines.append("};")
        role = "ANSWER" if api.is_answer(struct) else (
            "TUPLE" if api.is_tuple(struct) else "SETTINGS")
        lines.append(
            f"const pl_struct pl_struct_{struct} = {{{quote(struct)}, "
            f"{quote(python_name(struct))}, PL_{role}, sizeof({struct}), "
            f"{'fields_' + struct if fields else 'NULL'}, {len(fields)}, "
            f"{list(used).index(struct)}}};")
    items = ", ".join(f"&pl_struct_{s}" for s in used)
    lines.append(f"const pl_struct *const pl_structs[] = {{{items}}};")
    lines.append(f"const size_t pl_struct_count = {len(used)};")
    items = ", ".join(f"&pl_enum_{e}" for e in api.enums)
    lines.append(f"const pl_enum *const pl_enums[] = {{{items}}};")
    lines.append(f"const size_t pl_enum_count = {len(api.enums)};")
    Path(output).write_text("\n".join(lines) + "\n")
    declared = ["/* Made by bindings/python/generate.py from interface/api.json. */",
                "#ifndef PL_TABLES_H", "#define PL_TABLES_H"]
    declared += [f"extern const pl_struct pl_struct_{s};" for s in used]
    declared += [f"extern const pl_enum pl_enum_{e};" for e in api.enums]
    for struct in used:
        if api.is_settings(struct):
            names = ", ".join(f"{n}=..." for n in option_names(api, struct))
            declared.append(f"#define OPTIONS_{struct} {quote(names)}")
            names = ", ".join(f"{n}=..." for n in plain_names(api, struct))
            declared.append(f"#define PLAIN_{struct} {quote(names)}")
            names = ", ".join(f"{n}=..." for n in option_names(api, struct) if n != "distance")
            declared.append(f"#define NEAR_{struct} {quote(names)}")
    declared.append("#endif")
    Path(output).with_suffix(".h").write_text("\n".join(declared) + "\n")


# -------------------------------------------------------------------------------- Python files

def python_type(api: Interface, field: dict[str, object]) -> str:
    kind = str(field["kind"])
    base = {"BOOL": "bool", "INT32": "int", "UINT16": "int", "UINT32": "int", "UINT64": "int",
            "FLOAT": "float", "DOUBLE": "float", "TEXT": "str",
            "GROUPS": "tuple[int, ...] | None"}.get(kind)
    if base is None:
        base = python_name(str(field["type"]))
    if field["dims"]:
        return f"tuple[{base}, ...]" if len(field["dims"]) == 1 else (
            f"tuple[tuple[{base}, ...], ...]")
    return base


def option_type(api: Interface, struct: str, name: str) -> str:
    own = OWN_OPTIONS.get(struct, {})
    if name in own:
        return own[name]
    field = next(f for f in api.fields(struct) if f["name"] == name)
    if field["kind"] == "GROUPS":
        return "Iterable[int] | None"
    if field["kind"] == "ENUM":
        return f"{python_name(str(field['type']))} | int | str"
    if field["kind"] == "STRUCT":
        return "_BoxLike"
    return {"BOOL": "bool", "FLOAT": "float", "DOUBLE": "float", "TEXT": "str"}.get(
        str(field["kind"]), "int")


def tuples_in_order(api: Interface) -> list[str]:
    """Those that others are made of come first."""
    done: list[str] = []

    def visit(struct: str) -> None:
        if struct in done or not api.is_tuple(struct):
            return
        for field in api.fields(struct):
            if field["kind"] == "STRUCT":
                visit(str(field["type"]))
        done.append(struct)

    for struct in api.structs:
        visit(struct)
    # What holds an answer comes in arrays only.
    return [s for s in done if api.fields(s) and
            not any(api.is_answer(str(f["type"])) for f in api.fields(s))]


def wrapped(text: str, indent: str) -> list[str]:
    import textwrap
    return textwrap.wrap(text, 96, initial_indent=indent, subsequent_indent=indent)


def types_text(api: Interface) -> str:
    lines = ['"""Enums and named tuples, as the headers of Pliant have them.',
             "", "Made by bindings/python/generate.py from interface/api.json.", '"""',
             "from __future__ import annotations", "", "from enum import IntEnum",
             "from typing import NamedTuple", ""]
    names = []
    for enum in api.enums:
        name = python_name(enum)
        if enum == "pliant_result":
            continue
        names.append(name)
        lines += ["", f"class {name}(IntEnum):",
                  f'    """{enum} of C; options also take the names, in small letters."""', ""]
        for constant, value in api.enum_names(enum).items():
            lines.append(f"    {constant} = {value}")
        lines.append("")
    for struct in tuples_in_order(api):
        name = python_name(struct)
        names.append(name)
        lines += ["", f"class {name}(NamedTuple):", f'    """{struct} of C.', ""]
        for field in api.fields(struct):
            comment = api.comment(struct, str(field["c_name"]))
            lines += wrapped(f"{field['name']}: {comment}" if comment else str(field["name"]),
                             "    ")
        lines += ['    """', ""]
        for field in api.fields(struct):
            ignored = "  # type: ignore[assignment]" if field["name"] in ("index", "count") else ""
            lines.append(f"    {field['name']}: {python_type(api, field)}{ignored}")
        lines.append("")
    lines += ["", "__all__ = ["] + [f'    "{n}",' for n in sorted(names)] + ["]", ""]
    return "\n".join(lines)


def answer_stub(api: Interface, struct: str) -> list[str]:
    lines = ["@final", f"class {python_name(struct)}(Answer):"]
    own = COUNTS[struct]
    for field in api.fields(struct):
        kind, name = str(field["kind"]), str(field["name"])
        if name in own:
            if kind == "NAMES":
                kind_text = "tuple[str, ...]"
            else:
                element = {"LIST_FLOAT": "numpy.float32", "LIST_UINT32": "numpy.uint32",
                           "LIST_UINT16": "numpy.uint16", "LIST_UINT64": "numpy.uint64"}.get(kind)
                if field["type"] == "pliant_pair":
                    element = "numpy.uint32"
                kind_text = f"NDArray[{element or 'numpy.void'}]"
            if (struct, name) in OPTIONAL:
                kind_text += " | None"
            if field["dims"]:
                kind_text = f"tuple[{kind_text}, {kind_text}]"
        elif kind == "STRUCT":
            kind_text = python_name(str(field["type"]))
        else:
            kind_text = python_type(api, field)
        lines += ["    @property", f"    def {name}(self) -> {kind_text}: ..."]
    if any(f["name"] in ("count", "contour_count") for f in api.fields(struct)):
        lines.append("    def __len__(self) -> int: ...")
    if struct in ADDED:
        lines.append(ADDED[struct])
    return lines + [""]


def stub_text(api: Interface) -> str:
    text = (HERE / "core.pyi.in").read_text()

    def options(match: re.Match[str]) -> str:
        struct = match.group(2)
        names = option_names(api, struct)
        if match.group(1) == "plain ":
            names = plain_names(api, struct)
        elif match.group(1) == "near ":  # the distance is an argument of its own
            names = [n for n in names if n != "distance"]
        parts = [f"{n}: {option_type(api, struct, n)} = ..." for n in names]
        return ", ".join(parts)

    text = re.sub(r"\{(plain |near )?(pliant_\w+)\}", options, text)
    answers: list[str] = []
    for struct in api.structs:
        if api.is_answer(struct):
            answers += answer_stub(api, struct)
    text = text.replace("# ANSWERS", "\n".join(answers).rstrip())
    types = [python_name(n) for n in [*api.enums, *tuples_in_order(api)] if n != "pliant_result"]
    used = sorted(t for t in types if re.search(rf"\b{t}\b", text))
    return text.replace("# TYPES", "from ._types import (\n    " + ",\n    ".join(used) + ")")


def write_python(api: Interface, check: bool) -> int:
    status = 0
    for name, text in (("_types.py", types_text(api)), ("_core.pyi", stub_text(api))):
        path = HERE / "pliant" / name
        if check:
            if not path.exists() or path.read_text() != text:
                print(f"{path}: not what interface/api.json says; run bindings/python/generate.py "
                      "python interface/api.json include/pliant", file=sys.stderr)
                status = 1
        else:
            path.write_text(text)
    return status


def main(arguments: list[str]) -> int:
    if len(arguments) < 3 or arguments[0] not in ("tables", "python"):
        print(__doc__, file=sys.stderr)
        return 2
    api = Interface(arguments[1], arguments[2])
    if arguments[0] == "tables":
        write_tables(api, arguments[3])
        return 0
    return write_python(api, "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
