#!/usr/bin/env python3
"""Writes what JavaScript and WebAssembly must agree about, from interface/api.json.

    layout.py API.json LAYOUT.c LAYOUT.js STRUCTS.d.ts EXPORTS

LAYOUT.c has the size of every struct and the offset of every field as the compiler lays them out;
LAYOUT.js has the names and types in the same order, so that JavaScript knows no offset until it has
asked the module, and the parameters of every function, for checks of numbers. STRUCTS.d.ts has the types of settings and answers, EXPORTS the functions that the
module exports.
"""
import json
import re
import sys

# What a page cannot use: libraries beside the core, C's own job systems and allocators.
HEADERS = {"base.h", "body.h", "continuous.h", "contour.h", "distance.h", "attach.h", "moving.h",
           "proxy.h", "query.h", "recording.h", "scene.h", "scene_query.h", "shape.h", "triangle.h",
           "volume.h"}
# Passed by value or as functions: reached by the glue instead.
LEFT_OUT = {"pliant_body_get_memory", "pliant_context_create", "pliant_shape_borrow",
            "pliant_context_get_memory"}
# Headers whose structs are settings or answers, but whose functions a page does not call.
NOT_CALLED = {"attach.h", "moving.h"}
SCALARS = {"bool": "bool", "uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "int32_t": "i32",
           "uint64_t": "u64", "size_t": "u32", "float": "f32", "double": "f64"}


def camel(name):
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)


def short(name):
    """The JavaScript name of a C type: pliant_ray_hit is RayHit."""
    return "".join(word.capitalize() for word in name.removeprefix("pliant_").split("_"))


class Api:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        self.enums = {e["name"]: e["values"] for e in data["enums"] if e["header"] in HEADERS}
        self.structs = {s["name"]: s["fields"] for s in data["structs"] if s["header"] in HEADERS}
        self.functions = [f for f in data["functions"]
                          if f["header"] in HEADERS and not f["name"].endswith("_default")
                          and f["name"] not in LEFT_OUT and f["header"] not in NOT_CALLED]

    def field(self, text):
        """A field's type: (kind, count, name of what it is or points to)."""
        text = text.removeprefix("const ")
        if text == "float (*)[3]":
            return "pointer", 1, "f32"
        count = 1
        for size in re.findall(r"\[(\d+)\]", text):
            count *= int(size)
        base = re.sub(r"(\[\d+\])+$", "", text).strip()
        if base.endswith("*"):
            target = base[:-1].strip()
            target = SCALARS.get(target, target)
            known = target in self.structs or target in SCALARS.values()
            return "pointer", count, target if known else "void"
        if base in SCALARS:
            return SCALARS[base], count, ""
        if base in self.enums:
            return "enum", count, base
        if base in self.structs:
            return "struct", count, base
        return "pointer", count, "void"  # a function


def enum_words(values):
    """The words of an enum in JavaScript: PLIANT_COLLIDE_FIRST among its like is "first"."""
    names = list(values)
    prefix = names[0]
    for name in names:
        while not name.startswith(prefix):
            prefix = prefix[:-1]
    prefix = prefix[:prefix.rfind("_") + 1]
    return {name[len(prefix):].lower().replace("_", "-"): value for name, value in values.items()}


def write_c(api, file):
    file.write('/* Written by layout.py: sizes and offsets, in the order of layout.js. */\n'
               '#include "pliant/pliant.h"\n#include <stddef.h>\n#include <stdint.h>\n\n'
               'const uint32_t pliant_js_layout[] = {\n')
    for name, fields in api.structs.items():
        file.write(f"    sizeof({name}),\n")
        for field in fields:
            file.write(f"    offsetof({name}, {field['name']}),\n")
    file.write("};\n")


def write_js(api, file):
    file.write("// Written by glue/layout.py from the interface of the C library.\n")
    structs = [[name, [[camel(f["name"]), *api.field(f["type"])] for f in fields]]
               for name, fields in api.structs.items()]
    file.write(f"export const structs = {json.dumps(structs, separators=(',', ':'))};\n")
    enums = {name: enum_words(values) for name, values in api.enums.items()}
    file.write(f"export const enums = {json.dumps(enums, separators=(',', ':'))};\n")
    parameters = {f["name"]: [[camel(p["name"]), parameter_kind(api, p["type"])]
                              for p in f["parameters"]] for f in api.functions}
    file.write(f"export const parameters = {json.dumps(parameters, separators=(',', ':'))};\n")


def parameter_kind(api, text):
    """Returns the kind of a parameter in WebAssembly: arrays and structs are passed as addresses."""
    kind, count, _ = api.field(text)
    return "pointer" if count > 1 or kind == "struct" else kind


def settings_type(api, kind, count, target):
    if kind == "bool":
        return "boolean"
    if kind == "enum":
        return " | ".join(f'"{word}"' for word in enum_words(api.enums[target]))
    if kind == "struct":
        return "GroupSet" if target == "pliant_groups" else short(target)
    if kind == "pointer":
        return "ArrayLike<number>"
    if kind == "u64":
        return "number | bigint"
    return "number" if count == 1 else "ArrayLike<number>"


def write_types(api, file):
    file.write("// Written by glue/layout.py from the interface of the C library, whose headers say\n"
               "// what every field means.\n\n/** Numbers of groups. */\n"
               "export type GroupSet = Iterable<number>;\n")
    skipped = {"tag", "user", "callback", "callbackUser", "filterUser", "meetingsCallback",
               "pairs", "pairCount"}
    for name, fields in api.structs.items():
        if fields[0]["name"] != "tag":
            continue
        file.write(f"\nexport interface {short(name)} {{\n")
        for field in fields:
            label = camel(field["name"])
            kind, count, target = api.field(field["type"])
            if label in skipped or (kind == "pointer" and target == "void") or \
                    label.endswith(("Stride", "Offsets")) or target in ("pliant_allocator",):
                continue
            if kind == "struct" and target not in ("pliant_groups", "pliant_box"):
                continue
            written = "ArrayLike<number>" if target == "pliant_box" else \
                settings_type(api, kind, count, target)
            file.write(f"    {label}?: {written};\n")
        file.write("}\n")
    for name, values in api.enums.items():
        words = " | ".join(f'"{word}"' for word in enum_words(values))
        file.write(f"\nexport type {short(name)}Name = {words};\n")


def main(api_path, c_path, js_path, types_path, exports_path):
    api = Api(api_path)
    for path, write in ((c_path, write_c), (js_path, write_js), (types_path, write_types)):
        with open(path, "w", encoding="utf-8") as file:
            write(api, file)
    with open(exports_path, "w", encoding="utf-8") as file:
        file.writelines(f"{f['name']}\n" for f in api.functions)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
