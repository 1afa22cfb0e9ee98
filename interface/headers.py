"""Reads the public headers: functions, callbacks, structs, enums, objects and numbers."""
import re
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("define", "enum", "opaque", "struct", "callback", "function")


@dataclass
class Item:
    """One declaration. Members are (name, type), or (name, value) of an enum."""
    kind: str
    header: str
    name: str
    returns: str = ""  # of functions and callbacks; the value of a define
    members: list = field(default_factory=list)


def squeeze(text):
    return " ".join(text.split())


def split_list(text):
    """Splits at commas outside of parentheses."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(squeeze(current))
            current = ""
        else:
            current += letter
    return [part for part in parts + [squeeze(current)] if part]


def declarator(text):
    """Returns (name, type): "const float *const *a[3]" has the type "const float *const *[3]"."""
    text = squeeze(text)
    pointer = re.search(r"\(\*([a-z_0-9]+)\)", text)
    if pointer:
        return pointer[1], text[:pointer.start() + 2] + text[pointer.end() - 1:]
    bracket = text.find("[")
    head, rest = (text, "") if bracket < 0 else (text[:bracket], text[bracket:])
    name = re.search(r"\w+$", head)
    return name[0], head[:name.start()].removesuffix(" ") + rest


def parameters(text):
    return [declarator(part) for part in split_list(text) if part != "void"]


def fields(text):
    """Reads members; "const float *a, *b" are two."""
    found = []
    for member in text.split(";"):
        parts = split_list(member)
        if parts:
            found.append(declarator(parts[0]))
            base = re.sub(r"[ *]*(\[.*)?$", "", found[-1][1])
            found += [declarator(f"{base} {part}") for part in parts[1:]]
    return found


def constants(text):
    found, value = [], -1
    for part in split_list(text):
        name, _, given = part.partition("=")
        value = int(given, 0) if given else value + 1
        found.append((name.strip(), value))
    return found


def declaration(header, text):
    """Reads one declaration without its semicolon."""
    text = squeeze(text)
    match = re.match(r"typedef (struct|enum) ([a-z_0-9]+) \{(.*)\}[^}]*$", text)
    if match:
        members = constants(match[3]) if match[1] == "enum" else fields(match[3])
        return Item(match[1], header, match[2], members=members)
    match = re.match(r"typedef struct [a-z_0-9]+ ([a-z_0-9]+)$", text)
    if match:
        return Item("opaque", header, match[1])
    match = re.match(r"typedef (.*?)\(\*([a-z_0-9]+)\)\((.*)\)$", text)
    if match:
        return Item("callback", header, match[2], match[1].strip(), parameters(match[3]))
    match = re.match(r"PLIANT_API (.*?)\((.*)\)$", text)
    if match:
        name, returns = declarator(match[1])
        return Item("function", header, name, returns, parameters(match[2]))
    raise ValueError(f"{header}: cannot read: {text}")


def declarations(code):
    depth, current = 0, ""
    for letter in code:
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            yield current
            current = ""
        else:
            current += letter


def read_header(path):
    """Returns the items of one header in their order; numbers come first."""
    source = re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.S)
    source = re.sub(r"^#ifdef __cplusplus.*?^#endif", "", source.replace("\\\n", " "), flags=re.S | re.M)
    items, code = [], []
    for line in source.split("\n"):
        number = re.match(r"#define (?!PLIANT_API )(PLIANT_[A-Z0-9_]+) (.*)", line)
        default = re.match(r"PLIANT_DEFAULT\(([a-z_0-9]+)\)$", line)
        if number:
            items.append(Item("define", path.name, number[1], squeeze(number[2])))
        elif default:
            name = default[1]
            code.append(f"PLIANT_API {name} {name}_default(void);"
                        f"PLIANT_API void {name}_fill(size_t size, {name} *settings);")
        elif not line.startswith("#"):
            code.append(line)
    items += [declaration(path.name, text) for text in declarations("\n".join(code)) if text.strip()]
    return items


def read(folder):
    """Returns the items of all headers of a folder."""
    return [item for path in sorted(Path(folder).glob("*.h")) for item in read_header(path)]


def comments(folder):
    """Returns {(struct, field): comment} of the structs and enums of a folder."""
    found = {}
    for path in sorted(Path(folder).glob("*.h")):
        for body, name in re.findall(r"typedef (?:struct|enum) \w+ \{(.*?)\n\} (\w+);",
                                     path.read_text(encoding="utf-8"), re.S):
            latest = None
            for comment, code in re.findall(r"(/\*.*?\*/)|([^;,/{}]+(?:\([^)]*\))?[^;,/{}]*)[;,]?", body, re.S):
                if comment and latest:
                    found.setdefault((name, latest), squeeze(comment[2:-2].replace("\n *", " ")))
                elif code.strip():
                    field = re.search(r"(\w+)\s*(?:\[[^;]*\])?\s*(?:=\s*-?\w+\s*)?$",
                                      code.strip().split("(")[0] or code.strip())
                    latest = field and field[1]
    return found


def lines(items):
    """Yields a line of fields between tabs for each item, for scripts; a member is "type|name"."""
    for item in items:
        parts = [item.kind, item.header, item.name]
        if item.kind in ("function", "callback", "define"):
            parts.append(item.returns)
        joint = "{0}={1}" if item.kind == "enum" else "{1}|{0}"
        yield "\t".join(parts + [joint.format(*member) for member in item.members])
