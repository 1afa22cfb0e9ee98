"""Whether JSON files are as a schema says: the words of JSON Schema that docs/check.schema.json uses.

usage: schema_check.py SCHEMA FILE...
A word that is not known here is a mistake, so that nothing in the schema goes unread.
"""
import json
import sys

KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "enum", "const", "oneOf", "required",
         "properties", "additionalProperties", "items", "minItems", "maxItems", "minimum"}
TYPES = {"object": dict, "array": list, "string": str, "null": type(None)}


def is_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int,) if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, root, path):
    unknown = set(schema) - KNOWN
    if unknown:
        raise SystemExit(f"schema_check: the words {unknown} of the schema are not known")
    if "$ref" in schema:
        target = root
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        yield from faults(value, target, root, path)
    if "oneOf" in schema:
        tried = [list(faults(value, one, root, path)) for one in schema["oneOf"]]
        if sum(not found for found in tried) != 1:
            yield f"{path}: fits {sum(not found for found in tried)} of {len(tried)}; {min(tried, key=len)[:3]}"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_type(value, kind) for kind in kinds):
        yield f"{path}: {value!r} is no {kinds}"
        return
    if "minimum" in schema and is_type(value, "number") and value < schema["minimum"]:
        yield f"{path}: {value} is below {schema['minimum']}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                yield f"{path}: lacks {key}"
        for key, item in value.items():
            part = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if part is not None:
                yield from faults(item, part, root, f"{path}.{key}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{path}: has {len(value)} items"
        for i, item in enumerate(value):
            if "items" in schema:
                yield from faults(item, schema["items"], root, f"{path}[{i}]")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    bad = False
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            found = list(faults(json.load(file), schema, schema, name))
        for fault in found[:10]:
            print(fault)
        bad = bad or bool(found)
    return bad


sys.exit(main())
