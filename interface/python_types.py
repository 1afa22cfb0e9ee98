"""Values of the Python package: structs and enums of the headers, as fields with kinds; pliant/_types.py."""
import re
import textwrap

# Names that mean something else in Python.
RENAMED = {"self": "self_contact"}
KINDS = {"bool": "BOOL", "int": "INT32", "int32_t": "INT32", "uint16_t": "UINT16", "uint32_t": "UINT32",
         "uint64_t": "UINT64", "size_t": "UINT64", "float": "FLOAT", "double": "DOUBLE"}
# Structs that no Python value is made of: options and definitions, and what holds functions.
HIDDEN = {
    "pliant_files", "pliant_allocator", "pliant_scheduler", "pliant_logger", "pliant_stage_hooks",
    "pliant_backend_triangles", "pliant_backend_crossings", "pliant_drawer", "pliant_groups",
    "pliant_state", "pliant_scene_state", "pliant_asset_output", "pliant_triangle",
    "pliant_moving_point", "pliant_moving_triangle", "pliant_moving_edge", "pliant_ray",
    "pliant_recorded_answer", "pliant_tear", "pliant_torn_corner",
}
# Fields of definitions that the binding reads itself, with their types.
ARRAY = "ArrayLike | None"
OWN = {"pliant_shape_def": {
    "groups": ARRAY, "modes": ARRAY, "mode_offsets": ARRAY, "mode_vertices": ARRAY,
    "influence_offsets": ARRAY, "influence_joints": ARRAY, "influence_weights": ARRAY,
    "slot_joints": ARRAY, "slot_weights": ARRAY}}
# Fields of definitions that follow from arrays.
DERIVED = {
    "pliant_shape_def": {
        "positions", "triangles", "triangles16", "vertex_count", "triangle_count",
        "position_stride", "triangle_stride", "group_stride", "mode_count", "mode_vertex_stride",
        "mode_stride", "slot_count", "slot_joint_type", "slot_weight_type", "slot_joint_stride",
        "slot_weight_stride"},
    "pliant_contour_options": {"pair_count"},
    "pliant_asset_def": {"path_count", "clip_path_count"},
}
# Headers of libraries that the package does not have, and of such libraries alone.
BESIDE = {"extend.h", "gl.h", "view.h"}
# Structs of a callback that Python gets as several values.
EXPANDED = {"pliant_scene_pair": ("a", "b")}


def python_name(name):
    return "".join(part.capitalize() for part in name.removeprefix("pliant_").split("_"))


def base_of(text):
    """Returns the type of an element: "const float (*)[3]" is an array of float."""
    return re.sub(r"\[\w*\]|[(*)]|\bconst\b", "", text).strip()


