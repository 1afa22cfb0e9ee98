"""Methods of the Python package: the calls of queries.toml, as parameters of Python and members of a C struct."""
from dataclasses import dataclass, field

from python_types import RENAMED, SCALARS, python_name

# Structs whose members are parameters of their own.
FLATTENED = {"pliant_ray"}
# Parameters whose names are others than in C.
NAMES = {("pliant_visit_bounds", "callback"): "function"}
BOX = "pliant_box"


@dataclass
class Parameter:
    """One parameter: its kind, and its place in the struct of the call."""
    name: str
    kind: str
    place: str
    stub: str
    doc: str = ""
    type: str = ""  # of structs, enums and callbacks
    rows: int = 1  # of an array, the bits of its length, or 0: as many as the object has vertices
    numbers: int = 1  # of a fixed array, or per row of an array
    formats: str = ""  # of an array
    strict: bool = False  # rows of an array must lie side by side; numbers must be finite
    default: object = None


    @property
    def default_text(self):
        """The default as Python writes it."""
        if self.default is None:
            return ""
        if isinstance(self.default, str):
            return "None"
        return str(self.default) if isinstance(self.default, (int, float)) and self.default < 10 else "..."


@dataclass
class Output:
    """A result that a call fills in."""
    kind: str
    place: str
    stub: str
    type: str = ""
    numbers: int = 1


@dataclass
class Method:
    call: object
    name: str
    parameters: list = field(default_factory=list)  # required, then with defaults, then by name only
    required: int = 0
    positional: int = 0
    outputs: list = field(default_factory=list)
    members: list = field(default_factory=list)  # C declarations
    begin: list = field(default_factory=list)  # C statements: defaults
    link: list = field(default_factory=list)  # C statements before the call
    given: list = field(default_factory=list)  # C arguments
    finds: bool = False  # the function says if there is a result
    may_miss: bool = False  # the function returns NULL for a number that is too large

    @property
    def is_attribute(self):
        return not self.parameters and self.call.name.split("_")[0] in ("get", "is")


