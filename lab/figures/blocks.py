"""The registry of blocks, and what their writers share."""
from results import figure, number

BLOCKS = {}  # (page, name): function of results that returns the block's text


def block(page, *names):
    """Registers the writer of a block."""
    def register(function):
        for name in names:
            BLOCKS[page, name] = function
        return function
    return register


def table(heads, rows, left=1):
    """A markdown table; the first `left` columns are words, the others numbers."""
    lines = ["| " + " | ".join(heads) + " |",
             "|" + "".join("---|" if i < left else "--:|" for i in range(len(heads)))]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines).replace("|  |", "| |")


LIKE = ["the paper", "the same two methods here, scalar", "ours in plain C", "ours with vectors"]


def like_for_like(r, experiment, title, rows, heads=()):
    """The paper's quotient, that of the same two methods here, and what ours is over the same rival.
    A row is what it is, the paper's words or None for its value, then a key, words or None each."""
    lines = []
    for what, paper, *keys in rows:
        scalar = keys[0]
        first = paper if paper is not None else figure(scalar, r.paper(experiment, scalar))
        lines.append([what, first] + [cell(r, experiment, key) for key in keys])
    return table([title, *(heads or LIKE)], lines)


def cell(r, experiment, key):
    """A ratio by its key; words that are no key stay, None is a dash."""
    if key is None or not key.isidentifier():
        return key or "-"
    return figure(key, r.ratio(experiment, key))


def note_list(r, experiment, end=""):
    return "\n".join(f"- {note}{end}" for note in r.notes(experiment))


def all_rows(r, experiment, heads, keys, only=None):
    """The rows of an experiment as they are, under headings of ours; `only` those with that cell."""
    return table([heads[0], *heads[1:]],
                 [[row["method"]] + [r.cell_text(experiment, row, key) for key in keys]
                  for row in r.rows(experiment) if only is None or only in row])


def rows_and_notes(page, name, experiment, heads, keys, notes=True, only=None):
    def write(r):
        text = all_rows(r, experiment, heads, keys, only)
        return text + "\n\n" + note_list(r, experiment) if notes else text
    BLOCKS[page, name] = write


def times(r, experiment, method, maybe=False, **where):
    """Update, query and total in one cell."""
    return " / ".join(number(r.cell(experiment, method, key, maybe, **where))
                      for key in ("update_ms", "query_ms", "total_ms"))
