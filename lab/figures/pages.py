"""Pages: blocks and numbers that are filled from results, and numbers that have no source.

A block is what stands between lines `<!-- begin NAME -->` and `<!-- end NAME -->`. A number in a
sentence is `<!--=KEY-->12.3<!--/-->`, which markdown shows as 12.3. A number that a paper prints is
`<!--=paper ENTRY-->12.3<!--/-->`, where ENTRY is one of docs/references.bib; it stays as it is.

KEY is  experiment.ratio            a ratio
        experiment{method}.cell     a cell of the first row of that method
        machine.cpu, machine.isa, machine.runs, machine.date, ...
        a name of tables.VALUES
and may be followed by a form: `:0` to `:3` decimals, `:count` commas, `:percent` a hundredfold.
`@NAME KEY` takes another machine than the main one.
"""
import re

from results import Missing, count, number

BLOCK = re.compile(r"^<!-- begin ([\w-]+) -->\n(.*?)^<!-- end \1 -->$", re.M | re.S)
MARK = re.compile(r"^<!-- (begin|end) ([\w-]+) -->$", re.M)
NUMBER = re.compile(r"<!--=([^>]*?)-->(.*?)<!--/-->", re.S)
KEY = re.compile(r"^(?:@(?P<machine>[\w-]+) )?(?P<experiment>[\w-]+)(?:\{(?P<method>[^}]*)\})?"
                 r"(?:\.(?P<key>\w+))?(?: *:(?P<form>\w+))?$")

# A number with a unit of speed, size or share, spelled in digits or in words.
DIGITS = r"\d[\d,.]*(?: to \d[\d,.]*)?"
WORDS = ("two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
         "|sixty|eighty|ninety|hundred|thousand|dozens?")
PARTS = "half|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?|hundredths?|thousandths?"
UNITS = (r"x(?! ?\d)\b|×|times\b|fold\b|%|percent\b|s\b|ms\b|us\b|µs|ns\b|(?:milli|micro|nano)?seconds?\b"
         r"|minutes?\b|hours?\b|[kMG]i?B\b|(?:kilo|mega|giga)bytes?\b|\w+ (?:per|a) second\b")
MORE = "faster|slower|tighter|less|more|longer|as (?:fast|long|slow|tight|much)"
WORK = "the (?:time|speed|work|memory|cost)"
CLAIM = re.compile(
    rf"(?<![\w.,])(?:{DIGITS}[ -]?(?:{UNITS})"
    rf"|(?:factor|speed-?up|ratio|gain)s? (?:of|is|was) (?:about )?(?:{DIGITS}|(?:{WORDS})\b)"
    rf"|(?:(?:{WORDS}) to )?(?:{WORDS})(?: times (?:{MORE}|{WORK})|-?fold\b)"
    rf"|(?:twice|thrice) (?:as (?:fast|long|slow|tight|much)|{WORK})|half (?:{WORK}|as (?:fast|long|slow|much))"
    rf"|(?:a|{WORDS}) (?:{PARTS}) (?:of {WORK}|{MORE})|orders? of magnitude)", re.I)
# A decimal number: what is measured has decimals, what is chosen or counted seldom has.
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\w)")


def shown(value, form):
    if form is None:
        return value if isinstance(value, str) else number(value)
    if form == "count":
        return count(value)
    if form == "percent":
        return f"{100 * value:.0f}"
    if form.isdigit():
        return f"{value:.{form}f}"
    raise Missing(f"there is no form :{form}")


class Filler:
    """Fills pages from the main machine's results, others where a key says so."""

    def __init__(self, main, machines, blocks, values, entries):
        self.main, self.machines = main, machines
        self.blocks, self.values, self.entries = blocks, values, entries

    def value(self, reference):
        match = KEY.match(reference)
        if match is None:
            raise Missing(f"'{reference}' is no key")
        machine = self.main
        if match["machine"]:
            machine = self.machines.get(match["machine"])
            if machine is None:
                raise Missing(f"there is no lab/results/{match['machine']}.json")
        name, key, form = match["experiment"], match["key"], match["form"]
        if key is None:
            if name not in self.values:
                raise Missing(f"tables.VALUES has no '{name}'")
            return shown(self.values[name](machine), form)
        if name == "machine":
            return machine.about(key)
        if match["method"] is not None:
            return shown(machine.cell(name, match["method"], key), form)
        return shown(machine.ratio(name, key), form)

    def fill(self, page, text):
        """The page as it should be, and what is wrong with it."""
        wrong = list(self.check_marks(page, text))

        def block(match):
            writer = self.blocks.get((page, match[1]))
            if writer is None:
                return match[0]
            try:
                body = writer(self.main)
            except Missing as error:
                wrong.append(f"{page}: block {match[1]}: {error}")
                return match[0]
            gap = "\n" if match[2].startswith("\n") else ""  # as the page has it
            return f"<!-- begin {match[1]} -->\n{gap}{body.strip()}\n{gap}<!-- end {match[1]} -->"

        def inline(match):
            if match[1].startswith("paper "):
                return match[0]
            try:
                return f"<!--={match[1]}-->{self.value(match[1])}<!--/-->"
            except Missing as error:
                wrong.append(f"{page}: {error}")
                return match[0]

        return NUMBER.sub(inline, BLOCK.sub(block, text)), wrong

    def check_marks(self, page, text):
        """Marks without a partner, blocks without a writer, papers without an entry."""
        marked = {match[1] for match in BLOCK.finditer(text)}
        for kind, name in MARK.findall(text):
            if name not in marked:
                yield f"{page}: a line <!-- {kind} {name} --> has no partner"
        known = {name for where, name in self.blocks if where == page}
        for name in sorted(marked - known):
            yield f"{page}: nobody writes the block {name} (lab/figures/tables.py)"
        for name in sorted(known - marked):
            yield f"{page}: there is no block {name}, which lab/figures/tables.py writes"
        for reference, _ in NUMBER.findall(text):
            if reference.startswith("paper ") and reference[6:].strip() not in self.entries:
                yield f"{page}: docs/references.bib has no entry '{reference[6:].strip()}'"
            if not reference.startswith("paper ") and KEY.match(reference) is None:
                yield f"{page}: '{reference}' is no key"


def blank(match):
    """Nothing, on as many lines."""
    return "\n" * match[0].count("\n")


def unsourced(page, text, exceptions):
    """Numbers that claim something and come from nowhere; exceptions that nothing needs."""
    for pattern in (BLOCK, re.compile(r"```.*?```", re.S)):
        text = pattern.sub(blank, text)
    text = re.sub(r"^    .*|`[^`\n]*`", "", NUMBER.sub("<>", text), flags=re.M)
    for allowed in exceptions:
        if allowed not in text:
            yield f"lab/figures/exceptions.txt: '{allowed}' is not in {page} any more"
        text = text.replace(allowed, "")
    for line, content in enumerate(re.sub(r"\]\([^)]*\)", "]", text).split("\n"), 1):
        for match in CLAIM.finditer(content):
            yield f"{page}:{line}: '{match[0]}' has no source"
        for match in DECIMAL.finditer(CLAIM.sub("", content)):
            yield f"{page}:{line}: '{match[0]}' has no source"
