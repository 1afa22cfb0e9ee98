"""Mutants from clang's syntax tree: one program that changes what simple operators can change.

Operators: `relation` (< and <=, > and >=, == and !=), `constant` (by one step), `drop` (a statement),
`swap` (two neighbouring arguments of one type), `negate` (a condition), `clause` (one side of && or || left out).
"""
import collections
import json
import os
import re
import subprocess
import sys

from . import source

OPERATORS = ("relation", "constant", "drop", "swap", "negate", "clause")
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# Functions whose arguments may be exchanged, by the ends of their names.
SYMMETRIC = re.compile(r"(^|_)(f?min|f?max|add|mul|and|or|xor|equal|dot|smaller|larger|lesser|greater|meets|meet|join)"
                       r"(_\d+|f)?$")
IMMEDIATE = ("__builtin_ia32", "__builtin_prefetch", "__builtin_shufflevector", "__builtin_constant_p")
CONSTANT = {"ConstantExpr", "CaseStmt", "EnumDecl", "StaticAssertDecl", "UnaryExprOrTypeTraitExpr",
            "GenericSelectionExpr", "OffsetOfExpr", "FieldDecl", "DesignatedInitExpr"}
DROPPED = {"CallExpr", "BinaryOperator", "CompoundAssignOperator", "UnaryOperator", "BreakStmt", "ContinueStmt",
           "ReturnStmt", "ExprWithCleanups", "AtomicExpr"}
BLOCKS = {"CompoundStmt", "IfStmt", "WhileStmt", "ForStmt", "DoStmt", "CaseStmt", "DefaultStmt", "LabelStmt"}

# A mutant: the text that replaces start..end of a file, and the longer text that names it.
Site = collections.namedtuple("Site", "file operator kind start end new name_start name_end name_new")
# The expressions and statements of a file that other text may stand in place of.
Nodes = collections.namedtuple("Nodes", "values statements")


def step(literal):
    """Returns a number one step away: whole numbers by 1, others by 1 in their last digit or by half."""
    hexadecimal = re.fullmatch(r"(0[xX][0-9a-fA-F.]+[pP])([-+]?\d+)(\w*)", literal)
    if hexadecimal:
        return f"{hexadecimal[1]}{int(hexadecimal[2]) - 1}{hexadecimal[3]}"
    fraction = re.fullmatch(r"(\d*)\.(\d*)((?:[eE][-+]?\d+)?)([fFlL]?)", literal)
    if fraction:
        digits = fraction[1] + fraction[2]
        digits = str(int(digits or "0") + 1).zfill(len(digits))
        point = len(digits) - len(fraction[2])
        return f"{digits[:point]}.{digits[point:]}{fraction[3]}{fraction[4]}"
    whole = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", literal)
    if not whole:
        return None
    number = int(whole[1], 16 if whole[1][:2] in ("0x", "0X") else 8 if whole[1][0] == "0" else 10) + 1
    return (hex(number) if whole[1][:2] in ("0x", "0X") else str(number)) + whole[2]


