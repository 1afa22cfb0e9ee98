"""pliant/_core.pyi: types of the extension, from bindings/python/core.pyi.in and the tables."""
import re

from python_types import OWN, python_name, value_type

NUMBERS = {"LIST_FLOAT": "numpy.float32", "LIST_UINT32": "numpy.uint32", "LIST_UINT16": "numpy.uint16",
           "LIST_UINT64": "numpy.uint64"}


def result_stub(api, struct, added):
    lines = ["@final", f"class {python_name(struct)}(Answer):"]
    for field in api.fields(struct):
        text = None
        if field["kind"] == "NAMES":
            text = "tuple[str, ...]"
        elif field["count"]:
            text = f"NDArray[{NUMBERS.get(field['kind'], 'numpy.void')}]"
            if field["c_name"] in api.results[struct].get("optional", ()):
                text += " | None"
            text = f"tuple[{text}, {text}]" if field["dims"] else text
        elif field["kind"] == "STRUCT":
            text = python_name(field["type"])
        lines += ["    @property", f"    def {field['name']}(self) -> {text or value_type(field)}: ..."]
    if any(field["name"] in ("count", "contour_count") for field in api.fields(struct)):
        lines.append("    def __len__(self) -> int: ...")
    return lines + added + [""]


def definition(methods, api, struct, plain):
    """Keywords of a definition; `plain`: without arrays."""
    known = {field["name"]: field for field in api.fields(struct)}
    parts = []
    for name in known if plain else api.option_names(struct):
        field = known.get(name)
        text = methods.option_stub(field["kind"], field["type"]) if field else OWN[struct][name]
        parts.append(f"{name}: {text} = ...")
    return ", ".join(parts)


def method_stub(method):
    indent = "    " if method.call.owner else ""
    results = [output.stub for output in method.outputs]
    text = "None" if not results else results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"
    text += " | None" if method.finds else ""
    if method.is_attribute:
        return [indent + "@property", f"{indent}def {method.name}(self) -> {text}: ..."]
    parts = ["self"] if method.call.owner else []
    for i, one in enumerate(method.parameters):
        if i == method.positional:
            parts.append("*")
        parts.append(f"{one.name}: {one.stub}" + (one.default_text and " = " + one.default_text))
    return [f"{indent}def {method.name}({', '.join(parts)}) -> {text}: ..."]


def stub_text(api, methods, template):
    """Fills in a template: # METHODS OWNER, {STRUCT} for keywords, # ANSWERS and # TYPES."""
    def listed(match):
        own = [method for method in methods.all if method.call.owner == match[2]]
        return "\n".join(line for method in own for line in method_stub(method))

    # Methods that pliant/_answers.py adds stand in the template, as a class of the same name.
    added = {}

    def take(match):
        added[match[1]] = match[2].rstrip().split("\n")
        return ""

    text = re.sub(r"# ADDED (\w+)\n((?:    .*\n)+)", take, template)
    text = re.sub(r"^( *)# METHODS ?(\w*)$", listed, text, flags=re.M)
    text = re.sub(r"\{(plain )?(pliant_\w+)\}", lambda match: definition(methods, api, match[2], match[1]), text)
    results = [line for struct in api.structs if api.is_answer(struct)
               for line in result_stub(api, struct, added.get(python_name(struct), []))]
    text = text.replace("# ANSWERS", "\n".join(results).rstrip())
    names = [python_name(name) for name in [*api.enums, *api.tuples_in_order()] if name != "pliant_result"]
    used = sorted(name for name in names if re.search(rf"\b{name}\b", text))
    return text.replace("# TYPES", "from ._types import (\n    " + ",\n    ".join(used) + ")")