class Methods:
    def __init__(self, api, calls):
        self.api = api
        self.all = [self.method(call) for call in calls]

    def method(self, call):
        name = call.name.removeprefix("get_") if len(call.arguments) == 0 or \
            all(argument.role == "result" for argument in call.arguments) else call.name
        made = Method(call, name)
        positional, named, arrays = [], [], False
        for argument in call.arguments:
            found = getattr(self, argument.role)(made, argument)
            (named if argument.role == "settings" else positional).extend(found)
            arrays = arrays or any(one.kind == "ARRAY" for one in found)
        self.returned(made)
        if not call.owner:  # the arithmetic of such functions does not look at its numbers
            for one in positional:
                one.strict = one.kind == "FLOAT"
        positional.sort(key=lambda one: one.default is not None)
        made.required = sum(one.default is None for one in positional)
        made.positional = len(positional)
        if arrays:
            made.members.append("bool copy;")
            named.append(Parameter("copy", "BOOL", "copy", "bool", "convert arrays of other types", default=False))
        made.parameters = positional + named
        return made

    # ------------------------------------------------------------------------ parameters by role

    def body(self, made, argument):
        made.members.append(f"pliant_body *{argument.name};")
        made.given.append(f"v->{argument.name}")
        return [Parameter(argument.name, "BODY", argument.name, "Body")]

    def bodies(self, made, argument):
        made.members.append(f"pl_bodies {argument.name};")
        made.given += [f"v->{argument.name}.list", f"v->{argument.name}.count"]
        return [Parameter(argument.name, "BODIES", argument.name, "Sequence[Body]")]

    def scene(self, made, argument):
        made.members.append(f"pliant_scene *{argument.name};")
        made.given.append(f"v->{argument.name}")
        return [Parameter(argument.name, "SCENE", argument.name, "Scene")]

    def found(self, made, argument):
        made.members.append(f"const {argument.type} *{argument.name};")
        made.given.append(f"v->{argument.name}")
        return [Parameter(argument.name, "FOUND", argument.name, python_name(argument.type), type=argument.type)]

    def drawer(self, made, argument):
        made.members.append(f"pliant_drawer {argument.name};")
        made.given.append(f"&v->{argument.name}")
        return [Parameter(argument.name, "DRAWER", argument.name, "Any")]

    def array(self, made, argument):
        name = argument.name
        made.members.append(f"pl_array {name};")
        short = made.call.owner == "pliant_body"
        made.given.append(f"v->{name}.data")
        if "count" in argument.names:
            made.given.append(f"(uint32_t)v->{name}.count" if short else f"v->{name}.count")
        if "stride" in argument.names:
            made.given.append(f"v->{name}.stride")
        one = self.array_parameter(name, argument.type, argument.width, "stride" not in argument.names, short)
        one.rows = 0 if argument.rows else one.rows
        return [one]

    def array_parameter(self, name, element, width, packed, short):
        if element in self.api.structs:  # of numbers of one type
            width = self.numbers_of(element)
            element = next(iter(self.api.structs[element].values())).split("[")[0]
        formats = {"float": "f4", "uint32_t": "u4 i4"}[element]
        return Parameter(name, "ARRAY", name, "ArrayLike", rows=32 if short else 64,
                         numbers=0 if width == 1 else width, formats=formats, strict=packed and width > 1)

    def numbers_of(self, struct):
        """Numbers in a struct that has nothing else; arrays and structs within it included."""
        count = 0
        for text in self.api.structs[struct].values():
            base, _, dims = text.partition("[")
            times = 1
            for size in dims.rstrip("]").split("][") if dims else ():
                times *= int(size)
            count += times * (self.numbers_of(base) if base in self.api.structs else 1)
        return count

    def value(self, made, argument):
        name, struct = argument.name, argument.type
        if struct not in self.api.structs:
            made.members.append(f"float {name}[{argument.width}];")
            made.given.append(f"v->{name}")
            return [Parameter(name, "FLOAT", name, "ArrayLike", numbers=argument.width)]
        made.members.append(f"{struct} {name};")
        made.given.append(f"&v->{name}")
        if struct not in FLATTENED:
            return [Parameter(name, "FLOAT", name, "_BoxLike" if struct == BOX else "ArrayLike",
                              numbers=self.numbers_of(struct))]
        found = []
        for member, text in self.api.structs[struct].items():
            numbers = int(text.partition("[")[2].rstrip("]") or 1)
            one = Parameter(member, "FLOAT", f"{name}.{member}", "ArrayLike" if numbers > 1 else "float",
                            numbers=numbers, default=made.call.defaults.get(member))
            found.append(one)
            self.set_default(made, one)
        return found

    def number(self, made, argument):
        kind, of = self.api.kind_of(argument.type)
        name = argument.name
        made.members.append(f"{argument.type} {name};")
        made.given.append(f"v->{name}")
        stub = self.option_stub(kind, of) + (" | None" if isinstance(argument.default, str) else "")
        one = Parameter(name, kind, name, stub, type=of or "", default=argument.default)
        self.set_default(made, one)
        return [one]

    @staticmethod
    def set_default(made, parameter):
        if parameter.default is not None:
            text = str(parameter.default)
            text = text.lower().replace("inf", "INFINITY") if not isinstance(parameter.default, str) else text
            made.begin.append(f"v->{parameter.place} = {text};")

    def callback(self, made, argument, place="", options=""):
        name = NAMES.get((made.call.function, argument.name), argument.name)
        made.members.append(f"pl_back {argument.name};")
        made.given += [f"back_{argument.type}", f"&v->{argument.name}"]
        return [Parameter(name, "FUNCTION", argument.name, self.callback_stub(argument.type))]

    def callback_stub(self, name):
        values = ", ".join(python_name(struct) for struct, _ in self.api.callback_values(name))
        return f"Callable[[{values}], object]"

    def settings(self, made, argument):
        struct, name = argument.type, argument.name
        made.members.append(f"{struct} {name};")
        made.begin.append(f"v->{name} = {struct}_default();")
        made.given.append(f"&v->{name}")
        known = {one["c_name"]: one for one in self.api.fields(struct)}
        found = []
        for member in made.call.options[struct]:
            text, doc = self.api.structs[struct][member], self.api.comment(struct, member)
            place, python = f"{name}.{member}", RENAMED.get(member, member)
            if text in self.api.callbacks:
                user = "callback_user" if member == "meetings_callback" else f"{member}_user"
                made.members.append(f"pl_back {member};")
                made.link.append(f"if (v->{member}.function != NULL) {{ v->{place} = back_{text}; "
                                 f"v->{name}.{user} = &v->{member}; }}")
                one = Parameter(python, "FUNCTION", member, self.callback_stub(text) + " | None")
            elif text == "const pliant_groups *":
                one = Parameter(python, "GROUP_SETS", place, "Sequence[Iterable[int] | None] | None")
            elif text == "const pliant_pair *":
                made.members.append(f"pl_array {member};")
                made.link.append(f"if (v->{member}.hold != NULL) {{ v->{place} = v->{member}.data; "
                                 f"v->{name}.pair_count = v->{member}.count; }}")
                one = self.array_parameter(python, "pliant_pair", 2, True, False)
                one.stub += " | None"
            elif member in known:
                given = known[member]
                one = Parameter(python, given["kind"], place, self.option_stub(given["kind"], given["type"]),
                                type=given["type"] or "")
            else:
                continue
            one.doc, one.default = doc, ...
            found.append(one)
        return found

    @staticmethod
    def option_stub(kind, of):
        if kind == "GROUPS":
            return "Iterable[int] | None"
        if kind == "ENUM":
            return f"{python_name(of)} | int | str"
        return "_BoxLike" if kind == "STRUCT" else SCALARS[kind]

    # --------------------------------------------------------------------------------- outputs

    def each(self, made, argument):
        made.members.append(f"void *{argument.name};")
        made.given.append(f"v->{argument.name}")
        is_bool = argument.type == "bool"
        made.outputs.append(Output("EACH", argument.name, f"NDArray[numpy.{'bool_' if is_bool else 'void'}]",
                                   "" if is_bool else argument.type))
        return []

    def list(self, made, argument):
        made.members += [f"const {argument.type} *{argument.name};", f"uint64_t {argument.name}_count;"]
        made.given += [f"&v->{argument.name}", f"&v->{argument.name}_count"]
        made.outputs.append(Output("LIST_UINT32", argument.name, "NDArray[numpy.uint32]"))
        return []

    def result(self, made, argument):
        kind, of = self.api.kind_of(argument.type)
        dims = f"[{argument.width}]" if argument.width > 1 else ""
        made.members.append(f"{argument.type} {argument.name}{dims};")
        made.given.append(f"v->{argument.name}" if dims else f"&v->{argument.name}")
        stub = python_name(of) if of else SCALARS[kind]
        stub = f"tuple[{', '.join([stub] * argument.width)}]" if dims else stub
        made.outputs.append(Output(kind, argument.name, stub, of or "", argument.width))
        return []

    def returned(self, made):
        """Adds the return value to the results, unless the function fills in a struct."""
        text = made.call.returns
        if text in ("pliant_result", "void"):
            return
        if text == "bool" and made.outputs:
            made.finds = True
            return
        if any(output.kind == "STRUCT" for output in made.outputs):
            return
        base = text.removeprefix("const ").removesuffix(" *")
        kind, of = self.api.kind_of(base)
        made.may_miss = text.endswith("*") and bool(made.call.arguments)
        made.members.append(f"{base} returned;")
        made.outputs.insert(0, Output(kind, "returned", python_name(of) if of else SCALARS[kind], of or ""))