class Reader:
    """Reads the syntax tree of one compilation."""

    def __init__(self, sources, root, folder):
        self.sources, self.root, self.folder = sources, root + os.sep, folder
        self.file = None  # clang names a file only where it differs from the last one
        self.known, self.depth = {}, 0
        self.sites, self.values, self.statements = set(), collections.defaultdict(set), collections.defaultdict(set)

    def bare(self, location):
        self.file = location.get("file", self.file)
        return (self.file, location["offset"], location["tokLen"]) if "offset" in location else None

    def place(self, location):
        if "spellingLoc" in location:
            spelled = self.bare(location["spellingLoc"])
            expanded = self.bare(location["expansionLoc"])
            return spelled if location["expansionLoc"].get("isMacroArgExpansion") else expanded
        return self.bare(location)

    def own(self, path):
        """Returns the name of a file of the project inside the folder, or None."""
        if path not in self.known:
            full = os.path.normpath(os.path.join(self.folder, path))
            name = full[len(self.root):] if full.startswith(self.root) else None
            self.known[path] = name if name in self.sources.wanted else None
        return self.known[path]

    def range(self, node):
        """Returns (file, start, end) of a node, or None; always reads its places."""
        if "loc" in node:
            self.place(node["loc"])
        places = node.get("range")
        if not places:
            return None
        begin, end = self.place(places["begin"]), self.place(places["end"])
        if not begin or not end or begin[0] != end[0]:
            return None
        file = self.own(begin[0])
        if file is None:
            return None
        text, stop = self.sources.text(file), end[1] + end[2]
        if "expansionLoc" in places["end"] and re.match(r"\s*\(", text[stop:]):  # a macro's arguments
            depth = 0
            for token in source.tokens(text[stop:stop + 5000], stop):
                depth += (token.text == "(") - (token.text == ")")
                if depth == 0:
                    stop = token.end
                    break
        if begin[1] >= stop:
            return None
        piece = source.words(text[begin[1]:stop])
        if any(piece.count(a) != piece.count(b) for a, b in ("()", "[]", "{}")):
            return None
        return file, begin[1], stop

    def text(self, place):
        return self.sources.text(place[0])[place[1]:place[2]]

    def add(self, operator, kind, place, new, around=None):
        definition = self.sources.definition_at(place[0], place[1])
        if definition is None or self.sources.text(place[0])[definition.start] == "#":
            return
        around = around or place
        named = self.text(around)
        cut = place[1] - around[1]
        name_new = named[:cut] + new + named[cut + place[2] - place[1]:]
        if operator == "drop":
            name_new = ";"
        self.sites.add(Site(place[0], operator, kind, place[1], place[2], new, around[1], around[2], name_new))

    def visit(self, node, constant=False, around=None):
        """Visits a node inside the expression `around`; returns its place."""
        kind, place, is_value = node.get("kind", ""), self.range(node), "valueCategory" in node
        constant = constant or kind in CONSTANT or node.get("castKind") == "NullToPointer" or \
            (kind == "VarDecl" and node.get("storageClass") == "static") or \
            (kind == "CallExpr" and self.callee(node).startswith(IMMEDIATE))
        if place and is_value and not constant and node["valueCategory"] != "lvalue":
            self.values[place[0]].add(place[1:])
        outer = around
        if place and is_value and kind not in ("ImplicitCastExpr", "ParenExpr"):
            around = place
        if kind in ("IntegerLiteral", "FloatingLiteral") and place and self.depth > 0 and not constant:
            self.constant(place, outer)
        self.depth += kind == "FunctionDecl"
        children = node.get("inner", ())
        places = [self.visit(child, constant, around) if child else None for child in children]
        self.depth -= kind == "FunctionDecl"
        if self.depth > 0 and not constant:
            self.change(kind, node, place, children, places)
        return place

    def callee(self, call):
        at = call["inner"][0]
        while at.get("inner"):
            at = at["inner"][0]
        return at.get("referencedDecl", {}).get("name", "")

    def change(self, kind, node, place, children, places):
        """Adds the sites that a node gives; `places` are those of its children."""
        if kind == "BinaryOperator" and node["opcode"] in RELATIONS and place and all(places):
            between = self.sources.text(place[0])[places[0][2]:places[1][1]]
            if places[0][0] == places[1][0] == place[0] and source.words(between) == [node["opcode"]]:
                at = places[0][2] + between.index(node["opcode"])
                text = self.sources.text(place[0])
                new = text[place[1]:at] + RELATIONS[node["opcode"]] + text[at + len(node["opcode"]):place[2]]
                self.add("relation", "value", place, new)
        elif kind == "BinaryOperator" and node["opcode"] in ("&&", "||") and place and all(places):
            self.clause(node, place, children, places)
        elif kind == "CallExpr" and place:
            self.swap(node, place, children, places)
        elif kind in ("IfStmt", "WhileStmt", "ConditionalOperator"):
            self.negate(children[0], places[0])
        elif kind == "DoStmt":
            self.negate(children[1], places[1])
        elif kind == "ForStmt":
            self.negate(children[2], places[2])
        if kind in BLOCKS:
            bodies = {"CompoundStmt": range(len(children)), "ForStmt": (4,), "WhileStmt": (1,), "DoStmt": (0,)}
            for i in bodies.get(kind, range(1 if kind != "DefaultStmt" else 0, len(children))):
                if i < len(children) and places[i]:
                    self.statement(children[i], places[i])

    def constant(self, place, around):
        new = step(self.text(place))
        if new:
            inside = around and around[0] == place[0] and around[1] <= place[1] and place[2] <= around[2]
            short = inside and around[2] - around[1] <= 80
            self.add("constant", "value", place, new, around if short else None)

    def negate(self, condition, place):
        while condition and condition.get("kind") in ("ParenExpr", "ImplicitCastExpr"):
            condition = condition["inner"][0]
        if place and condition.get("opcode") not in ("==", "!="):
            self.add("negate", "condition", place, f"!({self.text(place)})")

    def clause(self, node, place, children, places):
        """Leaves out the right side, and the left one where it is not itself joined by the same operator."""
        if not place[0] == places[0][0] == places[1][0] or \
                source.words(self.sources.text(place[0])[places[0][2]:places[1][1]]) != [node["opcode"]]:
            return
        self.add("clause", "value", place, self.text(places[0]))
        if children[0].get("opcode") != node["opcode"]:
            self.add("clause", "value", place, self.text(places[1]))

    def swap(self, node, place, children, places):
        if SYMMETRIC.search(self.callee(node)):
            return
        for i in range(1, len(children) - 1):
            a, b = places[i], places[i + 1]
            types = [child.get("type", {}) for child in children[i:i + 2]]
            types = [t.get("desugaredQualType", t.get("qualType")) for t in types]
            if not a or not b or types[0] != types[1] or a[0] != b[0] or not place[1] <= a[1] < a[2] <= b[1] < place[2]:
                continue
            text = self.sources.text(place[0])
            if source.words(text[a[2]:b[1]]) != [","] or source.words(self.text(a)) == source.words(self.text(b)):
                continue
            new = text[place[1]:a[1]] + self.text(b) + text[a[2]:b[1]] + self.text(a) + text[b[2]:place[2]]
            self.add("swap", "value", place, new)

    def statement(self, node, place):
        """Adds the statement with its semicolon; blocks and declarations are not dropped."""
        kind, text = node["kind"], self.sources.text(place[0])
        semicolon = re.compile(r"\s*;").match(text, place[2])
        if kind in ("DeclStmt", "NullStmt", "LabelStmt", "CaseStmt", "DefaultStmt"):
            return
        end = semicolon.end() if semicolon else place[2]
        if semicolon or kind in ("IfStmt", "ForStmt", "WhileStmt", "SwitchStmt"):
            self.statements[place[0]].add((place[1], end))
        value = kind == "ReturnStmt" and node.get("inner")
        if semicolon and kind in DROPPED and not value:
            self.add("drop", "statement", (place[0], place[1], end), "")

def read_tree(sources, root, command):
    """Returns the sites and nodes of one compilation."""
    reader = Reader(sources, root, command["directory"])
    output = subprocess.run(command["arguments"], cwd=command["directory"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False)
    if output.returncode != 0:
        raise RuntimeError(output.stderr.decode()[-2000:])
    sys.setrecursionlimit(100000)
    for piece in output.stdout.decode().split("\n    {\n")[1:]:  # a declaration at the top level each
        if reader.own(reader.file or "") or root in piece:
            reader.visit(json.loads("{" + piece[:piece.rindex("\n    }")] + "}"))
        else:  # of the system
            files = re.findall(r'"file": "([^"]*)"', piece)
            reader.file = files[-1] if files else reader.file
    return reader.sites, {file: Nodes(reader.values[file], reader.statements[file]) for file in
                          set(reader.values) | set(reader.statements)}
