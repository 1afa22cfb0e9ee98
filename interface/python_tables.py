"""C of the Python extension: tables of structs and enums, and of every method that the dispatcher runs."""
import re

from python_types import KINDS, python_name

# Calls with a function pl_after_...() in C, for what the objects of Python hold.
AFTER = {"pliant_body_set_positions", "pliant_body_begin_step", "pliant_body_end_step", "pliant_body_prepare",
         "pliant_scene_begin_step", "pliant_scene_stop_recording"}
# Objects that a context and settings make.
CREATED = ("pliant_query", "pliant_contours", "pliant_volume", "pliant_scene")
COUNTED = {"rays + 1": "known->rows + 1", "vertices": "known->vertices[i]", "triangles": "known->triangles[i]"}


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def count_expression(api, struct, count):
    """C for the length of an array: fields of `s`, or a number that the call knows."""
    if count in COUNTED:
        return COUNTED[count]
    fields = api.structs[struct]
    guard = re.match(r"(\w+)\[", count)

    def member(match):
        index = "[i]" if re.search(r"\[\d", fields[match[0]]) else ""
        return f"(uint64_t)s->{match[0]}{index}" if not guard else f"s->{match[0]}"

    text = re.sub(r"[a-z_]+", member, count)
    return f"s->{guard[1]} == NULL ? 0 : {text}" if guard else text


def reference(api, of):
    """(struct, enum) of a field, as C."""
    if not of:
        return "NULL, NULL"
    return f"NULL, &pl_enum_{of}" if of in api.enums else f"&pl_struct_{of}, NULL"


def c_field(api, struct, field):
    rows, columns = ([1, 1] + field["dims"])[-2:]
    count = f"count_{struct}_{field['c_name']}" if field["count"] else "NULL"
    return (f"    {{{quote(field['name'])}, {quote(api.comment(struct, field['c_name']))}, "
            f"offsetof({struct}, {field['c_name']}), PL_{field['kind']}, {rows}, {columns}, {field['width']}, "
            f"{reference(api, field['type'])}, {count}, NULL, false}},")


def struct_tables(api):
    lines = []
    for enum in api.enums:
        names = api.enum_names(enum)
        pairs = ", ".join(f"{{{quote(name.lower())}, {value}}}" for name, value in names.items())
        lines += [f"static const pl_constant constants_{enum}[] = {{{pairs}}};",
                  f"const pl_enum pl_enum_{enum} = {{{quote(python_name(enum))}, constants_{enum}, {len(names)}}};"]
    used = api.used_structs()
    for number, struct in enumerate(used):
        fields = api.fields(struct)
        for field in fields:
            if field["count"]:
                lines.append(f"static uint64_t count_{struct}_{field['c_name']}(const void *data, const pl_known "
                             f"*known, uint32_t i) {{ const {struct} *s = data; (void)s; (void)known; (void)i; "
                             f"return {count_expression(api, struct, field['count'])}; }}")
        if fields:
            lines += [f"static const pl_field fields_{struct}[] = {{", *(c_field(api, struct, f) for f in fields), "};"]
        role = "ANSWER" if api.is_answer(struct) else "TUPLE" if api.is_tuple(struct) else "SETTINGS"
        lines.append(f"const pl_struct pl_struct_{struct} = {{{quote(struct)}, {quote(python_name(struct))}, "
                     f"PL_{role}, sizeof({struct}), {'fields_' + struct if fields else 'NULL'}, {len(fields)}, "
                     f"{number}}};")
    for kind, plural, names in (("struct", "structs", used), ("enum", "enums", api.enums)):
        items = ", ".join(f"&pl_{kind}_{name}" for name in names)
        lines += [f"const pl_{kind} *const pl_{plural}[] = {{{items}}};",
                  f"const size_t pl_{kind}_count = {len(names)};"]
    return lines


