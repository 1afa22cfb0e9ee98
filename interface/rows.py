"""C for the tests: a row per query, which calls each of its forms, and tables of the structs it fills in."""
import re

import described

OBJECTS = ("pliant_query", "pliant_scene", "pliant_volume", "pliant_contours")
STATISTICS = {"pliant_query": "pliant_stats", "pliant_scene": "pliant_scene_stats",
              "pliant_volume": "pliant_volume_stats", "pliant_contours": "pliant_contour_stats"}
FORMS = ("bodies", "self", "scene")
NUMBERS = {"bool": "UNSIGNED", "uint16_t": "UNSIGNED", "uint32_t": "UNSIGNED", "uint64_t": "UNSIGNED",
           "size_t": "UNSIGNED", "int32_t": "SIGNED", "float": "FLOAT", "double": "FLOAT"}
# Statistics that depend on the clock or on memory.
UNSTEADY = re.compile(r"seconds|bytes$")
LENGTHS = {"rays + 1": "QUERY_RAYS_AND_ONE", "vertices": "QUERY_VERTICES", "triangles": "QUERY_TRIANGLES"}


def short(name):
    return name.removeprefix("pliant_")


def base_of(kind):
    """Returns the type of an element: "const float (*)[3]" is an array of float."""
    return re.sub(r"\[\w*\]|[(*)]|\bconst\b", "", kind).strip()


