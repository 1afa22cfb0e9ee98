"""The calls that bindings make: the parameters of a function, by their roles, from its declaration."""
import re
from dataclasses import dataclass

FAILS = "pliant_result"
NUMBERS = ("bool", "int32_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "float", "double")


@dataclass
class Argument:
    """One parameter of a call, or several that belong together. The roles:

    object    the first parameter: the query, scene, volume or body that the call is made of
    body      a body; bodies: an array of them and its length
    scene     a scene that is not the object
    settings  an options struct, which begins with a tag; may be NULL
    array     an array, its length and perhaps its stride: of plain numbers, or of structs
    value     a struct or a fixed array of numbers, passed by its address
    copy      a struct, passed by value
    user      a pointer of the caller's
    number    a number, bool or enum
    callback  a function and its user pointer
    each      memory for a result per row of the array
    list      addresses of a pointer and of a length, which are set to an array of results
    result    memory for one struct
    """
    role: str
    name: str
    type: str  # without const and pointer, of the element
    names: tuple  # all parameters of C that belong to it
    width: int = 1  # numbers per row or in the fixed array
    default: object = None


@dataclass
class Call:
    function: str
    owner: str  # the type of the object
    text: str
    arguments: list  # without the object
    shares: bool  # threads may use prepared bodies at the same time
    changes: bool  # bodies get another state
    query: str  # its name in queries.toml, or ""
    uses: dict  # per options struct the fields that the call uses, if not all


def base_of(kind):
    """Returns the type of an element: "const float[3]" is float."""
    return re.sub(r"\[\w*\]|[*]|\bconst\b", "", kind).strip()


class Calls:
    """All calls of queries.toml: those of the queries, and [call.FUNCTION]."""

    def __init__(self, items, queries, results, others, arguments):
        self.functions = {item.name: item.members for item in items if item.kind == "function"}
        self.structs = {item.name: dict(item.members) for item in items if item.kind == "struct"}
        self.enums = {item.name for item in items if item.kind == "enum"}
        self.callbacks = {item.name: item.members for item in items if item.kind == "callback"}
        self.results, self.given = results, arguments
        self.all = [self.call(function, query["text"], query, name, form)
                    for name, query in queries.items() for form, function in query["calls"].items()]
        self.all += [self.call(name, other["text"], other) for name, other in others.items()]
        self.described = {call.function: call for call in self.all}

    def call(self, function, text, entry, query="", form=""):
        members = self.functions[function]
        arguments = self.arguments(members[1:])
        if form == "self":
            text = text.removesuffix(".") + ", within one body."
        return Call(function, base_of(members[0][1]), text, arguments,
                    members[0][1] == "pliant_query *" and entry.get("over") == "state",
                    entry.get("changes", False), query, entry.get("uses", {}))

    def methods(self, items, owner, verbs_apart=("create", "destroy")):
        """Yields (name, Call) of the functions that take an object first, except those that make or end it."""
        for item in items:
            first = item.members[0][1] if item.kind == "function" and item.members else ""
            name = item.name.removeprefix(owner + "_").removeprefix("pliant_")
            if base_of(first) == owner and first.count("*") == 1 and not name.startswith(verbs_apart):
                yield name, self.described.get(item.name) or self.call(item.name, "", {})

    def arguments(self, members):
        """Groups parameters: (points, count, stride) is one argument."""
        found, at = [], 0
        while at < len(members):
            name, kind = members[at]
            following = [member for member, _ in members[at + 1:at + 3]]
            role = self.role(kind, following)
            if role == "result" and base_of(kind) not in self.results and \
                    any(argument.role == "array" for argument in found) and \
                    not any(argument.role == "each" for argument in found):
                role = "each"
            parts = 1
            if role in ("array", "bodies", "list"):
                parts = 3 if following[1:] == ["stride"] else 2
            elif role == "callback":
                parts = 2
            names = tuple(member for member, _ in members[at:at + parts])
            rest = re.search(r"\[(\d+)\]$", kind)
            given = self.given.get(name, {})
            found.append(Argument(role, name, base_of(kind), names,
                                  int(rest[1]) if rest else given.get("width", 1), given.get("default")))
            at += parts
        return found

    def role(self, kind, following):
        base, counted = base_of(kind), following[:1] == ["count"]
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
            return "array" if counted else "value"
        return "result"
