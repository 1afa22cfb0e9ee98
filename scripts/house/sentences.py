"""Finds hard sentences in comments, docstrings and Markdown.

Rules:
    long     a sentence has more than 30 words
    vague    a sentence has two or more words that stand for a thing without naming it (VAGUE)
    member   the comment of a struct member continues the comment of another member
    opening  a comment begins with a relative pronoun or a conjunction
    word     a sentence has a word that the field does not use (WORDS)

A fragment of three or more words is a sentence. Code and headings are skipped.
"""
import bisect
import os
import re
import textwrap

MOST_WORDS, MOST_SUBJECT = 30, 72
RULES = ("long", "vague", "member", "opening", "word", "subject")

# Ordinary uses do not count: "there is", "such as", "these triangles", "the one transform".
VAGUE = re.compile(r"""\b(?:
      what | whatever | who | whom | whoever | nobody | somebody | everybody | there(?:of|in|upon)
    | there (?! \s+ (?: is|are|was|were|has|have|had|may|might|must|can|will|would|should|exist) \b)
    | th[eo]se (?= \s* (?: [,.;:)] | $ ) | \s+ (?: that|which|who|whose|of|in|on|at|by|to|from|with|
        for|before|behind|below|above|and|or|as|are|is|was|were|have|had|do|may|can|must|will ) \b )
    | of \s+ (?: it|them ) | such (?! \s+ (?: as|a|an|that ) \b )
    | the \s+ ones? (?= \s* (?: [,.;:)] | $ ) |
        \s+ (?: that|which|who|it|they|in|of|for|with|before|after|at|on ) \b )
    )\b""", re.X | re.I)
WORDS = re.compile(r"""\b(?: anew | nobody | somebody | everybody | whoever | in\ vain | for\ ever
    | so\ many (?!\ that) | all\ the\ same (?= [,.;:)] | $ ) | goe?s?\ by | (?:is|are)\ due (?!\ to)
    | once\ more | vouch\w* | looked\ (?:at|for) | (?:is|are)\ told | says?\ so | amid
    | (?:is|are|be)\ had | lets?\ go | there(?:of|upon) )\b""", re.X | re.I)
OPENING = re.compile(r"(?:wh(?:at|o|om|ose|ich)|that|and|or|but|nor)\b(?! *[:(=])", re.I)
CONTINUES = re.compile(r"(?:and|or|but|nor|so|then|else|which|who|whose|whom|that|of th[eo]se)\b")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|al|approx|incl|[Ff]ig|[Ee]q)\.$")

INLINE = r"`[^`]*`"
STRINGS = r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
C_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/" + STRINGS, re.S)
SCRIPT_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|`(?:\\.|[^`\\])*`" + STRINGS, re.S)
PYTHON_TOKEN = re.compile(r"#[^\n]*|\"\"\".*?\"\"\"|'''.*?'''" + STRINGS, re.S)
STRUCT = re.compile(r"\b(?:struct|union|enum)\b[^;{}()=]*\{")
BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)]|[@\\][a-z]+(?:\s+\w+(?=\s))?)\s+")
KINDS = dict.fromkeys((".c", ".h", ".inl", ".hpp", ".cpp", ".cu"), C_TOKEN)
KINDS.update(dict.fromkeys((".js", ".mjs", ".ts"), SCRIPT_TOKEN), **{".py": PYTHON_TOKEN})


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def words(sentence):
    """The words of a sentence; numbers and operators are none, and inline code is one."""
    return re.findall(r"[A-Za-z]\S*", re.sub(INLINE, "x", sentence))


def blocks(lines):
    """Cuts numbered lines into paragraphs and list items; leaves out code and rulers."""
    block, in_code = [], False
    for number, line in lines:
        fence = re.match(r"\s*(?:@code|@endcode|```)", line)
        in_code ^= fence is not None
        bullet = BULLET.match(line)
        skip = in_code or fence or not re.search(r"[A-Za-z]{2}", line) or line.startswith("    ")
        if (bullet or skip) and block:
            yield block
            block = []
        if not skip:
            block.append((number, (line[bullet.end():] if bullet else line).strip()))
    if block:
        yield block