class Interface:
    """Structs, enums and callbacks of the headers, with their comments."""

    def __init__(self, items, results, comments):
        own = [item for item in items if item.header not in BESIDE]
        self.structs = {item.name: dict(item.members) for item in own if item.kind == "struct"}
        self.enums = {item.name: dict(item.members) for item in own if item.kind == "enum"}
        self.callbacks = {item.name: item.members for item in items if item.kind == "callback"}
        self.results = {name: result for name, result in results.items() if name in self.structs}
        self.comments = comments

    def comment(self, struct, field):
        return self.comments.get((struct, field), "")

    def is_answer(self, struct):
        return struct in self.results

    def is_settings(self, struct):
        return "tag" in self.structs[struct]

    def is_tuple(self, struct):
        return not self.is_answer(struct) and struct not in HIDDEN and (
            struct == "pliant_member_def" or not self.is_settings(struct))

    def kind_of(self, base):
        """Returns the kind of a value, and the struct or enum that it is of."""
        if base in KINDS:
            return KINDS[base], None
        if base in self.enums:
            return "ENUM", base
        if base == "pliant_groups":
            return "GROUPS", None
        return ("STRUCT", base) if base in self.structs and base not in HIDDEN else (None, None)

    def list_field(self, struct, name, text):
        """An array of a result: its kind, element and numbers per element."""
        result, base = self.results[struct], base_of(text)
        width = result.get("widths", {}).get(name, 1)
        if base == "char":
            return {"kind": "NAMES", "type": None, "width": 1}
        if base == "pliant_pair":
            return {"kind": "LIST_UINT32", "type": None, "width": 2}
        if base in KINDS:
            return {"kind": "LIST_" + KINDS[base], "type": None, "width": width}
        return {"kind": "LIST_STRUCT", "type": base, "width": 1}

    def fields(self, struct):
        """Fields with their kinds; those that Python has no use for are left out."""
        found = []
        for name, text in self.structs[struct].items():
            if name in ("tag", "reserved") or name in DERIVED.get(struct, ()) or name in OWN.get(struct, ()):
                continue
            dims = [] if "(*)" in text else [int(n) for n in re.findall(r"\[(\d+)\]", text)]
            one = {"name": RENAMED.get(name, name), "c_name": name, "dims": dims, "count": None, "width": 1}
            if name in self.results.get(struct, {}).get("counts", ()):
                one.update(self.list_field(struct, name, text), count=self.results[struct]["counts"][name])
            elif text == "const char *":
                one.update(kind="TEXT", type=None)
            else:
                kind, of = self.kind_of(re.sub(r"\[\w+\]", "", text).strip())
                if kind is None:
                    continue
                one.update(kind=kind, type=of)
            found.append(one)
        return found

    def enum_names(self, enum):
        """Returns constants without their common prefix."""
        words = [name.split("_") for name in self.enums[enum]]
        common = 0
        while all(len(w) > common + 1 and w[common] == words[0][common] for w in words):
            common += 1
        if any(w[common][0].isdigit() for w in words):
            common -= 1
        return {"_".join(w[common:]): value for w, value in zip(words, self.enums[enum].values())}

    def used_structs(self):
        return [s for s in self.structs if self.is_answer(s) or self.is_tuple(s) or self.is_settings(s)]

    def option_names(self, struct):
        """Keywords of a definition, in the order of the struct."""
        taken = {f["c_name"] for f in self.fields(struct)} | set(OWN.get(struct, ()))
        return [RENAMED.get(name, name) for name in self.structs[struct] if name in taken]

    def callback_values(self, name):
        """(struct, C expression) of each value that Python gets from a callback, without the user."""
        values = []
        for parameter, text in self.callbacks[name]:
            base = base_of(text)
            if base in EXPANDED:
                values += [(base_of(self.structs[base][member]), f"&{parameter}->{member}")
                           for member in EXPANDED[base]]
            elif parameter != "user":
                values.append((base, parameter if "*" in text else f"&{parameter}"))
        return values

    def tuples_in_order(self):
        """Structs that others are made of come first. Those that hold an answer come in arrays only."""
        done = []

        def visit(struct):
            if struct in done or not self.is_tuple(struct):
                return
            for field in self.fields(struct):
                if field["kind"] == "STRUCT":
                    visit(field["type"])
            done.append(struct)

        for struct in self.structs:
            visit(struct)
        return [s for s in done if self.fields(s) and
                not any(self.is_answer(f["type"]) for f in self.fields(s))]


SCALARS = {"BOOL": "bool", "INT32": "int", "UINT16": "int", "UINT32": "int", "UINT64": "int",
           "FLOAT": "float", "DOUBLE": "float", "TEXT": "str", "GROUPS": "tuple[int, ...] | None"}


def value_type(field):
    """The Python type of a field's value."""
    base = SCALARS.get(field["kind"]) or python_name(field["type"])
    for _ in field["dims"]:
        base = f"tuple[{base}, ...]"
    return base


def types_text(api):
    lines = ['"""Enums and named tuples, as the headers of Pliant have them; generated by interface/generate."""',
             "from __future__ import annotations", "", "from enum import IntEnum",
             "from typing import NamedTuple", ""]
    names = []
    for enum in api.enums:
        if enum == "pliant_result":
            continue
        names.append(python_name(enum))
        lines += ["", f"class {names[-1]}(IntEnum):",
                  f'    """{enum} of C; options also take the names, in small letters."""', ""]
        lines += [f"    {constant} = {value}" for constant, value in api.enum_names(enum).items()] + [""]
    for struct in api.tuples_in_order():
        names.append(python_name(struct))
        lines += ["", f"class {names[-1]}(NamedTuple):", f'    """{struct} of C.', ""]
        for field in api.fields(struct):
            comment = api.comment(struct, field["c_name"])
            lines += textwrap.wrap(f"{field['name']}: {comment}" if comment else field["name"], 96,
                                   initial_indent="    ", subsequent_indent="    ")
        lines += ['    """', ""]
        for field in api.fields(struct):
            ignored = "  # type: ignore[assignment]" if field["name"] in ("index", "count") else ""
            lines.append(f"    {field['name']}: {value_type(field)}{ignored}")
        lines.append("")
    return "\n".join(lines + ["", "__all__ = ["] + [f'    "{n}",' for n in sorted(names)] + ["]", ""])
