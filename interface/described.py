"""The description of the queries, queries.toml, checked against the headers; C tables made of it."""
import re
import tomllib
from pathlib import Path

RECORDED = "pliant_recorded_question"
ENTRIES = {"text", "calls", "over", "changes", "result", "uses", "uses_of", "ignores", "record", "compared_first",
           "not_compared"}
# Lengths of arrays that are no field of the result.
LENGTHS = ("rays + 1", "vertices", "triangles")


class Mistake(Exception):
    """The description does not fit the headers."""


def require(truth, text):
    if not truth:
        raise Mistake("interface/queries.toml: " + text)


def read(path, items):
    """Returns ({query: its description}, {struct: its arrays}), checked."""
    queries = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    results = queries.pop("result")
    check_calls(queries.pop("call"), queries.pop("argument"), items)
    check_arrays(queries.pop("arrays"), items)
    functions = {item.name: dict(item.members) for item in items if item.kind == "function"}
    structs = {item.name: [name for name, _ in item.members] for item in items if item.kind == "struct"}
    numbers = {}
    for name, query in queries.items():
        unknown = set(query) - ENTRIES
        require(not unknown, f"{name}: unknown entries {', '.join(sorted(unknown))}")
        require(query["over"] in ("state", "step"), f'{name}: over is neither "state" nor "step"')
        for call in query["calls"].values():
            require(call in functions, f"{name}: the headers have no function {call}")
        for form, result in query["result"].items():
            call = query["calls"].get(form)
            pointer = result + ("*" if result.endswith("*") else " *")
            require(call and pointer in functions[call].values(), f"{name}: {call} fills in no {result}")
        for struct, fields in query.get("uses", {}).items():
            require(struct in structs, f"{name}: no struct {struct}")
            absent = [field for field in fields if field not in structs[struct]]
            require(not absent, f"{name}: {struct} has no field {', '.join(absent)}")
        number = query.get("record")
        require(number is None or number not in numbers, f"{name}: record {number} is used twice")
        numbers[number] = name
    for name, query in queries.items():
        if "uses_of" in query:
            require(query["uses_of"] in queries, f"{name}: no query {query['uses_of']}")
            query["uses"] = queries[query["uses_of"]].get("uses", {})
        for struct, fields in query.get("ignores", {}).items():
            require(set(fields) <= set(structs.get(struct, ())), f"{name}: ignores unknown fields of {struct}")
    check_uses(queries, functions, structs)
    check_records(queries, items)
    check_results(results, items)
    return queries, results


def read_calls(path):
    """Returns {function: its text} of calls that are no queries, {parameter: its width and default}, and {struct: the
    arrays that a caller gives}."""
    described = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    return described["call"], described["argument"], described["arrays"]


def check_calls(calls, arguments, items):
    functions = {item.name: dict(item.members) for item in items if item.kind == "function"}
    parameters = {name for members in functions.values() for name in members}
    for kind, entries, known, keys in (("call", calls, functions, {"text", "over", "changes", "defaults"}),
                                       ("argument", arguments, parameters, {"width", "rows", "default"})):
        for name, entry in entries.items():
            require(name in known, f"{kind}: the headers have no {name}")
            require(set(entry) <= keys, f"{kind}.{name}: unknown entries {', '.join(sorted(set(entry) - keys))}")


def is_array(kind, structs):
    """Returns true for a pointer to numbers, structs or texts; a pointer to one text or object is no array."""
    pointer = re.fullmatch(r"const (\w+) \*(const \*)?", kind)
    if not pointer or pointer[1] == "char":
        return bool(pointer and pointer[2])
    return pointer[1] in structs or not pointer[1].startswith("pliant_")


def check_arrays(arrays, items):
    """Every array of a definition, of options and of a described struct has an entry, which names fields."""
    structs = {item.name: dict(item.members) for item in items if item.kind == "struct"}
    for struct, fields in structs.items():
        entries = arrays.get(struct, {})
        given = {name for name, kind in fields.items() if is_array(kind, structs)} if "tag" in fields or entries else set()
        require(given == set(entries), f"arrays.{struct}: has not just the arrays {', '.join(sorted(given)) or 'none'}")
        for name, entry in entries.items():
            words = [str(value) for key, value in entry.items() if key != "optional"]
            unknown = set(re.findall(r"[a-z_]\w*", " ".join(words))) - set(fields) - {"vertices", "bodies"}
            unknown |= set(entry) - {"rows", "width", "stride", "blocks", "kind", "instead", "optional"}
            require(not unknown, f"arrays.{struct}.{name}: unknown {', '.join(sorted(unknown))}")


def check_results(results, items):
    """Each array of a result has a length."""
    structs = {item.name: dict(item.members) for item in items if item.kind == "struct"}
    for struct, result in results.items():
        require(struct in structs, f"result: no struct {struct}")
        fields, counts = structs[struct], result["counts"]
        unknown = set(result) - {"counts", "widths", "optional"}
        require(not unknown, f"result.{struct}: unknown entries {', '.join(sorted(unknown))}")
        arrays = {name for name, kind in fields.items() if "*" in kind and kind not in ("void *", "const char *")}
        require(arrays == set(counts), f"result.{struct}: counts has not just the arrays {sorted(arrays)}")
        for name, count in counts.items():
            unknown = [word for word in re.findall(r"[a-z_]+", count) if word not in fields]
            require(count in LENGTHS or not unknown, f"result.{struct}: {name} is counted by no field {count}")
        for name in [*result.get("widths", {}), *result.get("optional", [])]:
            require(name in counts, f"result.{struct}: no array {name}")


def shared_structs(queries):
    return sorted({struct for query in queries.values() for struct in query.get("uses", {})})


def check_uses(queries, functions, structs):
    """Each call that takes a shared struct says what it uses, and each field is used."""
    for struct in shared_structs(queries):
        for name, query in queries.items():
            takes = any(f"const {struct} *" in functions[call].values() for call in query["calls"].values())
            require(takes == (struct in query.get("uses", {})),
                    f"{name}: {'no entry' if takes else 'needless entry'} uses.{struct}")
        used = {field for query in queries.values() for field in query.get("uses", {}).get(struct, ())}
        idle = [field for field in structs[struct]
                if field not in used and field != "tag" and not field.endswith("_user")]
        require(not idle, f"no query uses {', '.join(idle)} of {struct}")


def check_records(queries, items):
    """Recordings have the numbers of the public enum."""
    values = dict(next(item.members for item in items if item.name == RECORDED))
    named = {record_name(name): query["record"] for name, query in queries.items() if "record" in query}
    require(named == values, f"record differs from the headers: {set(named.items()) ^ set(values.items())}")


def record_name(query):
    return "PLIANT_RECORDED_" + query.upper()


def option_tables(queries):
    """C: which queries use which field of the options structs that several queries share."""
    lines = ["/* Generated by interface/generate from interface/queries.toml. */", "/* clang-format off */",
             "#define BY(query) (1u << PLIANT_RECORDED_##query)"]
    for struct in shared_structs(queries):
        users = {}
        for name, query in queries.items():
            for field in query.get("uses", {}).get(struct, ()) if "record" in query else ():
                users.setdefault(field, []).append(f"BY({name.upper()})")
        lines += ["", f"static const pli_option {struct.replace('pliant_', '')}_uses[] = {{"]
        lines += [f"    PLI_OPTION({struct}, {field}, {' | '.join(bits)})," for field, bits in users.items()]
        lines.append("};")
    return "\n".join(lines + ["#undef BY"]) + "\n"