class Rows:
    def __init__(self, items, queries, results):
        self.functions = {item.name: item for item in items if item.kind == "function"}
        self.structs = {item.name: dict(item.members) for item in items if item.kind == "struct"}
        self.enums = {item.name for item in items if item.kind == "enum"}
        self.queries, self.results = queries, results
        self.types, self.arguments, self.calls, self.outputs = {}, {}, [], {}

    # ------------------------------------------------------------------ tables of structs

    def number(self, kind):
        if kind in self.enums:
            return "UNSIGNED"
        return "POINTER" if kind == "void *" else NUMBERS[kind]

    def fields(self, struct, owner, path=""):
        """Yields a line per number and per array of a struct; structs within it are part of it."""
        result = self.results.get(struct, {"counts": {}})
        for name, kind in self.structs[struct].items():
            dims = re.search(r"(?<![)])\[(\d+)\]$", kind)
            base = base_of(kind)
            if name == "tag" or "callback" in kind or "filter" in base or UNSTEADY.match(name):
                continue
            if name in result["counts"]:
                for side in range(int(dims[1]) if dims else 1):
                    yield self.array(struct, result, name, base, owner, path, f"[{side}]" if dims else "")
            elif base in self.structs and "*" not in kind:
                yield from self.fields(base, owner, f"{path}{name}.")
            elif kind == "void *" or "*" not in kind:
                yield (f'NUMBERS({owner}, {path}{name}, {self.number(kind if kind == "void *" else base)}, '
                       f"{dims[1] if dims else 1})")

    def array(self, struct, result, name, base, owner, path, side):
        count = result["counts"][name]
        optional = str(name in result.get("optional", ())).lower()
        width = result.get("widths", {}).get(name, 1)
        element = f"&{self.table(base)}" if base in self.structs else "NULL"
        kind = "STRUCTS" if base in self.structs else self.number(base)
        if count in LENGTHS:
            where = f"{LENGTHS[count]}, {side.strip('[]') or 0}, 0"
        else:
            where = f"QUERY_BY_FIELD, offsetof({owner}, {path}{count}{side}), sizeof({self.structs[struct][count]})"
            where = re.sub(r"sizeof\((\w+)\[\d+\]\)", r"sizeof(\1)", where)
        return f"ARRAY({owner}, {path}{name}{side}, {kind}, sizeof({base}), {width}, {where}, {optional}, {element})"

    def table(self, struct):
        """Returns the name of the table of a struct or of a type of numbers."""
        name = f"{short(struct)}_type"
        if name not in self.types:
            lines = [f"NUMBER({struct}, {self.number(struct)})"] if struct not in self.structs \
                else sorted(self.fields(struct, struct), key=lambda line: line.startswith("ARRAY"))
            self.types[name] = (struct, lines)
        return name

    # ------------------------------------------------------------------------------ calls

    def argument(self, name, kind):
        self.arguments.setdefault(name, kind)
        return f"arguments->{name}"

    def options(self, query, struct, lines):
        """Passes an options struct, of a shared one only the fields that the query uses."""
        member = self.argument(short(struct), struct)
        uses = self.queries[query].get("uses", {}).get(struct)
        if uses is None:
            return f"&{member}"
        lines.append(f"{struct} used = {struct}_default();")
        users = [field for field in self.structs[struct] if field.endswith("_user")]
        lines += [f"used.{field} = {member}.{field};" for field in uses + users]
        return f"arguments->every_option ? &{member} : &used"

    def call(self, query, form, name):
        """Adds the function that makes one call; returns the entry of its form."""
        given, lines, outputs, options, holder, bodies, listed = [], [], [], [], None, 0, "NONE"
        members = self.functions[name].members
        for i, (field, kind) in enumerate(members):
            base = base_of(kind)
            if base in OBJECTS:
                holder = holder or base
                given.append(f"place->{short(base)}")
            elif kind == "pliant_body *const *":
                bodies = "QUERY_MANY"
                given.append("place->bodies")
            elif base == "pliant_body":
                given.append(f"place->body[{bodies}]")
                bodies += 1
            elif "*" in kind and not kind.startswith("const pliant") and base != "float" \
                    or kind.startswith("const uint32_t *"):
                outputs.append((field, kind))
                given.append(None)
            elif kind.startswith("const pliant_") and base.endswith(("options", "select")):
                given.append(self.options(query, base, lines))
                options.append(base)
            elif field == "count":
                previous = members[i - 1][0]
                if bodies == "QUERY_MANY":
                    given.append("place->body_count")
                else:
                    listed = f"QUERY_{previous.upper()}"
                    given.append(self.argument(previous[:-1] + "_count", kind))
            elif kind.endswith("*") and members[i + 1][0] != "count":
                given.append("&" + self.argument(field, base))
            else:
                given.append(self.argument(field, kind))
        text = self.program_text(name, given, options, outputs)
        result = self.result(query, form, outputs, given)
        lines.append(f"return {name}({', '.join(given)});")
        self.calls.append((f"call_{short(name)}", lines))
        listed = listed if outputs[0][1].rstrip(" *") not in self.results else "NONE"
        listed = "QUERY_ONE" if listed == "NONE" else listed
        self.table(STATISTICS[holder])
        text = text.replace("&found)", "found)") if listed != "QUERY_ONE" else text
        tables = ", ".join(f"{{&{self.table(o)}, offsetof(query_arguments, {short(o)})}}" for o in options)
        return (f'{{"{name}", call_{short(name)}, &{result}, {listed}, {bodies}, '
                f"QUERY_OF_{short(holder).upper()},\n       \"{text}\", {{{tables or '{0}'}}}}}")

    @staticmethod
    def program_text(name, given, options, outputs):
        """Returns the call as a program has it whose variables are called as the members here."""
        named = [re.sub(r"(place|arguments)->", "", argument or "") for argument in given]
        shared = [f"&{short(options[0])}" if ":" in argument else argument for argument in named]
        places = iter(f"&found{'' if len(outputs) == 1 else '.' + field}" for field, _ in outputs)
        return f"{name}({', '.join(next(places) if a is None else s for a, s in zip(given, shared))})"

    def result(self, query, form, outputs, given):
        """Returns the table of what a call fills in; several outputs are members of one struct."""
        if len(outputs) == 1:
            given[given.index(None)] = "result"
            return self.table(base_of(outputs[0][1]))
        struct = f"query_{query}_{form}"
        self.structs[struct] = {name: re.sub(r" ?\*$", "", kind) for name, kind in outputs}
        array = next(name for name, kind in self.structs[struct].items() if "*" in kind)
        self.results[struct] = {"counts": {array: "count"}}
        self.outputs[struct] = self.structs[struct]
        for name, _ in outputs:
            given[given.index(None)] = f"&(({struct} *)result)->{name}"
        return self.table(struct)

    def row(self, name, query):
        forms = [self.call(name, form, query["calls"][form]) if form in query["calls"] else "{0}"
                 for form in FORMS]
        recorded = described.record_name(name) if "record" in query else "0"
        uses = " ".join(field for fields in query.get("uses", {}).values() for field in fields)
        return (f'{{"{name}", {str(query["over"] == "step").lower()}, '
                f'{str(query.get("changes", False)).lower()}, {recorded},\n     "{uses}",\n     {{' + ",\n      ".join(forms) + "}},")

    # ------------------------------------------------------------------------------- text

    def text(self):
        rows = [self.row(name, query) for name, query in self.queries.items()]
        self.table("pliant_scene_event") # of pliant_scene_get_events(), after the query
        lines = ["/* Generated by interface/generate from the public headers and interface/queries.toml. */",
                 "/* clang-format off */", "#ifdef QUERY_ARGUMENTS"]
        lines += ["/* The inputs of all queries, by name; options by the name of their struct. */",
                  "typedef struct query_arguments {"]
        lines += [f"    {kind}{'' if kind.endswith('*') else ' '}{name};" for name, kind in self.arguments.items()]
        lines += ["    bool every_option; /* pass options too that the query does not use */", "} query_arguments;", ""]
        lines += ["#define QUERY_EMPTY_ARGUMENTS \\", "    (query_arguments) { \\"]
        lines += [f"        .{name} = {kind}_default(), \\" for name, kind in self.arguments.items()
                  if kind in self.structs and "tag" in self.structs[kind]]
        lines += ["    }", "#else"]
        for struct, members in self.outputs.items():
            lines += [f"typedef struct {struct} {{"] + [f"    {kind} {name};" for name, kind in members.items()]
            lines += [f"}} {struct};"]
        for name, (struct, fields) in self.types.items():
            lines += ["", f"static const query_field {short(struct)}_fields[] = {{"]
            lines += [f"    {line}," for line in fields]
            lines += ["};", f'static const query_type {name} = TYPE({struct}, {short(struct)}_fields);']
        for name, code in self.calls:
            lines += ["", f"static pliant_result {name}(const query_place *place, const query_arguments *arguments, "
                      "void *result)", "{"]
            lines += [f"    {line}" for line in code] + ["}"]
        lines += ["", "const query_row query_rows[] = {"] + [f"    {row}" for row in rows] + ["};"]
        return "\n".join(lines + ["#endif"]) + "\n"