def callbacks(api, methods):
    """Functions that the library calls, which call a function of the caller's."""
    text = "\n".join(line for method in methods for line in method.link + method.given)
    lines = []
    for name in dict.fromkeys(re.findall(r"back_(pliant_\w+)", text)):
        parameters = ", ".join(f"{kind}{'' if kind.endswith('*') else ' '}{parameter}"
                               for parameter, kind in api.callbacks[name])
        values = ", ".join(f"{{&pl_struct_{struct}, {place}}}" for struct, place in api.callback_values(name))
        lines.append(f"static bool back_{name}({parameters}) {{ const pl_value values[] = {{{values}}}; return "
                     f"pl_call_back(user, {str('filter' in name).lower()}, values, sizeof values / sizeof *values); }}")
    return lines


def signature(method):
    """The text from which help() and inspect.signature() read the parameters."""
    parts = ["$self"] if method.call.owner else []
    for i, one in enumerate(method.parameters):
        if i == method.positional:
            parts.append("*")
        parts.append(one.name + (one.default_text and "=" + one.default_text))
    return f"{method.name}({', '.join(parts)})"


def mark(method, number):
    """The sign before a name, for pl_parse()."""
    if number < method.required:
        return ""
    return "?" if number < method.positional else "!" if method.parameters[number].name == "copy" else "*"


def documentation(method):
    returns = [output.stub for output in method.outputs]
    text = method.call.text
    if returns and not method.is_attribute:
        text += f"\n\nReturns {' and '.join(returns)}."
    lines = [f"{one.name}: {one.doc}" for one in method.parameters if one.doc]
    return "\n".join([text, ""] + lines if lines else [text])


def method_tables(api, method):
    call, name = method.call, method.call.function
    lines = [f"typedef struct {{ {' '.join(method.members) or 'char none;'} }} given_{name};",
             f"_Static_assert(sizeof(given_{name}) <= PL_MOST_BYTES, \"PL_MOST_BYTES\");"]
    defined = "; ".join(line.rstrip(";") for line in method.begin)
    if defined:
        lines.append(f"static void begin_{name}(void *values) {{ given_{name} *v = values; {defined}; }}")
    given = ", ".join(([f"({call.owner} *)object"] if call.owner else []) + method.given)
    run = f"{name}({given})"
    if call.returns == "pliant_result":
        run = f"return {run};"
    elif method.finds:
        run = f"return {run} ? PLIANT_OK : PL_NOTHING;"
    elif method.may_miss:
        run = (f"const {re.search(r'(pliant_[a-z_]+) returned;', ' '.join(method.members))[1]} *found = {run}; "
               "if (found == NULL) { return PL_NO_SUCH; } v->returned = *found; return PLIANT_OK;")
    elif "returned" in " ".join(method.members):
        run = f"v->returned = {'*' if call.returns.endswith('*') else ''}{run}; return PLIANT_OK;"
    else:
        run = f"{run}; return PLIANT_OK;"
    lines.append(f"static pliant_result run_{name}(void *object, void *values) {{ given_{name} *v = values; "
                 f"(void)object; (void)v; {' '.join(method.link)} {run} }}")
    assert len(method.parameters) <= 32, f"PL_MOST_PARAMETERS: {name}"
    fields = []
    for one in method.parameters:
        wanted = quote(one.formats) if one.formats else "NULL"
        fields.append(f"    {{{quote(one.name)}, NULL, offsetof(given_{name}, {one.place}), PL_{one.kind}, {one.rows}, "
                      f"{one.numbers if one.formats == '' else 1}, {one.numbers}, {reference(api, one.type)}, NULL, "
                      f"{wanted}, {str(one.strict).lower()}}},")
    lines.append(f"static const char *const names_{name}[] = {{"
                 + "".join(quote(mark(method, i) + one.name) + ", " for i, one in enumerate(method.parameters))
                 + "NULL};")
    if fields:
        lines += [f"static const pl_field given_fields_{name}[] = {{", *fields, "};"]
    outputs = ", ".join(
        f"{{NULL, NULL, offsetof(given_{name}, {one.place}), PL_{one.kind}, 1, {one.numbers}, 1, "
        f"{reference(api, one.type)}, NULL, NULL, false}}" for one in method.outputs)
    if outputs:
        lines.append(f"static const pl_field outputs_{name}[] = {{{outputs}}};")
    arrays = next((one.place for one in method.parameters if one.kind == "ARRAY" and one.default is None), None)
    flags = [call.shares, call.changes, call.returns != "pliant_result"]
    lines.append(
        f"static const pl_method method_{name} = {{{quote(method.name)}, "
        f"names_{name}, {'given_fields_' + name if fields else 'NULL'}, {len(fields)}, "
        f"sizeof(given_{name}), {'outputs_' + name if outputs else 'NULL'}, {len(method.outputs)}, "
        f"{'begin_' + name if defined else 'NULL'}, run_{name}, "
        + (f"offsetof(given_{name}, {arrays}), " if arrays else "PL_NO_ARRAY, ")
        + ", ".join(str(flag).lower() for flag in flags)
        + (f", pl_after_{name.removeprefix('pliant_')}" if name in AFTER else ", NULL") + "};")
    if not method.is_attribute:
        lines.append(f"static PyObject *ask_{name}(PyObject *self, PyObject *const *values, Py_ssize_t count, "
                     f"PyObject *names) {{ return pl_ask(&method_{name}, self, values, count, names); }}")
    return lines


