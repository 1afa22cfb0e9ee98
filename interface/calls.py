"""The calls that bindings make: the parameters of a function, by their roles, from its declaration."""
import re
from dataclasses import dataclass

FAILS = "pliant_result"
NUMBERS = ("bool", "int32_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "float", "double")


@dataclass
class Argument:
    """One parameter of a call, or several that belong together. The roles:

    body      a body; bodies: an array of them and its length
    scene     a scene that is not the object
    found     a result of an earlier call
    drawer    functions that draw
    settings  an options struct, which begins with a tag; may be NULL
    array     an array, its length and perhaps its stride: of plain numbers, or of structs
    value     a struct or a fixed array of numbers, passed by its address
    copy      a struct, passed by value
    user      a pointer of the caller's
    number    a number, bool or enum
    callback  a function and its user pointer
    each      memory for a result per row of the array
    list      addresses of a pointer and of a length, which are set to an array of results
    result    memory for one struct, number or fixed array
    """
    role: str
    name: str
    type: str  # without const and pointer, of the element
    names: tuple  # all parameters of C that belong to it
    width: int = 1  # numbers per row or in the fixed array
    default: object = None
    rows: str = ""  # "vertices": as many as the body of the call has


@dataclass
class Call:
    function: str
    returns: str
    owner: str  # type of the object that the first parameter is; "": a function of no object
    text: str
    arguments: list  # without the object
    shares: bool  # threads may use prepared bodies, or this one, at the same time
    changes: bool  # bodies get another state
    query: str  # its name in queries.toml, or ""
    options: dict  # per options struct the fields that the call uses
    defaults: dict  # of arguments, and of fields of values

    @property
    def name(self):
        """The name of a method: pliant_scene_collide() of a scene is collide."""
        words = self.function.removeprefix("pliant_")
        owner = self.owner.removeprefix("pliant_")
        return words.replace(owner + "_", "", 1).removesuffix("_" + owner) if owner else words


def base_of(kind):
    """Returns the type of an element: "const float[3]" is float."""
    return re.sub(r"\[\w*\]|[*]|\bconst\b", "", kind).strip()


class Calls:
    """All calls of queries.toml: those of the queries, and [call.FUNCTION]."""

    def __init__(self, items, queries, results, others, arguments, arrays):
        self.functions = {item.name: item for item in items if item.kind == "function"}
        self.structs = {item.name: dict(item.members) for item in items if item.kind == "struct"}
        self.enums = {item.name for item in items if item.kind == "enum"}
        self.callbacks = {item.name: item.members for item in items if item.kind == "callback"}
        self.objects = {item.name for item in items if item.kind == "opaque"}
        self.results, self.given, self.arrays = results, arguments, arrays
        self.all = [self.call(function, query, name, form)
                    for name, query in queries.items() for form, function in query["calls"].items()]
        self.all += [self.call(name, other) for name, other in others.items()]
        self.described = {call.function: call for call in self.all}

    def call(self, function, entry, query="", form=""):
        item = self.functions[function]
        owner = base_of(item.members[0][1])
        if owner not in self.objects or owner == "pliant_body" and not function.startswith("pliant_body_"):
            owner = ""
        arguments = self.arguments(item.members[1 if owner else 0:])
        for argument in arguments:
            argument.default = entry.get("defaults", {}).get(argument.name, argument.default)
        text = entry["text"]
        if form == "self":
            text = text.removesuffix(".") + ", within one body."
        ignores = {} if form == "scene" else entry.get("ignores", {})
        options = {}
        for argument in arguments:
            if argument.role == "settings":
                struct = argument.type
                used = entry.get("uses", {}).get(struct, self.structs[struct])
                options[struct] = [field for field in self.structs[struct] if field in used and field != "tag"
                                   and field not in ignores.get(struct, ()) and not field.endswith("_user")]
        return Call(function, item.returns, owner, text, arguments, entry.get("over") == "state",
                    entry.get("changes", False), query, options,
                    {name: given["default"] for name, given in self.given.items() if "default" in given})

    def methods(self, items, owner, verbs_apart=("create", "destroy")):
        """Yields (name, Call) of the functions that take an object first, except those that make or end it."""
        for item in items:
            first = item.members[0][1] if item.kind == "function" and item.members else ""
            name = item.name.removeprefix(owner + "_").removeprefix("pliant_")
            if base_of(first) == owner and first.count("*") == 1 and not name.startswith(verbs_apart):
                yield name, self.described.get(item.name) or self.call(item.name, {"text": ""})

    def arguments(self, members):
        """Groups parameters: (points, count, stride) is one argument."""
        found, at = [], 0
        while at < len(members):
            name, kind = members[at]
            following = [member for member, _ in members[at + 1:at + 3]]
            role = self.role(kind, following)
            if role == "result" and any(argument.role == "array" for argument in found) and \
                    not any(argument.role == "each" for argument in found) and \
                    base_of(kind) not in self.results:
                role = "each"
            parts = 1
            if role in ("array", "bodies", "list"):
                parts = 3 if following == ["count", "stride"] else 2
            elif role == "callback":
                parts = 2
            names = tuple(member for member, _ in members[at:at + parts])
            rest = re.search(r"\[(\d+)\]$", kind)
            given = self.given.get(name, {})
            found.append(Argument(role, name, base_of(kind), names,
                                  int(rest[1]) if rest else given.get("width", 1), given.get("default"),
                                  given.get("rows", "")))
            at += parts
        return found

    def role(self, kind, following):
        base, counted = base_of(kind), following[:1] in (["count"], ["stride"])
        if kind in self.callbacks:
            return "callback"
        if base == "pliant_body":
            return "bodies" if counted else "body"
        if base == "pliant_scene":
            return "scene"
        if kind in NUMBERS or kind in self.enums:
            return "number"
        if kind in self.structs:
            return "copy"
        if kind == "void *":
            return "user"
        if kind.startswith("const ") and kind.endswith("**"):
            return "list"
        if kind.startswith("const "):
            if "tag" in self.structs.get(base, ()):
                return "settings"
            if base in self.results:
                return "found"
            if base == "pliant_drawer":
                return "drawer"
            return "array" if counted else "value"
        return "result"
