"""Tokens and definitions of C files, and the notation of mutants.

A mutant is one line, "FUNCTION: OLD => NEW". FUNCTION is a function, a macro, a type or an object at the
top level. OLD is found by its tokens, so blanks, line breaks and comments do not count. It must occur once
in the definition, or the line ends in " #N", the number of the occurrence. "FUNCTION in FILE" chooses
between definitions of one name; FILE may leave out leading folders.
"""
import bisect
import collections
import functools
import os
import re

FOLDERS = ("src", "libs", "tool", "lab", "gallery")
TOKEN = re.compile(
    r"""(?P<skip>\s+|\\\n|//[^\n]*|/\*.*?\*/)
      | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
      | \.?\d(?:[eEpP][+-]|[\w.])* | \w+
      | <<= | >>= | \.\.\. | -> | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\| | [-+*/%&|^]= | \#\# | .""",
    re.S | re.X)
NOTATION = re.compile(r"(?P<function>\S+?)(?: in (?P<file>\S+?))?: (?P<old>.*?) => (?P<new>.*?)(?: #(?P<ordinal>\d+))?")

Token = collections.namedtuple("Token", "start end text")
Definition = collections.namedtuple("Definition", "names file start end")
Place = collections.namedtuple("Place", "file start end")


class NotFound(Exception):
    """A mutant has no place in the sources."""


def tokens(text, start=0):
    """Lists the tokens of a text."""
    return [Token(m.start() + start, m.end() + start, m.group()) for m in TOKEN.finditer(text) if not m["skip"]]


def words(text):
    return [token.text for token in tokens(text)]


def plain(text):
    """Returns a text on one line, without comments."""
    return " ".join(re.sub(r"//[^\n]*|/\*.*?\*/|\\\n", " ", text, flags=re.S).split())


def names_of(head):
    """Lists the names that a definition at the top level defines; the first is the usual one."""
    depth, found, inner, before = 0, [], [], ""
    for token in words(head):
        if token in ("(", "[", "=", ";", "{") and depth == 0 and re.match(r"[A-Za-z_]", before):
            found.append(before)
        if depth == 1 and re.match(r"[A-Za-z_]", token):
            inner.append(token)
        if token == "=" and depth == 0:
            break
        depth += (token in "([{") - (token in ")]}")
        before = token
    if head.startswith(("enum", "typedef enum")) or (found and found[-1].isupper()):
        return found[:-1] + inner + found[-1:]  # enumerators; a macro that makes a function of its arguments
    return found[::-1]


def split(text, file):
    """Lists the definitions at the top level of a file, by the lines that clang-format makes."""
    found, begun, braced, comment, at = [], None, False, False, 0
    lines = text.splitlines(keepends=True)
    directive = None
    for line in lines:
        start, at, bare = at, at + len(line), line.rstrip()
        if directive is not None or (begun is None and not comment and bare.startswith("#")):
            directive = start if directive is None else directive
            if not bare.endswith("\\"):
                macro = re.match(r"#\s*define\s+(\w+)", text[directive:at])
                if macro:
                    found.append(Definition([macro[1]], file, directive, at))
                directive = None
            continue
        if begun is None:
            comment = (comment or bare.startswith("/*")) and not bare.endswith("*/")
            if not comment and bare and bare[0] not in " \t/*}":
                begun, braced = start, False
        if begun is not None:
            braced = braced or bare == "{" or (line[0] not in " \t" and bare.endswith("{"))
            made = re.match(r"[A-Z][A-Z0-9_]*\(.*\)$", bare)  # a definition that a macro makes
            last = bare.startswith("}") if braced else bool(bare.endswith(";") or bare == "" or made)
            if last:
                head = text[begun:at]
                if braced and not head.startswith(("enum", "typedef enum")):
                    head = head[:head.find("{") + 1]
                names = names_of(head)
                if names:
                    found.append(Definition(names, file, begun, at))
                begun = None
    return found


class Sources:
    """The C files of a checkout."""

    def __init__(self, root, folders=FOLDERS):
        self.root = root
        self.files = sorted(
            os.path.relpath(os.path.join(place, name), root)
            for folder in folders for place, _, names in os.walk(os.path.join(root, folder))
            for name in names if name.endswith((".c", ".h", ".inl", ".cu")))

    @functools.lru_cache(maxsize=None)
    def text(self, file):
        with open(os.path.join(self.root, file), encoding="latin-1", newline="") as opened:
            return opened.read()  # one character is one byte, as clang counts

    @functools.lru_cache(maxsize=None)
    def definitions(self, file):
        return split(self.text(file), file)

    @functools.lru_cache(maxsize=None)
    def tokens(self, file):
        return tokens(self.text(file))

    @functools.cached_property
    def index(self):
        """All definitions by name."""
        found = collections.defaultdict(list)
        for file in self.files:
            for definition in self.definitions(file):
                for name in dict.fromkeys(definition.names):
                    found[name].append(definition)
        return found

    def definition_at(self, file, offset):
        """Returns the definition around an offset, or None."""
        return next((d for d in self.definitions(file) if d.start <= offset < d.end), None)

    def occurrences(self, old, definitions):
        """Lists the places of a sequence of tokens in definitions."""
        wanted, found = words(old), []
        for definition in definitions:
            all_tokens = self.tokens(definition.file)
            first = bisect.bisect_left(all_tokens, (definition.start,))
            end = bisect.bisect_left(all_tokens, (definition.end,))
            texts = [token.text for token in all_tokens[first:end]]
            for i in range(len(texts) - len(wanted) + 1):
                if texts[i:i + len(wanted)] == wanted:
                    found.append(Place(definition.file, all_tokens[first + i].start,
                                       all_tokens[first + i + len(wanted) - 1].end))
        return found

    def find(self, notation):
        """Returns the place of a mutant and the text that replaces it."""
        parts = NOTATION.fullmatch(notation)
        if not parts:
            raise NotFound(f'"{notation}" is not of the form "FUNCTION: OLD => NEW"')
        definitions = [d for d in self.index.get(parts["function"], [])
                       if not parts["file"] or ("/" + d.file).endswith("/" + parts["file"])]
        if not definitions:
            raise NotFound(f"no definition of {parts['function']} for \"{notation}\"")
        places = self.occurrences(parts["old"], definitions)
        ordinal = int(parts["ordinal"] or 0)
        if not places or ordinal > len(places):
            raise NotFound(f"{parts['function']} does not contain \"{parts['old']}\" any more")
        if ordinal == 0 and len(places) > 1:
            raise NotFound(f"{parts['function']} contains \"{parts['old']}\" {len(places)} times; add #N")
        return places[max(ordinal, 1) - 1], parts["new"]

    def notation(self, place, new):
        """Returns the line that stands for a mutant, or None outside of definitions."""
        definition = self.definition_at(place.file, place.start)
        if definition is None:
            return None
        old = plain(self.text(place.file)[place.start:place.end])
        places = self.occurrences(old, self.index[definition.names[0]])
        line = f"{definition.names[0]}: {old} => {plain(new)}"
        return line if len(places) < 2 else f"{line} #{places.index(place) + 1}"


def read_entries(path):
    """Lists (line number, mutant, sentences) of a file of mutants; indented lines belong to the one before."""
    entries = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith((" ", "\t")) and line.strip() and entries:
                entries[-1][2].append(line.strip())
            elif line.strip() and not line.startswith("#"):
                entries.append((number, line.strip(), []))
    return entries