def method_lists(methods):
    lines = []
    owners = list(dict.fromkeys(method.call.owner for method in methods))
    for owner in owners:
        own = [method for method in methods if method.call.owner == owner]
        name = owner or "functions"
        lines.append(f"PyMethodDef pl_methods_{name}[] = {{")
        lines += [f"    PL_METHOD({quote(m.name)}, ask_{m.call.function}, "
                  f"{quote(signature(m) + chr(10) + '--' + chr(10) * 2 + documentation(m))}),"
                  for m in own if not m.is_attribute] + ["    {NULL, NULL, 0, NULL}};"]
        lines.append(f"PyGetSetDef pl_attributes_{name}[] = {{")
        lines += [f"    {{{quote(m.name)}, pl_ask_attribute, NULL, {quote(documentation(m))}, "
                  f"(void *)(uintptr_t)&method_{m.call.function}}}," for m in own if m.is_attribute]
        lines.append("    {NULL, NULL, NULL, NULL, NULL}};")
    return lines, owners


def constructors(functions):
    """Functions that create and destroy the objects of a context, all of one type."""
    lines, declared = [], []
    for name in CREATED:
        members = functions[f"{name}_create"]
        settings = ", settings" if len(members) == 3 else ""
        create = f"pliant_result pl_create_{name}(pliant_context *context, const void *settings, void **made)"
        destroy = f"void pl_destroy_{name}(void *object)"
        lines += [f"{create} {{ {name} *object = NULL; (void)settings; pliant_result result = "
                  f"{name}_create(context{settings}, &object); *made = object; return result; }}",
                  f"{destroy} {{ {name}_destroy(object); }}"]
        declared += [create + ";", destroy + ";"]
    return lines, declared


def tables(api, methods, functions):
    """Returns the texts of tables.inc, for tables.c, and of tables.h."""
    lists, owners = method_lists(methods)
    created, created_declared = constructors(functions)
    lines = ["/* Generated by interface/generate. */", *struct_tables(api), *callbacks(api, methods)]
    for method in methods:
        lines += method_tables(api, method)
    lines += created
    declared = ["/* Generated by interface/generate. */", "#ifndef PL_TABLES_H", "#define PL_TABLES_H",
                *created_declared]
    declared += [f"extern const pl_struct pl_struct_{s};" for s in api.used_structs()]
    declared += [f"extern const pl_enum pl_enum_{e};" for e in api.enums]
    for owner in owners:
        name = owner or "functions"
        declared += [f"extern PyMethodDef pl_methods_{name}[];", f"extern PyGetSetDef pl_attributes_{name}[];"]
    declared += [f"void pl_after_{name.removeprefix('pliant_')}(PyObject *self, bool done);" for name in sorted(AFTER)]
    for struct in api.used_structs():
        if api.is_settings(struct):
            names = ", ".join(f"{name}=..." for name in api.option_names(struct))
            declared.append(f"#define OPTIONS_{struct} {quote(names)}")
            names = ", ".join(f"{field['name']}=..." for field in api.fields(struct))
            declared.append(f"#define PLAIN_{struct} {quote(names)}")
    return "\n".join(lines + lists) + "\n", "\n".join(declared + ["#endif"]) + "\n"
