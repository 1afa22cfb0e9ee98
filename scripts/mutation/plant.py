"""Plants mutants in sources: each a choice at run time, so that one build has them all.

An expression E that a mutant replaces by F becomes (PLIANT_MUTANT(3) ? (F) : (E)); statements become the
branches of an `if`. What cannot be chosen at run time, such as the size of an array, is planted alone.
"""
import collections

from . import source

# A place is a whole operand if these tokens are around it.
BEFORE = {"(", ",", ";", "[", "{", "}", "=", "return", ":", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>="}
AFTER = {")", ",", ";", "]", "}"}

Edit = collections.namedtuple("Edit", "file kind start end new")


def narrow(text, place, new):
    """Returns the part of a place that a mutant changes, and the text in its stead."""
    old_tokens, new_tokens = source.tokens(text[place.start:place.end], place.start), source.tokens(new)
    least = min(len(old_tokens), len(new_tokens))
    first = next((i for i in range(least) if old_tokens[i].text != new_tokens[i].text), least)
    last = next((i for i in range(least - first) if old_tokens[-1 - i].text != new_tokens[-1 - i].text), least - first)
    old_rest, new_rest = old_tokens[first:len(old_tokens) - last], new_tokens[first:len(new_tokens) - last]
    piece = new[new_rest[0].start:new_rest[-1].end] if new_rest else ""
    if old_rest:
        return old_rest[0].start, old_rest[-1].end, piece
    at = old_tokens[first].start if first < len(old_tokens) else place.end
    return at, at, piece + " "


def embed(sources, nodes, place, new):
    """Returns the edit of a mutant that is given by a place and text: the smallest that can be chosen."""
    text = sources.text(place.file)
    start, end, piece = narrow(text, place, new)
    all_tokens = sources.tokens(place.file)
    if nodes is not None:
        starts = {token.start: i for i, token in enumerate(all_tokens)}
        ends = {token.end: i for i, token in enumerate(all_tokens)}
        for kind, ranges in (("value", nodes.values), ("statement", nodes.statements)):
            around = sorted((b - a, a, b) for a, b in ranges if a <= start and end <= b)
            for _, a, b in around:
                before, after = all_tokens[starts[a] - 1].text, all_tokens[ends[b] + 1].text
                whole = before in ("{", "}", ";") and after == ";"  # the value of a statement is not used
                if kind == "statement" or (before in BEFORE and after in AFTER and not whole and ";" not in piece):
                    return Edit(place.file, kind, a, b, text[a:start] + piece + text[end:b])
        covered = sorted((a, b) for a, b in nodes.statements if place.start <= a and b <= place.end)
        if covered and covered[0][0] <= start and end <= max(b for _, b in covered):
            a, b = covered[0][0], max(b for _, b in covered)
            return Edit(place.file, "statement", a, b, text[a:start] + piece + text[end:b])
    return Edit(place.file, "alone", start, end, piece)


def wrap(number, edit, text):
    if edit["kind"] == "probe":
        return f" (void)PLIANT_MUTANT({number});"
    if edit["kind"] == "condition":
        return f"(PLIANT_MUTANT({number}) == !({text}))"
    if edit["kind"] == "statement":
        return f"{{ if (PLIANT_MUTANT({number})) {{ {edit['new']} }} else {{ {text} }} }}"
    return f"(PLIANT_MUTANT({number}) ? ({edit['new']}) : ({text}))"


def render(text, edits, start, end):
    """Returns text[start:end] with all (number, edit) planted; an edit inside another goes into its old text."""
    made, at = [], start
    edits = sorted(edits, key=lambda item: (item[1]["start"], -item[1]["end"], item[0]))
    while edits:
        outer = edits[0][1]
        span = outer["start"], outer["end"]
        same = [item for item in edits if (item[1]["start"], item[1]["end"]) == span]
        inside = [item for item in edits if item not in same and item[1]["end"] <= span[1]]
        made.append(text[at:span[0]])
        inner = render(text, inside, *span)
        for number, edit in same:
            inner = wrap(number, edit, inner)
        made.append(inner)
        at = span[1]
        edits = [item for item in edits if item[1]["start"] >= at and item not in same]
    return "".join(made) + text[at:end]


def plant(text, edits):
    """Returns a file with all its (number, edit) planted as choices; of those that stand alone only a probe."""
    chosen = []
    for number, edit in edits:
        if edit["kind"] != "alone":
            chosen.append((number, edit))
        elif "probe" in edit:
            chosen.append((number, {"kind": "probe", "start": edit["probe"], "end": edit["probe"]}))
    return render(text, chosen, 0, len(text))


def plant_alone(text, edit):
    return text[:edit["start"]] + edit["new"] + text[edit["end"]:]