def sentences(block):
    """Yields (line number, sentence) for the sentences of a block."""
    starts, text, begin = [], "", 0
    for _, line in block:
        starts.append(len(text))
        text += line + " "
    for stop in re.finditer(r"[.!?·][)\"'*_]*(?=\s)|$", text):
        if stop.group() and ABBREVIATION.search(text[begin:stop.start() + 1]):
            continue
        sentence = text[begin:stop.end()].strip()
        if len(words(sentence)) >= 3:
            place = text.index(sentence, begin)
            yield block[bisect.bisect_right(starts, place) - 1][0], sentence
        begin = stop.end()


def struct_bodies(code):
    """Yields (begin, end) for the bodies of structs, unions and enums."""
    for match in STRUCT.finditer(code):
        depth = 1
        for brace in re.compile(r"[{}]").finditer(code, match.end()):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                yield match.end(), brace.start()
                break


def comment_lines(token):
    """The lines of a comment or docstring without its marks."""
    if token.startswith(("//", "#")):
        return [re.sub(r"^(?:/+|#+)[!<:]* ?", "", token)]
    if token.startswith("/*"):
        lines = re.sub(r"^/\*[*!<]*|\*+/$", "", token).split("\n")
        return [re.sub(r"^\s*\*{1,2} ?|^\s+", "", line) for line in lines]
    first, _, rest = token[3:-3].partition("\n")
    return [first.strip()] + textwrap.dedent(rest).split("\n")


def code_texts(source, token):
    """Yields (kind, numbered lines) for comments; one-line comments below each other are one."""
    bodies = list(struct_bodies(token.sub(blank, source))) if token is C_TOKEN else []
    number, place, last, joins = 1, 0, None, False
    for match in token.finditer(source):
        number += source.count("\n", place, match.start())
        place = match.start()
        before = source[source.rfind("\n", 0, place) + 1:place].strip()
        one_line = match.group().startswith(("//", "#"))
        docstring = match.group().startswith(('"""', "'''")) and before in ("", "r", "f")
        if not (one_line or docstring or match.group().startswith("/*")):
            continue
        lines = [(number + i, line) for i, line in enumerate(comment_lines(match.group()))]
        if joins and one_line and not before and last[1][-1][0] == number - 1:
            last[1].extend(lines)
            continue
        if last:
            yield last
        is_member = before and any(begin <= place < end for begin, end in bodies)
        last, joins = ("member" if is_member else "comment", lines), one_line and not before
    if last:
        yield last


def markdown_texts(source):
    """Yields ("prose", numbered lines) for the running text and for each table cell."""
    source = re.sub(r"<!-- begin.*?<!-- end.*?-->", blank, source, flags=re.S)
    source = re.sub(r"^( *)(```|~~~).*?^ *\2", blank, source, flags=re.M | re.S)
    source = re.sub(r"<!--.*?-->|<[a-z/][^>\n]*>", "", source)
    source = re.sub(r"!?\[([^\]\[]*)\]\([^)\s]*\)", r"\1", source)
    prose = []
    for number, line in enumerate(source.split("\n"), 1):
        if line.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line):
                yield "prose", [(number, cell.strip())]
        prose.append((number, "" if line.startswith(("|", "#")) else line))
    yield "prose", prose


def findings_of(path, source, most_vague=1):
    """Yields (line, rule, sentence) for each finding, and with the rule None for each sentence."""
    kind = os.path.splitext(path)[1]
    if kind != ".md" and kind not in KINDS and not re.match(r"#!.*python", source):
        return
    token = KINDS.get(kind, PYTHON_TOKEN)
    for kind, lines in markdown_texts(source) if kind == ".md" else code_texts(source, token):
        numbered = [found for block in blocks(lines) for found in sentences(block)]
        for index, (line, sentence) in enumerate(numbered):
            prose = re.sub(INLINE, "x", sentence)
            yield line, None, sentence
            if len(words(sentence)) > MOST_WORDS:
                yield line, "long", sentence
            if len(VAGUE.findall(prose)) > most_vague:
                yield line, "vague", sentence
            if WORDS.search(prose):
                yield line, "word", sentence
            if index == 0 and kind == "comment" and OPENING.match(sentence):
                yield line, "opening", sentence
        whole = " ".join(line.strip() for _, line in lines).strip()
        if kind == "member" and (whole.endswith(",") or CONTINUES.match(whole)):
            yield lines[0][0], "member", whole
